"""Elo of each player, against what is swept, and in several runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from arena.base.number import with_error
from arena.ratings.interval import Interval
from arena.report.charts.axes import (
    LEADING,
    LETTER,
    LINES,
    area,
    beside,
    dots,
    elo_label,
    leading,
    legend,
    log_scale,
    reference_line,
    row_axes,
)
from arena.report.charts.style import INK, series, styled
from arena.report.tables.sweeps import DEPTH, NODES

CROWDED = 60
"""Marks of a chart of several runs above which a player's stand in one line."""
WIDE = 10
"""Times the least of the numbers that the greatest is, from which on their axis is logarithmic."""
_SWEPT = {
    DEPTH: ("search depth", "search depth, plies"),
    NODES: ("nodes per move", "mean nodes per move (log scale)"),
}
"""What is swept in the title and below the axis; a number has its name."""
_LEGEND = 6.0
"""Inches of a row of the legend over a chart of several runs."""


@styled
def plot_elo(standings: pd.DataFrame, *, reference: str = "") -> Axes:
    """Elo of each rated player with its 95 % interval, the best at the top; `reference` says what 0 is.

    Of more than LEADING players the best are shown.
    """
    shown = standings.head(LEADING)
    ax = row_axes(shown["player"], f"Elo ratings with 95 % intervals{leading(len(standings))}")
    elo, low, high = (shown[name].to_numpy(dtype=float) for name in Interval.columns_of("elo"))
    reference_line(ax)
    dots(ax, elo, low, high)
    for row, (value, error) in enumerate(zip(elo, (high - low) / 2, strict=True)):
        beside(ax, row, with_error(value, error))
    ax.set_xlabel(elo_label(reference))
    return ax


@styled
def plot_sweep(points: pd.DataFrame, *, reference: str = "") -> Axes:
    """Elo against what is swept, with 95 % intervals; `points` are the rows of `Run.sweep` with one `per`.

    A family whose line fits has it, and what a doubling is worth. The LINES families with the best players are
    shown.
    """
    per = points["per"].iloc[0]
    best = points.groupby("family")["elo"].max().sort_values(ascending=False, kind="stable")
    names = [name for name in dict.fromkeys(points["family"]) if name in best.index[:LINES]]
    title, label = _SWEPT.get(per, (per, per))
    ax = area(f"Elo by {title}, with 95 % intervals{leading(len(best), LINES, ' families')}")
    for i, name in enumerate(names):
        rows, style, text = points[points["family"] == name], series(i), str(name)
        first = rows.iloc[0].to_dict()
        if first["fits"]:
            text += f": {Interval.of(first, 'gain')} Elo per doubling"
            along = np.geomspace(rows["x"].min(), rows["x"].max(), 100)
            line = first["elo_at_1"] + first["gain"] * np.log2(along)
            ax.plot(along, line, **style | {"marker": "none", "linewidth": 1.3})
        style |= {"linestyle": "none"} if per in _SWEPT else {}
        # points of each family stand beside those of others, so that none hides another
        shift = min(0.08, 0.5 / len(names)) * (i - (len(names) - 1) / 2) if per == DEPTH else 0.0
        elo, low, high = (rows[column].to_numpy(dtype=float) for column in Interval.columns_of("elo"))
        error = np.nan_to_num(np.clip([elo - low, high - elo], 0, None))
        ax.errorbar(rows["x"] + shift, elo, error, capsize=3, elinewidth=1.3, label=text, **style)
    x = points["x"].to_numpy(dtype=float)
    if per == DEPTH:
        ax.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True, min_n_ticks=1))
        ax.margins(x=0.06)
    elif per == NODES or (x.min() > 0 and x.max() / x.min() >= WIDE):
        log_scale(ax, "x", x)
        if per != NODES:
            ax.xaxis.set_major_formatter("{x:g}")
    ax.set_xlabel(label)
    ax.set_ylabel(elo_label(reference))
    legend(ax)
    return ax


@styled
def plot_joint(by_run: pd.DataFrame, joint: pd.DataFrame, *, reference: str = "") -> Axes:
    """Elo of each player in each run and jointly, with 95 % intervals, the best at the top.

    If they are CROWDED, a player's marks stand in one line, and only the mean has an interval. `by_run` has
    player, run, elo, elo_low and elo_high, `joint` the same but for run, in rank order.
    """
    shown = joint.head(LEADING)
    runs = by_run["run"].drop_duplicates().tolist()
    crowded = len(shown) * (len(runs) + 1) > CROWDED
    per_row = 0.3 if crowded else 0.14 * (len(runs) + 2)
    ax = row_axes(shown["player"], f"Elo by run, and the mean{leading(len(joint))}", per_row=per_row)
    reference_line(ax)
    parts = [(name, by_run[by_run["run"] == name], series(number)) for number, name in enumerate(runs)]
    parts.append(("joint", shown, {"color": INK, "marker": "D"}))
    for number, (name, rows, style) in enumerate(parts):
        ordered = rows.set_index("player").loc[shown["player"]]
        elo, low, high = (ordered[column].to_numpy(dtype=float) for column in Interval.columns_of("elo"))
        place = np.arange(len(shown)) + (0 if crowded else (number - (len(parts) - 1) / 2) / (len(parts) + 1))
        light = crowded and number < len(runs)
        if not light:
            ax.hlines(place, low, high, color=style["color"], linewidth=2.2, alpha=0.5)
        look = {"markersize": 4, "alpha": 0.7} if light else {"markersize": 5}
        ax.plot(elo, place, style["marker"], color=style["color"], label=name, **look)
    columns = max(1, int(_LEGEND / (0.5 + LETTER * max(map(len, runs)))))
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=min(columns, len(parts)), borderpad=0)
    ax.set_xlabel(elo_label(reference))
    return ax
