"""Outcomes: who won, drew and lost with which colour, how games ended, and when the players saw it coming."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np
import pandas as pd

from arena.ratings.errors import wilson
from arena.report.tables.columns import columns, interval
from arena.report.tables.table import Column, RunTable
from arena.rules.game import ADJUDICATED, FORFEITS
from arena.rules.result import WHITE_POINTS, Colour, points_of

TENTHS = 10
_WINNERS = {"1-0": "white", "0-1": "black"}


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


def adjudications(games: pd.DataFrame) -> pd.DataFrame:
    """How often games were ended by each rule of adjudication, and how often that would have been wrong.

    That is known of the games that were played on to verify it, unless a player's failure ended them.
    """
    verified = games[~games["termination"].isin(FORFEITS)]
    wrong = verified["verdict"] != verified["result"]
    by = verified["verdict_by"]
    table = pd.DataFrame({"termination": [str(rule) for rule in ADJUDICATED]})
    table["games"] = [int((games["termination"] == rule).sum()) for rule in ADJUDICATED]
    table["verified"] = [int((by == rule).sum()) for rule in ADJUDICATED]
    table["wrong"] = [int((wrong & (by == rule)).sum()) for rule in ADJUDICATED]
    table = table[table["games"] + table["verified"] > 0].reset_index(drop=True)
    trials = table["verified"].where(table["verified"] > 0).to_numpy(dtype=float)
    table["wrong_share"] = table["wrong"] / trials
    table["wrong_share_low"], table["wrong_share_high"] = wilson(table["wrong_share"].to_numpy(), trials)
    return table


def white_points(games: pd.DataFrame) -> pd.Series:
    """White's points by game, 0 to 1. Raises ValueError for an unknown result."""
    results = games["result"].astype(str)
    for result in results.unique():
        points_of(result)
    return results.map(WHITE_POINTS).astype(float)


def phases(games: pd.DataFrame, moves: pd.DataFrame) -> pd.DataFrame:
    """When the searches of winner and loser saw the result coming, in decisive games, by tenths of the game.

    Only moves with a score are counted. Scores are those of the players' own searches, so this is when the result
    was seen, not when it was decided.

    Shares are means over pairs of games; the interval is Wilson's with as many trials as pairs, which is wide
    rather than narrow, as moves of one pair are not all alike.
    """
    decisive = games[games["result"].isin(list(_WINNERS))]
    winner = decisive.set_index("game")["result"].map(_WINNERS)
    table = moves.loc[moves["game"].isin(winner.index) & moves["score"].notna()]
    plies = table["game"].map(decisive.set_index("game")["plies"]).to_numpy(dtype=float)
    won = table["colour"].astype(str).to_numpy() == table["game"].map(winner).to_numpy(dtype=object)
    score = np.sign(table["score"].to_numpy(dtype=float)) * np.where(won, 1, -1)
    frame = pd.DataFrame(
        {
            "tenth": np.minimum((table["ply"].to_numpy() - 1) * TENTHS // plies, TENTHS - 1).astype("int64") + 1,
            "role": np.where(won, "winner", "loser"),
            "pair": table["game"].map(decisive.set_index("game")["pair"]).to_numpy(),
            "favours": (score + 1) / 2,
            "legal_moves": table["legal_moves"].to_numpy(dtype=float),
        }
    )
    by_pair = frame.groupby(["tenth", "role", "pair"], sort=True).agg(
        moves=("favours", "size"), share=("favours", "mean"), legal_moves=("legal_moves", "mean")
    )
    result = by_pair.groupby(["tenth", "role"]).agg(
        pairs=("share", "size"),
        moves=("moves", "sum"),
        share=("share", "mean"),
        legal_moves=("legal_moves", "mean"),
    )
    result = result.reset_index().sort_values(["tenth", "role"], ascending=[True, False]).reset_index(drop=True)
    n, p = result["pairs"].to_numpy(dtype=float), result["share"].to_numpy(dtype=float)
    low, high = wilson(p, n)
    result.insert(5, "share_low", low)
    result.insert(6, "share_high", high)
    return result


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
    RunTable(
        "adjudications",
        "games ended by each rule of adjudication, and how often that was wrong",
        lambda run: adjudications(run.games),
        columns(
            "termination",
            Column("games", "games that ended so", "games"),
            Column("verified", "games that would have, but were played to their end", "games"),
            Column("wrong", "of these, games that ended with another result", "games"),
            *interval(Column("wrong_share", "of those verified, by Wilson", "0 to 1", decimals=4)),
        ),
        applies=lambda run: run.experiment.adjudicate is not None,
    ),
)
PHASES = RunTable(
    "phases",
    "when winner and loser saw the result, by tenths of the game",
    lambda run: phases(run.games, run.survey.sample),
    columns(
        Column("tenth", "tenth of the game's plies, 1 to 10"),
        Column("role", "winner or loser of the game"),
        "pairs moves",
        *interval(
            Column(
                "share",
                "moves whose own score favours the later winner; level counts half",
                "0 to 1",
                decimals=4,
            )
        ),
        "legal_moves",
    ),
    applies=lambda run: not run.small,
)
