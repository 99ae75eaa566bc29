"""Search effort: nodes and time per move, by depth and by player, and the share of a suite solved by it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from arena.base.number import quantity
from arena.report.charts.axes import (
    LEADING,
    LINES,
    area,
    beside,
    leading,
    legend,
    limit_axis,
    log_scale,
    row_axes,
)
from arena.report.charts.style import MUTED, SERIES, series, styled
from arena.report.tables.effort import SHARES
from arena.report.tables.sweeps import FEWEST, of_lines
from arena.report.tables.views import ALL


@styled
def plot_nodes(effort: pd.DataFrame) -> Axes:
    """Mean nodes at a depth against it, a line for each family, with its branching factor in the legend.

    `effort` is `Run.effort`.
    """
    swept = swept_depths(effort)
    names = sorted(swept["family"].unique())
    ax = area(f"Nodes of a move by search depth{leading(len(names), LINES, ' families')}")
    for i, name in enumerate(names[:LINES]):
        rows = swept[swept["family"] == name].sort_values("depth_limit")
        label = f"{name}: {rows['branching_factor'].iloc[0]:.2f} times a ply"
        ax.plot(rows["depth_limit"].astype(int), rows["nodes_at_depth"], label=label, **series(i))
    log_scale(ax, "y", swept["nodes_at_depth"].to_numpy(dtype=float))
    limit_axis(ax, "depth", swept["depth_limit"])
    ax.set_ylabel("mean nodes (log scale)")
    legend(ax)
    return ax


def swept_depths(effort: pd.DataFrame) -> pd.DataFrame:
    """The players of families with nodes at several depths."""
    return of_lines(effort.dropna(subset="nodes_at_depth"), "depth_limit")


@styled
def plot_time(effort: pd.DataFrame) -> Axes:
    """Time per move of each player: median, quartiles (box) and 5th to 95th percentile (whiskers), log scale.

    `effort` is `Run.effort`, in which some player has a time. What lies below a thousandth of the shortest mean
    time, or a nanosecond, is drawn there: zero has no logarithm.
    """
    some, effort = leading(len(effort)), effort.head(LEADING)
    ax = row_axes(effort["player"], f"Time per move{some}")
    mean = effort["seconds_per_move"].to_numpy(dtype=float)
    timed = mean > 0
    floor = max(mean[timed].min(initial=np.inf) / 1000, 1e-9)
    boxes = np.maximum(effort.loc[timed, list(SHARES)].to_numpy(dtype=float), floor)
    rows = np.flatnonzero(timed)
    p05, p25, p50, p75, p95 = boxes.T
    # not `Axes.boxplot`, for which matplotlib loads pyplot: a quarter of a second
    ax.hlines(rows, p05, p95, color=SERIES[0], linewidth=1.2)
    ax.vlines(
        [*p05, *p95], [*rows - 0.14, *rows - 0.14], [*rows + 0.14, *rows + 0.14], color=SERIES[0], linewidth=1.2
    )
    ax.barh(rows, p75 - p25, 0.55, p25, facecolor=SERIES[4], edgecolor=SERIES[0], linewidth=1.2, zorder=2)
    ax.vlines(p50, rows - 0.275, rows + 0.275, color=SERIES[1], linewidth=2.0, zorder=3)
    log_scale(ax, "x", boxes.ravel(), unit="s")
    for row, value in enumerate(mean):
        beside(ax, row, f"mean {quantity(value, 's')}" if value > 0 else "no time measured")
    ax.set_xlabel("log scale")
    return ax


@styled
def plot_solved(shares: pd.DataFrame) -> Axes:
    """The share of a suite's positions solved against the limit, a line for each player with 95 % intervals.

    `shares` is that of `tables.suites.shares` for one suite; players without a limit are broken lines.
    """
    shares = shares[shares["stratum"] == ALL]
    swept = shares[shares["limit"] != ""]
    kind = swept["limit"].iloc[0] if len(swept) else "depth"
    swept = swept[swept["limit"] == kind]
    size, lines = int(shares["positions"].max()), swept["player"].nunique()
    ax = area(f"Share of {shares['suite'].iloc[0]} solved (n = {size}){leading(lines, LINES, ' lines')}")
    for i, (name, rows) in enumerate([*swept.groupby("player", sort=False)][:LINES]):
        columns = ("at", "share", "share_low", "share_high")
        at, share, low, high = (rows[column].to_numpy(dtype=float) for column in columns)
        ax.plot(at, share, label=name, **series(i))
        ax.fill_between(at, low, high, color=series(i)["color"], alpha=0.08, linewidth=0)
    for i, row in enumerate(shares[shares["limit"] == ""].to_dict("records")):
        ax.axhline(row["share"], color=MUTED, linestyle=(":", "--")[i % 2], linewidth=1.2, label=row["player"])
    limit_axis(ax, kind, swept["at"])
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set_ylim(0, 1.02)
    ax.set_ylabel("positions solved")
    legend(ax)
    return ax


def solved_sweeps(suites: pd.DataFrame) -> list[pd.DataFrame]:
    """For each suite what `plot_solved` takes, with a line for each family, if a family has FEWEST limits or more.

    `suites` is `Run.suites`. Players of no family are left out, the baselines are not.
    """
    sweeps = []
    for _, rows in suites.groupby("suite", sort=False):
        swept = rows[rows["family"].notna() & (rows["limit"] != "")].sort_values("at", kind="stable")
        swept = swept.assign(player=swept["family"])
        if len(swept) and swept.groupby(["player", "limit"])["at"].nunique().max() >= FEWEST:
            sweeps.append(pd.concat([swept, rows[rows["elo"].isna() & (rows["limit"] == "")]]))
    return sweeps
