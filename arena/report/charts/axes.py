"""Parts that charts have in common: Axes with a title or with rows, scales, legends, text beside rows; and tips:
what a chart says of the place under the pointer, as `<title>` elements of its SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary
from xml.sax.saxutils import escape

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter
from matplotlib.transforms import Transform

from arena.base.number import known, quantity, signed
from arena.report.charts.style import MUTED, SERIES, text_width
from arena.report.run import Run


class Chart(NamedTuple):
    """A chart of a run."""

    name: str
    """Of its files, without the suffix."""
    caption: str
    csv: str
    """The file of the report that holds its numbers."""
    draw: Callable[[Run], Axes]
    applies: Callable[[Run], bool] = lambda _: True
    """Whether a run has it."""


SHORT_LEGEND = 4
"""Entries that fit inside the Axes."""
LEADING = 30
"""Rows that a chart of players has room for."""
LINES = 12
"""Lines that a chart of families has room for."""
BOTTOM = 0.55
"""Inches under the Axes, for the numbers of the axis and its label."""
SLACK = 1.04
"""Hinted letters are wider than the font's own."""


def area(
    ax: Axes | None,
    title: str,
    *,
    width: float = 6.8,
    height: float,
    left: float = 0.85,
    right: float = 0.25,
    title_pad: float | None = None,
) -> Axes:
    """Axes with a title: those given, or new ones in `width` times `height` inches with margins `left`, `right`.

    Margins are given and not found by trial: to lay out many rows of text takes longer than to draw them.
    """
    if ax is not None:
        ax.set_title(title, pad=title_pad)
        return ax
    figure = Figure(figsize=(max(width, 0.3 + text_width(title, 12, "bold") * SLACK), height))
    ax = figure.add_subplot()
    top = 0.25 + (title_pad or 10) / 72
    set_margins(figure, left, right, top, BOTTOM)
    across, up = figure.get_figwidth() - left - right, height - BOTTOM - top
    ax.set_title(title, pad=title_pad, x=(0.1 - left) / across)
    ax.xaxis.set_label_coords(0.5, -0.32 / up)
    ax.yaxis.set_label_coords((0.25 - left) / across, 0.5)
    return ax


def retitle(ax: Axes, title: str) -> None:
    """Give Axes of `area` another title if it has room."""
    if title and 0.3 + text_width(title, 12, "bold") * SLACK <= figure_of(ax).get_figwidth():
        old = ax.get_title(loc="left")
        next(text for text in ax.findobj(Text) if text.get_text() == old).set_text(title)


def set_margins(figure: Figure, left: float, right: float, top: float, bottom: float) -> None:
    """Leave margins in inches around the Axes of a figure."""
    width, height = figure.get_size_inches()
    figure.subplots_adjust(left / width, bottom / height, 1 - right / width, 1 - top / height)


def rows_of(
    ax: Axes | None,
    labels: Iterable[Any],
    title: str,
    *,
    per_row: float = 0.29,
    margin: float,
    title_pad: float | None = None,
) -> Axes:
    """Axes with a row for each label, the first at the top; `margin` inches are for text beside."""
    labels = [str(label) for label in labels]
    height = max(1.05 + per_row * len(labels), 2.1) + (0.2 + (title_pad - 26) / 72 if title_pad else 0)
    names, right = label_width(labels) + (0.45 if title_pad else 0.25), margin + 0.15
    ax = area(ax, title, width=max(6.8, 3.3 + names + right), height=height, left=names, right=right,
              title_pad=title_pad)  # fmt: skip
    ax.set_yticks(np.arange(len(labels)), labels)
    ax.set_ylim(max(len(labels), 1) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(False, axis="y")
    ax.spines["left"].set_visible(False)
    return ax


def leading(count: int, most: int = LEADING, what: str = "") -> str:
    """The end of a chart's title that shows the first `most` of `count` rows: ", the leading 30 of 60"."""
    return f", the leading {most} of {count}{what}" if count > most else ""


def dots(ax: Axes, value: np.ndarray, low: np.ndarray, high: np.ndarray, size: float = 6) -> None:
    """A dot in each row that has a value, and its interval if it has one."""
    known = np.isfinite(value)
    bounded = known & np.isfinite(low) & np.isfinite(high)
    ax.hlines(np.flatnonzero(bounded), low[bounded], high[bounded], color=SERIES[4], linewidth=2.4)
    ax.plot(value[known], np.flatnonzero(known), "o", color=SERIES[0], markersize=size)


def beside(ax: Axes, row: int, text: str) -> None:
    """Text to the right of the Axes, level with a row."""
    ax.annotate(
        text, (1, row), (6, 0), xycoords=ax.get_yaxis_transform(), textcoords="offset points", va="center",
        color=MUTED, size=8, annotation_clip=False,
    )  # fmt: skip


def no_games(ax: Axes, message: str = "no games yet") -> Axes:
    """Axes that show a message in place of data."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, message, transform=ax.transAxes, ha="center", va="center", size=13, color=MUTED)
    return ax


def elo_label(reference: str) -> str:
    """The label of an axis of Elo; `reference` says what 0 is."""
    return f"Elo ({reference})" if reference else "Elo"


def label_width(labels: Iterable[Any]) -> float:
    """Inches that the longest label takes at 9 points, about."""
    return SLACK * max((text_width(str(label)) for label in labels), default=0.0)


def log_scale(ax: Axes, axis: str, values: np.ndarray, unit: str = "") -> None:
    """Log scale over whole decades, or 1-2-5 steps where the values span less than two."""
    low, high = float(values.min()), float(values.max())
    getattr(ax, f"set_{axis}scale")("log")
    scale = ax.xaxis if axis == "x" else ax.yaxis
    narrow = high / low < 100
    scale.set_major_locator(LogLocator(subs=(1, 2, 5) if narrow else (1,), numticks=12))
    scale.set_major_formatter(FuncFormatter(lambda value, _: quantity(value, unit)))
    scale.set_minor_formatter(NullFormatter())
    getattr(ax, f"set_{axis}lim")(low / 1.4, high * 1.4)


def log_ratios(ax: Axes, values: np.ndarray) -> None:
    """Log scale of ratios along x, ticks such as 1.5×."""
    log_scale(ax, "x", values)
    span = values.max() / values.min()
    subs = (1, 1.5, 2, 3, 5, 7) if span < 10 else (1, 3) if span < 100 else (1,)
    ax.xaxis.set_major_locator(LogLocator(subs=subs, numticks=12))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}×"))


def whole_depths(ax: Axes) -> None:
    """An axis of search depths along x, whole numbers only."""
    ax.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True, min_n_ticks=1))
    ax.margins(x=0.06)
    ax.set_xlabel("search depth, plies")


def legend(ax: Axes) -> None:
    """A legend inside while it is short; else under the Axes: the figure grows."""
    handles, labels = ax.get_legend_handles_labels()
    if len(labels) <= SHORT_LEGEND:
        ax.legend(loc="best", frameon=False)
        return
    figure = figure_of(ax)
    width, height = figure.get_size_inches()
    entry = 0.7 + label_width(labels)
    columns = min(max(1, int(width / entry)), len(labels))
    grown = 0.05 + 0.2 * -(-len(labels) // columns)
    place, wider = figure.subplotpars, max(width, entry + 0.3)
    left, right = place.left * width, (1 - place.right) * width
    top, bottom = (1 - place.top) * height, place.bottom * height
    figure.set_size_inches(wider, height + grown)
    set_margins(figure, left, right, top, bottom + grown)
    figure.legend(handles, labels, loc="lower left", bbox_to_anchor=(0.1 / wider, 0), borderaxespad=0.2,
                  ncols=columns)  # fmt: skip


def figure_of(axes: Axes) -> Figure:
    """The figure that Axes are part of."""
    figure = axes.get_figure(root=True)
    assert figure is not None, "Axes without a figure"
    return figure


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
