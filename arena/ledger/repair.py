"""Damage of a store: how it is found, how the file is made again from intact rows; and the documents in it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, NamedTuple

from arena.base.files import replace
from arena.ledger.table import Table

READ_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""SQLite's errors for a file that cannot be read; the latter for a damaged name in its message."""
SUFFIX = ".damaged"
"""Of the copy of a damaged file that is kept beside the one made again."""
_NAMED = 5
"""Damaged rows that a message names, at most."""
_LOG = "-wal"
"""Suffix of SQLite's log, which holds the last rows of a file until they are moved into it."""


class Damage(NamedTuple):
    """The damage to a store's file; all values are empty if there is none."""

    structure: str
    """SQLite's message about the file."""
    rows: dict[str, list[str]]
    """Keys of the rows that are not what was stored, by their table."""

    def __bool__(self) -> bool:
        return bool(self.structure or self.rows)

    def __str__(self) -> str:
        found = [f"{table} {_listed(keys)}" for table, keys in self.rows.items()]
        return "; ".join([*found, self.structure][: len(found) + bool(self.structure)])


@contextmanager
def any_text(connection: sqlite3.Connection) -> Iterator[None]:
    """Have a connection read any bytes as a text, so that a damaged one is seen to be another."""
    before = connection.text_factory
    connection.text_factory = lambda text: text.decode(errors="surrogateescape")
    try:
        yield
    finally:
        connection.text_factory = before


def damage_of(connection: sqlite3.Connection, tables: Sequence[Table]) -> Damage:
    """The damage to a file of these tables: its structure, as SQLite sees it, and the rows' checksums."""
    rows: dict[str, list[str]] = {}
    try:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        structure = "" if found == "ok" else found.splitlines()[-1]
        for table in tables:
            if keys := _damaged(connection, table):
                rows[table.name] = keys
    except READ_ERRORS as error:
        structure = " ".join(str(error).split())
    return Damage(structure, rows)


def intact_rows(connection: sqlite3.Connection, table: Table) -> Iterator[tuple[Any, ...]]:
    """The rows of a damaged file's table that have their checksum, from both ends up to what cannot be read.

    A row may come twice.
    """
    for order in ("ASC", "DESC"):
        by = ", ".join(f"{column} {order}" for column in table.key)
        with suppress(*READ_ERRORS), any_text(connection):
            yield from filter(table.intact, connection.execute(f"{table.query} ORDER BY {by}"))
            return


def rebuild(path: Path, connection: sqlite3.Connection, tables: Iterable[tuple[Table, Iterable[Any]]]) -> None:
    """Replace a damaged file by one of tables with the rows given, and close its connection; it is kept beside.

    Raises sqlite3.Error or OSError if the disk cannot be written to; nothing is changed then.
    """

    def fill(temporary: Path) -> None:
        temporary.unlink(missing_ok=True)
        with closing(sqlite3.connect(temporary, isolation_level=None)) as made:
            made.execute("BEGIN")
            for table, rows in tables:
                made.execute(table.definition)
                made.executemany(f"INSERT OR IGNORE {table.insertion}", rows)
            made.execute("COMMIT")
        connection.close()
        for suffix in ("", _LOG):
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{path}{suffix}", f"{path}{SUFFIX}{suffix}")
        for suffix in (_LOG, "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)

    replace(path, fill)


def _damaged(connection: sqlite3.Connection, table: Table) -> list[str]:
    for texts in (nullcontext, any_text):  # the first takes half the time
        with texts(connection), suppress(sqlite3.OperationalError):
            return [table.key_of(row) for row in connection.execute(table.query) if not table.intact(row)]
    raise sqlite3.DatabaseError(f"the table {table.name} cannot be read")


def _listed(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else ""
    return ", ".join(keys[:_NAMED]) + more


COMPLETE = "complete"
"""Key of the document that says that all is done; a store that lost rows has it no more."""
ANNULLED = "annulled"
"""Key of the document that names the players of a tournament of whom no game counts."""
SPENT = "spent"
"""Key of the document with the sums of the players' own numbers, by name, over all plays of games."""
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


def with_texts(document: Any, changed: Callable[[str], str]) -> Any:
    """The document with all of its texts changed."""
    if isinstance(document, str):
        return changed(document)
    if isinstance(document, dict):
        return {changed(key): with_texts(value, changed) for key, value in document.items()}
    return [with_texts(part, changed) for part in document] if isinstance(document, list | tuple) else document
