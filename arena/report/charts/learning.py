"""A tuning: every weight, or the loss, along its path. A training: the loss of its network, epoch by epoch."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.report.charts.style import MUTED, SERIES, styled

COLUMNS = 4
"""Panels side by side."""
FEW = 12
"""Steps up to which each has a marker."""


@styled
def plot_path(path: pd.DataFrame, *, step: str = "step") -> Axes:
    """A panel for each feature with its weights, and one for the loss if there is any; returns the first Axes.

    `path` is `arena.learning.tuning_report.path_table`; `step` is what its steps are called.
    """
    if list(path.columns) == ["step", "games", "loss"]:
        return _plot_loss(path, step)
    names = [name for name in path.columns if name not in ("step", "games", "loss")]
    features = list(dict.fromkeys(name.removesuffix(" opening").removesuffix(" ending") for name in names))
    panels = [*features, *(["loss"] if path["loss"].notna().any() else [])]
    rows = -(-len(panels) // COLUMNS)
    figure = Figure(figsize=(9.6, 0.7 + 1.45 * rows), layout="constrained")
    axes = figure.subplots(rows, COLUMNS, squeeze=False, sharex=True).ravel()
    for ax, panel in zip(axes, panels, strict=False):
        _plot_panel(ax, path, panel)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    for ax in axes[max(len(panels) - COLUMNS, 0) : len(panels)]:
        ax.tick_params(labelbottom=True)
    figure.supxlabel(step, size=9)
    handles, labels = axes[0].get_legend_handles_labels()
    if labels:
        figure.legend(handles, labels, loc="outside upper right", ncols=2)
    figure.suptitle("Weights in hundredths of a man", x=0.01, ha="left", size=12, weight="bold")
    first: Axes = axes[0]
    return first


def _plot_panel(ax: Axes, path: pd.DataFrame, panel: str) -> None:
    few = "o" if len(path) <= FEW else ""
    ax.set_title("loss of the fit, nats" if panel == "loss" else panel, size=9, pad=4)
    ax.tick_params(labelsize=8)
    ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(4))
    if panel == "loss":
        known = path[path["loss"].notna()]
        ax.plot(known["step"], known["loss"].astype(float), color=MUTED, marker=few, markersize=3.5)
        return
    ax.axhline(0, color=MUTED, linewidth=0.8)
    for colour, line, suffix in zip(SERIES, ("-", "-", "--"), ("", " opening", " ending"), strict=False):
        column = f"{panel}{suffix}"
        if column in path:
            label = suffix.strip() or None
            ax.plot(path["step"], path[column], line, color=colour, marker=few, markersize=3.5, label=label)


def _plot_loss(path: pd.DataFrame, step: str) -> Axes:
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    ax: Axes = figure.subplots()
    ax.plot(path["step"], path["loss"].astype(float), color=SERIES[0], marker="o", markersize=4)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel(f"{step} (0: the start)")
    ax.set_ylabel("cross-entropy, nats")
    figure.suptitle("Loss on games held out of the fit", x=0.01, ha="left", size=12, weight="bold")
    return ax


@styled
def plot_losses(losses: pd.DataFrame) -> Axes:
    """The losses of `loss_table` by epoch: on the way, and of the positions held out."""
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    ax: Axes = figure.subplots()
    for column, label, colour, marker in (
        ("loss", "learned, on the way", SERIES[1], "s"),
        ("held_out", "held out", SERIES[0], "o"),
    ):
        ax.plot(losses["epoch"], losses[column], color=colour, marker=marker, markersize=4, label=label)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("epoch")
    ax.set_ylabel("cross-entropy, nats")
    ax.legend()
    figure.suptitle("Loss of the network", x=0.01, ha="left", size=12, weight="bold")
    return ax
