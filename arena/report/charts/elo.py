"""Elo of each player, and against depth and nodes with the line of each family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

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
    set_title,
    whole_depths,
)
from arena.report.charts.style import DASHED, MUTED, series, styled
from arena.report.run import Run
from arena.report.tables.suites import limit_text

MOST_LIMITS = 4
"""Limits that have a part of the chart each; of more, all players stand in one."""


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
def plot_elo_at_limits(standings: pd.DataFrame, limits: Mapping[str, str], *, reference: str = "") -> Axes:
    """`plot_elo` of the players at each limit, one below another; `limits` are those of the players, in words.

    Returns the first Axes.
    """
    parts = [(limit, rows) for limit, rows in standings.groupby(standings["player"].map(limits), sort=False)]
    heights = [len(rows) + 1.5 for _, rows in parts]
    figure = Figure(figsize=(6.8, 0.6 + 0.32 * sum(heights)), layout="constrained")
    axes = figure.subplots(len(parts), sharex=True, squeeze=False, height_ratios=heights).ravel()
    for ax, (limit, rows) in zip(axes, parts, strict=True):
        plot_elo(rows, ax, reference=reference if ax is axes[-1] else "")
        ax.set_title(f"At {limit}", size=10)
        ax.set_xlabel(elo_label(reference) if ax is axes[-1] else "")
    set_title(figure, "Elo at each limit, with 95 % intervals")
    first: Axes = axes[0]
    return first


def _limits(run: Run) -> dict[str, str]:
    """The limit of each player in words, where there are a few, each of several players and all have one."""
    firsts = {spec.name: spec.limit.first for spec in run.experiment.players}
    words = {name: limit_text(kind, at) for name, (kind, at) in firsts.items() if at is not None}
    if len(words) < len(firsts) or len(words) > LEADING:
        return {}
    counts = Counter(words.values())
    return words if 1 < len(counts) <= MOST_LIMITS and min(counts.values()) > 1 else {}


def _draw_elo(run: Run) -> Axes:
    limits, rated = _limits(run), run.standings[run.standings["elo"].notna()]
    if limits and len(rated):
        return plot_elo_at_limits(rated, limits, reference=run.zero)
    return plot_elo(run.standings, reference=run.zero)


@styled
def plot_sweep(
    sweep: pd.DataFrame, ax: Axes | None = None, *, gains: pd.DataFrame | None = None, reference: str = ""
) -> Axes:
    """Elo against depth, or against nodes per move, with 95 % intervals.

    `sweep` are the rows of `Run.sweeps` of one kind. A family whose rows in `gains` (`Run.gains`) fit has its line
    and what a doubling is worth; without `gains` points are joined. `reference` says what 0 is.
    """
    of_depth = set(sweep["per"]) <= {"depth"}
    some = leading(sweep["family"].nunique(), LINES, " families")
    title = f"Elo by {'search depth' if of_depth else 'nodes per move'}, with 95 % intervals{some}"
    ax = area(ax, title, height=4.4)
    if sweep.empty:
        return no_games(ax)
    _elo_lines(ax, sweep, gains)
    if of_depth:
        whole_depths(ax)
    else:
        log_scale(ax, "x", sweep["x"].to_numpy(dtype=float))
        ax.set_xlabel("mean nodes per move (log scale)")
    ax.set_ylabel(elo_label(reference))
    legend(ax)
    return ax


def _shown(table: pd.DataFrame) -> list[str]:
    names = list(dict.fromkeys(table["family"]))
    best = table.groupby("family", observed=True)["elo"].max().sort_values(ascending=False, kind="stable")
    chosen = set(best.index[:LINES])
    return [name for name in names if name in chosen]


def _elo_lines(ax: Axes, sweep: pd.DataFrame, gains: pd.DataFrame | None) -> None:
    names = _shown(sweep)
    per = sweep["per"].iloc[0]
    for i, name in enumerate(names):
        rows = sweep[sweep["family"] == name]
        elo, low, high = (rows[key].to_numpy(dtype=float) for key in ("elo", "elo_low", "elo_high"))
        error = np.nan_to_num(np.clip([elo - low, high - elo], 0, None))
        # Depths are whole, so families would hide one another.
        beside = min(0.08, 0.5 / len(names)) * (i - (len(names) - 1) / 2) if per == "depth" else 0.0
        style, label = series(i), str(name)
        if gains is not None:
            style["linestyle"] = "none"
            for fit in gains[(gains["family"] == name) & (gains["per"] == per) & gains["fits"]].to_dict("records"):
                label += f": {Interval.of(fit, 'gain')} Elo per doubling"
                along = np.geomspace(fit["x_low"], fit["x_high"], 100)
                line = fit["elo_at_1"] + fit["gain"] * np.log2(along)
                ax.plot(along, line, **series(i) | {"marker": "none", "linewidth": 1.3})
        ax.errorbar(rows["x"] + beside, elo, yerr=error, capsize=3, elinewidth=1.3, label=label, **style)


def _sweep(per: str) -> Chart:
    return Chart(
        f"elo_by_{per}",
        f"Players that differ in their limit only, with 95 % intervals, and the line Elo = a + b log2({per}) "
        "where it describes them; b is the worth of a doubling.",
        "sweeps.csv",
        lambda run: plot_sweep(run.sweeps[run.sweeps["per"] == per], gains=run.gains, reference=run.zero),
        lambda run: bool((run.sweeps["per"] == per).any()),
    )


CHARTS = (
    Chart(
        "elo",
        "Joint rating of all players with 95 % intervals.",
        "standings.csv",
        _draw_elo,
        lambda run: run.games.empty or run.standings["elo"].count() > 0,
    ),
    _sweep("depth"),
    _sweep("nodes"),
)
