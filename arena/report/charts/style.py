"""What charts have in common: their style, their Axes, their files; matplotlib's own style stays as it is."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup, escape
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from arena.base.files import write_text
from arena.base.number import quantity
from arena.ratings.interval import Interval

INK, MUTED, GRID, PAPER = "#22262e", "#666c77", "#d8dbe0", "#fefefe"
"""Colours of text, secondary text, grid and background; a page has its own in place of exactly these."""
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""Okabe and Ito's colour-blind-safe palette (2008), without yellow and black."""
MARKERS = "os^DvPX"
_LINES = ("-", "--", "-.", ":")
DASHED = (0, (4, 3))
"""Line of a reference such as 0."""

STYLE: Any = {
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "axes.facecolor": "none",
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.labelsize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "text.color": INK,
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana"],
    "font.size": 9,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 1.6,
    "lines.markersize": 6,
    "figure.constrained_layout.w_pad": 0.1,
    "figure.constrained_layout.h_pad": 0.1,
    "pdf.fonttype": 42,  # outlines that a journal accepts
    "svg.fonttype": "none",
    "svg.hashsalt": "draughts-arena",
}
styled = rc_context(STYLE)
"""Decorator of a function that draws in STYLE."""
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


def series(i: int) -> dict[str, Any]:
    """Colour, marker and line of the series of that number, from 0."""
    return {
        "color": SERIES[i % len(SERIES)],
        "marker": MARKERS[i % len(MARKERS)],
        "linestyle": _LINES[i % len(_LINES)],
    }


def figure_of(axes: Axes) -> Figure:
    """The figure that Axes are part of."""
    figure = axes.get_figure(root=True)
    assert figure is not None, "Axes without a figure"
    return figure


def svg(axes: Axes) -> str:
    """The figure of these Axes as SVG with text as text."""
    file = io.StringIO()
    save(axes, "svg", file)
    return file.getvalue()


@dataclass(eq=False)
class Chart:
    """A chart, drawn when it is first asked for."""

    name: str
    """Its file without the suffix."""
    caption: str
    draw: Callable[[], Axes]

    @cached_property
    def axes(self) -> Axes:
        """What is drawn."""
        return self.draw()

    @cached_property
    def svg(self) -> str:
        """The chart as SVG."""
        return svg(self.axes)

    @property
    def picture(self) -> Markup:
        """The chart as an element of a page."""
        return on_page(self.svg, self.name, self.caption)

    def files(self, also: Collection[str]) -> dict[str, Callable[[Path], object]]:
        """What writes its files, by their names; none if it could not be drawn."""
        if "svg" not in vars(self):
            return {}
        others = {f"{self.name}.{kind}": partial(save, self.axes, kind) for kind in kinds_of(also)[1:]}
        return {f"{self.name}.svg": partial(write_text, self.svg), **others}


def kinds_of(also: Collection[str]) -> list[str]:
    """The suffixes of charts as files: SVG, and of `also` those of pictures."""
    return ["svg", *(kind for kind in ("png", "pdf") if kind in also)]


def on_page(picture: str, name: str, caption: str) -> Markup:
    """A picture of `svg` as an element of a page: its ids begin with its name, its colours are the page's."""

    def on_page_tag(match: re.Match[str]) -> str:
        tag = re.sub(r'\bid="', f'id="{name}-', match[0])
        tag = re.sub(r'(href="|url\()#', rf"\g<1>#{name}-", tag)
        for colour, variable in ((INK, "ink"), (MUTED, "muted"), (GRID, "grid")):
            tag = tag.replace(colour, f"var(--{variable})")
        return tag.replace(PAPER, "none")

    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", picture[picture.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r"<[^<>]*>", on_page_tag, text)  # text between tags may hold anything
    return Markup(text.replace("<svg", f'<svg role="img" aria-label="{escape(caption)}"', 1).strip())


_METADATA: Any = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
}
"""What a file does not say of its making, so that the same chart gives the same bytes."""


@styled
def save(axes: Axes, kind: str, file: Path | io.StringIO) -> None:
    """Write the figure of these Axes, laid out once, as SVG, PNG with 200 dots per inch, or PDF with its fonts.

    Letters that the font lacks give no warning.
    """
    figure = figure_of(axes)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        if (layout := figure.get_layout_engine()) is not None:
            layout.execute(figure)
            figure.set_layout_engine("none")  # or `savefig` draws everything twice
        figure.savefig(file, format=kind, dpi=200 if kind == "png" else "figure", metadata=_METADATA[kind])


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
