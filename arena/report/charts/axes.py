"""Parts that charts have in common: Axes with a title or with rows, scales, legends, text beside rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from arena.base.number import quantity
from arena.report.charts.style import MUTED, SERIES, figure_of
from arena.report.run import Run


class Chart(NamedTuple):
    """A chart of a run."""

    name: str
    """Of its files, without the suffix."""
    caption: str
    csv: str
    """The file of the report that holds its numbers."""
    draw: Callable[[Run], Axes]
    applies: Callable[[Run], bool] = lambda _: True
    """Whether a run has it."""


SHORT_LEGEND = 4
"""Entries that fit inside the Axes."""
LEADING = 30
"""Rows that a chart of players has room for."""
LINES = 12
"""Lines that a chart of families has room for."""
LETTER = 0.08
"""Inches of a letter of 9 points, about."""


def area(ax: Axes | None, title: str, *, width: float = 6.8, height: float) -> Axes:
    """Axes with a title: those given, or new ones in a figure of `width` times `height` inches."""
    if ax is None:
        figure = Figure(figsize=(width, height), layout="constrained")
        set_title(figure, title)
        return figure.add_subplot()
    ax.set_title(title)
    return ax


def set_title(figure: Figure, title: str) -> None:
    """Give a figure its title, at the left, in as many lines as that takes."""
    figure.suptitle(title, x=0.01, ha="left", size=12, weight="bold", wrap=True)


def rows_of(ax: Axes | None, labels: Iterable[Any], title: str, *, per_row: float = 0.29) -> Axes:
    """Axes with a row for each label, the first at the top."""
    labels = [str(label) for label in labels]
    height, names = max(1.05 + per_row * len(labels), 2.1), LETTER * max(map(len, labels), default=0)
    ax = area(ax, title, width=max(6.8, 4.8 + names), height=height)
    ax.set_yticks(np.arange(len(labels)), labels)
    ax.set_ylim(max(len(labels), 1) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(False, axis="y")
    ax.spines["left"].set_visible(False)
    return ax


def leading(count: int, most: int = LEADING, what: str = "") -> str:
    """The end of a chart's title that shows the first `most` of `count` rows: ", the leading 30 of 60"."""
    return f", the leading {most} of {count}{what}" if count > most else ""


def dots(ax: Axes, value: np.ndarray, low: np.ndarray, high: np.ndarray, size: float = 6) -> None:
    """A dot in each row that has a value, and its interval if it has one."""
    known = np.isfinite(value)
    bounded = known & np.isfinite(low) & np.isfinite(high)
    ax.hlines(np.flatnonzero(bounded), low[bounded], high[bounded], color=SERIES[4], linewidth=2.4)
    ax.plot(value[known], np.flatnonzero(known), "o", color=SERIES[0], markersize=size)


def beside(ax: Axes, row: int, text: str) -> None:
    """Text to the right of the Axes, level with a row."""
    ax.annotate(
        text, (1, row), (6, 0), xycoords=ax.get_yaxis_transform(), textcoords="offset points", va="center",
        color=MUTED, size=8, annotation_clip=False,
    )  # fmt: skip


def no_games(ax: Axes, message: str = "no games yet") -> Axes:
    """Axes that show a message in place of data."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, message, transform=ax.transAxes, ha="center", va="center", size=13, color=MUTED)
    return ax


def elo_label(reference: str) -> str:
    """The label of an axis of Elo; `reference` says what 0 is."""
    return f"Elo ({reference})" if reference else "Elo"


def log_scale(ax: Axes, axis: str, values: np.ndarray, unit: str = "") -> None:
    """Log scale over whole decades, or 1-2-5 steps where the values span less than two."""
    low, high = float(values.min()), float(values.max())
    getattr(ax, f"set_{axis}scale")("log")
    scale = ax.xaxis if axis == "x" else ax.yaxis
    narrow = high / low < 100
    scale.set_major_locator(LogLocator(subs=(1, 2, 5) if narrow else (1,), numticks=12))
    scale.set_major_formatter(FuncFormatter(lambda value, _: quantity(value, unit)))
    scale.set_minor_formatter(NullFormatter())
    getattr(ax, f"set_{axis}lim")(low / 1.4, high * 1.4)


def log_ratios(ax: Axes, values: np.ndarray) -> None:
    """Log scale of ratios along x, ticks such as 1.5×."""
    log_scale(ax, "x", values)
    span = values.max() / values.min()
    subs = (1, 1.5, 2, 3, 5, 7) if span < 10 else (1, 3) if span < 100 else (1,)
    ax.xaxis.set_major_locator(LogLocator(subs=subs, numticks=12))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}×"))


def whole_depths(ax: Axes) -> None:
    """An axis of search depths along x, whole numbers only."""
    ax.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True, min_n_ticks=1))
    ax.margins(x=0.06)
    ax.set_xlabel("search depth, plies")


def legend(ax: Axes) -> None:
    """A legend inside while it is short; else under the Axes: the figure grows."""
    handles, labels = ax.get_legend_handles_labels()
    if len(labels) <= SHORT_LEGEND:
        ax.legend(loc="best", frameon=False)
        return
    figure = figure_of(ax)
    width, height = figure.get_size_inches()
    columns = max(1, int(width / (0.7 + LETTER * max(map(len, labels)))))
    figure.set_size_inches(width, height + 0.2 * -(-len(labels) // columns))
    figure.legend(handles, labels, loc="outside lower left", ncols=columns)
