"""Crosstable: who scored what against whom."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arena.report.charts.axes import label_width, no_games
from arena.report.charts.style import MUTED, PAPER, SCORE_COLOURS, readable_on, styled

NUMBERED = 40
"""Players whose scores the cells have room for as numbers."""
SMALL_CELL = 0.16
"""Inches of a cell without a number."""


@styled
def plot_crosstable(matrix: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Score of the row player against the column player in per cent, colours centred at 50 %.

    `matrix` is that of `tables.matrix.score_matrix`. Columns carry the row numbers instead of the names. Colours
    alone show the scores of more than NUMBERED players.
    """
    n = len(matrix)
    numbered = n <= NUMBERED
    cell = float(np.clip(5.0 / max(n, 1), 0.34, 0.9)) if numbered else SMALL_CELL
    if ax is None:
        width = n * cell + label_width(matrix.index) + 1.6
        ax = Figure(figsize=(max(width, 6.0), max(n * cell + 1.2, 2.6)), layout="constrained").add_subplot()
    ax.set_title("Score of row against column, %")
    values = 100 * matrix.to_numpy(dtype=float)
    if not np.isfinite(values).any():
        return no_games(ax)
    ax.pcolormesh(
        np.ma.masked_invalid(values), cmap=SCORE_COLOURS, vmin=0, vmax=100, edgecolor=PAPER, linewidth=0.8,
        rasterized=not numbered,
    )  # fmt: skip
    size = float(np.clip(cell * 20, 6.5, 11))
    for (row, column), value in np.ndenumerate(values if numbered else values[:0]):
        if np.isfinite(value):
            colour = readable_on(SCORE_COLOURS(value / 100))
            ax.text(column + 0.5, row + 0.5, f"{value:.0f}", ha="center", va="center", color=colour, size=size)
        else:
            ax.text(column + 0.5, row + 0.5, "·", ha="center", va="center", color=MUTED, size=size)
    ax.set_aspect("equal")
    ax.set_xlim(0, n)
    ax.set_ylim(n, 0)
    step = 1 if numbered else 5
    columns = np.arange(step, n + 1, step)
    ax.set_xticks(columns - 0.5, [str(column) for column in columns])
    ax.set_yticks(np.arange(n) + 0.5, [f"{name}  {i + 1}" for i, name in enumerate(matrix.index)])
    ax.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
    ax.grid(False)
    ax.spines[:].set_visible(False)
    return ax
