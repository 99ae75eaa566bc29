"""A table's columns, and the cells that people read of it: what every writer of tables is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from markupsafe import Markup

from arena.base.number import known
from arena.ratings.interval import Interval


class Unit(NamedTuple):
    """What the numbers of a column are, and how they are written."""

    name: str = ""
    decimals: int | None = None
    """Of a CSV file. None: integers and text as they are, other fractions to six significant digits."""
    text: Callable[..., str] = str
    """A number as people read it, "" for none."""


NO_UNIT = Unit()


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

    @property
    def is_text(self) -> bool:
        """Whether there is more of it than a drawing."""
        return self.style is not Style.PLOT


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


def cell(value: Any, text: str) -> Cell:
    """A cell; what pandas has for a missing value becomes None."""
    return Cell(None if value is None or pd.isna(value) else value, text)


def words(texts: Iterable[Any]) -> list[Cell]:
    """Cells of names and other texts."""
    return [Cell(text, text) for text in map(str, texts)]


class Grid(NamedTuple):
    """Holds the cells that people read of a table, under their headings."""

    headings: Sequence[Heading]
    rows: Sequence[Sequence[Cell]]

    @classmethod
    def of(cls, columns: Iterable[tuple[Heading, Sequence[Cell]]]) -> Grid:
        """The grid of columns, each with its heading."""
        headings, cells = zip(*columns, strict=True)
        return cls(headings, list(zip(*cells, strict=True)))

    def texts(self) -> pd.DataFrame:
        """The texts of the cells, as a terminal and a notebook show them."""
        shown_at = [place for place, heading in enumerate(self.headings) if heading.is_text]
        rows = [[row[place].text for place in shown_at] for row in self.rows]
        return pd.DataFrame(rows, columns=[self.headings[place].text for place in shown_at], dtype=object)


class Column(NamedTuple):
    """One column of a table."""

    name: str
    note: str
    """What it means."""
    unit: Unit = NO_UNIT
    heading: str = ""
    """What people read above it; "" for a column that they are not shown."""
    text: Callable[..., str] | None = None
    """A value as people read it, where that is not the unit's way; "" for none."""
    style: Style = Style.NUMBER
    is_wide: bool = False
    reads: tuple[str, ...] = ()
    """The columns whose values `text` takes, if not this one's alone."""
    end_of: str = ""
    """The column of whose 95 % interval it is an end."""

    def cells(self, table: pd.DataFrame) -> list[Cell]:
        """The column as people read it."""
        text = self.text or self.unit.text
        read = zip(*(table[name] for name in self.reads or (self.name,)), strict=True)
        return [cell(values[0], text(*values)) for values in read]


def with_interval(name: str, note: str, *more: Any, **others: Any) -> tuple[Column, Column, Column]:
    """A column and the ends of its 95 % interval, `<name>_low` and `<name>_high`, which its `text` takes, too."""
    others = {"reads": Interval.columns_of(name), **others} if "text" in others else others
    column = Column(name, note, *more, **others)
    _, low, high = Interval.columns_of(name)
    return (
        column,
        Column(low, f"lower end of the 95 % interval of {name}", column.unit, end_of=name),
        Column(high, f"upper end of the 95 % interval of {name}", column.unit, end_of=name),
    )


class Table(NamedTuple):
    """The columns of one table of a run; what it holds is told by the attribute of `arena.report.run.Run`."""

    name: str
    """The attribute of `Run`, and the file without its suffix."""
    columns: tuple[Column, ...]
    """In their order; a table may lack some of them."""
    view: Callable[[pd.DataFrame], Grid] | None = None
    """What people read of it; None if only its file is written."""
    others: Column | None = None
    """What stands in the columns that follow: one for each player, or for each number of the players' own."""

    @classmethod
    def of(
        cls,
        name: str,
        *columns: Column,
        view: Callable[[pd.DataFrame], Grid] | None = None,
        others: Column | None = None,
    ) -> Table:
        """A table of these columns."""
        return cls(name, columns, view, others)

    @classmethod
    def read(cls, name: str, *columns: Column, order: Sequence[str] = (), others: Column | None = None) -> Table:
        """A table of which people read the columns with headings, or of `order`, and `others`, if not empty."""
        by_name = {column.name: column for column in columns}
        shown = [by_name[each] for each in order] or [column for column in columns if column.heading]

        def view(table: pd.DataFrame) -> Grid:
            names = [str(name) for name in table if name not in by_name] if others else []
            more = [others._replace(name=name, heading=name.removeprefix("extra_")) for name in names if others]
            cells = [(column, column.cells(table)) for column in (*shown, *more) if column.name in table]
            return Grid.of(
                (Heading(column.heading, column.style, column.is_wide), made)
                for column, made in cells
                if any(each.text for each in made)
            )

        return cls(name, columns, view, others)

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def grid(self, table: pd.DataFrame) -> Grid:
        """What people read of a table that has rows."""
        assert self.view is not None, self.name
        return self.view(table)

    def rounded(self, table: pd.DataFrame) -> pd.DataFrame:
        """The table as its CSV file has it. Raises KeyError for a column that is not described."""
        units = {} if self.others is None else dict.fromkeys(map(str, table.columns), self.others.unit)
        units |= {column.name: column.unit for column in self.columns}
        return with_decimals(table, {name: units[str(name)].decimals for name in table.columns})


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
