"""The style of charts, applied around each of them so that matplotlib's own stays as it is; charts as files."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property, partial
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
