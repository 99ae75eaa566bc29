"""The style of charts: colours, markers, fonts. Applied around each chart, so matplotlib's own stays as it is."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any, Concatenate, ParamSpec

import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.textpath import text_to_path

FONT = "DejaVu Sans"
"""Comes with matplotlib."""
FALLBACKS = (
    "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans CJK KR", "Noto Sans JP", "Noto Sans SC", "Noto Sans KR",
    "Source Han Sans", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Droid Sans Fallback", "Hiragino Sans",
    "PingFang SC", "Apple SD Gothic Neo", "Yu Gothic", "Microsoft YaHei", "Malgun Gothic", "Arial Unicode MS",
    "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Thai", "Noto Sans Bengali",
)  # fmt: skip
"""Fonts for letters that FONT does not have, as far as they are installed."""


@functools.cache
def families() -> list[str]:
    """FONT, and those of FALLBACKS that are installed."""
    installed = set(fontManager.get_font_names())
    return [FONT, *(name for name in FALLBACKS if name in installed)]


@functools.cache
def text_width(text: str, size: float = 9, weight: str = "normal") -> float:
    """Inches of a text of `size` points in FONT; a letter that it does not have is as wide as high."""
    plain = "".join(letter for letter in text if ord(letter) in _letters((FONT,)))
    properties = FontProperties(family=FONT, size=size, weight=weight)
    points, _, _ = text_to_path.get_text_width_height_descent(plain, properties, ismath=False)
    others = sum(not unicodedata.combining(letter) for letter in text) - len(plain)
    return (float(points) + size * max(others, 0)) / 72


def without_glyphs(texts: Iterable[str]) -> list[str]:
    """Those of the texts with a letter that no font of `families` has: pictures show a box in its place."""
    known = _letters(tuple(families()))
    return [text for text in texts if any(ord(letter) not in known for letter in text)]


@functools.cache
def _letters(names: tuple[str, ...]) -> frozenset[int]:
    paths = [fontManager.findfont(FontProperties(family=name)) for name in names]
    return frozenset().union(*(get_font(path).get_charmap() for path in paths))


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
    "axes.titlepad": 10,
    "axes.titley": 1.0,
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
    "font.family": families(),
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
