"""The style of charts, applied around each of them so that matplotlib's own stays as it is; charts as files."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arena.base.writing import write_text

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
    """The figure of these Axes as SVG with text as text, the same bytes for the same figure."""
    file = io.StringIO()
    _save(axes, file, format="svg", metadata={"Date": None, "Creator": None})
    return file.getvalue()


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


def kinds_of(also: Collection[str]) -> list[str]:
    """The suffixes of charts as files: SVG, and of `also` those of pictures."""
    return ["svg", *(kind for kind in ("png", "pdf") if kind in also)]


def chart_files(name: str, axes: Axes, picture: str, also: Collection[str]) -> dict[str, Callable[[Path], object]]:
    """What writes the files of a chart, by their names; `picture` is its SVG."""
    save = {"svg": partial(write_text, picture), "png": partial(save_png, axes), "pdf": partial(save_pdf, axes)}
    return {f"{name}.{kind}": save[kind] for kind in kinds_of(also)}


def save_png(axes: Axes, path: Path) -> None:
    """Write the figure of these Axes as PNG, 200 dots per inch."""
    _save(axes, path, format="png", dpi=200, metadata={"Software": None})


def save_pdf(axes: Axes, path: Path) -> None:
    """Write the figure of these Axes as PDF with its fonts inside, the same bytes for the same figure."""
    _save(axes, path, format="pdf", metadata={"Creator": None, "Producer": None, "CreationDate": None})


@styled
def _save(axes: Axes, file: Path | io.StringIO, **options: Any) -> None:
    """Lay the figure out once and draw it, without a warning for each letter that the font lacks."""
    figure = figure_of(axes)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        if (layout := figure.get_layout_engine()) is not None:
            layout.execute(figure)
            figure.set_layout_engine("none")  # or `savefig` draws everything twice
        figure.savefig(file, **options)
