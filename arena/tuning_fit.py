"""Weights of a linear evaluation as a vector, and the two ways to improve it: logistic regression and SPSA.

A vector of weights, theta, is `float64[columns]`: one column a feature, or two with phases, all openings before
all endings. A column's count is the feature's, own minus other from the side to move's view, with phases times the
share of the start's pieces that is left (opening), or is gone (ending), which is how `players.linear` weighs.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.rules.game import Game
from arena.rules.jit import kernel, popcount
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import Variant
from players.linear import FEATURES, N, weighted

MAN = 100.0
"""What a man is worth in weights that are written out: hundredths of a man."""
DECIMALS = 2
_SAMPLE_GAMES = 200
"""Random games from which SPSA learns how much each feature varies."""
_SAMPLE_PLIES = 200
"""Plies after which such a game is left."""

Floats = NDArray[np.float64]


class Columns(NamedTuple):
    """Which weight stands where in theta."""

    features: tuple[str, ...]
    phases: bool
    pieces: int
    """Pieces at the start of the game."""

    def theta(self, weights: Mapping[str, Any]) -> Floats:
        """The vector of a mapping from features to a weight or a pair; features not in it get 0.

        Without phases a pair's mean is taken.
        """
        pairs = np.array([np.broadcast_to(weights.get(name, 0.0), 2) for name in self.features], dtype=float)
        return pairs.T.ravel() if self.phases else pairs.mean(axis=1)

    def weights(self, theta: Floats) -> dict[str, float | list[float]]:
        """The mapping that `linear` takes: a number for each feature, a pair [opening, ending] with phases."""
        if self.phases:
            return {
                name: [float(w) for w in pair] for name, pair in zip(self.features, _pairs(theta), strict=True)
            }
        return {name: float(weight) for name, weight in zip(self.features, theta, strict=True)}

    def unit(self, theta: Floats) -> float:
        """The size of a man's weight, with phases the mean of both; of the largest weight if a man has none."""
        man = [weight for name, weight in zip(self.features * 2, theta, strict=False) if name == "man"]
        return abs(float(np.mean(man or [0.0]))) or float(np.abs(theta).max(initial=0.0)) or 1.0

    def scaled(self, theta: Floats) -> Floats:
        """The vector in hundredths of a man, to two decimals: the same evaluation in another unit."""
        return np.round(theta * MAN / self.unit(theta), DECIMALS) + 0.0

    def design(self, rules: Rules, positions: NDArray[np.int64]) -> Floats:
        """The columns' counts, `float64[n, columns]`, in positions, `int64[n, 4]`."""
        counts = np.empty((len(positions), N + 1))
        feature_counts(rules, positions, counts)
        chosen = counts[:, [FEATURES.index(name) for name in self.features]]
        if not self.phases:
            return np.ascontiguousarray(chosen)
        left = counts[:, N:] / self.pieces
        return np.hstack([chosen * left, chosen * (1 - left)])


class Fit(NamedTuple):
    """A logistic regression: P(win) = 1 / (1 + exp(-theta . x))."""

    theta: Floats
    errors: Floats
    """Standard errors of theta, games being independent and positions of one game not."""
    loss: float
    """Mean cross-entropy of the results, in nats, without the penalty."""


@kernel
def feature_counts(rules: Rules, positions: NDArray[np.int64], counts: Floats) -> None:
    """Fill `counts`, `float64[n, N + 1]`: each feature, own minus other, and the pieces left."""
    weights = np.zeros(2 * N)
    for feature in range(N):
        weights[:] = 0.0
        weights[feature] = 1.0
        for n in range(len(positions)):
            position = Position(positions[n, 0], positions[n, 1], positions[n, 2], positions[n, 3])
            counts[n, feature] = weighted(position, rules, weights, 1 << feature)
    for n in range(len(positions)):
        counts[n, N] = popcount(positions[n, 0] | positions[n, 1])


def logistic_fit(x: Floats, points: Floats, games: NDArray[np.int64], penalty: float) -> Fit:
    """Fit results by ridge-penalised logistic regression with Newton's method in a trust region.

    `x` is `float64[n, columns]`, `points` the result of each position's game from the side to move's view (0,
    1/2, 1), `games` its number. The penalty, penalty / 2 * sum((theta * spread)^2), counts each column in its
    root mean square; one that is 0 throughout keeps weight 0. Errors are the sandwich estimate with games as
    clusters (Huber 1967). Texel's tuning (P. Osterlund, 2014) with the likelihood in place of squared errors.
    """
    from scipy.optimize import minimize

    spread = spread_of(x)
    spread[spread == 0] = np.inf
    z = x / spread

    def objective(beta: Floats) -> tuple[float, Floats]:
        logits = z @ beta
        loss = float(np.logaddexp(0, logits).sum() - points @ logits)
        gradient = z.T @ (_sigmoid(logits) - points)
        return loss + penalty / 2 * float(beta @ beta), gradient + penalty * beta

    def curvature(beta: Floats) -> Floats:
        chance = _sigmoid(z @ beta)
        hessian: Floats = (z * (chance * (1 - chance))[:, None]).T @ z + penalty * np.eye(len(beta))
        return hessian

    options: Any = {"gtol": 1e-6}
    start = np.zeros(x.shape[1])
    beta = minimize(objective, start, jac=True, hess=curvature, method="trust-exact", options=options).x
    _, cluster = np.unique(games, return_inverse=True)
    scores = np.zeros((cluster.max() + 1, len(beta)))
    np.add.at(scores, cluster, z * (_sigmoid(z @ beta) - points)[:, None])
    bread = np.linalg.inv(curvature(beta))
    errors = np.sqrt(np.diag(bread @ (scores.T @ scores) @ bread))
    loss = objective(beta)[0] - penalty / 2 * float(beta @ beta)
    return Fit(beta / spread, errors / spread, loss / len(points))


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


def spread_of(x: Floats) -> Floats:
    """The root mean square of each column: how far from 0 it typically is."""
    return np.asarray(np.sqrt((x**2).mean(axis=0)))


def _sigmoid(logits: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(logits, -500, 500)))


def _pairs(theta: Floats) -> list[tuple[float, float]]:
    half = len(theta) // 2
    return list(zip(theta[:half].tolist(), theta[half:].tolist(), strict=True))
