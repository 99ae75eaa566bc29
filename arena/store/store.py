"""The store: an SQLite file with one writer, which loses nothing when its process is stopped, by whatever cause.

Every statement is a transaction of its own, so each row is there in full or not at all. A table `meta` holds JSON
documents by key: what the rows belong to, and what their records hold.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

from arena.files import FolderError, lock_folder


class StoreError(Exception):
    """A folder that cannot hold what is to be stored, or does not hold what is to be read; one line says why."""


class Store:
    """An SQLite file in a folder of its own, open for writing; a context manager that closes it.

    `tables` are statements of `table`. `parts` describe what the rows belong to: JSON values by key, under a name
    for each part. `columns`, JSON too, says what the binary records hold. `noun` is what the parts describe.
    """

    def __init__(
        self,
        path: Path,
        tables: Iterable[str],
        parts: Mapping[str, Mapping[str, Any]],
        *,
        columns: Any = None,
        noun: str = "experiment",
    ) -> None:
        """Open the store at `path`, or make one.

        Raises StoreError if its folder cannot be written to, is in use, or holds another `noun` or other columns.
        """
        self.path = path
        try:
            with ExitStack() as opened:
                opened.callback(lock_folder(path.parent).release)
                self.connection = sqlite3.connect(path, isolation_level=None)
                opened.callback(self.connection.close)
                self.connection.execute("PRAGMA journal_mode = WAL")
                self.connection.execute("PRAGMA synchronous = NORMAL")
                for statement in (table("meta", {"key": "TEXT", "value": "TEXT"}, ["key"]), *tables):
                    self.connection.execute(statement)
                self._check(parts, columns, noun)
                self._opened = opened.pop_all()
        except FolderError as error:
            raise StoreError(str(error)) from None
        except sqlite3.Error as error:
            raise StoreError(f"{path} cannot be used: {error}") from None

    def _check(self, parts: Mapping[str, Mapping[str, Any]], columns: Any, noun: str) -> None:
        stored = documents(self.connection)
        if not stored:
            self.connection.execute("BEGIN")
            for key, document in {**parts, "columns": columns}.items():
                self.put(key, document)
            self.connection.execute("COMMIT")
            return
        check_columns(self.path, stored, columns)
        changed: set[str] = set()
        for part, wanted in parts.items():
            known, plain = stored.get(part, {}), json.loads(json.dumps(wanted))
            changed |= {key for key in known.keys() | plain.keys() if known.get(key) != plain.get(key)}
        if changed:
            raise StoreError(
                f"{self.path.parent} holds another {noun} (changed: {', '.join(sorted(changed))}); "
                "give this one another name or --out, or delete that folder"
            )

    def put(self, key: str, document: Any) -> None:
        """Store a JSON document under a key of `meta`, in place of an earlier one."""
        self.insert("meta", ["key", "value"], [key, json.dumps(document, sort_keys=True)], replace=True)

    def insert(self, table: str, columns: Sequence[str], row: Sequence[Any], *, replace: bool = False) -> None:
        """Store a row, for good, in place of one with the same key if `replace` is true.

        Raises sqlite3.IntegrityError for such a row otherwise, and StoreError if the disk cannot be written to.
        """
        marks = ", ".join("?" * len(columns))
        verb = "INSERT OR REPLACE" if replace else "INSERT"
        try:
            self.connection.execute(f"{verb} INTO {table} ({', '.join(columns)}) VALUES ({marks})", tuple(row))
        except sqlite3.OperationalError as error:
            raise StoreError(f"{self.path} cannot be written to: {error}") from None

    def close(self) -> None:
        """Close the file and release the folder."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def table(name: str, columns: Mapping[str, str], key: Sequence[str]) -> str:
    """The statement that makes a table, if it is missing, of columns with their SQL types and a primary key."""
    listed = ", ".join(f"{column} {type}" for column, type in columns.items())
    return f"CREATE TABLE IF NOT EXISTS {name} ({listed}, PRIMARY KEY ({', '.join(key)}))"


def documents(connection: sqlite3.Connection) -> dict[str, Any]:
    """The documents of `meta` by their keys."""
    return {key: json.loads(value) for key, value in connection.execute("SELECT key, value FROM meta")}


def check_columns(path: Path, stored: Mapping[str, Any], columns: Any) -> None:
    """Raise StoreError if the binary records of a store with these documents do not hold `columns`."""
    if stored.get("columns") != json.loads(json.dumps(columns)):
        raise StoreError(f"{path} is of another version of the arena, which records otherwise")


@contextmanager
def reading(path: Path, noun: str = "run") -> Iterator[sqlite3.Connection]:
    """The store at `path`, open for reading while another process may write to it.

    Raises StoreError if there is none, or if it cannot be read or lacks what it is asked for.
    """
    if not path.is_file():
        raise StoreError(f"there is no {noun} in {path.parent} (no {path.name})")
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            yield connection
        finally:
            connection.close()
    except (sqlite3.Error, KeyError) as error:
        raise StoreError(f"{path} cannot be read: {error}") from None
