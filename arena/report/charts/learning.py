"""How a learning run went: its weights or numbers step by step, and its losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
def plot_path(path: pd.DataFrame, numbers: Mapping[str, Sequence[str]], *, step: str, title: str) -> Axes:
    """A panel for each feature or number with its values, dashed at the start's; returns the first Axes.

    `path` and `numbers` are `path` and `panels` of a method of `arena.learning.method`; `step` is what its steps
    are called. The losses have a panel if there are any.
    """
    has_losses = bool(path["loss"].notna().any())
    count = len(numbers) + has_losses
    across = min(count, _COLUMNS)
    rows = -(-count // across)
    figure = Figure(figsize=(max(2.4 * across, 4.8), 0.7 + 1.45 * max(rows, 2)), layout="constrained")
    axes = figure.subplots(rows, across, squeeze=False, sharex=True).ravel()
    for ax, (panel, columns) in zip(axes, numbers.items(), strict=False):
        _plot_numbers(_panel(ax, panel), path, columns)
    if has_losses:
        _plot_losses(_panel(axes[count - 1], "loss of the fit, nats"), path[path["loss"].notna()])
    for ax in axes[count:]:
        ax.set_axis_off()
    for ax in axes[max(count - across, 0) : count]:
        ax.tick_params(labelbottom=True)
    figure.supxlabel(step, size=9)
    labelled = {
        label: handle
        for ax in (axes[0], axes[count - 1])
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    if labelled:
        figure.legend(labelled.values(), labelled.keys(), loc="outside upper right", ncols=2)
    set_title(figure, title)
    first: Axes = axes[0]
    return first


def _panel(ax: Axes, title: str) -> Axes:
    ax.set_title(title, size=9, pad=4)
    ax.tick_params(labelsize=8)
    ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(4))
    return ax


def _marker(path: pd.DataFrame) -> str:
    return "o" if len(path) <= FEW else ""


def _plot_losses(ax: Axes, fitted: pd.DataFrame) -> None:
    for column, name, style in (("loss", "learned", "--"), ("held_out", "held out", "-")):
        losses = fitted[column].astype(float)
        ax.plot(fitted["step"], losses, style, color=MUTED, marker=_marker(fitted), markersize=3.5, label=name)


def _plot_numbers(ax: Axes, path: pd.DataFrame, columns: Sequence[str]) -> None:
    phased = ((SERIES[1], "-", "opening"), (SERIES[2], "--", "ending"))
    looks = phased if len(columns) > 1 else ((SERIES[0], "-", None),)
    for column, (colour, line, label) in zip(columns, looks, strict=True):
        ax.axhline(path[column].iloc[0], color=MUTED, linewidth=0.8, linestyle=DASHED)
        ax.plot(path["step"], path[column], line, color=colour, marker=_marker(path), markersize=3.5, label=label)
