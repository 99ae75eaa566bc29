"""Convergence: Elo after growing parts of the schedule."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from arena.base.number import signed
from arena.report.charts.axes import area, elo_label, legend, no_games
from arena.report.charts.style import series, styled
from arena.report.charts.tips import tip_points

SHOWN = 8
"""Players that the chart has room for."""


@styled
def plot_convergence(convergence: pd.DataFrame, ax: Axes | None = None, *, reference: str = "") -> Axes:
    """Elo after growing parts of the schedule with 95 % bands; `convergence` is that of `tables.convergence`.

    Of more than eight players, eight evenly spread over the ranks are shown.
    """
    ax = area(ax, "Convergence of Elo, with 95 % bands", height=4.6)
    if convergence.empty:
        return no_games(ax)
    last = convergence[convergence["games"] == convergence["games"].max()]
    ranked = last.sort_values("elo", ascending=False, kind="stable")["player"].tolist()
    places = np.linspace(0, len(ranked) - 1, min(SHOWN, len(ranked))).round().astype(int)
    for i, place in enumerate(places.tolist()):
        rows = convergence[convergence["player"] == ranked[place]]
        style = series(i)
        ax.fill_between(
            rows["games"], rows["elo_low"], rows["elo_high"], color=style["color"], alpha=0.13, linewidth=0
        )
        ax.plot(rows["games"], rows["elo"], label=ranked[place], markersize=4, **style)
        said = [
            f"{ranked[place]}, {games} games: {signed(elo)}"
            for games, elo in zip(rows["games"], rows["elo"], strict=True)
        ]
        tip_points(ax, rows["games"].to_numpy(), rows["elo"].to_numpy(dtype=float), said)
    if len(places) < len(ranked):
        ax.set_title(f"Convergence of Elo, {len(places)} of {len(ranked)} players, with 95 % bands")
    ax.margins(x=0.03)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("games rated, in the order of the schedule")
    ax.set_ylabel(elo_label(reference))
    legend(ax)
    return ax
