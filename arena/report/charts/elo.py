"""Elo of each player."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from arena.report.charts.axes import beside, dots, elo_label, no_games, rows_of
from arena.report.charts.style import DASHED, MUTED, styled
from arena.report.number import with_error


@styled
def plot_elo(standings: pd.DataFrame, ax: Axes | None = None, *, reference: str = "") -> Axes:
    """Elo of each player with its 95 % interval, the best at the top; `reference` says what 0 is."""
    table = standings[standings["elo"].notna() & (standings["games"] > 0)]
    ax = rows_of(ax, table["player"], "Elo ratings with 95 % intervals", margin=1.0)
    if table.empty:
        return no_games(ax)
    elo, low, high = (table[name].to_numpy(dtype=float) for name in ("elo", "elo_low", "elo_high"))
    ax.axvline(0, color=MUTED, linewidth=0.9, linestyle=DASHED)
    dots(ax, elo, low, high)
    for row, (value, error) in enumerate(zip(elo, (high - low) / 2, strict=True)):
        beside(ax, row, with_error(value, error))
    ax.set_xlabel(elo_label(reference))
    return ax
