"""Tables of an SQLite file with a checksum in every row, and the damage that is found by it."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from arena.base.wording import first_few

CHECKSUM = "checksum"
"""Name of the column that each table has besides its own."""
_NAMED = 5
"""Damaged rows that a message names, at most."""
_GAP = 10_000
"""Rows that cannot be read, one after the other, after which a table has no more: more than hang on one page."""


@dataclass(frozen=True)
class Table:
    """A table: columns, some of them its key, of SQL types INTEGER, REAL, TEXT and BLOB."""

    name: str
    columns: Mapping[str, str]
    key: Sequence[str]
    is_needed: bool = True
    """Whether a store that has lost rows of it is not complete."""
    is_derived: bool = False
    """Whether it is made from the other tables, and empty once one of these was damaged."""

    @cached_property
    def definition(self) -> str:
        """The statement that makes the table."""
        listed = ", ".join(f"{column} {type}" for column, type in {**self.columns, CHECKSUM: "INTEGER"}.items())
        return f"CREATE TABLE {self.name} ({listed}, PRIMARY KEY ({', '.join(self.key)}))"

    @cached_property
    def insertion(self) -> str:
        """The end of a statement that inserts a row of `stored`."""
        marks = ", ".join("?" * (len(self.columns) + 1))
        return f"INTO {self.name} ({', '.join(self.columns)}, {CHECKSUM}) VALUES ({marks})"

    @cached_property
    def query(self) -> str:
        """The statement that reads whole rows, as `is_intact` takes them."""
        return f"SELECT {', '.join(self.columns)}, {CHECKSUM} FROM {self.name}"

    @cached_property
    def _conversions(self) -> list[Callable[[Any], Any]]:
        return [_CONVERSIONS[type] for type in self.columns.values()]

    def stored(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """A row as SQLite will give it back, nan being None, with its checksum.

        Raises TypeError, ValueError or OverflowError for values that are not of the columns' types.
        """
        row = [
            None if value is None or value != value else convert(value)  # noqa: PLR0124  nan
            for value, convert in zip(values, self._conversions, strict=True)
        ]
        return (*row, self.checksum(row))

    def checksum(self, row: Sequence[Any]) -> int:
        """CRC-32 of the table's name, all BLOBs, and the other values with their types, as Python writes them."""
        crc, plain = zlib.crc32(self.name.encode()), list(row)
        for place, value in enumerate(row):
            if type(value) is bytes:
                crc = zlib.crc32(value, crc)
                plain[place] = (len(value),)
        return zlib.crc32(ascii(tuple(plain)).encode(), crc)

    def is_intact(self, row: Sequence[Any]) -> bool:
        """Whether a row of `query` has the checksum that it was stored with."""
        return bool(self.checksum(row[:-1]) == row[-1])

    def key_of(self, row: Sequence[Any]) -> str:
        """The key of a row of `query`, for people."""
        values = dict(zip(self.columns, row, strict=False))
        return " ".join(str(values[column]) for column in self.key).encode(errors="replace").decode()


def _real(value: Any) -> float:
    return float(value) + 0.0


def _text(value: Any) -> str:
    """A text; lone surrogates, which SQLite does not keep, as escapes."""
    text = str(value)
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


_CONVERSIONS: dict[str, Callable[[Any], Any]] = {"INTEGER": int, "REAL": _real, "TEXT": _text, "BLOB": bytes}

META = Table("meta", {"key": "TEXT", "value": "TEXT"}, ["key"])
"""JSON documents by key."""


def documents(connection: sqlite3.Connection) -> dict[str, Any]:
    """The documents of META by their keys. Raises sqlite3.DatabaseError if one is damaged."""
    rows = connection.execute(META.query).fetchall()
    for row in rows:
        if not META.is_intact(row):
            raise sqlite3.DatabaseError(f"the document {META.key_of(row)} is damaged")
    return {key: json.loads(value) for key, value, _ in rows}


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
            verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            self.structure = "" if verdict == "ok" else verdict.splitlines()[-1]
        except sqlite3.OperationalError:
            raise
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            self._tolerate(error)

    def __bool__(self) -> bool:
        return bool(self.structure or self.rows)

    def __str__(self) -> str:
        parts = [f"{table} {first_few(keys, _NAMED)}" for table, keys in self.rows.items()]
        return "; ".join([*parts, *filter(None, [self.structure])])

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
