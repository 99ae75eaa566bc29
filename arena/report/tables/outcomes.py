"""Outcomes: who scored what against whom, from which openings, and how games ended."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtrit as student_quantile

from arena.ratings.errors import wilson
from arena.report.tables import shared, units
from arena.report.tables.table import Column, Table, with_interval
from arena.rules.game import ADJUDICATED, FORFEITS
from arena.rules.result import WHITE_POINTS, points_of

FEWEST_PAIRS = 10
"""Pairs that an opening has a row with."""

CROSSTABLE = Table.of(
    "crosstable", shared.PLAYER,
    others=Column("a player", 'points out of games against that player, such as "12.5/20"', units.POINTS),
)  # fmt: skip
ADJUDICATIONS = Table.of(
    "adjudications", shared.TERMINATION,
    Column("games", "games that ended so", units.GAMES),
    Column("verified", "games that would have, but were played to their end", units.GAMES),
    Column("wrong", "of these, games that ended with another result", units.GAMES),
    *with_interval("wrong_share", "of those verified, by Wilson", units.SHARE),
)  # fmt: skip
OPENINGS = Table.of(
    "openings", shared.OPENING, shared.OPENING_FEN,
    Column("pairs", "pairs of games with colours swapped", units.PAIRS),
    *with_interval("score", "score of the colour that moves first", units.SHARE),
)  # fmt: skip


@dataclass(frozen=True)
class Score:
    """Points out of so many games, as text such as "12.5/20"."""

    points: float
    games: int

    @property
    def share(self) -> float:
        """The points of one game."""
        return self.points / self.games

    def __str__(self) -> str:
        return f"{self.points:g}/{self.games}"


def white_points(games: pd.DataFrame) -> pd.Series:
    """White's points by game, 0 to 1. Raises ValueError for an unknown result."""
    results = games["result"].astype(str)
    for result in results.unique():
        points_of(result)
    return results.map(WHITE_POINTS).astype(float)


def sides(games: pd.DataFrame, columns: Sequence[str] = ()) -> pd.DataFrame:
    """Each game twice, as White's and as Black's: player, opponent, colour, points, and `columns` of it."""
    white = white_points(games)
    parts = [
        games[list(columns)].assign(
            player=games[colour].astype(str), opponent=games[other].astype(str), colour=colour, points=points
        )
        for colour, other, points in (("white", "black", white), ("black", "white", 1 - white))
    ]
    return pd.concat(parts)


def crosstable(games: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Points of the row player out of the games against the column player: a `Score`.

    Rows and columns are `players` in the order given; the diagonal and pairs that never met are empty text.
    """
    met = sides(games).groupby(["player", "opponent"])["points"].agg(["sum", "size"])
    scores = {pair: Score(points, count) for pair, points, count in met.itertuples()}
    rows = [[scores.get((player, opponent), "") for opponent in players] for player in players]
    return pd.DataFrame(rows, pd.Index(list(players), name="player"), list(players), dtype=object)


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


def openings(games: pd.DataFrame, first: str) -> pd.DataFrame:
    """How each opening favours the colour that moves first in a game, `first`; the most biased opening first.

    Over pairs of games with colours swapped, in which the players' own strengths cancel; a pair that the stronger
    player wins twice counts as even, so unequal players draw the score towards a half. Single games are left
    out, and openings with fewer than FEWEST_PAIRS, of which an interval would say nothing. The interval is
    Student's, with the spread of pairs within openings pooled over all of them. Games of one line, by their column
    `line`, count once. An opening that was played several times has its first number.
    """
    games = games.drop_duplicates(["white", "black", "line"])
    number = games.groupby("opening_fen")["opening"].min()
    games = games.assign(opening=games["opening_fen"].map(number))
    points = white_points(games)
    by_pair = games.assign(score=points if first == "white" else 1 - points).groupby("pair")
    opening = by_pair[["opening", "opening_fen"]].first()
    pairs = opening.assign(score=by_pair["score"].mean())[by_pair.size() == 2]
    pairs = pairs[pairs.groupby("opening")["score"].transform("size") >= FEWEST_PAIRS]
    grouped = pairs.groupby(["opening", "opening_fen"])["score"]
    table = grouped.agg(pairs="size", score="mean").reset_index()
    freedom = len(pairs) - len(table)
    squares = float(((pairs["score"] - grouped.transform("mean")) ** 2).sum())
    spread = math.sqrt(squares / freedom) if freedom else math.nan
    half = float(student_quantile(freedom, 0.975)) * spread / np.sqrt(table["pairs"])
    table["score_low"] = (table["score"] - half).clip(0, 1)
    table["score_high"] = (table["score"] + half).clip(0, 1)
    order = (table["score"] - 0.5).abs().sort_values(ascending=False, kind="stable").index
    return table.loc[order].reset_index(drop=True)
