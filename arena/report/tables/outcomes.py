"""Outcomes: who scored what against whom, from which openings, how games ended, and what a format decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import cast

import pandas as pd

from arena.experiment.formats.fixed import Sprt
from arena.ratings.interval import Z95, Interval
from arena.ratings.joint import Ratings
from arena.ratings.match import SequentialTest, Verdict
from arena.report.tables import shared, units
from arena.report.tables.table import Column, Table
from arena.rules.result import WHITE_POINTS, points_of

CROSSTABLE = Table.of(
    "crosstable", shared.PLAYER,
    others=Column("a player", 'points out of games against that player, such as "12.5/20"', units.POINTS),
)  # fmt: skip
SPRT = Table.of(
    "sprt",
    Column("pair", "number of the pair of the match, from 1"),
    Column("llr", "log-likelihood ratio of H1 to H0", units.NATS),
    Column("lower", "bound at or below which H0 is accepted", units.NATS),
    Column("upper", "bound at or above which H1 is accepted", units.NATS),
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


def differences(ratings: Ratings) -> pd.DataFrame:
    """Every two players that games connect, in rank order: Elo of the one over the other.

    The columns are player, other, elo_difference with the ends of its 95 % interval, standard_error and los.
    """
    names = ["player", "other", *Interval.columns_of("elo_difference"), "standard_error", "los"]
    every = combinations(ratings.table["player"], 2)
    found = [(one, other, ratings.difference(one, other)) for one, other in every]
    rows = [(one, other, *elo, elo.error / Z95, elo.los) for one, other, elo in found if elo is not None]
    return pd.DataFrame(rows, columns=names)


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


def sprt_path(games: pd.DataFrame, settings: Sprt | None) -> pd.DataFrame:
    """The state of the test after each pair until it is decided: pair (from 1), llr, lower, upper.

    `games` has the columns game (from 1) and result. From the first game that is missing on, nothing counts.
    """
    if settings is None:
        return pd.DataFrame(columns=SPRT.names)
    points = dict(zip(games["game"].tolist(), white_points(games).tolist(), strict=True))
    test, rows = SequentialTest(settings.model_dump()), list[tuple[float, ...]]()
    while not test.decided and test.games + 1 in points and test.games + 2 in points:
        state = test.add(points[test.games + 1], points[test.games + 2])
        rows.append((test.games // 2, state.llr, state.lower, state.upper))
    return pd.DataFrame(rows, columns=SPRT.names)


def verdict(path: pd.DataFrame) -> Verdict:
    """The decision of the test of `sprt_path`."""
    if not len(path):
        return "continue"
    last = path.iloc[-1]
    decided = "H1" if last["llr"] >= last["upper"] else "H0" if last["llr"] <= last["lower"] else "continue"
    return cast(Verdict, decided)
