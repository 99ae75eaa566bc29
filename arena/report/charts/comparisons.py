"""Charts of comparisons: two players by a sequential test, changes with a reference, settings at equal terms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.base.number import signed, times, with_error
from arena.ratings.interval import Interval
from arena.report.charts.axes import (
    LEADING,
    LETTER,
    Chart,
    area,
    beside,
    dots,
    log_ratios,
    no_games,
    rows_of,
)
from arena.report.charts.style import DASHED, LOSS, MUTED, SERIES, WIN, styled

SHOWN = 2000
"""Pairs beyond which only some are drawn, evenly spaced, the last one among them."""


@styled
def plot_sprt(path: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Log-likelihood ratio after each pair with the bounds of the test; `path`: see `tables.decided`."""
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
    ax.axhline(0, color=MUTED, linewidth=0.7)
    ax.margins(y=0.14)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("pairs")
    ax.set_ylabel("log-likelihood ratio")
    return ax


@styled
def plot_ablation(ablation: pd.DataFrame, axes: Sequence[Axes] | None = None) -> Axes:
    """Nodes, time (log scale) and Elo against the reference, each player with 95 % intervals, side by side.

    `ablation` is that of `tables.ablation`, the reference in its first row. Its first
    LEADING rows are shown. Draws on three Axes and returns the first.
    """
    shown = ablation.head(LEADING)
    reference, depth = ablation["player"].iloc[0], ablation["depth"].iloc[0]
    if axes is None:
        size = (13.2 + LETTER * shown["player"].str.len().max(), max(1.05 + 0.29 * len(shown), 2.1))
        axes = Figure(figsize=size, layout="constrained").subplots(1, 3, sharey=True)
    panels = (
        ("node_ratio", f"Nodes to depth {depth}", f"ratio to {reference} (log scale)"),
        ("time_ratio", f"Time to depth {depth}", f"ratio to {reference} (log scale)"),
        ("elo_difference", "Elo in the games", f"Elo ({reference} = 0)"),
    )
    for ax, (column, title, label) in zip(axes, panels, strict=True):
        rows_of(ax, shown["player"], title)
        value, low, high = (shown[name].to_numpy(dtype=float) for name in Interval.columns_of(column))
        known = np.isfinite(value)
        if not known[1:].any():
            ax.set_xticks([])
            ax.text(0.5, 0.5, "not measured", transform=ax.transAxes, ha="center", color=MUTED, size=11)
            continue
        ratio = column != "elo_difference"
        ax.axvline(1 if ratio else 0, color=MUTED, linewidth=0.9, linestyle=DASHED)
        bounded = known & np.isfinite(low) & np.isfinite(high)
        dots(ax, value, low, high, size=4.5)
        form = times if ratio else signed
        for row in np.flatnonzero(known).tolist():
            ends = f" ({form(low[row])} to {form(high[row])})" if bounded[row] else ""
            beside(ax, row, form(value[row]) + ends)
        if ratio:
            log_ratios(ax, np.concatenate([value[known], low[bounded], high[bounded]]))
        ax.set_xlabel(label)
    return axes[0]


@styled
def plot_comparisons(comparisons: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Elo differences of settings at equal terms with 95 % intervals.

    `comparisons` is that of `tables.comparisons`; its first LEADING rows are shown.
    """
    table = comparisons.sort_values(["setting", "value"], kind="stable", key=_in_order).head(LEADING)
    labels = [
        f"{row['value']} − {row['reference']}, {_at_equal(row['terms'], row['at'])}"
        for row in table.to_dict("records")
    ]
    some = f", the first {LEADING} of {len(comparisons)}" if len(table) < len(comparisons) else ""
    ax = rows_of(ax, labels, f"One setting changed, with 95 % intervals{some}")
    if table.empty:
        return no_games(ax)
    value, low, high = (table[name].to_numpy(dtype=float) for name in Interval.columns_of("elo_difference"))
    ax.axvline(0, color=MUTED, linewidth=0.9, linestyle=DASHED)
    dots(ax, value, low, high)
    for place, (difference, error) in enumerate(zip(value, (high - low) / 2, strict=True)):
        beside(ax, place, with_error(difference, error))
    ax.set_xlabel("Elo difference")
    return ax


def _at_equal(terms: str, at: str) -> str:
    if not terms:
        return "no limit"
    return f"at equal {terms}" + (f" ({at})" if at else "")


def _in_order(column: pd.Series) -> pd.Series:
    """Places of first occurrence, so that sorting by them groups equal values and keeps their order."""
    return pd.Series(pd.factorize(column)[0], index=column.index)


CHARTS = (
    Chart(
        "sprt",
        "Log-likelihood ratio of H1 to H0 after each pair of the schedule, with the bounds at which it ends.",
        "sprt.csv",
        lambda run: plot_sprt(run.sprt),
        lambda run: run.experiment.sprt is not None,
    ),
    Chart(
        "ablation",
        "Nodes and time to one depth, and Elo in the games, against the reference, with 95 % intervals.",
        "ablation.csv",
        lambda run: plot_ablation(run.ablation),
        lambda run: len(run.ablation) > 0,
    ),
    Chart(
        "comparisons",
        "Players that differ in one setting, at equal limits: difference of their Elo, with 95 % "
        "intervals from the covariance of the ratings; means where there are several limits of one kind.",
        "comparisons.csv",
        lambda run: plot_comparisons(run.comparisons[run.comparisons["baseline"]]),
        lambda run: len(run.comparisons) > 0 and len(run.players) > 2,
    ),
)
