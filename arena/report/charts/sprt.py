"""The sequential test: its log-likelihood ratio pair by pair."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from arena.report.charts.axes import area
from arena.report.charts.style import DASHED, LOSS, MUTED, SERIES, WIN, styled
from arena.report.charts.tips import tip_points

SHOWN = 2000
"""Pairs beyond which only some are drawn, evenly spaced, the last one among them."""


@styled
def plot_sprt(path: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Log-likelihood ratio after each pair with the bounds of the test; `path` is that of `tables.sprt`."""
    ax = area(ax, "Sequential test", height=3.6)
    if path.empty:
        ax.set_axis_off()
        ax.text(0.5, 0.5, "no pairs yet", transform=ax.transAxes, ha="center", color=MUTED, size=13)
        return ax
    step = -(-len(path) // SHOWN)
    shown = path.iloc[(len(path) - 1) % step :: step]
    ax.step([0, *shown["pair"]], [0.0, *shown["llr"]], where="post", color=SERIES[0], linewidth=1.2)
    bounds = (("upper", "H1 accepted", WIN, 4), ("lower", "H0 accepted", LOSS, -4))
    for name, text, colour, offset in bounds:
        level = float(path[name].iloc[-1])
        ax.axhline(level, color=colour, linewidth=0.9, linestyle=DASHED)
        ax.annotate(
            text, (0, level), (4, offset), xycoords=ax.get_yaxis_transform(), textcoords="offset points",
            va="bottom" if offset > 0 else "top", color=colour, size=8,
        )  # fmt: skip
    few = shown.iloc[:: -(-len(shown) // 200)]
    said = [f"{pair} pairs: {llr:.2f}" for pair, llr in zip(few["pair"], few["llr"], strict=True)]
    tip_points(ax, few["pair"].to_numpy(), few["llr"].to_numpy(), said)
    ax.axhline(0, color=MUTED, linewidth=0.7)
    ax.margins(y=0.14)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("pairs")
    ax.set_ylabel("log-likelihood ratio")
    return ax
