"""Results: who scored what against whom, and with which colour."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from arena.report.charts.axes import (
    LEADING,
    LETTER,
    Chart,
    area,
    leading,
    no_games,
    rows_of,
)
from arena.report.charts.style import DRAW, LOSS, MUTED, PAPER, SCORE_COLOURS, WIN, readable_on, styled

NUMBERED = 16
"""Players whose scores the cells have room for as numbers."""
SMALL_CELL = 0.16
"""Least inches of a cell."""


@styled
def plot_crosstable(matrix: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Score of the row player against the column player in per cent, colours centred at 50 %.

    `matrix` is that of `tables.matrix.score_matrix`. Columns carry the row numbers instead of the names. Colours
    alone show the scores of more than NUMBERED players.
    """
    n = len(matrix)
    numbered = n <= NUMBERED
    cell = float(np.clip(5.0 / max(n, 1), 0.34, 0.9) if numbered else np.clip(8 / n, SMALL_CELL, 0.3))
    labels = [f"{i}. {name}" for i, name in enumerate(matrix.index, start=1)]
    width = max(n * cell + LETTER * max(map(len, labels), default=0) + 0.5, 6.0)
    ax = area(ax, "Score of row against column, %", width=width, height=max(n * cell + 1.1, 2.6))
    values = 100 * matrix.to_numpy(dtype=float)
    if not np.isfinite(values).any():
        return no_games(ax)
    shown = np.ma.masked_invalid(values)
    if numbered:
        ax.pcolormesh(shown, cmap=SCORE_COLOURS, vmin=0, vmax=100, edgecolor=PAPER, linewidth=0.8)
        _write(ax, values, float(np.clip(cell * 20, 6.5, 11)))
    else:
        ax.imshow(shown, cmap=SCORE_COLOURS, vmin=0, vmax=100, extent=(0, n, n, 0), interpolation="none")
    ax.set_aspect("equal", anchor="NW")
    ax.set_xlim(0, n)
    ax.set_ylim(n, 0)
    step = 1 if numbered else 5
    columns = np.arange(step, n + 1, step)
    ax.set_xticks(columns - 0.5, [str(column) for column in columns])
    ax.set_yticks(np.arange(n) + 0.5, labels)
    ax.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
    ax.grid(False)
    ax.spines[:].set_visible(False)
    return ax


@styled
def plot_outcomes(outcomes: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Share of wins, draws and losses of each player, the upper bar as White (W), the lower as Black (B)."""
    players = list(dict.fromkeys(outcomes["player"]))
    names = players[:LEADING]
    outcomes = outcomes[outcomes["player"].isin(names)]
    title = f"Outcomes as White (W) and as Black (B){leading(len(players))}"
    ax = rows_of(ax, names, title, per_row=0.42)
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


def _write(ax: Axes, values: np.ndarray, size: float) -> None:
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            colour = readable_on(SCORE_COLOURS(value / 100))
            ax.text(column + 0.5, row + 0.5, f"{value:.0f}", ha="center", va="center", color=colour, size=size)
        else:
            ax.text(column + 0.5, row + 0.5, "·", ha="center", va="center", color=MUTED, size=size)


CHARTS = (
    Chart(
        "crosstable",
        "Score of the row player against the column player in per cent, more than 50 blue, less orange; "
        "columns numbered as rows.",
        "crosstable.csv",
        lambda run: plot_crosstable(run.score_matrix),
    ),
    Chart(
        "outcomes",
        "Wins, draws and losses of each player, as White in the upper and as Black in the lower bar.",
        "games.csv",
        lambda run: plot_outcomes(run.outcomes),
    ),
)
