"""Ablation: nodes, time and Elo against the reference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arena.base.number import signed, times
from arena.report.charts.axes import BOTTOM, LEADING, beside, dots, label_width, log_ratios, rows_of, set_margins
from arena.report.charts.style import DASHED, MUTED, styled
from arena.report.charts.tips import interval, tip_rows


@styled
def plot_ablation(ablation: pd.DataFrame, axes: Sequence[Axes] | None = None) -> Axes:
    """Nodes, time (log scale) and Elo against the reference, each player with 95 % intervals, side by side.

    `ablation` is that of `tables.ablation`, the reference in its first row. Its first
    LEADING rows are shown. Draws on three Axes and returns the first.
    """
    shown = ablation.head(LEADING)
    names, reference, depth = ablation["player"], ablation["player"].iloc[0], ablation["depth"].iloc[0]
    if axes is None:
        left = label_width(shown["player"]) + 0.25
        figure = Figure(figsize=(12.6 + left, max(1.05 + 0.29 * len(shown), 2.1)))
        axes = figure.subplots(1, 3, sharey=True, gridspec_kw={"wspace": 1.75 / 2.45})
        set_margins(figure, left, right=1.75, top=0.4, bottom=BOTTOM)
    panels = (
        ("node_ratio", f"Nodes to depth {depth}", f"ratio to {reference} (log scale)"),
        ("time_ratio", f"Time to depth {depth}", f"ratio to {reference} (log scale)"),
        ("elo_difference", "Elo in the games", f"Elo ({reference} = 0)"),
    )
    for ax, (column, title, label) in zip(axes, panels, strict=True):
        rows_of(ax, shown["player"], title, margin=0)
        value, low, high = (shown[f"{column}{end}"].to_numpy(dtype=float) for end in ("", "_low", "_high"))
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
        said = [""] * len(shown)
        for row in np.flatnonzero(known).tolist():
            estimate = form(value[row]) + interval(low[row], high[row], form)
            beside(ax, row, estimate)
            said[row] = f"{names.iloc[row]}: {estimate}"
        tip_rows(ax, said)
        if ratio:
            log_ratios(ax, np.concatenate([value[known], low[bounded], high[bounded]]))
        ax.set_xlabel(label)
    return axes[0]
