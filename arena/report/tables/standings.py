"""Standings: the joint rating of all players with what they spent on a move."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd

from arena.ledger.read import FinalOrder
from arena.ratings.contrasts import best
from arena.ratings.interval import Interval
from arena.ratings.joint import Ratings
from arena.report.tables.effort import time_of
from arena.report.tables.settings import key, settings, varied
from players.player import PlayerSpec

_COLUMNS = [
    "rank", "player", *Interval.columns_of("elo"), "games", "wins", "draws", "losses", "score", "by_prior", "los",
    "best", "nodes_per_move", "seconds_per_move", "points", "buchholz", "sonneborn_berger", "byes", "round",
    "opponent", "conceded", "decided",
]  # fmt: skip


def standings(
    ratings: Ratings, totals: pd.DataFrame, order: FinalOrder = (), withdrawn: Collection[str] = ()
) -> pd.DataFrame:
    """The table of a joint rating with what each player spent on a move, in the final order of the format.

    Adds `nodes_per_move` (missing for a player that never searched a node) and `seconds_per_move`: means over
    all moves of the player, forced ones included; `totals` is that of `Survey`. An order of a Swiss or
    knockout adds what its places rest on. Players that are withdrawn stand last, without games and figures.
    """
    totals = totals.assign(seconds=time_of(totals))
    effort = totals.groupby("player")[["moves", "nodes", "seconds"]].sum()
    nodes, seconds = effort["nodes"] / effort["moves"], effort["seconds"] / effort["moves"]
    effort = pd.DataFrame({"nodes_per_move": nodes.where(nodes > 0), "seconds_per_move": seconds})
    table = rating_table(ratings).merge(effort, how="left", left_on="player", right_index=True)
    if order:
        table = table.drop(columns="los")
    placed = order or [(name, {}) for name in table["player"]]
    rows = [{"player": name, **figures} for name, figures in (*placed, *((name, {}) for name in withdrawn))]
    table = table.merge(pd.DataFrame(rows), how="right", on="player")
    counts = [name for name in ("games", "wins", "draws", "losses", "byes") if name in table]
    table[counts] = table[counts].fillna(0).astype(int)
    table["by_prior"] = table["by_prior"].eq(True)
    if "round" in table:
        table["round"] = table["round"].astype("Int64")
    table["rank"] = pd.array([*range(1, len(placed) + 1), *[pd.NA] * len(withdrawn)], "Int64")
    return table[[name for name in _COLUMNS if name in table]]


def rating_table(ratings: Ratings) -> pd.DataFrame:
    """The table of a joint rating, with what is unknown missing, and further figures.

    Elo and score are missing for a player without games, and los for the last of each group of players connected
    through games: nobody follows there. Three players or more have `best`, the probability of being that among
    those of their group, where there are two or more.
    """
    table = ratings.table.copy()
    figures = ["elo", "elo_low", "elo_high", "score", "los"]
    table[figures] = table[figures].astype(float).where(table["games"] > 0)
    table.loc[table["player"].isin([group[-1] for group in ratings.groups]), "los"] = np.nan
    if len(table) > 2:
        table["best"] = np.nan
        rated = table[table["elo"].notna()]
        for group in ratings.groups:
            members = rated[rated["player"].isin(group)]
            spread = ratings.covariance.loc[members["player"], members["player"]].to_numpy(float)
            if len(members) > 1:
                table.loc[members.index, "best"] = best(members["elo"].to_numpy(float), spread)
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
