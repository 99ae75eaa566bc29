"""Several runs: Elo of the players that they share from run to run, two side by side, several and their mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from arena.base.number import signed, with_error
from arena.base.wording import cut
from arena.report.charts.axes import (
    LEADING,
    area,
    beside,
    elo_label,
    figure_of,
    interval,
    label_width,
    leading,
    legend,
    no_games,
    rows_of,
    set_margins,
    tip_points,
    tip_rows,
)
from arena.report.charts.style import DASHED, INK, MUTED, SERIES, series, styled, text_width

LABELS = 24
"""Runs whose names stand under the chart, at most; of more, some."""
NAME_CHARACTERS = 28
"""Characters of a run's name under the chart."""
ANGLE = 40
"""Degrees by which names are turned."""
SLOPE = math.sin(math.radians(ANGLE))
_SPREAD = 0.3
"""Part of the way from one run to the next over which its players stand side by side."""
_APART = 0.17
"""Rows between the two dots of a player."""
CROWDED = 60
"""Marks of a chart of several runs, players times runs and the mean, beyond which a player's stand in one line."""
_LEGEND = 6.0
"""Inches of a row of the legend over a chart."""
_JOINT = "joint"
"""The name of the mean over runs."""


@styled
def plot_runs(table: pd.DataFrame, ax: Axes | None = None, *, reference: str = "") -> Axes:
    """Elo relative to the reference with 95 % intervals, run after run, a line for each player.

    `table` has run, date, player, elo, elo_low, elo_high and games, runs in the order of the chart.
    """
    runs = table["run"].drop_duplicates().tolist()
    step = -(-len(runs) // LABELS)
    names = [cut(run, NAME_CHARACTERS) for run in runs[::step]]
    under = 0.3 + SLOPE * max((text_width(name, 9) for name in names), default=0)
    ax = area(ax, f"Elo against {reference}, run after run, with 95 % intervals", width=9.6, height=3.9 + under)
    if table.empty:
        return no_games(ax, "no runs that share players")
    figure = figure_of(ax)
    set_margins(figure, 0.85, 0.25, 0.4, under)
    players = table["player"].drop_duplicates().tolist()
    ax.axhline(0, color=MUTED, linewidth=0.9, linestyle=DASHED)
    for number, player in enumerate(players):
        rows = table[table["player"] == player]
        beside = (number - (len(players) - 1) / 2) / max(len(players), 2) * _SPREAD
        x = np.array([runs.index(run) for run in rows["run"]]) + beside
        elo, low, high = (rows[name].to_numpy(dtype=float) for name in ("elo", "elo_low", "elo_high"))
        style = series(number)
        ax.vlines(x, low, high, color=style["color"], linewidth=2, alpha=0.45)
        ax.plot(x, elo, label=player, markersize=5, **style)
        tip_points(ax, x, elo, [_tip_of_run(row) for row in rows.to_dict("records")])
    ax.set_xticks(range(0, len(runs), step), names, rotation=ANGLE, ha="right", rotation_mode="anchor")
    ax.set_xlim(-0.5, len(runs) - 0.5)
    ax.grid(False, axis="x")
    ax.set_ylabel(f"Elo ({cut(reference, NAME_CHARACTERS)} = 0)")
    legend(ax)
    return ax


@styled
def plot_sides(table: pd.DataFrame, ax: Axes | None = None, *, names: tuple[str, str] = ("a", "b")) -> Axes:
    """Elo of each player on both sides with 95 % intervals; `table` is that of `arena.report.compare.compare`."""
    known = table[table["elo_a"].notna() | table["elo_b"].notna()]
    best = known[["elo_a", "elo_b"]].max(axis=1).sort_values(ascending=False, kind="stable").index
    rows = known.loc[best].head(LEADING)
    ax = rows_of(
        ax, rows["player"], f"Elo on both sides{leading(len(known))}", per_row=0.4, margin=0.2, title_pad=26
    )
    if rows.empty:
        return no_games(ax, "no players in common")
    ax.axvline(0, color=MUTED, linewidth=0.9, linestyle=DASHED)
    for number, (end, name) in enumerate(zip("ab", names, strict=True)):
        elo, error = (rows[f"{what}_{end}"].to_numpy(dtype=float) for what in ("elo", "error"))
        place = np.arange(len(rows)) + (2 * number - 1) * _APART
        colour = SERIES[number]
        ax.hlines(place, elo - error, elo + error, color=colour, linewidth=2.4, alpha=0.5)
        ax.plot(elo, place, "os"[number], color=colour, markersize=6, label=name)
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderpad=0)
    tip_rows(ax, [_tip_of_sides(row, names) for row in rows.to_dict("records")])
    ax.set_xlabel("Elo (mean of the players of both = 0)")
    return ax


@styled
def plot_differences(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """The second side's Elo minus the first's, with 95 % intervals, the greatest gain at the top."""
    known = table.dropna(subset="difference").sort_values("difference", ascending=False, kind="stable")
    rows = known.head(LEADING)
    ax = rows_of(ax, rows["player"], f"Change of Elo from a to b{leading(len(known))}", margin=1.0)
    if rows.empty:
        return no_games(ax, "no players in common")
    ax.axvline(0, color=MUTED, linewidth=0.9, linestyle=DASHED)
    value, error = (rows[name].to_numpy(dtype=float) for name in ("difference", "difference_error"))
    place = np.arange(len(rows))
    beyond = np.abs(value) > error
    for colour, chosen in ((SERIES[1], beyond), (SERIES[0], ~beyond)):
        ax.hlines(
            place[chosen],
            (value - error)[chosen],
            (value + error)[chosen],
            color=colour,
            linewidth=2.4,
            alpha=0.5,
        )
        ax.plot(value[chosen], place[chosen], "o", color=colour, markersize=6)
    for row in range(len(rows)):
        beside(ax, row, with_error(value[row], error[row]))
    tip_rows(ax, [f"{p}: {with_error(v, e)}" for p, v, e in zip(rows["player"], value, error, strict=True)])
    ax.set_xlabel("Elo in b − Elo in a")
    return ax


def is_crowded(players: int, runs: int) -> bool:
    """Whether a chart of these has no room for an interval of each player in each run."""
    return min(players, LEADING) * (runs + 1) > CROWDED


@styled
def plot_joint(table: pd.DataFrame, joint: pd.DataFrame, ax: Axes | None = None, *, reference: str = "") -> Axes:
    """Elo of each player in each run and jointly, with 95 % intervals, the best at the top.

    If they are CROWDED, a player's marks stand in one line, and only the mean has an interval. `table` has player,
    run, elo, elo_low and elo_high, `joint` the same but for run, in rank order; `reference` says what 0 is.
    """
    shown = joint.head(LEADING)
    runs = table["run"].drop_duplicates().tolist()
    title = f"Elo by run, and the mean{leading(len(joint))}"
    columns = max(1, int(_LEGEND / (0.5 + label_width(runs))))
    above = 10 + 16 * -(-(len(runs) + 1) // columns)
    crowded = is_crowded(len(joint), len(runs))
    per_row = 0.3 if crowded else 0.14 * (len(runs) + 2)
    ax = rows_of(ax, shown["player"], title, per_row=per_row, margin=0.2, title_pad=above)
    ax.axvline(0, color=MUTED, linewidth=0.9, linestyle=DASHED)
    parts = [(name, table[table["run"] == name], series(number)) for number, name in enumerate(runs)]
    parts.append((_JOINT, shown, {"color": INK, "marker": "D"}))
    tips: list[list[str]] = [[] for _ in range(len(shown))]
    for number, (name, rows, style) in enumerate(parts):
        ordered = rows.set_index("player").loc[shown["player"]]
        elo, low, high = (ordered[column].to_numpy(dtype=float) for column in ("elo", "elo_low", "elo_high"))
        place = np.arange(len(shown)) + (0 if crowded else (number - (len(parts) - 1) / 2) / (len(parts) + 1))
        light = crowded and name != _JOINT
        if not light:
            ax.hlines(place, low, high, color=style["color"], linewidth=2.2, alpha=0.5)
        look = {"markersize": 4, "alpha": 0.7} if light else {"markersize": 5}
        ax.plot(elo, place, style["marker"], color=style["color"], label=name, **look)
        for tip, value, ends in zip(tips, elo, zip(low, high, strict=True), strict=True):
            tip.append(f"{signed(value)}{interval(*ends)} {name}")
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=min(columns, len(parts)), borderpad=0)
    tip_rows(ax, [f"{player}: {', '.join(tip)}" for player, tip in zip(shown["player"], tips, strict=True)])
    ax.set_xlabel(elo_label(reference))
    return ax


def _tip_of_run(row: Mapping[Any, Any]) -> str:
    bounds = interval(row["elo_low"], row["elo_high"])
    date = f", {row['date']}" if row["date"] else ""
    return f"{row['player']} in {row['run']}{date}: {signed(row['elo'])}{bounds}, {row['games']} games"


def _tip_of_sides(row: Mapping[Any, Any], names: tuple[str, str]) -> str:
    sides = [
        f"{signed(row[f'elo_{end}'])} ± {row[f'error_{end}']:.0f} in {name}"
        for end, name in zip("ab", names, strict=True)
        if row[f"elo_{end}"] == row[f"elo_{end}"]
    ]
    return f"{row['player']}: {', '.join(sides)}"
