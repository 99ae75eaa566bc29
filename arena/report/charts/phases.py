"""Phases of games: when the searches of winner and loser saw the result coming."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from arena.base.number import percent
from arena.report.charts.axes import area, legend, no_games
from arena.report.charts.style import DASHED, MUTED, series, styled
from arena.report.charts.tips import interval, tip_points


@styled
def plot_phases(phases: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Share of the moves at which winner and loser saw the winner ahead, by tenths of the game, 95 % bands.

    `phases` is that of `tables.phases`.
    """
    ax = area(ax, "Who saw the result coming, and when, with 95 % bands", height=4.2)
    if phases.empty:
        return no_games(ax)
    ax.axhline(50, color=MUTED, linewidth=0.9, linestyle=DASHED)
    for i, role in enumerate(("winner", "loser")):
        rows = phases[phases["role"] == role]
        if rows.empty:
            continue
        x = 10 * rows["tenth"].to_numpy(dtype=float) - 5
        share, low, high = (
            100 * rows[name].to_numpy(dtype=float) for name in ("share", "share_low", "share_high")
        )
        style = series(i)
        ax.fill_between(x, low, high, color=style["color"], alpha=0.16, linewidth=0)
        ax.plot(x, share, label=f"the {role}'s own searches", **style)
        said = [
            f"{at - 5:.0f} to {at + 5:.0f} % of the game, {role}: {percent(value)}{interval(least, most, percent)}"
            for at, value, least, most in zip(x, share / 100, low / 100, high / 100, strict=True)
        ]
        tip_points(ax, x, share, said)
    ax.set_xlim(0, 100)
    ax.set_xticks(range(0, 101, 10))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}"))
    ax.set_xlabel("part of the game played, %")
    ax.set_ylabel("moves whose score favours the winner, %")
    legend(ax)
    return ax
