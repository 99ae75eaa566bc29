"""How a learning run went: its weights or numbers step by step, and its losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.report.charts.axes import set_title
from arena.report.charts.style import DASHED, MUTED, SERIES, styled

_LOSS = "loss of the fit, nats"
"""The panel of the losses."""
_COLUMNS = 4
"""Panels side by side."""
FEW = 12
"""Steps up to which each has a marker."""


@styled
def plot_path(path: pd.DataFrame, numbers: Mapping[str, Sequence[str]], *, step: str, title: str) -> Axes:
    """A panel for each feature or number with its values, dashed at the start's; returns the first Axes.

    `path` and `numbers` are `path` and `panels` of a method of `arena.learning.method`; `step` is what its steps
    are called. The losses have a panel if there are any.
    """
    panels = dict(numbers) | ({_LOSS: ("loss", "held_out")} if path["loss"].notna().any() else {})
    across = min(len(panels), _COLUMNS)
    rows = -(-len(panels) // across)
    figure = Figure(figsize=(max(2.4 * across, 4.8), 0.7 + 1.45 * max(rows, 2)), layout="constrained")
    axes = figure.subplots(rows, across, squeeze=False, sharex=True).ravel()
    for ax, (panel, columns) in zip(axes, panels.items(), strict=False):
        _plot_panel(ax, path, panel, columns)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    for ax in axes[max(len(panels) - across, 0) : len(panels)]:
        ax.tick_params(labelbottom=True)
    figure.supxlabel(step, size=9)
    labelled = {
        label: handle
        for ax in (axes[0], axes[len(panels) - 1])
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    if labelled:
        figure.legend(labelled.values(), labelled.keys(), loc="outside upper right", ncols=2)
    set_title(figure, title)
    first: Axes = axes[0]
    return first


def _plot_panel(ax: Axes, path: pd.DataFrame, panel: str, columns: Sequence[str]) -> None:
    few = "o" if len(path) <= FEW else ""
    ax.set_title(panel, size=9, pad=4)
    ax.tick_params(labelsize=8)
    ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(4))
    if panel == _LOSS:
        fitted = path[path["loss"].notna()]
        for column, name, style in zip(columns, ("learned", "held out"), ("--", "-"), strict=True):
            losses = fitted[column].astype(float)
            ax.plot(fitted["step"], losses, style, color=MUTED, marker=few, markersize=3.5, label=name)
        return
    phased = ((SERIES[1], "-", "opening"), (SERIES[2], "--", "ending"))
    looks = phased if len(columns) > 1 else ((SERIES[0], "-", None),)
    for column, (colour, line, label) in zip(columns, looks, strict=True):
        ax.axhline(path[column].iloc[0], color=MUTED, linewidth=0.8, linestyle=DASHED)
        ax.plot(path["step"], path[column], line, color=colour, marker=few, markersize=3.5, label=label)
