"""Charts as files: SVG and PNG, the same bytes for the same figure."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes

from arena.report.charts.axes import figure_of, tips_svg
from arena.report.charts.style import STYLE

PNG_DPI = 200
FONTS = "'DejaVu Sans', Verdana, system-ui, sans-serif"
"""Fonts of the text of an SVG. Layouts leave room for DejaVu Sans; Verdana is as wide, others are narrower."""


def svg(axes: Axes) -> str:
    """The figure of these Axes as SVG with text as text, the same bytes for the same figure.

    Marks that have tips (`charts.axes`) have them as `<title>`. The figure keeps the layout that it has then.
    """
    file = io.StringIO()
    figure = figure_of(axes)
    with _drawing():
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    figure.set_layout_engine("none")
    text = in_tags(file.getvalue(), lambda tag: re.sub(r"'DejaVu Sans'[^;\"]*", FONTS, tag))
    body, end = text.rsplit("</svg>", 1)
    return f"{body}{tips_svg(figure)}</svg>{end}"


def save_png(axes: Axes, path: Path) -> None:
    """Write the figure of these Axes as PNG, 200 dots per inch."""
    with _drawing():
        figure_of(axes).savefig(
            path, format="png", dpi=PNG_DPI, metadata={"Software": None}, pil_kwargs={"compress_level": 4}
        )


def in_tags(xml: str, change: Callable[[str], str]) -> str:
    """XML with its tags changed and the text between them as it is, which may hold anything."""
    return re.sub(r"<[^<>]*>", lambda match: change(match[0]), xml)


@contextmanager
def _drawing() -> Iterator[None]:
    """The style, and no warning for each letter without a glyph: `fonts.without_glyphs` says it once."""
    with rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        yield
