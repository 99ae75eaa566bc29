"""Damage to a store's file: found by SQLite's own check and by the checksums of its rows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.ledger.table import Table

META = Table("meta", {"key": "TEXT", "value": "TEXT"}, ["key"])
"""JSON documents by key."""
_NAMED = 5
"""Damaged rows that a message names, at most."""
_GAP = 10_000
"""Rows that cannot be read, one after the other, after which a table has no more: more than hang on one page."""


class Damage:
    """Finds what in a file of SQLite is not as it was stored; false while nothing was found."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Check the structure of a file, but not yet its rows. Raises sqlite3.OperationalError if it is locked."""
        self._connection = connection
        self.structure = ""
        """SQLite's message about the file; empty if it has none."""
        self.rows: dict[str, list[str]] = {}
        """Keys of the damaged rows that were read, by their table."""
        try:
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            self.structure = "" if found == "ok" else found.splitlines()[-1]
        except sqlite3.OperationalError:
            raise
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            self._tolerate(error)

    def __bool__(self) -> bool:
        return bool(self.structure or self.rows)

    def __str__(self) -> str:
        found = [f"{table} {_listed(keys)}" for table, keys in self.rows.items()]
        return "; ".join([*found, *filter(None, [self.structure])])

    def intact(self, table: Table) -> Iterator[tuple[Any, ...]]:
        """The rows of a table that have their checksum, past pages that cannot be read; others are taken down."""
        query = f"SELECT rowid, {table.query.removeprefix('SELECT ')} WHERE rowid > ? ORDER BY rowid"
        last, gap, is_first = 0, 0, True
        while gap < _GAP:
            try:
                for number, *row in self._connection.execute(query, (last,)):
                    if number > last:
                        last, gap = number, 0
                        if table.is_intact(row):
                            yield tuple(row)
                        else:
                            self.rows.setdefault(table.name, []).append(table.key_of(row))
                return
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if is_first:  # a text of other bytes, which is read in the second attempt, or a page
                    self._connection.text_factory = lambda text: text.decode(errors="surrogateescape")
                    is_first = False
                elif isinstance(error, sqlite3.OperationalError):
                    raise
                else:
                    self._tolerate(error)
                    last, gap = last + 1, gap + 1

    def documents(self) -> dict[str, Any]:
        """The intact documents of META by their keys."""
        return {key: json.loads(value) for key, value, _ in self.intact(META)}

    def _tolerate(self, error: Exception) -> None:
        """Take down an error of the file's structure, and read on in a file that is shorter than it should be."""
        self.structure = self.structure or " ".join(str(error).split())
        self._connection.execute("PRAGMA writable_schema = ON")


def documents(connection: sqlite3.Connection) -> dict[str, Any]:
    """The documents of META by their keys. Raises sqlite3.DatabaseError if one is damaged."""
    rows = connection.execute(META.query).fetchall()
    for row in rows:
        if not META.is_intact(row):
            raise sqlite3.DatabaseError(f"the document {META.key_of(row)} is damaged")
    return {key: json.loads(value) for key, value, _ in rows}


def changed_keys(stored: Mapping[str, Any], parts: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """The keys of some parts whose values are others in the documents that are stored of them."""
    changed: set[str] = set()
    for part, wanted in parts.items():
        plain = json.loads(json.dumps(wanted))
        known = stored.get(part, plain)
        changed |= {key for key in known.keys() | plain.keys() if known.get(key) != plain.get(key)}
    return changed


def _listed(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else ""
    return ", ".join(keys[:_NAMED]) + more
