"""The documents of a store: JSON by key, in a table `meta` and a copy of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from arena.ledger.repair import any_text
from arena.ledger.table import Table

COMPLETE = "complete"
"""Key of the document that says that all is done; a store that lost rows has it no more."""
ANNULLED = "annulled"
"""Key of the document that names the players of a tournament of whom no game counts."""
META = tuple(Table(name, {"key": "TEXT", "value": "TEXT"}, ["key"]) for name in ("meta", "meta_copy"))


def documents(connection: sqlite3.Connection) -> dict[str, Any]:
    """The documents of `meta` by their keys. Raises sqlite3.DatabaseError if one is damaged."""
    found = intact_documents(connection)
    for table in META:
        for key, *_ in connection.execute(table.query):
            if key not in found:
                raise sqlite3.DatabaseError(f"the document {key} of {table.name} is damaged")
    return found


def intact_documents(connection: sqlite3.Connection) -> dict[str, Any]:
    """The documents of which one of the two copies is intact; the first counts."""
    found: dict[str, Any] = {}
    with any_text(connection):
        for table in META:
            for row in connection.execute(table.query):
                if row[0] not in found and table.intact(row):
                    found[row[0]] = json.loads(row[1])
    return found


def document_row(table: Table, key: str, document: Any) -> tuple[Any, ...]:
    """The row of a document in one of META."""
    return table.stored((key, json.dumps(document, sort_keys=True)))


def changed_keys(stored: Mapping[str, Any], parts: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """The keys of `parts`, as `Store` takes them, whose values are others in a store with these documents."""
    changed: set[str] = set()
    for part, wanted in parts.items():
        known, plain = stored.get(part, {}), json.loads(json.dumps(wanted))
        changed |= {key for key in known.keys() | plain.keys() if known.get(key) != plain.get(key)}
    return changed


def texts_of(document: Any) -> Iterator[str]:
    """All texts of a document, keys of mappings among them."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict | list | tuple):
        parts = document.items() if isinstance(document, dict) else document
        yield from (text for part in parts for text in texts_of(part))


def with_texts(document: Any, changed: Callable[[str], str]) -> Any:
    """The document with all of its texts changed."""
    if isinstance(document, str):
        return changed(document)
    if isinstance(document, dict):
        return {changed(key): with_texts(value, changed) for key, value in document.items()}
    return [with_texts(part, changed) for part in document] if isinstance(document, list | tuple) else document
