"""A table of a run, and a column of it, as rows: from them follow the attributes of `arena.report.run.Run` and
their help, the files CSV and LaTeX, the text that people read, and `reports/columns.md`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from arena.report.tables.rated_run import RatedRun

WORDS = frozenset({"Against", "Decided by", "Own number", "Pair", "File", "Player", "Reasons", "Setting", "Value"})
"""Headings of columns of words, which start at the left; numbers end at the right."""


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


def every_run(_: RatedRun) -> bool:
    """Whether a run has a table that each has."""
    return True


class RunTable(NamedTuple):
    """One table of a run."""

    name: str
    """The attribute of `Run`, and the file without its suffix."""
    holds: str
    """What it holds, as help and the page's list of files have it."""
    compute: Callable[[RatedRun], pd.DataFrame]
    columns: tuple[Column, ...]
    """In their order; a table may lack the last of them."""
    others: Column | None = None
    """What stands in the columns that follow: one for each player, or for each number of the players' own."""
    note: str = ""
    """What its help says more."""
    shown: str = ""
    """The names of the columns that people read, in their order; those behind "|" only if a cell is not empty."""
    as_text: Callable[[pd.DataFrame], Any] | None = None
    """What makes the text for people, unless it is columns alone."""
    written: bool = True
    """Whether it has a CSV file."""
    applies: Callable[[RatedRun], bool] = every_run
    """Whether a run has the file, if the table has rows."""
    always: bool = False
    """Whether a run has the file even without rows."""
    parts: Callable[[RatedRun], Iterable[pd.DataFrame]] | None = None
    """What the file holds if not the table: its parts, one after another."""
    of_moves: bool = False
    """Whether it holds all moves, so that a large run has the file only when asked for."""
    latex: bool = False
    """Whether it may be written as a LaTeX table, too."""

    def text(self, table: pd.DataFrame) -> Any:
        """The table for people: every cell is text, "" where there is no value."""
        return self.as_text(table) if self.as_text else text_of(self, table)

    def shown_columns(self) -> list[Column]:
        """The columns of `shown`."""
        columns = {column.name: column for column in self.columns}
        return [columns[name] for name in self.shown.replace("|", " ").split()]

    def described(self) -> list[Column]:
        """The columns; one stands for those that differ from run to run."""
        return [*self.columns, *([self.others] if self.others else [])]

    def documentation(self) -> str:
        """What the table holds and what its columns mean, with units: its help."""
        lines = [f"{one.name}: {one.meaning}{f' [{one.unit}]' if one.unit else ''}" for one in self.described()]
        holds = f"{self.holds[0].upper()}{self.holds[1:]}. {self.note}".strip()
        return "\n".join([holds, "", "Columns, with [units]:", "", *(f"    {line}" for line in lines)])

    def rounded(self, table: pd.DataFrame) -> pd.DataFrame:
        """The table as its CSV file has it: fractions rounded as its columns say.

        Infinities become missing values, times ISO 8601 in UTC. Integers and text stay as they are.
        Raises KeyError for a column that is not described.
        """
        decimals = {column.name: column.decimals for column in self.columns}
        if self.others is not None:
            decimals = dict.fromkeys(map(str, table.columns), self.others.decimals)
        return with_decimals(table, {name: decimals[str(name)] for name in table.columns})


def text_of(of: RunTable, table: pd.DataFrame) -> pd.DataFrame:
    """The columns of `RunTable.shown` that a table has, as text, under their headings."""
    cells: dict[str, list[str]] = {}
    optional = of.shown.partition("|")[2].split()
    for column in of.shown_columns():
        if column.name not in table:
            continue
        values = zip(*(table[name] for name in column.reads or (column.name,)), strict=True)
        texts = [column.text(*each) for each in values]
        if any(texts) or column.name not in optional:
            cells[column.heading] = texts
    return pd.DataFrame(cells, dtype=object)


def with_decimals(table: pd.DataFrame, decimals: Mapping[Any, int | None]) -> pd.DataFrame:
    """The table with fractions to each column's number of decimals, or to six significant digits for None.

    Times are texts in it, to a millisecond.
    """
    table = table.copy()
    for name in table.columns:
        if pd.api.types.is_datetime64_any_dtype(table[name].dtype):
            texts = table[name].dt.strftime("%Y-%m-%dT%H:%M:%S.%f").str[:-3] + "Z"
            table[name] = texts.where(table[name].notna(), None)
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
