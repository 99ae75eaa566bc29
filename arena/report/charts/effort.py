"""Search effort: nodes and time per move, by depth and by player, and the share of a suite solved by it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator, PercentFormatter

from arena.base.number import known, quantity
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
from arena.report.charts.style import GRID, MUTED, SERIES, series, styled
from arena.report.sentences import notes
from arena.report.tables.effort import QUANTILES
from arena.report.tables.suites import ALL

FEWEST = 3
"""Limits of which a line of solved positions is made."""
SUITES = 2
"""Suites that have a chart."""


@styled
def plot_nodes(search: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Mean nodes at a depth against it, with each family's effective branching factor in the legend.

    `search` is that of `tables.effort.branching`. Where no players differ in depth only, one dot for each player.
    """
    title = "Nodes of a move searched to the depth limit"
    if search.empty:
        return no_games(area(ax, "Nodes per move", height=2.6), "no player counts nodes")
    nodes = search["nodes_per_move"].to_numpy(dtype=float)
    if search["family"].isna().all():
        some, search = leading(len(search)), search.head(LEADING)
        nodes = nodes[:LEADING]
        ax = rows_of(ax, search["player"], f"Nodes per move, by player{some}")
        ax.hlines(np.arange(len(search)), 10 ** np.floor(np.log10(nodes.min())), nodes, color=GRID, linewidth=1.4)
        ax.plot(nodes, np.arange(len(search)), "o", color=SERIES[0])
        for row, depth in enumerate(search["depth"]):
            beside(ax, row, f"depth {depth}" if known(depth) else "")
        log_scale(ax, "x", nodes)
        ax.set_xlabel("mean nodes per move (log scale)")
        return ax

    search = search[search["nodes_at_depth"].notna()].astype({"depth": int})
    nodes = search["nodes_at_depth"].to_numpy(dtype=float)
    groups = search["family"].where(search["family"].notna(), search["player"])
    order = [*sorted(search["family"].dropna().unique()), *search.loc[search["family"].isna(), "player"]]
    some = f", {LINES} of {len(order)} lines" if len(order) > LINES else ""
    ax = area(ax, title + some, height=4.4)
    for i, name in enumerate(order[:LINES]):
        rows = search[groups == name].sort_values("depth")
        factor = rows["branching_factor"].iloc[0]
        label = f"{name}: branching factor {factor:.2f}" if np.isfinite(factor) else name
        style = series(i) | ({"linestyle": "none"} if len(rows) == 1 else {})
        ax.plot(rows["depth"], rows["nodes_at_depth"], label=label, **style)
    log_scale(ax, "y", nodes)
    whole_depths(ax)
    ax.set_ylabel("mean nodes (log scale)")
    legend(ax)
    return ax


@styled
def plot_time(search_time: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Time per move of each player: median, quartiles (box) and 5th to 95th percentile (whiskers), log scale.

    `search_time` is that of `tables.effort.search_time`. What lies below a thousandth of the shortest mean time,
    or a nanosecond, is drawn there: zero has no logarithm.
    """
    some, search_time = leading(len(search_time)), search_time.head(LEADING)
    ax = rows_of(ax, search_time["player"], f"Time per move{some}")
    if search_time.empty:
        return no_games(ax)
    mean = search_time["mean"].to_numpy(dtype=float)
    floor = max(mean[mean > 0].min(initial=np.inf) / 1000, 1e-9)
    floor = floor if np.isfinite(floor) else 1e-9
    timed = mean > 0
    boxes = np.maximum(search_time.loc[timed, list(QUANTILES)].to_numpy(dtype=float), floor)
    stats = [dict(zip(("whislo", "q1", "med", "q3", "whishi"), box, strict=True)) for box in boxes.tolist()]
    y = np.arange(len(search_time))
    if stats:
        ax.bxp(
            stats,
            positions=y[timed],
            orientation="horizontal",
            widths=0.55,
            showfliers=False,
            patch_artist=True,
            manage_ticks=False,
            boxprops={"facecolor": SERIES[4], "edgecolor": SERIES[0], "linewidth": 1.0},
            medianprops={"color": SERIES[1], "linewidth": 2.0},
            whiskerprops={"color": SERIES[0], "linewidth": 1.2},
            capprops={"color": SERIES[0], "linewidth": 1.2},
        )
        log_scale(ax, "x", boxes.ravel(), unit="s")
    else:
        ax.xaxis.set_major_locator(NullLocator())
    for row, value in enumerate(mean):
        beside(ax, row, f"mean {quantity(value, 's')}" if value > 0 else "no time measured")
    ax.set_xlabel("time per move (log scale): median, quartiles, 5th to 95th percentile")
    return ax


@styled
def plot_time_to_depth(search: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Mean seconds per move against depth, a line for each family; the legend has the time to its greatest depth.

    `search` is that of `tables.effort.timed`.
    """
    families = sorted(search["family"].unique())
    some = f", {LINES} of {len(families)} families" if len(families) > LINES else ""
    ax = area(ax, f"Time of a move searched to the depth limit{some}", height=4.4)
    if search.empty:
        return no_games(ax)
    for i, name in enumerate(families[:LINES]):
        rows = search[search["family"] == name].groupby("depth")["seconds_at_depth"].mean()
        label = f"{name}: {quantity(rows.iloc[-1], 's')} to depth {rows.index[-1]}"
        ax.plot(rows.index, rows, label=label, **series(i))
    log_scale(ax, "y", search["seconds_at_depth"].to_numpy(dtype=float), unit="s")
    whole_depths(ax)
    ax.set_ylabel("mean time (log scale)")
    legend(ax)
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
        notes.NODES,
        "search.csv",
        lambda run: plot_nodes(run.search),
        lambda run: len(run.search) > 0,
    ),
    Chart(
        "time",
        "Time per move over all moves: median, quartiles (box), 5th and 95th percentile (whiskers).",
        "moves.csv",
        lambda run: plot_time(run.search_time),
    ),
    Chart(
        "time_to_depth",
        "Mean time of the moves searched to the depth limit, of players that differ in it only.",
        "search.csv",
        lambda run: plot_time_to_depth(run.time_to_depth),
        lambda run: len(run.time_to_depth) > 0,
    ),
    *map(_solved, range(SUITES)),
)
