"""Matrices of players: the crosstable as points and as scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from arena.report.tables.outcomes import white_points


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
