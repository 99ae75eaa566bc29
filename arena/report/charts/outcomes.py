"""Outcomes: wins, draws and losses with each colour, and how games ended."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.ticker import MaxNLocator

from arena.report.charts.axes import LEADING, beside, leading, no_games, rows_of
from arena.report.charts.style import DRAW, LOSS, MUTED, SERIES, WIN, readable_on, styled
from arena.report.charts.tips import tip_boxes, tip_rows
from arena.rules.result import humanised


@styled
def plot_outcomes(outcomes: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Share of wins, draws and losses of each player, the upper bar as White (W), the lower as Black (B)."""
    players = list(dict.fromkeys(outcomes["player"]))
    names = players[:LEADING]
    outcomes = outcomes[outcomes["player"].isin(names)]
    title = f"Outcomes as White (W) and as Black (B){leading(len(players))}"
    ax = rows_of(ax, names, title, per_row=0.42, margin=1.0, title_pad=26)
    if not outcomes["games"].sum():
        return no_games(ax)
    rows = {name: row for row, name in enumerate(names)}
    y = np.array([rows[p] + (-0.2 if c == "white" else 0.2) for p, c in
                  zip(outcomes["player"], outcomes["colour"], strict=True)])  # fmt: skip
    games = outcomes["games"].to_numpy(dtype=float)
    left = np.zeros(len(outcomes))
    for column, colour in (("wins", WIN), ("draws", DRAW), ("losses", LOSS)):
        share = 100 * np.divide(outcomes[column], games, out=np.zeros(len(games)), where=games > 0)
        ax.barh(y, share, left=left, height=0.36, color=colour, label=column)
        for row, start, value, count in zip(y, left, share, outcomes[column], strict=True):
            if value >= 6:
                ax.text(start + value / 2, row, f"{count}", ha="center", va="center_baseline", size=7.5,
                        color=readable_on(to_rgb(colour)))  # fmt: skip
        said = [
            f"{player} as {side.capitalize()}: {count} {column} of {total:.0f} games, {value:.1f} %"
            if count
            else ""
            for player, side, count, total, value in zip(
                outcomes["player"], outcomes["colour"], outcomes[column], games, share, strict=True
            )
        ]
        tip_boxes(ax, left, y - 0.18, left + share, y + 0.18, said)
        left = left + share
    ax.set_xlim(0, 100)
    ax.set_xlabel("share of games, % (numbers: games)")
    for row, side in zip(y, outcomes["colour"], strict=True):
        letter = "W" if side == "white" else "B"
        ax.annotate(letter, (0, row), (-3, 0), textcoords="offset points", ha="right", va="center", color=MUTED,
                    size=7, annotation_clip=False)  # fmt: skip
    ax.tick_params(axis="y", which="major", pad=16)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0.2, handlelength=1.2)
    return ax


@styled
def plot_terminations(terminations: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """How games ended: number of games for each termination."""
    names = [humanised(name) for name in terminations["termination"]]
    ax = rows_of(ax, names, "How games ended", margin=1.0)
    if terminations.empty:
        return no_games(ax)
    ax.barh(np.arange(len(names)), terminations["games"], height=0.62, color=SERIES[0])
    for row, (games, share) in enumerate(zip(terminations["games"], terminations["share"], strict=True)):
        beside(ax, row, f"{games} ({100 * share:.1f} %)")
    tip_rows(ax, [f"{name}: {games} games" for name, games in zip(names, terminations["games"], strict=True)])
    ax.set_xlim(0, None)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("games")
    return ax
