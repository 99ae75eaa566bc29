"""Convergence: the ratings after growing parts of the schedule."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from arena.ratings import RatingModel
from arena.ratings.joint import rate
from arena.report.tables.columns import columns
from arena.report.tables.table import Column, RunTable
from arena.rules.result import Colour

PARTS = 12
"""Parts of the schedule that are rated, at most."""
FEWEST_GAMES = 20
"""Games a player, on average, in the least of them."""


def convergence(
    games: pd.DataFrame,
    players: Sequence[str],
    first: Colour,
    anchor: str | None = None,
    model: RatingModel = "bradley-terry",
) -> pd.DataFrame:
    """Ratings refitted to growing parts of the schedule.

    The parts end with a round, up to 12 of them, in the order of the schedule, not in that of completion, which
    favours short games; games after the first missing one are left out. So are parts with fewer than 20 games a
    player on average, whose intervals are not to be trusted. Empty with fewer than three parts.

    `games` are as `arena.ratings.joint.rate` takes them, with `line`, so that repeated games count once here, too.
    """
    whole = games.iloc[: int((games["game"].to_numpy() == np.arange(1, len(games) + 1)).sum())]
    ends = np.flatnonzero(np.diff(whole["round"].to_numpy(), append=-1)) + 1
    ends = ends[2 * ends >= FEWEST_GAMES * len(players)]
    names = ["games", "player", "elo", "elo_low", "elo_high"]
    if len(ends) < 3:
        return pd.DataFrame(columns=names)
    # Or `rate` would do so for each part
    whole = whole.astype(dict.fromkeys(("white", "black", "result"), "category"))
    chosen = np.unique(np.linspace(0, len(ends) - 1, min(PARTS, len(ends))).round().astype(int))
    parts = []
    for count in ends[chosen].tolist():
        table = rate(whole.iloc[:count], players, first=first, anchor=anchor, model=model).table
        parts.append(table[(table["games"] > 0) & table["elo"].notna()].assign(games=count)[names])
    return pd.concat(parts, ignore_index=True)


TABLES = (
    RunTable(
        "convergence",
        "ratings after growing parts of the schedule",
        lambda run: convergence(
            run.rated_games, run.players, run.facts.first, run.experiment.anchor, run.experiment.rating.model
        ),
        columns(Column("games", "games rated: the head of the schedule", "games"), "player elo elo_low elo_high"),
    ),
)
