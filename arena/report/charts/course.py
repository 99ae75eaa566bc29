"""How a learning run, a run and its games went: weights, losses, Elo as games were added, ends."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.report.charts.axes import (
    Chart,
    area,
    beside,
    elo_label,
    legend,
    no_games,
    rows_of,
    set_title,
)
from arena.report.charts.style import DASHED, MUTED, SERIES, series, styled
from arena.rules.game import Termination

COLUMNS = 4
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
    across = min(len(panels), COLUMNS)
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


PLAYERS_SHOWN = 8
"""Players that the chart has room for."""


@styled
def plot_convergence(convergence: pd.DataFrame, ax: Axes | None = None, *, reference: str = "") -> Axes:
    """Elo after growing parts of the schedule with 95 % bands; `convergence` is that of `tables.convergence`.

    Of more than eight players, eight evenly spread over the ranks are shown.
    """
    if convergence.empty:
        return no_games(area(ax, "Convergence of Elo, with 95 % bands", height=4.6))
    last = convergence[convergence["games"] == convergence["games"].max()]
    ranked = last.sort_values("elo", ascending=False, kind="stable")["player"].tolist()
    places = np.linspace(0, len(ranked) - 1, min(PLAYERS_SHOWN, len(ranked))).round().astype(int)
    some = f", {len(places)} of {len(ranked)} players" if len(places) < len(ranked) else ""
    ax = area(ax, f"Convergence of Elo{some}, with 95 % bands", height=4.6)
    for i, place in enumerate(places.tolist()):
        rows = convergence[convergence["player"] == ranked[place]]
        style = series(i)
        ax.fill_between(
            rows["games"], rows["elo_low"], rows["elo_high"], color=style["color"], alpha=0.13, linewidth=0
        )
        ax.plot(rows["games"], rows["elo"], label=ranked[place], markersize=4, **style)
    ax.margins(x=0.03)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("games rated, in the order of the schedule")
    ax.set_ylabel(elo_label(reference))
    legend(ax)
    return ax


@styled
def plot_terminations(terminations: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """How games ended: number of games for each termination."""
    names = [Termination(name).words for name in terminations["termination"]]
    ax = rows_of(ax, names, "How games ended")
    if terminations.empty:
        return no_games(ax)
    ax.barh(np.arange(len(names)), terminations["games"], height=0.62, color=SERIES[0])
    for row, (games, share) in enumerate(zip(terminations["games"], terminations["share"], strict=True)):
        beside(ax, row, f"{games} ({100 * share:.1f} %)")
    ax.set_xlim(0, None)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("games")
    return ax


CHARTS = (
    Chart(
        "convergence",
        "All games up to a round of the schedule, rated again, with 95 % bands.",
        "convergence.csv",
        lambda run: plot_convergence(run.convergence, reference=run.zero),
        lambda run: len(run.convergence) > 0,
    ),
    Chart(
        "terminations",
        "Reasons for the end of the game, with their share of all games.",
        "games.csv",
        lambda run: plot_terminations(run.terminations),
    ),
)
