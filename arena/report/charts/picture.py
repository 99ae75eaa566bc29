"""Charts as files: SVG and PNG, the same bytes for the same figure."""

from __future__ import annotations

import io
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes

from arena.report.charts.axes import figure_of
from arena.report.charts.style import STYLE

PNG_DPI = 200


def svg(axes: Axes) -> str:
    """The figure of these Axes as SVG text, the same bytes for the same figure.

    The figure keeps the layout that it has then: to lay out many rows of text takes longer than to draw them.
    """
    file = io.StringIO()
    figure = figure_of(axes)
    with rc_context(STYLE):
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    figure.set_layout_engine("none")
    return file.getvalue()


def save_png(axes: Axes, path: Path) -> None:
    """Write the figure of these Axes as PNG, 200 dots per inch."""
    with rc_context(STYLE):
        figure_of(axes).savefig(path, format="png", dpi=PNG_DPI, metadata={"Software": None})
