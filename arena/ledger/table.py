"""Tables of SQLite: their columns, and the checksums of their rows."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

FORMAT = 2
"""The number of the format in which runs are stored; another one for other tables, columns or records."""
CHECKSUM = "checksum"
"""Name of the column that each table has besides its own."""


@dataclass(frozen=True)
class Table:
    """A table: columns, some of them its key, of SQL types INTEGER, REAL, TEXT and BLOB."""

    name: str
    columns: Mapping[str, str]
    key: Sequence[str]
    is_needed: bool = True
    """Whether a store that has lost rows of it is not complete."""

    @cached_property
    def definition(self) -> str:
        """The statement that makes the table."""
        columns = ", ".join(f"{column} {type}" for column, type in {**self.columns, CHECKSUM: "INTEGER"}.items())
        return f"CREATE TABLE {self.name} ({columns}, PRIMARY KEY ({', '.join(self.key)}))"

    @cached_property
    def insertion(self) -> str:
        """The end of a statement that inserts a row of `stored`."""
        marks = ", ".join("?" * (len(self.columns) + 1))
        return f"INTO {self.name} ({', '.join(self.columns)}, {CHECKSUM}) VALUES ({marks})"

    @cached_property
    def query(self) -> str:
        """The statement that reads whole rows."""
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
