"""Search effort: nodes and time per move, by depth and by player, and the share of a suite solved by it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator, PercentFormatter

from arena.base.number import quantity
from arena.report.charts.axes import (
    LEADING,
    LINES,
    Chart,
    area,
    beside,
    leading,
    legend,
    log_scale,
    no_games,
    rows_of,
    whole_depths,
)
from arena.report.charts.style import MUTED, SERIES, series, styled
from arena.report.tables.effort import SHARES
from arena.report.tables.views import ALL

FEWEST = 3
"""Limits of which a line is made."""
SUITES = 2
"""Suites that have a chart."""


@styled
def plot_nodes(effort: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Mean nodes at a depth against it, a line for each family, with its branching factor in the legend.

    `effort` is `Run.effort`. A family has FEWEST depths or more: two points would be a line whatever they are.
    """
    swept = _swept(effort)
    names = sorted(swept["family"].unique())
    ax = area(ax, f"Nodes of a move by search depth{leading(len(names), LINES, ' families')}", height=4.4)
    for i, name in enumerate(names[:LINES]):
        rows = swept[swept["family"] == name].sort_values("depth_limit")
        label = f"{name}: {rows['branching_factor'].iloc[0]:.2f} times a ply"
        ax.plot(rows["depth_limit"].astype(int), rows["nodes_at_depth"], label=label, **series(i))
    log_scale(ax, "y", swept["nodes_at_depth"].to_numpy(dtype=float))
    whole_depths(ax)
    ax.set_ylabel("mean nodes (log scale)")
    legend(ax)
    return ax


def _swept(effort: pd.DataFrame) -> pd.DataFrame:
    """The players of families with nodes at FEWEST depths or more."""
    rows = effort[effort["family"].notna() & effort["nodes_at_depth"].notna()]
    return rows[rows.groupby("family")["depth_limit"].transform("nunique") >= FEWEST]


@styled
def plot_time(effort: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Time per move of each player: median, quartiles (box) and 5th to 95th percentile (whiskers), log scale.

    `effort` is `Run.effort`. What lies below a thousandth of the shortest mean time, or a nanosecond, is drawn
    there: zero has no logarithm.
    """
    some, effort = leading(len(effort)), effort.head(LEADING)
    ax = rows_of(ax, effort["player"], f"Time per move{some}")
    if effort.empty:
        return no_games(ax)
    mean = effort["seconds_per_move"].to_numpy(dtype=float)
    floor = max(mean[mean > 0].min(initial=np.inf) / 1000, 1e-9)
    floor = floor if np.isfinite(floor) else 1e-9
    timed = mean > 0
    boxes = np.maximum(effort.loc[timed, list(SHARES)].to_numpy(dtype=float), floor)
    stats = [dict(zip(("whislo", "q1", "med", "q3", "whishi"), box, strict=True)) for box in boxes.tolist()]
    if stats:
        line = {"color": SERIES[0], "linewidth": 1.2}
        box = {"facecolor": SERIES[4], "edgecolor": SERIES[0]}
        ax.bxp(
            stats, positions=np.arange(len(effort))[timed], orientation="horizontal", widths=0.55,
            showfliers=False, patch_artist=True, manage_ticks=False, boxprops=box,
            medianprops={"color": SERIES[1], "linewidth": 2.0}, whiskerprops=line, capprops=line,
        )  # fmt: skip
        log_scale(ax, "x", boxes.ravel(), unit="s")
    else:
        ax.xaxis.set_major_locator(NullLocator())
    for row, value in enumerate(mean):
        beside(ax, row, f"mean {quantity(value, 's')}" if value > 0 else "no time measured")
    ax.set_xlabel("time per move (log scale): median, quartiles, 5th to 95th percentile")
    return ax


@styled
def plot_solved(shares: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """The share of a suite's positions solved against the limit, a line for each player with 95 % intervals.

    `shares` is that of `tables.suites.shares` for one suite; players without a limit are dashed lines.
    """
    shares = shares[shares["stratum"] == ALL]
    swept = shares[shares["limit"] != ""]
    kind = swept["limit"].iloc[0] if len(swept) else "depth"
    swept = swept[swept["limit"] == kind]
    size, lines = int(shares["positions"].max()), swept["player"].nunique()
    title = f"Share of {shares['suite'].iloc[0]} solved (n = {size}){leading(lines, LINES, ' lines')}"
    ax = area(ax, title, height=4.6)
    for i, (name, rows) in enumerate([*swept.groupby("player", sort=False)][:LINES]):
        at, share = rows["at"].to_numpy(dtype=float), rows["share"].to_numpy(dtype=float)
        low, high = rows["share_low"].to_numpy(dtype=float), rows["share_high"].to_numpy(dtype=float)
        ax.plot(at, share, label=name, **series(i))
        ax.fill_between(at, low, high, color=series(i)["color"], alpha=0.08, linewidth=0)
    for i, row in enumerate(shares[shares["limit"] == ""].to_dict("records")):
        ax.axhline(row["share"], color=MUTED, linestyle=(":", "--")[i % 2], linewidth=1.2, label=row["player"])
    if kind == "depth":
        whole_depths(ax)
    else:
        log_scale(ax, "x", swept["at"].to_numpy(dtype=float), "s" if kind == "seconds" else "")
        ax.set_xlabel("seconds per move (log scale)" if kind == "seconds" else "nodes per move (log scale)")
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set_ylim(0, 1.02)
    ax.set_ylabel("positions solved")
    legend(ax)
    return ax


def sweeps(suites: pd.DataFrame) -> list[pd.DataFrame]:
    """For each suite what `plot_solved` takes, with a line for each family, if a family has FEWEST limits or more.

    `suites` is that of `arena.report.run.Run`. Players of no family are left out, the baselines are not.
    """
    found = []
    for _, rows in suites.groupby("suite", sort=False):
        swept = rows[rows["family"].notna() & (rows["limit"] != "")].sort_values("at", kind="stable")
        swept = swept.assign(player=swept["family"])
        if len(swept) and swept.groupby(["player", "limit"])["at"].nunique().max() >= FEWEST:
            found.append(pd.concat([swept, rows[rows["elo"].isna() & (rows["limit"] == "")]]))
    return found


def _solved(place: int) -> Chart:
    return Chart(
        f"solved_{place + 1}" if place else "solved",
        "Share of a suite's positions that are solved, with 95 % intervals, by players that differ in their "
        "limit only. Broken lines: one ply, and random choice.",
        "suites.csv",
        lambda run: plot_solved(sweeps(run.suites)[place]),
        lambda run: len(sweeps(run.suites)) > place,
    )


CHARTS = (
    Chart(
        "nodes",
        "Mean nodes of the moves searched to the depth limit, of players that differ in it only; the slope of a "
        "line is its effective branching factor.",
        "effort.csv",
        lambda run: plot_nodes(run.effort),
        lambda run: len(_swept(run.effort)) > 0,
    ),
    Chart(
        "time",
        "Time per move over all moves: median, quartiles (box), 5th and 95th percentile (whiskers).",
        "effort.csv",
        lambda run: plot_time(run.effort),
    ),
    *map(_solved, range(SUITES)),
)
