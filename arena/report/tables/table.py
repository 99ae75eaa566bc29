"""Cells that people read under their headings, in which words, and numbers as files have them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from markupsafe import Markup

from arena.base.number import fixed, known, quantity, signed
from arena.ratings.interval import Interval

seconds = partial(quantity, unit="s")
"""A time: "12 ms"."""
to_0 = partial(fixed, decimals=0)
"""A number without decimals."""
to_1, to_2, to_4 = (partial(fixed, decimals=places) for places in (1, 2, 4))
"""A number with so many decimals."""


class Style(StrEnum):
    """How the cells of a column look: the class in a page's style sheet."""

    NUMBER = "n"
    RANK = "n rank"
    """A place, which begins with the least where it is sorted; a phone does not show it."""
    ELO = "n elo"
    NAME = "name"
    WORD = "word"
    PLOT = "plot"
    """A drawing, which a page alone can show."""
    RESULTS = "results"

    @property
    def is_figure(self) -> bool:
        """Whether the cells end at the right, as numbers do."""
        return self in (Style.NUMBER, Style.RANK, Style.ELO)


class Heading(NamedTuple):
    """The head of a column that people read."""

    text: str
    style: Style = Style.NUMBER
    is_wide: bool = False
    """Whether a phone has no room for the column."""

    @property
    def classes(self) -> str:
        """The classes of the column's cells in a page's style sheet."""
        return f"{self.style} wide" if self.is_wide else self.style


class Cell(NamedTuple):
    """A cell that people read: "+12 ± 5" of 12.3."""

    value: Any
    """What a column is sorted by: a number or a text; None where there is no value."""
    text: str
    drawn: Markup | None = None
    """What a page shows in place of the text."""

    @property
    def is_number(self) -> bool:
        """Whether it is sorted by a number."""
        return not isinstance(self.value, str) and known(self.value)


EMPTY = Cell(None, "")
"""A cell without a value."""
NAMED = Heading("Player", Style.NAME)
"""The head of the players' names."""


def cell(value: Any, text: str) -> Cell:
    """A cell; what pandas has for a missing value becomes None."""
    return Cell(None if value is None or pd.isna(value) else value, text)


def words(texts: Iterable[Any]) -> list[Cell]:
    """Cells of names and other texts."""
    return [Cell(text, text) for text in map(str, texts)]


def intervals(table: pd.DataFrame, name: str, text: Callable[[Interval], str] = str) -> list[Cell]:
    """Cells of a column with the ends of its 95 % interval: "+12 ± 5"."""
    return [cell(each.value, text(each)) for each in (Interval.of(row, name) for row in table.to_dict("records"))]


class Column(NamedTuple):
    """A column of a table as people read it."""

    name: str
    heading: Heading
    text: Callable[..., str] = str
    """A value as text, "" for none."""
    has_interval: bool = False
    """Whether `text` takes the ends of the 95 % interval, too."""

    def cells(self, table: pd.DataFrame) -> list[Cell]:
        """The column's cells."""
        names = Interval.columns_of(self.name) if self.has_interval else (self.name,)
        rows = zip(*(table[name] for name in names), strict=True)
        return [cell(values[0], self.text(*values)) for values in rows]


class Grid(NamedTuple):
    """Holds the cells that people read of a table, under their headings."""

    headings: Sequence[Heading]
    rows: Sequence[Sequence[Cell]]

    @classmethod
    def of(cls, *columns: tuple[Heading, Sequence[Cell]]) -> Grid:
        """The grid of columns, each with its heading."""
        headings, cells = zip(*columns, strict=True)
        return cls(headings, list(zip(*cells, strict=True)))

    @classmethod
    def read(cls, table: pd.DataFrame, columns: Iterable[Column]) -> Grid:
        """The grid of those columns that have a text in some row of a table."""
        shown = ((column.heading, column.cells(table)) for column in columns)
        return cls.of(*(pair for pair in shown if any(each.text for each in pair[1])))

    def texts(self) -> pd.DataFrame:
        """The texts of the cells, as a terminal, a notebook and Markdown show them: without drawings."""
        places = [place for place, heading in enumerate(self.headings) if heading.style is not Style.PLOT]
        rows = [[row[place].text for place in places] for row in self.rows]
        return pd.DataFrame(rows, columns=[self.headings[place].text for place in places], dtype=object)


def with_decimals(table: pd.DataFrame, decimals: Mapping[str, int]) -> pd.DataFrame:
    """The table with fractions to each column's number of decimals, others to six significant digits.

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
            known_places = name in decimals
            table[name] = (np.round(values, decimals[name]) if known_places else _significant(values, 6)) + 0.0
    return table


def _significant(values: np.ndarray, digits: int) -> np.ndarray:
    """Values rounded to a number of significant digits, so that their shortest text has no more."""
    magnitude = np.floor(np.log10(np.abs(values), out=np.zeros_like(values), where=values != 0))
    decimals = np.where(np.isnan(values), 0, digits - 1 - magnitude)
    up, down = 10.0 ** np.clip(decimals, 0, 22), 10.0 ** np.clip(-decimals, 0, 22)
    return np.rint(values * up / down) / up * down


def elo(value: Any) -> str:
    """A rating: "+12", "" if it is not known."""
    return signed(value) if known(value) else ""


def estimate(form: Callable[[Any], str]) -> Callable[[Any, Any, Any], str]:
    """Return a function that shows a value with its interval, as far as known: "3.10 (2.84 to 3.41)"."""

    def text(value: Any, low: Any, high: Any) -> str:
        interval = f" ({form(low)} to {form(high)})" if known(low) and known(high) else ""
        return form(value) + interval if known(value) else ""

    return text


def share(value: Any, low: Any, high: Any, decimals: int = 1) -> str:
    """A share with its interval in per cent: "1.2 % (0.9 to 1.6 %)", "" if it is not known."""
    ends = f" ({100 * low:.{decimals}f} to {100 * high:.{decimals}f} %)" if known(low) and known(high) else ""
    return f"{100 * value:.{decimals}f} %{ends}" if known(value) else ""


def plain(value: Any) -> str:
    """A text as it is, a number to two decimals at most."""
    if isinstance(value, str):
        return value
    return "" if pd.isna(value) else f"{round(value, 2):g}"


def nonzero(value: Any) -> str:
    """A whole number, "" for 0."""
    return str(value) if value else ""


def figure(value: float) -> str:
    """A number of a player's own: three digits, with a prefix from a thousand on; "" if it is not known."""
    if not known(value) or abs(value) >= 1000:
        return quantity(value)
    return f"{float(f'{value:.3g}'):.10f}".rstrip("0").rstrip(".")
