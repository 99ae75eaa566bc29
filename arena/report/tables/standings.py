"""Standings: the joint rating of all players with what they spent on a move."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from arena.ratings.match import elo_from_score


def standings(ratings: pd.DataFrame, totals: pd.DataFrame, groups: Iterable[Sequence[str]] = ()) -> pd.DataFrame:
    """The table of `arena.ratings.joint.rate` with what each player spent on a move.

    Adds `nodes_per_move` (missing for a player that never searched a node) and `seconds_per_move`: means over
    all moves of the player, forced ones included; `totals` is that of `tables.survey`. Elo and score are missing
    for a player without games, and los for the last of each of `groups`, the players connected through games:
    nobody follows there.
    """
    effort = totals.groupby("player")[["moves", "nodes", "seconds"]].sum()
    nodes, seconds = effort["nodes"] / effort["moves"], effort["seconds"] / effort["moves"]
    effort = pd.DataFrame({"nodes_per_move": nodes.where(nodes > 0), "seconds_per_move": seconds})
    return (
        rated(ratings, groups).merge(effort, how="left", left_on="player", right_index=True).reset_index(drop=True)
    )


def rated(ratings: pd.DataFrame, groups: Iterable[Sequence[str]] = ()) -> pd.DataFrame:
    """The table of `arena.ratings.joint.rate` without what is unknown, see `standings`.

    Two players have `score_elo`, too: the Elo that each one's score alone gives it over the other, as match tools
    count it (`arena.ratings.match`), without prior and first-move advantage; missing for a score of 0 or 1, and
    where the two are one player.
    """
    table = ratings.copy()
    figures = ["elo", "elo_low", "elo_high", "score", "los"]
    table[figures] = table[figures].astype(float).where(table["games"] > 0)
    table.loc[table["player"].isin([group[-1] for group in groups]), "los"] = np.nan
    if len(table) == 2:
        table["score_elo"] = [elo_from_score(s) if 0 < s < 1 else np.nan for s in table["score"]]
        table["score_elo"] = table["score_elo"].where(table["elo"].notna())
    return table
