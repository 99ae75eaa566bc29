"""How games begin and end: whom openings favour, and why games ended."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from arena.base.number import percent
from arena.report.charts.axes import Chart, beside, dots, no_games, rows_of
from arena.report.charts.style import DASHED, MUTED, SERIES, styled
from arena.report.charts.tips import interval, tip_rows
from arena.rules.result import humanised

SHOWN = 30
"""Openings that the chart has room for, the most biased ones."""


@styled
def plot_openings(openings: pd.DataFrame, ax: Axes | None = None, *, first: str) -> Axes:
    """Score of the colour that moves first, `first`, by opening, with 95 % intervals; the most biased openings.

    `openings` is that of `tables.openings`.
    """
    shown = openings.head(SHOWN).sort_values("score", ascending=False, kind="stable")
    some = f", the {len(shown)} most biased of {len(openings)}" if len(shown) < len(openings) else ""
    ax = rows_of(ax, [f"opening {n}" for n in shown["opening"]], f"Opening bias{some}", per_row=0.24, margin=1.3)
    if shown.empty:
        return no_games(ax)
    score, low, high = (100 * shown[f"score{end}"].to_numpy(dtype=float) for end in ("", "_low", "_high"))
    ax.axvline(50, color=MUTED, linewidth=0.9, linestyle=DASHED)
    dots(ax, score, low, high, size=5)
    for row, (value, error) in enumerate(zip(score, (high - low) / 2, strict=True)):
        beside(ax, row, f"{value:.0f}" + (f" ± {error:.0f} %" if np.isfinite(error) else " %"))
    texts = [
        f"opening {row['opening']}: {percent(row['score'])}"
        f"{interval(row['score_low'], row['score_high'], percent)}"
        for row in shown.to_dict("records")
    ]
    tip_rows(ax, texts)
    ax.set_xlabel(f"score of {first.capitalize()}, who moves first, % (pairs with colours swapped)")
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


CHARTS = (
    Chart(
        "openings",
        "Score of the colour that moves first, over pairs of games with colours swapped, so that the players' "
        "strengths cancel; 95 % intervals, the spread pooled over openings: one in twenty misses by chance.",
        "openings.csv",
        lambda run: plot_openings(run.openings, first=run.facts.first),
        lambda run: len(run.openings) > 0,
    ),
    Chart(
        "terminations",
        "Reasons for the end of the game, with their share of all games.",
        "games.csv",
        lambda run: plot_terminations(run.terminations),
    ),
)
