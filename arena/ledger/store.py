"""The store: an SQLite file with one writer, which loses nothing when its process is stopped, by whatever cause.

Every statement is a transaction of its own, so each row is there in full or not at all, and every row has a
checksum, so that damage is found. A table `meta`, kept twice, holds JSON documents by key: what the rows belong
to, and what their records hold.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from arena.base.files import FolderError, lock_folder
from arena.base.wording import first_few
from arena.ledger.repair import (
    COMPLETE,
    META,
    READ_ERRORS,
    SUFFIX,
    Damage,
    changed_keys,
    damage_of,
    document_row,
    documents,
    intact_documents,
    intact_rows,
    rebuild,
)
from arena.ledger.table import Table

BUSY_SECONDS = 60.0
"""Seconds for which another program may keep the file locked before that is an error."""
CLOSE_SECONDS = 1.0
"""Seconds that closing waits for programs that read the file."""
LOOK_SECONDS = 1.0
"""Seconds after which it is seen again whether the file is still the one in the folder."""
REMEDY = "arena run does again what is missing, and keeps the rest"
"""What mends a damaged file."""
_NAMED = 5
"""Folders inside a folder that a message names."""


class StoreError(Exception):
    """A folder that cannot hold what is to be stored, or does not hold what is to be read; one line says why."""


class Store:
    """An SQLite file in a folder of its own, open for writing; a context manager that closes it.

    One thread at a time may use it.

    `parts` describe what the rows belong to: JSON values by key, under a name for each part. `columns`, JSON too,
    says what the binary records hold. `noun` is what the parts describe. `derived` are tables made from the
    others, which are emptied if something was damaged.
    """

    repaired: str
    """The damage found on opening the file and its repair, in one line; empty if there was none."""

    def __init__(
        self,
        path: Path,
        tables: Sequence[Table],
        parts: Mapping[str, Mapping[str, Any]],
        *,
        columns: Any = None,
        noun: str = "experiment",
        derived: Sequence[Table] = (),
    ) -> None:
        """Open the store at `path`, or make one. Damaged rows are removed: see `repaired`.

        Raises StoreError if its folder cannot be written to, is in use, or holds another `noun` or other columns,
        and if the file is so damaged that it is not known what its rows belong to.
        """
        self.path, self.repaired = path, ""
        self._tables, self._derived = (*META, *tables), derived
        try:
            with _errors(path, "used"), ExitStack() as opened:
                opened.callback(lock_folder(path.parent).release)
                self._connect()
                opened.callback(self._disconnect)
                described = {**parts, "columns": columns}
                if _is_new(self.connection):
                    self._make(described)
                damage = self._damage(list(described))
                self._check(parts, columns, noun)
                if damage:
                    self._repair(damage)
                self._files = {file: _identity(file) for file in self._watched}
                self._looked = time.monotonic()
                self._opened = opened.pop_all()
        except FolderError as error:
            raise StoreError(str(error)) from None

    def _connect(self) -> None:
        self.connection = sqlite3.connect(
            self.path, isolation_level=None, timeout=BUSY_SECONDS, check_same_thread=False
        )
        try:
            self.connection.execute("PRAGMA journal_mode = WAL")
            self.connection.execute("PRAGMA synchronous = NORMAL")
        except READ_ERRORS:
            self.connection.close()
            raise

    def _disconnect(self) -> None:
        """Close the file without SQLite's log beside it, which whoever reads it later would leave there."""
        with suppress(sqlite3.Error):
            self.connection.execute(f"PRAGMA busy_timeout = {round(1000 * CLOSE_SECONDS)}")
            self.connection.execute("PRAGMA journal_mode = DELETE")
        self.connection.close()

    def _make(self, described: Mapping[str, Any]) -> None:
        self.connection.execute("BEGIN IMMEDIATE")
        for table in self._tables:
            self.connection.execute(table.definition)
        for key, document in described.items():
            self._put(key, document)
        self.connection.execute("COMMIT")

    def _damage(self, needed: Sequence[str]) -> Damage:
        """Find the damage. Raises StoreError if both copies of a needed document are damaged."""
        check_tables(self.path, self.connection, self._tables)
        damage = damage_of(self.connection, self._tables)
        if damage and not intact_documents(self.connection).keys() >= set(needed):
            raise StoreError(
                f"{self.path} is damaged ({damage}), and it is not known any more what it holds; "
                "give this run another --out, or delete that folder"
            )
        return damage

    def _repair(self, damage: Damage) -> None:
        stored = intact_documents(self.connection)
        own = self._tables[len(META) :]
        lost, needed = damage.rows.keys(), {table.name for table in own if table.is_needed}
        if damage.structure or lost & needed:
            stored.pop(COMPLETE, None)
        kept = [(table, [document_row(table, *item) for item in stored.items()]) for table in META]
        rows = [(t, () if t in self._derived else intact_rows(self.connection, t)) for t in own]
        rebuild(self.path, self.connection, [*kept, *rows])
        self._connect()
        count = "SELECT COUNT(*) FROM {}".format
        named = [table.name for table in own if table.name in needed | lost]
        counts = [f"{self.connection.execute(count(name)).fetchone()[0]} {name}" for name in named]
        self.repaired = (
            f"{self.path} was damaged ({damage}): {', '.join(counts)} are intact, what is missing is done again; "
            f"the damaged file is kept as {self.path.name}{SUFFIX}"
        )

    def _check(self, parts: Mapping[str, Mapping[str, Any]], columns: Any, noun: str) -> None:
        stored = intact_documents(self.connection)
        check_columns(self.path, stored, columns)
        if changed := changed_keys(stored, parts):
            raise StoreError(
                f"{self.path.parent} holds another {noun} (changed: {', '.join(sorted(changed))}); "
                "give this one another name or --out, or delete that folder"
            )

    def put(self, key: str, document: Any) -> None:
        """Store a JSON document under a key of `meta`, in place of an earlier one; errors as of `insert`."""
        self.look()
        with _errors(self.path, "written to"):
            self._put(key, document)

    def _put(self, key: str, document: Any) -> None:
        for table in META:
            self.connection.execute(f"REPLACE {table.insertion}", document_row(table, key, document))

    def insert(self, table: Table, values: Sequence[Any], *, replace: bool = False) -> int:
        """Store a row, the values of the table's columns, for good; in place of one with its key if `replace`.

        Returns the checksum that is stored with it.

        Raises sqlite3.IntegrityError for such a row otherwise, and StoreError if the disk cannot be
        written to or the file is not the one in the folder any more.
        """
        self.look()
        with _errors(self.path, "written to"):
            row = table.stored(values)
            self.connection.execute(f"{'REPLACE' if replace else 'INSERT'} {table.insertion}", row)
        return int(row[-1])

    def delete(self, table: Table, condition: str, values: Sequence[Any]) -> None:
        """Delete the rows that meet a condition in SQL. Raises StoreError as `insert`."""
        self.look()
        with _errors(self.path, "written to"):
            self.connection.execute(f"DELETE FROM {table.name} WHERE {condition}", values)

    def rows(self, query: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows that a query finds. Raises StoreError if they cannot be read."""
        with _errors(self.path, "read"):
            yield from self.connection.execute(query, values)

    def documents(self) -> dict[str, Any]:
        """The documents of `meta` by their keys. Raises StoreError if they cannot be read."""
        with _errors(self.path, "read"):
            return documents(self.connection)

    def look(self) -> None:
        """Raise StoreError if the file was deleted or replaced since it was opened; looks once in LOOK_SECONDS."""
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        for file in self._watched:
            found = _identity(file)
            self._files[file] = self._files[file] or found
            if found != self._files[file]:
                raise StoreError(
                    f"{file} was deleted or replaced while it was in use; rerun the same command to resume"
                )

    @property
    def _watched(self) -> tuple[Path, Path]:
        return self.path, self.path.with_name(f"{self.path.name}-wal")

    def close(self) -> None:
        """Close the file and release the folder."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def check_tables(path: Path, connection: sqlite3.Connection, tables: Sequence[Table]) -> None:
    """Raise StoreError if a file has other tables than these."""
    wanted = {table.name: table.definition for table in tables}
    if dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")) != wanted:
        raise StoreError(f"{path} is of another version of the arena, or damaged: it has other tables")


def check_columns(path: Path, stored: Mapping[str, Any], columns: Any) -> None:
    """Raise StoreError if the binary records of a store with these documents do not hold `columns`."""
    if stored.get("columns") != json.loads(json.dumps(columns)):
        raise StoreError(f"{path} is of another version of the arena, which stores runs differently")


def check_intact(path: Path, connection: sqlite3.Connection, tables: Sequence[Table]) -> None:
    """Raise StoreError if a file of META and these tables is damaged."""
    every = (*META, *tables)
    if _is_new(connection):
        raise StoreError(f"{path} holds nothing yet")
    check_tables(path, connection, every)
    if damage := damage_of(connection, every):
        raise StoreError(f"{path} is damaged ({damage}); {REMEDY}")


@contextmanager
def reading(path: Path, noun: str = "run") -> Iterator[sqlite3.Connection]:
    """The store at `path`, open for reading while another process may write to it.

    Raises StoreError if there is none, or if it cannot be read or lacks what it is asked for.
    """
    if not path.is_file():
        inside = sorted(other.parent.name for other in path.parent.glob(f"*/{path.name}"))
        where = (
            f", but in its folders: {first_few(inside[:_NAMED], len(inside))}" if inside else f" (no {path.name})"
        )
        raise StoreError(f"there is no {noun} in {path.parent}{where}")
    try:
        with closing(_connected(path)) as connection:
            yield connection
    except (*READ_ERRORS, KeyError) as error:
        raise StoreError(f"{path} cannot be read: {_line(error)}") from None


def _connected(path: Path) -> sqlite3.Connection:
    """A connection for reading; SQLite needs a flag if its log neither exists nor can be made."""
    address = f"{path.resolve().as_uri()}?mode=ro"
    connection = sqlite3.connect(address, uri=True)
    try:
        connection.execute("SELECT 1 FROM sqlite_master")
    except sqlite3.OperationalError:
        connection.close()
        if os.access(path.parent, os.W_OK) or path.with_name(f"{path.name}-wal").exists():
            raise
        connection = sqlite3.connect(f"{address}&immutable=1", uri=True)
    return connection


def _is_new(connection: sqlite3.Connection) -> bool:
    """Whether nothing was ever stored; a damaged file may seem to have no tables, but has their pages."""
    tables = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
    return bool(tables == 0 and connection.execute("PRAGMA page_count").fetchone()[0] <= 1)


def _identity(file: Path) -> tuple[int, int] | None:
    """The identity of a file, apart from its name; None if there is none."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


@contextmanager
def _errors(path: Path, done: str) -> Iterator[None]:
    """Errors of SQLite and of the file system as StoreErrors: the file cannot be `done`."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise
    except (*READ_ERRORS, OSError) as error:
        raise StoreError(f"{path} cannot be {done}: {_line(error)}") from None


def _line(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is damaged"
    return " ".join(str(error.strerror if isinstance(error, OSError) and error.strerror else error).split())
