"""A table's columns: their meaning, the cells that people read, and the decimals of the CSV file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from markupsafe import Markup


class Cell(NamedTuple):
    """A cell that people read: "+12 ± 5" of 12.3. A column whose values are texts starts at the left."""

    value: Any
    """What a column is sorted by: a number or a text; None where there is no value."""
    text: str
    drawn: Markup | None = None
    """What a page shows in place of the text."""


class Column(NamedTuple):
    """One column of a table."""

    name: str
    meaning: str
    unit: str = ""
    heading: str = ""
    """What people read above it; "" for a column that they are not shown."""
    text: Callable[..., str] = str
    """A value as people read it, "" for none."""
    decimals: int | None = None
    """Of a CSV file. None: integers and text as they are, other fractions to six significant digits."""
    reads: tuple[str, ...] = ()
    """The columns whose values `text` takes, if not this one's alone."""


class Table(NamedTuple):
    """The columns of one table of a run; what it holds is told by the attribute of `arena.report.run.Run`."""

    name: str
    """The attribute of `Run`, and the file without its suffix."""
    columns: tuple[Column, ...]
    """In their order; a table may lack some of them."""
    shown: str = ""
    """The names of the columns that people read, in their order; those behind "|" only if a cell is not empty."""
    view: Callable[[pd.DataFrame], pd.DataFrame] | None = None
    """What makes the cells for people, unless `shown` does."""
    others: Column | None = None
    """What stands in the columns that follow: one for each player, or for each number of the players' own."""

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    @property
    def is_read(self) -> bool:
        """Whether people read it, or only its file is written."""
        return bool(self.shown or self.view)

    def cells(self, table: pd.DataFrame) -> pd.DataFrame:
        """A `Cell` for each value that people read, under the headings."""
        if self.view:
            return self.view(table)
        required, _, optional = self.shown.partition("|")
        by_name = {column.name: column for column in self.columns}
        cells: dict[str, list[Cell]] = {}
        for name in (*required.split(), *optional.split()):
            column = by_name[name]
            if name not in table:
                continue
            read = zip(*(table[each] for each in column.reads or (name,)), strict=True)
            made = [cell(values[0], column.text(*values)) for values in read]
            if name in required.split() or any(each.text for each in made):
                cells[column.heading] = made
        return pd.DataFrame(cells, dtype=object)

    def text(self, table: pd.DataFrame) -> pd.DataFrame:
        """The texts of `cells`."""
        return texts(self.cells(table))

    def rounded(self, table: pd.DataFrame) -> pd.DataFrame:
        """The table as its CSV file has it. Raises KeyError for a column that is not described."""
        decimals: dict[str, int | None] = {}
        if self.others is not None:
            decimals = dict.fromkeys(map(str, table.columns), self.others.decimals)
        decimals |= {column.name: column.decimals for column in self.columns}
        return with_decimals(table, {name: decimals[str(name)] for name in table.columns})


EMPTY = Cell(None, "")
"""A cell without a value."""


def cell(value: Any, text: str) -> Cell:
    """A cell; what pandas has for a missing value becomes None."""
    return Cell(None if value is None or pd.isna(value) else value, text)


def texts(cells: pd.DataFrame) -> pd.DataFrame:
    """The texts of a table of cells."""
    return cells.map(lambda each: each.text).astype(object)


def are_words(cells: pd.Series) -> bool:
    """Whether a column of cells starts at the left, as its values are texts."""
    return any(isinstance(each.value, str) for each in cells)


def with_decimals(table: pd.DataFrame, decimals: Mapping[Any, int | None]) -> pd.DataFrame:
    """The table with fractions to each column's number of decimals, or to six significant digits for None.

    Infinities become missing values, times ISO 8601 in UTC, to a millisecond.
    """
    table = table.copy()
    for name in table.columns:
        if pd.api.types.is_datetime64_any_dtype(table[name].dtype):
            times = table[name].dt.strftime("%Y-%m-%dT%H:%M:%S.%f").str[:-3] + "Z"
            table[name] = times.where(table[name].notna(), None)
        if pd.api.types.is_float_dtype(table[name].dtype):
            values = table[name].to_numpy(dtype=float, na_value=np.nan)
            values = np.where(np.isfinite(values), values, np.nan)
            places = decimals[name]
            table[name] = (_significant(values, 6) if places is None else np.round(values, places)) + 0.0
    return table


def _significant(values: np.ndarray, digits: int) -> np.ndarray:
    """Values rounded to a number of significant digits, so that their shortest text has no more."""
    magnitude = np.floor(np.log10(np.abs(values), out=np.zeros_like(values), where=values != 0))
    decimals = np.where(np.isnan(values), 0, digits - 1 - magnitude)
    up, down = 10.0 ** np.clip(decimals, 0, 22), 10.0 ** np.clip(-decimals, 0, 22)
    return np.rint(values * up / down) / up * down
