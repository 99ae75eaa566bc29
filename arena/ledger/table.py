"""Tables of a store: columns of plain values, and a checksum in every row."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

CHECKSUM = "checksum"
"""Name of the column that each table has besides its own."""


@dataclass(frozen=True)
class Table:
    """A table of an SQLite file: columns, some of them its key, of SQL types INTEGER, REAL, TEXT and BLOB."""

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

    def stored(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """A row as SQLite will give it back, nan being None, with its checksum.

        Raises TypeError, ValueError or OverflowError for values that are not of the columns' types.
        """
        row = [
            None if value is None or value != value else convert(value)  # noqa: PLR0124  nan
            for value, convert in zip(values, self._conversions, strict=True)
        ]
        return (*row, self._checksum(row))

    def is_intact(self, row: Sequence[Any]) -> bool:
        """Whether a row of `query` has the checksum that it was stored with."""
        return bool(self._checksum(row[:-1]) == row[-1])

    def key_of(self, row: Sequence[Any]) -> str:
        """The key of a row of `query`, for people."""
        values = dict(zip(self.columns, row, strict=False))
        return " ".join(str(values[column]) for column in self.key).encode(errors="replace").decode()

    @cached_property
    def _conversions(self) -> list[Callable[[Any], Any]]:
        return [_CONVERSIONS[type] for type in self.columns.values()]

    def _checksum(self, row: Sequence[Any]) -> int:
        """CRC-32 of the table's name, bytes as they are, and their lengths and all else as Python writes it."""
        crc, plain = self._seed, tuple(row)
        for place in self._blobs:
            if type(value := row[place]) is bytes:
                crc = zlib.crc32(value, crc)
                plain = (*plain[:place], (len(value),), *plain[place + 1 :])
        return zlib.crc32(ascii(plain).encode(), crc)

    @cached_property
    def _blobs(self) -> list[int]:
        return [place for place, type in enumerate(self.columns.values()) if type == "BLOB"]

    @cached_property
    def _seed(self) -> int:
        return zlib.crc32(self.name.encode())


def _real(value: Any) -> float:
    return float(value) + 0.0


def _text(value: Any) -> str:
    """A text; lone surrogates, which SQLite does not keep, as escapes."""
    text = str(value)
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


_CONVERSIONS: dict[str, Callable[[Any], Any]] = {"INTEGER": int, "REAL": _real, "TEXT": _text, "BLOB": bytes}
