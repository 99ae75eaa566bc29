"""SPSA: weights moved along the estimated slope of the score."""

from __future__ import annotations

import random
from functools import cache
from typing import NamedTuple

import numpy as np

from arena.rules.game import Game
from arena.rules.position import Position
from arena.rules.variants import Variant
from arena.tuning.columns import Columns
from arena.tuning.regression import Floats, spread_of

_SAMPLE_GAMES = 200
"""Random games from which SPSA learns how much each feature varies."""
_SAMPLE_PLIES = 200
"""Plies after which such a game is left."""


class Gains(NamedTuple):
    """The two sequences of SPSA, k from 1: a_k = a / (A + k)^alpha and c_k = c / k^gamma (Spall 1998, III)."""

    a: float
    c: float
    stability: float
    """A in the formula."""
    alpha: float
    gamma: float

    def step(self, k: int) -> float:
        """a_k."""
        return float(self.a / (self.stability + k) ** self.alpha)

    def perturbation(self, k: int) -> float:
        """c_k."""
        return float(self.c / k**self.gamma)


def spsa_step(theta: Floats, scale: Floats, gains: Gains, k: int, deltas: Floats, scores: Floats) -> Floats:
    """Theta after step k, which goes up the estimated slope of the score.

    `deltas`, `float64[pairs, columns]` of +-1, are the perturbations; `scores`, `float64[pairs]`, what theta +
    c_k * delta scored more than theta - c_k * delta in each pair, as a fraction of its points, -1 to 1. Weights
    are moved in units of `scale`. The slope is the mean over the pairs (Spall 1992, gradient averaging).
    """
    slope = (scores[:, None] * deltas).mean(axis=0) / (2 * gains.perturbation(k))
    return theta + scale * gains.step(k) * slope


def scale_of(x: Floats, unit: float) -> Floats:
    """For each column of a design the weight whose typical share of the evaluation, weight times spread, is
    `unit`; columns that are hardly ever other than 0 count as if their spread were a tenth."""
    return unit / np.maximum(spread_of(x), 0.1)


@cache
def random_design(columns: Columns, variant: Variant) -> Floats:
    """The columns' counts in all positions of random games, `float64[n, columns]`."""
    rng = random.Random("random games")
    positions: list[Position] = []
    for _ in range(_SAMPLE_GAMES):
        game = Game(variant)
        while game.outcome is None and len(game.moves) < _SAMPLE_PLIES:
            game.push(rng.choice(game.legal_moves))
        positions += game.positions
    return columns.design(variant.constants, np.array(positions, dtype=np.int64))
