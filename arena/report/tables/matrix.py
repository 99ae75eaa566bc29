"""Matrices of players: crosstable, scores, LOS; and where results contradict one order of strength."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from arena.base.number import percent
from arena.ratings.joint import Ratings
from arena.ratings.transitivity import cycles, residuals, threshold
from arena.report.tables.columns import columns
from arena.report.tables.outcomes import white_points
from arena.report.tables.table import Column, RunTable

MOST = 200
"""Players above which no matrix of likelihoods of superiority is written."""
ON_PAPER = 16
"""Players above which a crosstable is too wide for paper."""


def crosstable(games: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Points of the row player out of the games against the column player, as text such as "12.5/20".

    Rows and columns are `players` in the order given; the diagonal and pairs that never met are empty text.
    """
    points, played = _meetings(games, players)
    text = [
        [f"{p:g}/{n}" if n else "" for p, n in zip(*rows, strict=True)]
        for rows in zip(points.tolist(), played.tolist(), strict=True)
    ]
    return _matrix(np.array(text, dtype=object).reshape(points.shape), players)


def score_matrix(games: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Score of the row player against the column player, 0 to 1; missing where the two never met."""
    points, played = _meetings(games, players)
    return _matrix(np.divide(points, played, out=np.full(points.shape, np.nan), where=played > 0), players)


def crosstable_text(crosstable: pd.DataFrame) -> pd.DataFrame:
    """The crosstable with numbered columns, the row numbers and names first."""
    names = [str(name) for name in crosstable.index]
    table = pd.DataFrame({"#": [str(i + 1) for i in range(len(names))], "Player": names})
    for i in range(len(names)):
        table[str(i + 1)] = crosstable.iloc[:, i].to_numpy()
    return table


def los_matrix(ratings: Ratings) -> pd.DataFrame:
    """Likelihood of superiority of the row player over the column player, 0 to 1, in rank order.

    Missing where no games connect the two, and of a player over itself.
    """
    group = {player: number for number, members in enumerate(ratings.groups) for player in members}
    players = ratings.table["player"].tolist()
    of = np.array([group[player] for player in players], dtype=np.int64)
    connected = (of[:, None] == of) & ~np.eye(len(of), dtype=bool)
    return _matrix(np.where(connected, ratings.los_matrix().to_numpy(float), np.nan), players)


def _meetings(games: pd.DataFrame, players: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Points of row against column and games between them, each [players, players]."""
    index = pd.Index(list(players))
    white = index.get_indexer(pd.Index(games["white"].astype(str)))
    black = index.get_indexer(pd.Index(games["black"].astype(str)))
    points = np.zeros((len(index), len(index)))
    played = np.zeros((len(index), len(index)), dtype=np.int64)
    result = white_points(games).to_numpy()
    np.add.at(points, (white, black), result)
    np.add.at(points, (black, white), 1 - result)
    np.add.at(played, (white, black), 1)
    np.add.at(played, (black, white), 1)
    return points, played


def _matrix(values: np.ndarray, players: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame(values, index=pd.Index(list(players), name="player"), columns=list(players))


OTHERS = "a player"
"""What the columns of all players are called."""


FEWEST_POINTS = 5
"""Points of the weaker side, expected or scored, below which z is too far from normal to call a pairing unusual.

What W. G. Cochran, "Some Methods for Strengthening the Common Chi-Square Tests" (1954), asks of expected counts.
"""


def standing_out(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of `arena.ratings.transitivity.residuals` that differ from the ratings by more than chance allows.

    At most 5 % of tournaments whose players stand on one line have any: |z| beyond Bonferroni's bound over all
    pairings, with points enough for z to be normal.
    """
    share = table[["score", "expected"]]
    points = table["games"] * pd.concat([share.max(axis=1), 1 - share.min(axis=1)], axis=1).min(axis=1)
    return table[(table["z"].abs() > threshold(len(table))) & (points >= FEWEST_POINTS)]


def certain_cycles(table: pd.DataFrame, pairings: int) -> pd.DataFrame:
    """The rows of `arena.ratings.transitivity.cycles` beyond chance, at 5 % over that number of pairings."""
    return table[table["z"] > threshold(pairings)]


RESIDUALS = RunTable(
    "residuals",
    "score of each pairing against what the ratings expect",
    lambda run: residuals(run.rated_games, run.ratings, run.facts.first),
    columns(
        "player",
        Column("opponent", "name of the player it met", heading="Opponent"),
        Column("games", "games of the pairing", "games", "Games"),
        "score",
        Column("expected", "score that the ratings expect", "0 to 1", "Expected", percent, 4),
        Column("difference", "score minus expected", "-1 to 1", decimals=4),
        "z",
    ),
    shown="player opponent games score expected z",
    applies=lambda run: not run.small,
)
TABLES = (
    RunTable(
        "crosstable",
        "points of row against column",
        lambda run: crosstable(run.games, run.placed),
        columns("player"),
        Column(OTHERS, 'points out of games against the player of the column, such as "12.5/20"', "points"),
        as_text=crosstable_text,
        always=True,
        paper="crosstable",
        fits_paper=lambda run: len(run.players) <= ON_PAPER,
    ),
    RunTable(
        "score_matrix",
        "score of row against column",
        lambda run: score_matrix(run.games, run.placed),
        columns("player"),
        Column(OTHERS, "points per game against the player of the column", "0 to 1", decimals=4),
        written=False,
    ),
    RunTable(
        "los",
        "likelihood of superiority of row over column",
        lambda run: los_matrix(run.ratings),
        columns("player"),
        Column(OTHERS, "likelihood of superiority over the player of the column", "0 to 1", decimals=4),
        applies=lambda run: 2 <= len(run.players) <= MOST and not run.small,
    ),
    RESIDUALS,
    RunTable(
        "cycles",
        "players of whom a beats b, b beats c and c beats a",
        lambda run: cycles(run.rated_games, run.players),
        columns(
            Column("a", "player that beats b"),
            Column("b", "player that beats c"),
            Column("c", "player that beats a"),
            "z",
        ),
        note="The ten strongest.",
    ),
)
