"""Tables of SQLite: their columns, the checksums of their rows, and how another version of the arena made them."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

from arena.ledger.packing import Fields, translated

FORMAT = 1
"""The number of the format in which runs are stored.

It is raised by one with another table, column or field of records, which must have a name that was never used: a
file of a lower number is read, and gone on with, and what it lacks is null.
"""
CHECKSUM = "checksum"
"""Name of the column that each table has besides its own."""


class Records(NamedTuple):
    """What the BLOBs of a column hold: records, `arena.ledger.packing.translated`."""

    number: str
    """The column that says how many."""
    fields: Fields


@dataclass(frozen=True)
class Table:
    """A table: columns, some of them its key, of SQL types INTEGER, REAL, TEXT and BLOB."""

    name: str
    columns: Mapping[str, str]
    key: Sequence[str]
    is_needed: bool = True
    """Whether a store that has lost rows of it is not complete."""
    records: Mapping[str, Records] = field(default_factory=dict)
    """By column what its BLOBs hold."""

    @cached_property
    def definition(self) -> str:
        """The statement that makes the table."""
        columns = ", ".join(f"{column} {type}" for column, type in {**self.columns, CHECKSUM: "INTEGER"}.items())
        return f"CREATE TABLE {self.name} ({columns}, PRIMARY KEY ({', '.join(self.key)}))"

    @cached_property
    def insertion(self) -> str:
        """The end of a statement that inserts a row of `stored`."""
        marks = ", ".join("?" * (len(self.columns) + 1))
        return f"INTO main.{self.name} ({', '.join(self.columns)}, {CHECKSUM}) VALUES ({marks})"

    @cached_property
    def query(self) -> str:
        """The statement that reads whole rows."""
        return f"SELECT {', '.join(self.columns)}, {CHECKSUM} FROM main.{self.name}"

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

    def row(self, values: Mapping[str, Any], other: Table) -> tuple[Any, ...]:
        """A row of this table from one of another version's, by name; None for a value that this lacks."""
        if other is self:
            return tuple(values[name] for name in self.columns)
        found = dict(values)
        for name, (number, fields) in self.records.items():
            if (data := values.get(name)) is not None:
                found[name] = translated(data, values[number], other.records[name].fields, fields)
        return tuple(found.get(name) for name in self.columns)

    def seen(self, connection: sqlite3.Connection, made: Table | None) -> None:
        """Have queries see this table where the file has one that an earlier version made, or None."""
        if made is None:
            connection.execute(self.definition.replace("CREATE TABLE", "CREATE TEMP TABLE"))
        elif made is not self:
            columns = {name: name if name in made.columns else "NULL" for name in self.columns}
            for name, (number, fields) in made.records.items():
                wanted = self.records[name].fields
                connection.create_function(f"{name}_seen", 2, partial(_seen, fields=fields, wanted=wanted))
                columns[name] = f"{name}_seen({name}, {number})"
            selected = ", ".join(f"{value} AS {name}" for name, value in columns.items())
            connection.execute(
                f"CREATE TEMP VIEW {self.name} AS SELECT {selected}, {CHECKSUM} FROM main.{self.name}"
            )

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


def _seen(data: bytes | None, count: int, fields: Fields, wanted: Fields) -> bytes | None:
    return None if data is None else translated(data, count, fields, wanted)


def tables_of(
    connection: sqlite3.Connection, tables: Sequence[Table], records: Mapping[str, Fields]
) -> dict[str, Table] | None:
    """Tables as a file has them, by name; None if it has others, or columns or records that these do not know.

    `records` are the fields of its records, by column. A table that it lacks is left out. What is as it is here is
    the same object.
    """
    found = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    made: dict[str, Table] = {}
    for table in tables:
        if (sql := found.pop(table.name, None)) is None:
            continue
        described = connection.execute(f"PRAGMA main.table_info({table.name})").fetchall()
        columns = {name: kind for _, name, kind, *_ in described if name != CHECKSUM}
        blobs = {
            name: Records(known.number, records[name]) for name, known in table.records.items() if name in columns
        }
        other = replace(table, columns=columns, records=blobs)
        is_known = columns.items() <= table.columns.items() and all(
            {*fields} <= {*table.records[name].fields} for name, (_, fields) in blobs.items()
        )
        if not is_known or other.definition != sql:
            return None
        made[table.name] = table if other == table and sql == table.definition else other
    return None if found else made


def _text(value: Any) -> str:
    """A text; lone surrogates, which SQLite does not keep, as escapes."""
    text = str(value)
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "INTEGER": int,
    "REAL": lambda value: float(value) + 0.0,
    "TEXT": _text,
    "BLOB": bytes,
}
META = Table("meta", {"key": "TEXT", "value": "TEXT"}, ["key"])
"""JSON documents by key."""
