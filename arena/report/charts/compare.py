"""Two runs side by side: Elo of each player in both, and what changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from arena.base.number import signed, with_error
from arena.report.charts.axes import LEADING, beside, leading, no_games, rows_of
from arena.report.charts.style import DASHED, MUTED, SERIES, styled
from arena.report.charts.tips import tip_rows

_APART = 0.17
"""Rows between the two dots of a player."""


@styled
def plot_sides(table: pd.DataFrame, ax: Axes | None = None, *, names: tuple[str, str] = ("a", "b")) -> Axes:
    """Elo of each player on both sides with 95 % intervals; `table` is that of `arena.report.compare.compare`."""
    known = table[table["elo_a"].notna() | table["elo_b"].notna()]
    best = known[["elo_a", "elo_b"]].max(axis=1).sort_values(ascending=False, kind="stable").index
    rows = known.loc[best].head(LEADING)
    ax = rows_of(
        ax, rows["player"], f"Elo on both sides{leading(len(known))}", per_row=0.4, margin=0.2, title_pad=26
    )
    if rows.empty:
        return no_games(ax, "no players in common")
    ax.axvline(0, color=MUTED, linewidth=0.9, linestyle=DASHED)
    for number, (end, name) in enumerate(zip("ab", names, strict=True)):
        elo, error = (rows[f"{what}_{end}"].to_numpy(dtype=float) for what in ("elo", "error"))
        place = np.arange(len(rows)) + (2 * number - 1) * _APART
        colour = SERIES[number]
        ax.hlines(place, elo - error, elo + error, color=colour, linewidth=2.4, alpha=0.5)
        ax.plot(elo, place, "os"[number], color=colour, markersize=6, label=name)
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderpad=0)
    tip_rows(ax, [_said(row, names) for row in rows.to_dict("records")])
    ax.set_xlabel("Elo (mean of the players of both = 0)")
    return ax


@styled
def plot_differences(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """What the second side's Elo is more than the first's, with 95 % intervals, the greatest gain at the top."""
    known = table.dropna(subset="difference").sort_values("difference", ascending=False, kind="stable")
    rows = known.head(LEADING)
    ax = rows_of(ax, rows["player"], f"Change of Elo from a to b{leading(len(known))}", margin=1.0)
    if rows.empty:
        return no_games(ax, "no players in common")
    ax.axvline(0, color=MUTED, linewidth=0.9, linestyle=DASHED)
    value, error = (rows[name].to_numpy(dtype=float) for name in ("difference", "difference_error"))
    place = np.arange(len(rows))
    beyond = np.abs(value) > error
    for colour, chosen in ((SERIES[1], beyond), (SERIES[0], ~beyond)):
        ax.hlines(
            place[chosen],
            (value - error)[chosen],
            (value + error)[chosen],
            color=colour,
            linewidth=2.4,
            alpha=0.5,
        )
        ax.plot(value[chosen], place[chosen], "o", color=colour, markersize=6)
    for row in range(len(rows)):
        beside(ax, row, with_error(value[row], error[row]))
    tip_rows(ax, [f"{p}: {with_error(v, e)}" for p, v, e in zip(rows["player"], value, error, strict=True)])
    ax.set_xlabel("Elo in b − Elo in a")
    return ax


def _said(row: Mapping[Any, Any], names: tuple[str, str]) -> str:
    sides = [
        f"{signed(row[f'elo_{end}'])} ± {row[f'error_{end}']:.0f} in {name}"
        for end, name in zip("ab", names, strict=True)
        if row[f"elo_{end}"] == row[f"elo_{end}"]
    ]
    return f"{row['player']}: {', '.join(sides)}"
