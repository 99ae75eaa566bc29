"""How surprising a game was: the greatest swing of a player's own score."""

from __future__ import annotations

import numpy as np
import pandas as pd

DECIDED = 4.0
"""Men from which on a score counts as a decided game: more, and a certain win, surprise no further."""


def swings(moves: pd.DataFrame) -> pd.Series:
    """The greatest swing of each game, in men, by the game's number; none for games without two such scores.

    A swing is the difference between two scores that one player gave one after the other in a game, each in men
    and cut off at ±DECIDED; a certain win or loss counts as ±DECIDED. So 2 × DECIDED is the greatest: of a player
    that thought the game won and, at its next move, lost. `moves` are those of `arena.ledger.read.RunData`.
    """
    certain = moves["wins_in"].to_numpy(dtype=float, na_value=np.nan)
    score = moves["score_men"].to_numpy(dtype=float, na_value=np.nan)
    score = np.where(np.isnan(certain), score, np.copysign(DECIDED, certain))
    there = np.flatnonzero(~np.isnan(score))
    games, of = pd.factorize(moves["game"].to_numpy()[there])
    side = 2 * games + (moves["colour"].to_numpy()[there] == "white")
    order = np.argsort(side, kind="stable")
    same = np.diff(side[order]) == 0
    swing = np.abs(np.diff(np.clip(score[there][order], -DECIDED, DECIDED)))[same]
    greatest = np.full(len(of), -1.0)
    np.maximum.at(greatest, games[order][1:][same], swing)
    return pd.Series(greatest, index=pd.Index(of, name="game"))[greatest >= 0]
