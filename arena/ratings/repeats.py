"""Repeated games: which games of a run are the same, move for move."""

import numpy as np
import pandas as pd

_PLY = np.uint64(0x9E3779B97F4A7C15)


def line_hashes(moves: pd.DataFrame) -> pd.Series:
    """A 64-bit hash of the moves of each game, by its number: equal for games of the same moves.

    *moves* are those of whole games, a row per move: game, ply, move.
    """
    return pd.Series(move_hashes(moves)).groupby(moves["game"].to_numpy(dtype=np.int64)).sum()


def move_hashes(moves: pd.DataFrame) -> np.ndarray:
    """A 64-bit hash of each of some moves, by its ply and text."""
    code, texts = pd.factorize(moves["move"])
    of_text = pd.util.hash_array(np.asarray(texts, dtype=object), categorize=False)
    ply = moves["ply"].to_numpy(dtype=np.uint64)
    return np.asarray(pd.util.hash_array((of_text[code] if len(texts) else ply) + _PLY * ply))


def lines(games: pd.DataFrame, hashes: pd.Series) -> pd.Series:
    """The line of each game: a number that games of the same opening and moves share, as `int64[games]`.

    *games* have the columns game and opening_fen, *hashes* are those of `line_hashes`.
    """
    line = games["game"].map(hashes).fillna(0)
    return games[["opening_fen"]].assign(line=line).groupby(["opening_fen", "line"], sort=False).ngroup()


def repeated_games(games: pd.DataFrame, hashes: pd.Series) -> int:
    """Games that repeat an earlier one: same players, colours, opening and moves."""
    return int(games[["white", "black"]].assign(line=lines(games, hashes)).duplicated().sum())
