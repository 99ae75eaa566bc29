"""Charts of what a sweep asks: each takes a table of `arena.report.sweeps` and optional Axes, returns the Axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from arena.report.plots import (
    MUTED,
    SERIES,
    _area,
    _beside,
    _elo_label,
    _elo_lines,
    _legend,
    _log,
    _no_games,
    _rows,
    _series,
    _styled,
    _whole_depths,
)
from arena.report.tables import quantity, signed

if TYPE_CHECKING:
    from arena.report.run import Run

NAMES = ("comparisons", "elo_by_nodes", "time_to_depth", "convergence", "phases", "openings")
"""Every chart that `draw` may make."""

SHOWN_PLAYERS = 8
"""Players that the chart of convergence has room for."""
SHOWN_OPENINGS = 30
DASHED = (0, (4, 3))


def draw(run: Run, reference: str) -> dict[str, Axes]:
    """Every chart of a sweep that applies to the run, by name; `reference` says what Elo 0 is."""
    charts = {
        "comparisons": (run.comparisons, lambda table: plot_comparisons(table)),
        "elo_by_nodes": (
            run.elo_by_nodes,
            lambda table: plot_elo_by_nodes(table, gains=run.gains, reference=reference),
        ),
        "time_to_depth": (timed(run.search), lambda table: plot_time_to_depth(table)),
        "convergence": (run.convergence, lambda table: plot_convergence(table, reference=reference)),
        "phases": (run.phases, lambda table: plot_phases(table)),
        "openings": (run.openings, lambda table: plot_openings(table, first=run.config["first"])),
    }
    return {name: plot(table) for name, (table, plot) in charts.items() if len(table)}


def timed(search: pd.DataFrame) -> pd.DataFrame:
    """Rows of `tables.branching` that show time against depth: families with measured time."""
    return search[search["family"].notna() & (search["seconds_per_move"] > 0)]


@_styled
def plot_elo_by_nodes(
    elo_by_nodes: pd.DataFrame, ax: Axes | None = None, *, gains: pd.DataFrame | None = None, reference: str = ""
) -> Axes:
    """Elo against measured nodes per move with 95 % intervals, and the fitted line of each family.

    `elo_by_nodes` and `gains` are those of `arena.report.sweeps`; `reference` says what 0 is.
    """
    ax = _area(ax, "Elo against nodes per move, with 95 % intervals", height=4.4)
    if elo_by_nodes.empty:
        return _no_games(ax)
    _elo_lines(ax, elo_by_nodes, "nodes_per_move", gains, "nodes")
    _log(ax, "x", elo_by_nodes["nodes_per_move"].to_numpy(dtype=float))
    ax.set_xlabel("mean nodes per move (log scale)")
    ax.set_ylabel(_elo_label(reference))
    _legend(ax)
    return ax


@_styled
def plot_time_to_depth(search: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Mean seconds per move against depth, a line for each family; the legend has the time to its greatest depth.

    `search` is that of `tables.branching`, its families with measured time (`timed`).
    """
    ax = _area(ax, "Time per move against search depth", height=4.4)
    if search.empty:
        return _no_games(ax)
    for i, name in enumerate(sorted(search["family"].unique())):
        rows = search[search["family"] == name].groupby("depth")["seconds_per_move"].mean()
        label = f"{name}: {quantity(rows.iloc[-1], 's')} to depth {rows.index[-1]}"
        ax.plot(rows.index, rows, label=label, **_series(i))
    _log(ax, "y", search["seconds_per_move"].to_numpy(dtype=float), unit="s")
    _whole_depths(ax)
    ax.set_ylabel("mean time per move (log scale)")
    _legend(ax)
    return ax


@_styled
def plot_comparisons(comparisons: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Elo differences of settings at equal terms with 95 % intervals; `comparisons` is that of `sweeps`."""
    table = comparisons.sort_values(["setting", "value"], kind="stable", key=_in_order)
    labels = [
        f"{row['value']} − {row['reference']}, {at_equal(row['terms'], row['at'])}"
        for row in table.to_dict("records")
    ]
    ax = _rows(ax, labels, "One setting changed, with 95 % intervals", margin=1.6)
    if table.empty:
        return _no_games(ax)
    value, low, high = (table[f"elo_difference{end}"].to_numpy(dtype=float) for end in ("", "_low", "_high"))
    ax.axvline(0, color=MUTED, linewidth=0.9, linestyle=DASHED)
    ax.hlines(np.arange(len(table)), low, high, color=SERIES[4], linewidth=2.4)
    ax.plot(value, np.arange(len(table)), "o", color=SERIES[0])
    for place, (difference, error) in enumerate(zip(value, (high - low) / 2, strict=True)):
        _beside(ax, place, f"{signed(difference)} ± {error:.0f}")
    ax.set_xlabel("Elo difference")
    return ax


@_styled
def plot_openings(openings: pd.DataFrame, ax: Axes | None = None, *, first: str) -> Axes:
    """Score of the colour that moves first, `first`, by opening, with 95 % intervals; the most biased openings.

    `openings` is that of `arena.report.sweeps`.
    """
    shown = openings.head(SHOWN_OPENINGS).sort_values("score", ascending=False, kind="stable")
    some = f", the {len(shown)} most biased of {len(openings)}" if len(shown) < len(openings) else ""
    ax = _rows(ax, [f"opening {n}" for n in shown["opening"]], f"Opening bias{some}", per_row=0.24, margin=1.3)
    if shown.empty:
        return _no_games(ax)
    score, low, high = (100 * shown[f"score{end}"].to_numpy(dtype=float) for end in ("", "_low", "_high"))
    bounded = np.isfinite(low) & np.isfinite(high)
    ax.axvline(50, color=MUTED, linewidth=0.9, linestyle=DASHED)
    ax.hlines(np.flatnonzero(bounded), low[bounded], high[bounded], color=SERIES[4], linewidth=2.4)
    ax.plot(score, np.arange(len(shown)), "o", color=SERIES[0], markersize=5)
    for row, (value, error) in enumerate(zip(score, (high - low) / 2, strict=True)):
        _beside(ax, row, f"{value:.0f}" + (f" ± {error:.0f} %" if np.isfinite(error) else " %"))
    ax.set_xlabel(f"score of {first.capitalize()}, who moves first, % (pairs with colours swapped)")
    return ax


@_styled
def plot_convergence(convergence: pd.DataFrame, ax: Axes | None = None, *, reference: str = "") -> Axes:
    """Elo after growing parts of the schedule with 95 % bands; `convergence` is that of `arena.report.sweeps`.

    Of more than eight players, eight evenly spread over the ranks are shown.
    """
    ax = _area(ax, "Convergence of Elo, with 95 % bands", height=4.6)
    if convergence.empty:
        return _no_games(ax)
    last = convergence[convergence["games"] == convergence["games"].max()]
    ranked = last.sort_values("elo", ascending=False, kind="stable")["player"].tolist()
    places = np.linspace(0, len(ranked) - 1, min(SHOWN_PLAYERS, len(ranked))).round().astype(int)
    for i, place in enumerate(places.tolist()):
        rows = convergence[convergence["player"] == ranked[place]]
        style = _series(i)
        ax.fill_between(
            rows["games"], rows["elo_low"], rows["elo_high"], color=style["color"], alpha=0.13, linewidth=0
        )
        ax.plot(rows["games"], rows["elo"], label=ranked[place], markersize=4, **style)
    if len(places) < len(ranked):
        ax.set_title(f"Convergence of Elo, {len(places)} of {len(ranked)} players, with 95 % bands")
    ax.margins(x=0.03)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("games rated, in the order of the schedule")
    ax.set_ylabel(_elo_label(reference))
    _legend(ax)
    return ax


@_styled
def plot_phases(phases: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Share of the moves at which winner and loser saw the winner ahead, by tenths of the game, 95 % bands.

    `phases` is that of `arena.report.sweeps`.
    """
    ax = _area(ax, "Who saw the result coming, and when, with 95 % bands", height=4.2)
    if phases.empty:
        return _no_games(ax)
    ax.axhline(50, color=MUTED, linewidth=0.9, linestyle=DASHED)
    for i, role in enumerate(("winner", "loser")):
        rows = phases[phases["role"] == role]
        x = 10 * rows["tenth"].to_numpy(dtype=float) - 5
        share, low, high = (
            100 * rows[name].to_numpy(dtype=float) for name in ("share", "share_low", "share_high")
        )
        style = _series(i)
        ax.fill_between(x, low, high, color=style["color"], alpha=0.16, linewidth=0)
        ax.plot(x, share, label=f"the {role}'s own searches", **style)
    ax.set_xlim(0, 100)
    ax.set_xticks(range(0, 101, 10))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}"))
    ax.set_xlabel("part of the game played, %")
    ax.set_ylabel("moves whose score favours the winner, %")
    _legend(ax)
    return ax


def at_equal(terms: str, at: str) -> str:
    """Terms in words: "at equal depth (6)"."""
    if not terms:
        return "no limit"
    return f"at equal {terms}" + (f" ({at})" if at else "")


def _in_order(column: pd.Series) -> pd.Series:
    """Places of first occurrence, so that sorting by them groups equal values and keeps their order."""
    return pd.Series(pd.factorize(column)[0], index=column.index)
