"""Outcomes: the points of games, who won, drew and lost with which colour, and how games ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import pandas as pd

from arena.report.tables.columns import columns
from arena.report.tables.table import Column, RunTable
from arena.rules.result import WHITE_POINTS, Colour, points_of


def outcomes(games: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Games, wins, draws and losses of each player with each colour: two rows a player, White first."""
    points = white_points(games)
    sides = pd.concat(
        [
            pd.DataFrame({"player": games["white"].astype(str), "colour": "white", "points": points}),
            pd.DataFrame({"player": games["black"].astype(str), "colour": "black", "points": 1 - points}),
        ]
    )
    counts = {
        "games": sides["points"] >= 0,
        "wins": sides["points"] == 1,
        "draws": sides["points"] == 0.5,
        "losses": sides["points"] == 0,
    }
    table = sides[["player", "colour"]].assign(**counts).groupby(["player", "colour"]).sum()
    rows = pd.MultiIndex.from_product([list(players), get_args(Colour)], names=["player", "colour"])
    return table.reindex(rows, fill_value=0).astype("int64").reset_index()


def terminations(games: pd.DataFrame) -> pd.DataFrame:
    """How games ended: termination, games and their share of all, the most frequent first."""
    counts = games["termination"].astype(str).value_counts().rename_axis("termination").reset_index(name="games")
    counts["share"] = counts["games"] / max(len(games), 1)
    return counts.sort_values(["games", "termination"], ascending=[False, True]).reset_index(drop=True)


def white_points(games: pd.DataFrame) -> pd.Series:
    """White's points by game, 0 to 1. Raises ValueError for an unknown result."""
    results = games["result"].astype(str)
    for result in results.unique():
        points_of(result)
    return results.map(WHITE_POINTS).astype(float)


TABLES = (
    RunTable(
        "outcomes",
        "wins, draws and losses by player and colour",
        lambda run: outcomes(run.games, run.players),
        columns("player colour games wins draws losses"),
        written=False,
    ),
    RunTable(
        "terminations",
        "how games ended",
        lambda run: terminations(run.games),
        columns(
            "termination",
            Column("games", "games that ended so", "games"),
            Column("share", "of all games", "0 to 1"),
        ),
        written=False,
    ),
)
