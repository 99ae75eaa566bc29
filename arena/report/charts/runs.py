"""Elo of the players that several runs share, from run to run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from arena.base.number import signed
from arena.base.wording import cut
from arena.report.charts.axes import area, figure_of, legend, no_games, set_margins
from arena.report.charts.fonts import width
from arena.report.charts.style import DASHED, MUTED, series, styled
from arena.report.charts.tips import interval, tip_points

LABELS = 24
"""Runs whose names stand under the chart, at most; of more, some."""
NAME_CHARACTERS = 28
"""Characters of a run's name under the chart."""
ANGLE = 40
"""Degrees by which names are turned."""
SLOPE = math.sin(math.radians(ANGLE))
_SPREAD = 0.3
"""Part of the way from one run to the next over which its players stand side by side."""


@styled
def plot_runs(table: pd.DataFrame, ax: Axes | None = None, *, reference: str = "") -> Axes:
    """Elo relative to the reference with 95 % intervals, run after run, a line for each player.

    `table` has run, date, player, elo, elo_low, elo_high and games, runs in the order of the chart.
    """
    runs = table["run"].drop_duplicates().tolist()
    step = -(-len(runs) // LABELS)
    names = [cut(run, NAME_CHARACTERS) for run in runs[::step]]
    under = 0.3 + SLOPE * max((width(name, 9) for name in names), default=0)
    ax = area(ax, f"Elo against {reference}, run after run, with 95 % intervals", width=9.6, height=3.9 + under)
    if table.empty:
        return no_games(ax, "no runs that share players")
    figure = figure_of(ax)
    set_margins(figure, 0.85, 0.25, 0.4, under)
    players = table["player"].drop_duplicates().tolist()
    ax.axhline(0, color=MUTED, linewidth=0.9, linestyle=DASHED)
    for number, player in enumerate(players):
        rows = table[table["player"] == player]
        beside = (number - (len(players) - 1) / 2) / max(len(players), 2) * _SPREAD
        x = np.array([runs.index(run) for run in rows["run"]]) + beside
        elo, low, high = (rows[name].to_numpy(dtype=float) for name in ("elo", "elo_low", "elo_high"))
        style = series(number)
        ax.vlines(x, low, high, color=style["color"], linewidth=2, alpha=0.45)
        ax.plot(x, elo, label=player, markersize=5, **style)
        tip_points(ax, x, elo, [_said(row) for row in rows.to_dict("records")])
    ax.set_xticks(range(0, len(runs), step), names, rotation=ANGLE, ha="right", rotation_mode="anchor")
    ax.set_xlim(-0.5, len(runs) - 0.5)
    ax.grid(False, axis="x")
    ax.set_ylabel(f"Elo ({cut(reference, NAME_CHARACTERS)} = 0)")
    legend(ax)
    return ax


def _said(row: Mapping[Any, Any]) -> str:
    bounds = interval(row["elo_low"], row["elo_high"])
    date = f", {row['date']}" if row["date"] else ""
    return f"{row['player']} in {row['run']}{date}: {signed(row['elo'])}{bounds}, {row['games']} games"
