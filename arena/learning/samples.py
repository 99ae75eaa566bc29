"""Positions to learn from: what a fit makes of games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from arena.learning.logistic import logistic_fit
from arena.learning.store import Played
from arena.ratings.types import Bools, Floats, Ints
from players.negamax.score import LIMIT

HELD_OUT = 20
"""Every 20th game of a round is held out, to judge the fit."""
PART = 2000
"""Games whose positions are read at once."""


class FitError(Exception):
    """Games that cannot be learned from; one line with the reason."""


class Samples(NamedTuple):
    """Positions to learn from or to be judged by."""

    positions: Ints
    """`int64[n, 4]`."""
    targets: Floats
    """White's expected points, 0 to 1, `float64[n]`."""
    held_out: Bools
    """Those kept from the fit, `bool[n]`."""


def round_samples(number: int, games: Sequence[Played], results: float) -> Iterator[Samples]:
    """Positions with targets from the games of a round, played by `play_scored`, PART games at a time.

    A target is results * points + (1 - results) * sigmoid(score / k), with the k under which the scores of the
    round predict its results best. Raises FitError, which names the round, if they do not predict them.
    """
    scores = [game.scored()["score"].copy() for game in games]
    owner = np.repeat(np.arange(len(games)), [len(one) for one in scores])
    points = np.array([game.white_points() for game in games])[owner]
    score = np.concatenate(scores)
    open_ = np.abs(score) < LIMIT
    if not open_.any():
        raise FitError(f"round {number}: there is no quiet position in its games")
    steepness = float(logistic_fit(score[open_, None], points[open_], owner[open_], 1e-3).theta[0])
    if steepness <= 0:
        raise FitError(f"round {number}: the scores of its searches do not predict results; play more games")
    expected = 1 / (1 + np.exp(-np.clip(score * steepness, -20, 20)))
    targets = results * points + (1 - results) * expected
    held_out = np.array([game.game % HELD_OUT == 0 for game in games])[owner]
    done = 0
    for first in range(0, len(games), PART):
        positions = np.concatenate([game.scored()["position"] for game in games[first : first + PART]])
        rows = slice(done, done + len(positions))
        yield Samples(positions, targets[rows], held_out[rows])
        done += len(positions)
