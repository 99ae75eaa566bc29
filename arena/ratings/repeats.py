"""Repeated games: which games of a run are the same, move for move."""

import numpy as np
import pandas as pd


def lines(games: pd.DataFrame, moves: pd.DataFrame) -> pd.Series:
    """What was played in each game: a number that games of the same opening and moves share, as `int64[games]`.

    *games* and *moves* are those of `arena.store.read`: a row per game (game, opening_fen) and per move (game,
    ply, move). Equal lines are recognized by a 64-bit hash of their moves.
    """
    step = np.int64(1 + moves["ply"].max()) if len(moves) else 1
    codes = pd.factorize(moves["move"])[0].astype(np.int64) * step + moves["ply"].to_numpy(dtype=np.int64)
    hashes = pd.Series(pd.util.hash_array(codes)).groupby(moves["game"].to_numpy()).sum()
    line = games["game"].map(hashes).fillna(0)
    return games[["opening_fen"]].assign(line=line).groupby(["opening_fen", "line"], sort=False).ngroup()


def repeated_games(games: pd.DataFrame, moves: pd.DataFrame) -> int:
    """Games that repeat an earlier one: same players, colours, opening and moves."""
    return int(games[["white", "black"]].assign(line=lines(games, moves)).duplicated().sum())
