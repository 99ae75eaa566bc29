"""Tips: what a chart says of the place under the pointer, as `<title>` elements of its SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary
from xml.sax.saxutils import escape

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Transform

from arena.base.number import known, signed

REACH = 7.0
"""Points (1/72 inch) around a mark at which the pointer finds it."""


class Tips(NamedTuple):
    """Boxes of an Axes and what each says."""

    boxes: np.ndarray
    """float[n, 4]: two opposite corners, x0, y0, x1, y1, in the coordinates of `transform`."""
    texts: Sequence[str]
    transform: Transform
    reach: float


_TIPS: WeakKeyDictionary[Axes, list[Tips]] = WeakKeyDictionary()


def tip_points(ax: Axes, x: np.ndarray, y: np.ndarray, texts: Sequence[str]) -> None:
    """Points at data coordinates say these texts."""
    _add(ax, np.column_stack([x, y, x, y]), texts, ax.transData, REACH)


def tip_boxes(
    ax: Axes, x0: np.ndarray, y0: np.ndarray, x1: np.ndarray, y1: np.ndarray, texts: Sequence[str]
) -> None:
    """Boxes between data coordinates say these texts."""
    _add(ax, np.column_stack([x0, y0, x1, y1]), texts, ax.transData, 0.0)


def tip_rows(ax: Axes, texts: Sequence[str]) -> None:
    """The rows of `axes.rows_of` say these texts."""
    row, zero = np.arange(len(texts)), np.zeros(len(texts))
    boxes = np.column_stack([zero, row - 0.5, zero + 1, row + 0.5])
    _add(ax, boxes, texts, ax.get_yaxis_transform(), 0.0)


def interval(low: float, high: float, form: Callable[[float], str] = signed) -> str:
    """The ends of a 95 % interval as a tip has them, " (−3 to +4)"; "" if they are not known."""
    return f" ({form(low)} to {form(high)})" if known(low) and known(high) else ""


def tips_svg(figure: Figure) -> str:
    """The tips of a figure as an SVG group, "" if it has none; its layout must be final.

    Coordinates are points from the figure's upper left corner, those of matplotlib's SVG.
    """
    points = 72 / figure.dpi
    height = 72 * figure.get_figheight()
    elements = []
    for ax in figure.axes:
        for tips in _TIPS.get(ax, ()):
            corners = tips.transform.transform(tips.boxes.reshape(-1, 2)).reshape(-1, 4) * points
            for (x0, y0, x1, y1), text in zip(corners.tolist(), tips.texts, strict=True):
                left, right = min(x0, x1) - tips.reach, max(x0, x1) + tips.reach
                low, high = min(y0, y1) - tips.reach, max(y0, y1) + tips.reach
                if not text or not np.isfinite(left + right + low + high):
                    continue
                place = (
                    f'x="{left:.1f}" y="{height - high:.1f}" width="{right - left:.1f}" height="{high - low:.1f}"'
                )
                elements.append(f"<rect {place}><title>{escape(text)}</title></rect>")
    if not elements:
        return ""
    return '<g class="tips" fill="none" pointer-events="all">\n' + "\n".join(elements) + "\n</g>\n"


def _add(ax: Axes, boxes: np.ndarray, texts: Sequence[str], transform: Transform, reach: float) -> None:
    _TIPS.setdefault(ax, []).append(Tips(boxes.astype(float), list(texts), transform, reach))
