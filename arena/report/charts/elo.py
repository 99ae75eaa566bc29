"""Elo of each player."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from arena.base.number import percent, signed, with_error
from arena.report.charts.axes import LEADING, beside, dots, elo_label, leading, no_games, rows_of
from arena.report.charts.style import DASHED, MUTED, styled
from arena.report.charts.tips import interval, tip_rows


@styled
def plot_elo(standings: pd.DataFrame, ax: Axes | None = None, *, reference: str = "") -> Axes:
    """Elo of each player with its 95 % interval, the best at the top; `reference` says what 0 is.

    Of more than LEADING players the best are shown.
    """
    rated = standings[standings["elo"].notna() & (standings["games"] > 0)]
    table = rated.head(LEADING)
    ax = rows_of(ax, table["player"], f"Elo ratings with 95 % intervals{leading(len(rated))}", margin=1.0)
    if table.empty:
        return no_games(ax)
    elo, low, high = (table[name].to_numpy(dtype=float) for name in ("elo", "elo_low", "elo_high"))
    ax.axvline(0, color=MUTED, linewidth=0.9, linestyle=DASHED)
    dots(ax, elo, low, high)
    for row, (value, error) in enumerate(zip(elo, (high - low) / 2, strict=True)):
        beside(ax, row, with_error(value, error))
    said = [
        f"{row['player']}: {signed(row['elo'])}{interval(row['elo_low'], row['elo_high'])}, "
        f"{percent(row['score'])} of {row['games']} games"
        for row in table.to_dict("records")
    ]
    tip_rows(ax, said)
    ax.set_xlabel(elo_label(reference))
    return ax
