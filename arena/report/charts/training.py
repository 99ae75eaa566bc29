"""A training: the loss of its network, epoch by epoch."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.report.charts.style import SERIES, styled


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
