"""Standings: the joint rating of all players with what they spent on a move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from arena.ratings.best import best
from arena.ratings.interval import elo_from_score
from arena.ratings.joint import Ratings
from arena.report.tables import shared, units
from arena.report.tables.settings import key, settings, varied
from arena.report.tables.survey import time_of
from arena.report.tables.table import Column, Table
from players.player import PlayerSpec

STANDINGS = Table.of(
    "standings",
    Column("rank", "rank by Elo, from 1; the places of a Swiss or knockout are those of order"),
    shared.PLAYER, *shared.ELO, *shared.RESULTS,
    Column("score", "points per game", units.SHARE),
    Column("los", "likelihood of superiority over the next player of the table", units.SHARE),
    Column("best",
        "probability of being the best of all players connected through games, where there are three or more",
        units.SHARE),
    shared.NODES_PER_MOVE, shared.SECONDS_PER_MOVE,
    Column("score_elo", "Elo of the score alone over the other player, where there are two", units.ELO),
    others=Column("a setting", "the value of a setting in which players differ who are else alike"),
)  # fmt: skip


def standings(ratings: Ratings, totals: pd.DataFrame) -> pd.DataFrame:
    """The table of a joint rating with what each player spent on a move.

    Adds `nodes_per_move` (missing for a player that never searched a node) and `seconds_per_move`: means over
    all moves of the player, forced ones included; `totals` is that of `tables.survey`.
    """
    totals = totals.assign(seconds=time_of(totals))
    effort = totals.groupby("player")[["moves", "nodes", "seconds"]].sum()
    nodes, seconds = effort["nodes"] / effort["moves"], effort["seconds"] / effort["moves"]
    effort = pd.DataFrame({"nodes_per_move": nodes.where(nodes > 0), "seconds_per_move": seconds})
    return (
        rating_table(ratings).merge(effort, how="left", left_on="player", right_index=True).reset_index(drop=True)
    )


def rating_table(ratings: Ratings) -> pd.DataFrame:
    """The table of a joint rating, with what is unknown missing, and further figures.

    Elo and score are missing for a player without games, and los for the last of each group of players connected
    through games: nobody follows there. Three players or more have `best`, the probability of being that
    (`arena.ratings.best`), which los says of two. These have `score_elo`: the Elo that each one's score alone
    gives it over the other, as match tools count it, without prior and first-move advantage; missing for a score
    of 0 or 1, and where the two are one player.
    """
    table = ratings.table.copy()
    figures = ["elo", "elo_low", "elo_high", "score", "los"]
    table[figures] = table[figures].astype(float).where(table["games"] > 0)
    table.loc[table["player"].isin([group[-1] for group in ratings.groups]), "los"] = np.nan
    if len(table) > 2:
        table["best"] = best(ratings)
    if len(table) == 2:
        table["score_elo"] = [elo_from_score(s) if 0 < s < 1 else np.nan for s in table["score"]]
        table["score_elo"] = table["score_elo"].where(table["elo"].notna())
    return table


def with_settings(table: pd.DataFrame, players: Sequence[PlayerSpec]) -> pd.DataFrame:
    """The table with a column for each setting in which players differ who are else alike, as those of a sweep."""
    of_player = {player.name: settings(player) for player in players}
    columns = {
        name: [_plain(of_player[player].get(name)) for player in table["player"]]
        for name in varied(players)
        if name not in table
    }
    return table.assign(**{name: pd.Series(values, dtype=object) for name, values in columns.items()})


def _plain(value: Any) -> Any:
    """A setting as a cell of a file has it."""
    return key(value) if isinstance(value, dict | list) else value
