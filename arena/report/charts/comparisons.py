"""Comparisons: Elo of one setting against another at equal terms."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from arena.base.number import signed, with_error
from arena.report.charts.axes import LEADING, beside, dots, no_games, rows_of
from arena.report.charts.style import DASHED, MUTED, styled
from arena.report.charts.tips import interval, tip_rows


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
    ax = rows_of(ax, labels, f"One setting changed, with 95 % intervals{some}", margin=1.6)
    if table.empty:
        return no_games(ax)
    value, low, high = (table[f"elo_difference{end}"].to_numpy(dtype=float) for end in ("", "_low", "_high"))
    ax.axvline(0, color=MUTED, linewidth=0.9, linestyle=DASHED)
    dots(ax, value, low, high)
    for place, (difference, error) in enumerate(zip(value, (high - low) / 2, strict=True)):
        beside(ax, place, with_error(difference, error))
    ends = zip(labels, value, low, high, strict=True)
    tip_rows(ax, [f"{label}: {signed(mean)}{interval(least, most)}" for label, mean, least, most in ends])
    ax.set_xlabel("Elo difference")
    return ax


def _at_equal(terms: str, at: str) -> str:
    """Terms in words: "at equal depth (6)"."""
    if not terms:
        return "no limit"
    return f"at equal {terms}" + (f" ({at})" if at else "")


def _in_order(column: pd.Series) -> pd.Series:
    """Places of first occurrence, so that sorting by them groups equal values and keeps their order."""
    return pd.Series(pd.factorize(column)[0], index=column.index)
