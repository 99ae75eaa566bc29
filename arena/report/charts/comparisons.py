"""Charts of comparisons: two players by a sequential test, changes with a reference, settings at equal terms."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from arena.base.number import signed, times, with_error
from arena.ratings.interval import Interval
from arena.report.charts.axes import (
    LEADING,
    LETTER,
    area,
    beside,
    dots,
    label_rows,
    log_scale,
    reference_line,
    row_axes,
)
from arena.report.charts.style import DASHED, MUTED, SERIES, styled

SHOWN = 2000
"""Pairs beyond which only some are drawn, evenly spaced, the last one among them."""


@styled
def plot_sprt(path: pd.DataFrame) -> Axes:
    """Log-likelihood ratio after each pair with the bounds of the test; `path` is `Run.sprt`."""
    ax = area("Sequential test", height=3.6)
    step = -(-len(path) // SHOWN)
    shown = path.iloc[(len(path) - 1) % step :: step]
    ax.step([0, *shown["pair"]], [0.0, *shown["llr"]], where="post", color=SERIES[0], linewidth=1.2)
    bounds = (("upper", "H1 accepted", SERIES[0], 4), ("lower", "H0 accepted", SERIES[1], -4))
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
def plot_ablation(ablation: pd.DataFrame) -> Axes:
    """Nodes, time (log scale) and Elo against the reference, each player with 95 % intervals, side by side.

    `ablation` is `Run.ablation`, the reference in its first row. Its first LEADING rows are shown. Returns the
    first of three Axes.
    """
    shown = ablation.head(LEADING)
    reference = ablation["player"].iloc[0]
    size = (13.2 + LETTER * shown["player"].str.len().max(), max(1.05 + 0.29 * len(shown), 2.1))
    axes = Figure(figsize=size, layout="constrained").subplots(1, 3, sharey=True)
    panels = (
        ("node_ratio", "Nodes of a search", f"ratio to {reference} (log scale)"),
        ("time_ratio", "Time of a search", f"ratio to {reference} (log scale)"),
        ("elo_difference", "Elo in the games", f"Elo ({reference} = 0)"),
    )
    for ax, (column, title, label) in zip(axes, panels, strict=True):
        label_rows(ax, shown["player"])
        ax.set_title(title)
        value, low, high = (shown[name].to_numpy(dtype=float) for name in Interval.columns_of(column))
        is_finite = np.isfinite(value)
        if not is_finite[1:].any():
            ax.set_xticks([])
            ax.text(0.5, 0.5, "not measured", transform=ax.transAxes, ha="center", color=MUTED, size=11)
            continue
        is_ratio = column != "elo_difference"
        reference_line(ax, 1 if is_ratio else 0)
        dots(ax, value, low, high, size=4.5)
        form = times if is_ratio else signed
        for row in np.flatnonzero(is_finite).tolist():
            ends = f" ({form(low[row])} to {form(high[row])})" if np.isfinite(low[row]) else ""
            beside(ax, row, form(value[row]) + ends)
        if is_ratio:
            values = np.concatenate([value, low, high])
            _log_ratios(ax, values[np.isfinite(values)])
        ax.set_xlabel(label)
    first: Axes = axes[0]
    return first


def _log_ratios(ax: Axes, values: np.ndarray) -> None:
    """Log scale of ratios along x, ticks such as 1.5×."""
    log_scale(ax, "x", values)
    span = values.max() / values.min()
    subs = (1, 1.5, 2, 3, 5, 7) if span < 10 else (1, 3) if span < 100 else (1,)
    ax.xaxis.set_major_locator(LogLocator(subs=subs, numticks=12))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}×"))


@styled
def plot_comparisons(comparisons: pd.DataFrame) -> Axes:
    """Elo differences of settings at equal terms with 95 % intervals.

    `comparisons` are rows of `Run.comparisons`; the first LEADING of them are shown.
    """
    table = comparisons.sort_values(["setting", "value"], kind="stable", key=_in_order).head(LEADING)
    labels = [
        f"{row['value']} − {row['reference']}, {row['level'] or _at_equal(row['terms'], row['at'])}"
        for row in table.to_dict("records")
    ]
    some = f", the first {LEADING} of {len(comparisons)}" if len(table) < len(comparisons) else ""
    ax = row_axes(labels, f"One setting changed, with 95 % intervals{some}")
    value, low, high = (table[name].to_numpy(dtype=float) for name in Interval.columns_of("elo_difference"))
    reference_line(ax)
    dots(ax, value, low, high)
    for row, (difference, error) in enumerate(zip(value, (high - low) / 2, strict=True)):
        beside(ax, row, with_error(difference, error))
    ax.set_xlabel("Elo difference")
    return ax


def _at_equal(terms: str, at: str) -> str:
    if not terms:
        return "no limit"
    return f"at equal {terms}" + (f" ({at})" if at else "")


def _in_order(column: pd.Series) -> pd.Series:
    """Numbers of first occurrence: sorting by them groups equal values and keeps their order."""
    return pd.Series(pd.factorize(column)[0], index=column.index)
