"""How a learning run went: its weights or numbers step by step, and its losses."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.report.charts.axes import set_title
from arena.report.charts.style import DASHED, MUTED, SERIES, styled

_COLUMNS = 4
"""Panels side by side."""
FEW = 12
"""Steps up to which each has a marker."""


@styled
def plot_path(path: pd.DataFrame, *, step: str, title: str) -> Axes:
    """A panel for each feature or number with its values, dashed at the start's; returns the first Axes.

    `path` is that of a method of `arena.learning.method`; `step` is what its steps are called. The losses have a
    panel if there are any.
    """
    columns = list(path.columns)
    names = columns[columns.index("held_out") + 1 :]
    features = list(dict.fromkeys(name.removesuffix(" opening").removesuffix(" ending") for name in names))
    panels = [*features, *(["loss"] if path["loss"].notna().any() else [])]
    across = min(len(panels), _COLUMNS)
    rows = -(-len(panels) // across)
    figure = Figure(figsize=(max(2.4 * across, 4.8), 0.7 + 1.45 * max(rows, 2)), layout="constrained")
    axes = figure.subplots(rows, across, squeeze=False, sharex=True).ravel()
    for ax, panel in zip(axes, panels, strict=False):
        _plot_panel(ax, path, panel)
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


def _plot_panel(ax: Axes, path: pd.DataFrame, panel: str) -> None:
    few = "o" if len(path) <= FEW else ""
    ax.set_title("loss of the fit, nats" if panel == "loss" else panel, size=9, pad=4)
    ax.tick_params(labelsize=8)
    ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(4))
    if panel == "loss":
        fitted = path[path["loss"].notna()]
        for column, name, style in (("loss", "learned", "--"), ("held_out", "held out", "-")):
            losses = fitted[column].astype(float)
            ax.plot(fitted["step"], losses, style, color=MUTED, marker=few, markersize=3.5, label=name)
        return
    for colour, line, suffix in zip(SERIES, ("-", "-", "--"), ("", " opening", " ending"), strict=False):
        column = f"{panel}{suffix}"
        if column in path:
            label = suffix.strip() or None
            ax.axhline(path[column].iloc[0], color=MUTED, linewidth=0.8, linestyle=DASHED)
            ax.plot(path["step"], path[column], line, color=colour, marker=few, markersize=3.5, label=label)
