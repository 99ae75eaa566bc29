"""Elo of each player, and against depth and nodes with the line of each family."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from arena.base.number import with_error
from arena.ratings.interval import Interval
from arena.report.charts.axes import (
    LEADING,
    LINES,
    Chart,
    area,
    beside,
    dots,
    elo_label,
    leading,
    legend,
    log_scale,
    no_games,
    rows_of,
    whole_depths,
)
from arena.report.charts.style import DASHED, MUTED, series, styled


@styled
def plot_elo(standings: pd.DataFrame, ax: Axes | None = None, *, reference: str = "") -> Axes:
    """Elo of each player with its 95 % interval, the best at the top; `reference` says what 0 is.

    Of more than LEADING players the best are shown.
    """
    rated = standings[standings["elo"].notna() & (standings["games"] > 0)]
    table = rated.head(LEADING)
    ax = rows_of(ax, table["player"], f"Elo ratings with 95 % intervals{leading(len(rated))}")
    if table.empty:
        return no_games(ax)
    elo, low, high = (table[name].to_numpy(dtype=float) for name in ("elo", "elo_low", "elo_high"))
    ax.axvline(0, color=MUTED, linewidth=0.9, linestyle=DASHED)
    dots(ax, elo, low, high)
    for row, (value, error) in enumerate(zip(elo, (high - low) / 2, strict=True)):
        beside(ax, row, with_error(value, error))
    ax.set_xlabel(elo_label(reference))
    return ax


@styled
def plot_elo_by_depth(
    elo_by_depth: pd.DataFrame, ax: Axes | None = None, *, gains: pd.DataFrame | None = None, reference: str = ""
) -> Axes:
    """Elo against depth with 95 % intervals, and the curve of each family that `gains` fits.

    `gains` is that of `tables.doublings`; without it points are joined. `reference` says what 0 is.
    """
    some = leading(elo_by_depth["family"].nunique(), LINES, " families")
    ax = area(ax, f"Elo against search depth, with 95 % intervals{some}", height=4.4)
    if elo_by_depth.empty:
        return no_games(ax)
    _elo_lines(ax, elo_by_depth, "depth", gains, "depth")
    whole_depths(ax)
    ax.set_ylabel(elo_label(reference))
    legend(ax)
    return ax


@styled
def plot_elo_by_nodes(
    elo_by_nodes: pd.DataFrame, ax: Axes | None = None, *, gains: pd.DataFrame | None = None, reference: str = ""
) -> Axes:
    """Elo against measured nodes per move with 95 % intervals, and the fitted line of each family.

    `elo_by_nodes` and `gains` are those of `tables.doublings`; `reference` says what 0 is.
    """
    some = leading(elo_by_nodes["family"].nunique(), LINES, " families")
    ax = area(ax, f"Elo against nodes per move, with 95 % intervals{some}", height=4.4)
    if elo_by_nodes.empty:
        return no_games(ax)
    _elo_lines(ax, elo_by_nodes, "nodes_per_move", gains, "nodes")
    log_scale(ax, "x", elo_by_nodes["nodes_per_move"].to_numpy(dtype=float))
    ax.set_xlabel("mean nodes per move (log scale)")
    ax.set_ylabel(elo_label(reference))
    legend(ax)
    return ax


def _shown(table: pd.DataFrame) -> list[str]:
    names = list(dict.fromkeys(table["family"]))
    best = table.groupby("family", observed=True)["elo"].max().sort_values(ascending=False, kind="stable")
    chosen = set(best.index[:LINES])
    return [name for name in names if name in chosen]


def _elo_lines(ax: Axes, table: pd.DataFrame, x: str, gains: pd.DataFrame | None, per: str) -> None:
    names = _shown(table)
    for i, name in enumerate(names):
        rows = table[table["family"] == name]
        elo, low, high = (rows[key].to_numpy(dtype=float) for key in ("elo", "elo_low", "elo_high"))
        error = np.nan_to_num(np.clip([elo - low, high - elo], 0, None))
        # Depths are whole, so families would hide one another.
        beside = min(0.08, 0.5 / len(names)) * (i - (len(names) - 1) / 2) if x == "depth" else 0.0
        style, label = series(i), str(name)
        fitted = gains[(gains["family"] == name) & (gains["per"] == per)] if gains is not None else table[:0]
        if len(fitted):
            fit = fitted.iloc[0]
            label += f": {Interval.of(fit, 'gain')} Elo per doubling"
            along = np.geomspace(fit["x_low"], fit["x_high"], 100)
            line = fit["elo_at_1"] + fit["gain"] * np.log2(along)
            ax.plot(along, line, color=style["color"], linestyle=style["linestyle"], linewidth=1.3)
            style["linestyle"] = "none"
        ax.errorbar(rows[x] + beside, elo, yerr=error, capsize=3, elinewidth=1.3, label=label, **style)


CHARTS = (
    Chart(
        "elo",
        "Joint rating of all players with 95 % intervals.",
        "standings.csv",
        lambda run: plot_elo(run.standings, reference=run.zero),
        lambda run: run.games.empty or run.standings["elo"].count() > 0,
    ),
    Chart(
        "elo_by_depth",
        "What a deeper search is worth: players that differ in depth only, with 95 % intervals, and the line "
        "Elo = a + b log2(depth) fitted with the covariance of the ratings; b is the worth of a doubling.",
        "elo_by_depth.csv",
        lambda run: plot_elo_by_depth(run.elo_by_depth, gains=run.gains, reference=run.zero),
        lambda run: len(run.elo_by_depth) > 0,
    ),
    Chart(
        "elo_by_nodes",
        "Elo against measured nodes per move, with 95 % intervals, and the line "
        "Elo = a + b log2(nodes) fitted in the same way.",
        "elo_by_nodes.csv",
        lambda run: plot_elo_by_nodes(run.elo_by_nodes, gains=run.gains, reference=run.zero),
        lambda run: len(run.elo_by_nodes) > 0,
    ),
)
