"""Parts that charts have in common: Axes with a title or with rows, scales, legends, text beside rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from arena.base.number import quantity
from arena.ratings.interval import Interval
from arena.report.charts.style import DASHED, MUTED, SERIES, figure_of

WIDTH = 6.8
"""Inches of a chart without long names."""
LEADING, LINES = 30, 12
"""Rows of players, and lines of families, that a chart has room for."""
_LETTER = 0.08
"""Inches of a letter of 9 points, about."""
_SHORT_LEGEND = 4
"""Entries that fit inside the Axes."""
_LABEL = 40
"""Characters of a line of an axis label."""


def area(title: str, *, width: float = WIDTH, height: float = 4.4) -> Axes:
    """Axes in a figure of `width` times `height` inches, its title at the left, in as many lines as that takes."""
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.suptitle(title, x=0.01, ha="left", size=12, weight="bold", wrap=True)
    return figure.add_subplot()


def row_axes(labels: Iterable[Any], title: str, *, per_row: float = 0.29) -> Axes:
    """Axes with a title and a row for each label, the first at the top."""
    labels = [str(label) for label in labels]
    width, height = size_of(labels, per_row)
    return label_rows(area(title, width=width, height=height), labels)


def size_of(labels: Iterable[str], per_row: float, panels: int = 1) -> tuple[float, float]:
    """Inches of `panels`, one below the other, with a row for each label."""
    letters = [*map(len, labels)]
    return max(WIDTH, 4.8 + _LETTER * max(letters, default=0)), panels * max(1.05 + per_row * len(letters), 2.1)


def label_rows(ax: Axes, labels: Iterable[str]) -> Axes:
    """Give Axes a row for each label, the first at the top."""
    labels = list(labels)
    ax.set_yticks(np.arange(len(labels)), labels)
    ax.set_ylim(max(len(labels), 1) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(False, axis="y")
    ax.spines["left"].set_visible(False)
    return ax


def with_ends(*interval: float) -> str:
    """A value and half the width of its interval: "+12 ± 5"."""
    return str(Interval(*interval))


def interval_rows(
    ax: Axes, table: pd.DataFrame, name: str, *, at: float = 0.0, text: Callable[..., str] = with_ends
) -> None:
    """A dot and its 95 % interval in each row, as far as known, in words beside it; a line at the reference."""
    reference_line(ax, at)
    value, low, high = (table[column].to_numpy(dtype=float) for column in Interval.columns_of(name))
    is_known = np.isfinite(value)
    bounded = is_known & np.isfinite(low) & np.isfinite(high)
    ax.hlines(np.flatnonzero(bounded), low[bounded], high[bounded], color=SERIES[4], linewidth=2.4)
    ax.plot(value[is_known], np.flatnonzero(is_known), "o", color=SERIES[0], markersize=6)
    for row in np.flatnonzero(is_known).tolist():
        ax.annotate(
            text(value[row], low[row], high[row]), (1, row), (6, 0), xycoords=ax.get_yaxis_transform(),
            textcoords="offset points", va="center", color=MUTED, size=8, annotation_clip=False,
        )  # fmt: skip


def reference_line(ax: Axes, at: float = 0.0) -> None:
    """A dashed vertical line at the value of the reference."""
    ax.axvline(at, color=MUTED, linewidth=0.9, linestyle=DASHED)


def leading(count: int, most: int = LEADING, what: str = "") -> str:
    """The end of a chart's title that shows the first `most` of `count` rows: ", the leading 30 of 60"."""
    return f", the leading {most} of {count}{what}" if count > most else ""


def elo_label(reference: str) -> str:
    """The label of an axis of Elo, in lines as short as the axis; `reference` says what 0 is."""
    return fill(f"Elo ({reference})", _LABEL) if reference else "Elo"


def values_and_errors(table: pd.DataFrame, name: str) -> tuple[np.ndarray, np.ndarray]:
    """A column, and how far its 95 % intervals reach below and above."""
    value, low, high = (table[column].to_numpy(dtype=float) for column in Interval.columns_of(name))
    return value, np.nan_to_num(np.clip([value - low, high - value], 0, None))


def log_scale(ax: Axes, axis: str, values: np.ndarray) -> None:
    """Log scale over whole decades, or 1-2-5 steps where the values span less than two."""
    low, high = float(values.min()), float(values.max())
    getattr(ax, f"set_{axis}scale")("log")
    scale = ax.xaxis if axis == "x" else ax.yaxis
    narrow = high / low < 100
    scale.set_major_locator(LogLocator(subs=(1, 2, 5) if narrow else (1,), numticks=12))
    scale.set_major_formatter(FuncFormatter(lambda value, _: quantity(value)))
    scale.set_minor_formatter(NullFormatter())
    getattr(ax, f"set_{axis}lim")(low / 1.4, high * 1.4)


def legend(ax: Axes, most: int = _SHORT_LEGEND) -> None:
    """A legend inside of `most` entries at most; one of more stands under the Axes: the figure grows."""
    handles, labels = ax.get_legend_handles_labels()
    if len(labels) <= most:
        if labels:
            ax.legend(loc="best")
        return
    figure = figure_of(ax)
    width, height = figure.get_size_inches()
    columns = max(1, int(width / (0.7 + _LETTER * max(map(len, labels)))))
    figure.set_size_inches(width, height + 0.2 * -(-len(labels) // columns))
    figure.legend(handles, labels, loc="outside lower left", ncols=columns)
