"""Several runs: Elo of the players in each of them, and their mean."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from arena.report.charts.axes import (
    LEADING,
    LETTER,
    elo_label,
    leading,
    rows_of,
)
from arena.report.charts.style import DASHED, INK, MUTED, series, styled

CROWDED = 60
"""Marks of a chart of several runs, players times runs and the mean, beyond which a player's stand in one line."""
_LEGEND = 6.0
"""Inches of a row of the legend over a chart."""
_JOINT = "joint"
"""The name of the mean over runs."""


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
    columns = max(1, int(_LEGEND / (0.5 + LETTER * max(map(len, runs)))))
    crowded = is_crowded(len(joint), len(runs))
    per_row = 0.3 if crowded else 0.14 * (len(runs) + 2)
    ax = rows_of(ax, shown["player"], title, per_row=per_row)
    ax.axvline(0, color=MUTED, linewidth=0.9, linestyle=DASHED)
    parts = [(name, table[table["run"] == name], series(number)) for number, name in enumerate(runs)]
    parts.append((_JOINT, shown, {"color": INK, "marker": "D"}))
    for number, (name, rows, style) in enumerate(parts):
        ordered = rows.set_index("player").loc[shown["player"]]
        elo, low, high = (ordered[column].to_numpy(dtype=float) for column in ("elo", "elo_low", "elo_high"))
        place = np.arange(len(shown)) + (0 if crowded else (number - (len(parts) - 1) / 2) / (len(parts) + 1))
        light = crowded and name != _JOINT
        if not light:
            ax.hlines(place, low, high, color=style["color"], linewidth=2.2, alpha=0.5)
        look = {"markersize": 4, "alpha": 0.7} if light else {"markersize": 5}
        ax.plot(elo, place, style["marker"], color=style["color"], label=name, **look)
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=min(columns, len(parts)), borderpad=0)
    ax.set_xlabel(elo_label(reference))
    return ax
