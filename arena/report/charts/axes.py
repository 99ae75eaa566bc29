"""Parts that charts have in common: Axes with a title or with rows, scales, legends, text beside rows."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from arena.base.number import quantity
from arena.report.charts.style import DASHED, MUTED, SERIES, figure_of

CHART_WIDTH = 6.8
"""Inches of a chart without long names."""
SHORT_LEGEND = 4
"""Entries that fit inside the Axes."""
LEADING = 30
"""Rows that a chart of players has room for."""
LINES = 12
"""Lines that a chart of families has room for."""
LETTER = 0.08
"""Inches of a letter of 9 points, about."""
_LABEL = 40
"""Characters of a line of an axis label."""


def area(title: str, *, width: float = CHART_WIDTH, height: float = 4.4) -> Axes:
    """Axes in a figure of `width` times `height` inches, its title at the left, in as many lines as that takes."""
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.suptitle(title, x=0.01, ha="left", size=12, weight="bold", wrap=True)
    return figure.add_subplot()


def row_axes(labels: Iterable[Any], title: str, *, per_row: float = 0.29) -> Axes:
    """Axes with a title and a row for each label, the first at the top."""
    labels = [str(label) for label in labels]
    height, names = max(1.05 + per_row * len(labels), 2.1), LETTER * max(map(len, labels), default=0)
    return label_rows(area(title, width=max(CHART_WIDTH, 4.8 + names), height=height), labels)


def label_rows(ax: Axes, labels: Iterable[str]) -> Axes:
    """Give Axes a row for each label, the first at the top."""
    labels = list(labels)
    ax.set_yticks(np.arange(len(labels)), labels)
    ax.set_ylim(max(len(labels), 1) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(False, axis="y")
    ax.spines["left"].set_visible(False)
    return ax


def leading(count: int, most: int = LEADING, what: str = "") -> str:
    """The end of a chart's title that shows the first `most` of `count` rows: ", the leading 30 of 60"."""
    return f", the leading {most} of {count}{what}" if count > most else ""


def reference_line(ax: Axes, at: float = 0) -> None:
    """A dashed vertical line at the value of the reference."""
    ax.axvline(at, color=MUTED, linewidth=0.9, linestyle=DASHED)


def dots(ax: Axes, value: np.ndarray, low: np.ndarray, high: np.ndarray, size: float = 6) -> None:
    """A dot in each row that has a value, and its interval if it has one."""
    is_finite = np.isfinite(value)
    bounded = is_finite & np.isfinite(low) & np.isfinite(high)
    ax.hlines(np.flatnonzero(bounded), low[bounded], high[bounded], color=SERIES[4], linewidth=2.4)
    ax.plot(value[is_finite], np.flatnonzero(is_finite), "o", color=SERIES[0], markersize=size)


def beside(ax: Axes, row: int, text: str) -> None:
    """Text to the right of the Axes, level with a row."""
    ax.annotate(
        text, (1, row), (6, 0), xycoords=ax.get_yaxis_transform(), textcoords="offset points", va="center",
        color=MUTED, size=8, annotation_clip=False,
    )  # fmt: skip


def elo_label(reference: str) -> str:
    """The label of an axis of Elo, in lines as short as the axis; `reference` says what 0 is."""
    return fill(f"Elo ({reference})", _LABEL) if reference else "Elo"


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


def legend(ax: Axes) -> None:
    """A legend inside while it is short, if anything has a label; else under the Axes: the figure grows."""
    handles, labels = ax.get_legend_handles_labels()
    if len(labels) <= SHORT_LEGEND:
        if labels:
            ax.legend(loc="best")
        return
    figure = figure_of(ax)
    width, height = figure.get_size_inches()
    columns = max(1, int(width / (0.7 + LETTER * max(map(len, labels)))))
    figure.set_size_inches(width, height + 0.2 * -(-len(labels) // columns))
    figure.legend(handles, labels, loc="outside lower left", ncols=columns)
