"""The style of charts, applied around each chart, so matplotlib's own stays as it is; and charts as files."""

from __future__ import annotations

import functools
import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

P = ParamSpec("P")

INK, MUTED, GRID, PAPER = "#22262e", "#666c77", "#d8dbe0", "#fefefe"
"""Colours of text, secondary text, grid and background; `page` replaces exactly these for a dark screen."""

WIN, DRAW, LOSS = "#0072b2", "#c3c7cd", "#d55e00"
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""Okabe and Ito's colour-blind-safe palette (2008), without yellow and black."""
MARKERS = "os^DvPX"
LINES = ("-", "--", "-.", ":")
DASHED = (0, (4, 3))
"""Line of a reference such as 0."""

SCORE_COLOURS = LinearSegmentedColormap.from_list("score", ["#c14f00", "#f2b27f", "#f6f6f4", "#84b9dc", "#00609c"])

STYLE: Any = {
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "axes.facecolor": "none",
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
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
    "svg.fonttype": "none",
    "svg.hashsalt": "draughts-arena",
}


def styled(
    plot: Callable[Concatenate[pd.DataFrame, P], Axes],
) -> Callable[Concatenate[pd.DataFrame, P], Axes]:
    """A chart drawn in STYLE."""

    @functools.wraps(plot)
    def in_style(table: pd.DataFrame, /, *args: P.args, **kwargs: P.kwargs) -> Axes:
        with rc_context(STYLE):
            return plot(table, *args, **kwargs)

    return in_style


def series(i: int) -> dict[str, Any]:
    """Colour, marker and line of the series of that number, from 0."""
    return {
        "color": SERIES[i % len(SERIES)],
        "marker": MARKERS[i % len(MARKERS)],
        "linestyle": LINES[i % len(LINES)],
    }


def readable_on(colour: tuple[float, ...]) -> str:
    """White or near-black, whichever reads better on a colour (relative luminance, WCAG 2)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#111111" if luminance > 0.18 else "#ffffff"


def figure_of(axes: Axes) -> Figure:
    """The figure that Axes are part of."""
    figure = axes.get_figure(root=True)
    assert figure is not None, "Axes without a figure"
    return figure


def svg(axes: Axes) -> str:
    """The figure of these Axes as SVG with text as text, the same bytes for the same figure."""
    file = io.StringIO()
    with _drawing():
        figure_of(axes).savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return file.getvalue()


def save_png(axes: Axes, path: Path) -> None:
    """Write the figure of these Axes as PNG, 200 dots per inch."""
    with _drawing():
        figure_of(axes).savefig(path, format="png", dpi=200, metadata={"Software": None})


@contextmanager
def _drawing() -> Iterator[None]:
    """The style, without a warning for each letter that the font lacks."""
    with rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        yield
