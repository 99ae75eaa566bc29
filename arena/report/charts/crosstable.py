"""Crosstable: who scored what against whom."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from arena.report.charts.axes import area, label_width, no_games
from arena.report.charts.style import MUTED, PAPER, SCORE_COLOURS, readable_on, styled
from arena.report.charts.tips import tip_boxes

NUMBERED = 16
"""Players whose scores the cells have room for as numbers."""
TIPPED = 64
"""Players up to which each cell has a tip: a page of more would be large."""
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
    labels = [f"{name}  {i + 1}" for i, name in enumerate(matrix.index)]
    left = label_width(labels) + 0.25
    width = max(n * cell + left + 0.3, 6.0)
    ax = area(ax, "Score of row against column, %", width=width, height=max(n * cell + 1.12, 2.6), left=left,
              right=width - left - n * cell if n else 0.3, title_pad=22)  # fmt: skip
    values = 100 * matrix.to_numpy(dtype=float)
    if not np.isfinite(values).any():
        return no_games(ax)
    shown = np.ma.masked_invalid(values)
    if numbered:
        ax.pcolormesh(shown, cmap=SCORE_COLOURS, vmin=0, vmax=100, edgecolor=PAPER, linewidth=0.8)
        _write(ax, values, float(np.clip(cell * 20, 6.5, 11)))
    else:
        ax.imshow(shown, cmap=SCORE_COLOURS, vmin=0, vmax=100, extent=(0, n, n, 0), interpolation="none")
    if n <= TIPPED:
        _tip(ax, values, [str(name) for name in matrix.index])
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


def _write(ax: Axes, values: np.ndarray, size: float) -> None:
    """The number of each cell, a dot where there is none, in letters of `size` points."""
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            colour = readable_on(SCORE_COLOURS(value / 100))
            ax.text(column + 0.5, row + 0.5, f"{value:.0f}", ha="center", va="center", color=colour, size=size)
        else:
            ax.text(column + 0.5, row + 0.5, "·", ha="center", va="center", color=MUTED, size=size)


def _tip(ax: Axes, values: np.ndarray, names: list[str]) -> None:
    """Each cell that has a value says whose it is."""
    row, column = np.nonzero(np.isfinite(values))
    said = [
        f"{names[a]} against {names[b]}: {values[a, b]:.1f} %"
        for a, b in zip(row.tolist(), column.tolist(), strict=True)
    ]
    tip_boxes(ax, column, row, column + 1, row + 1, said)
