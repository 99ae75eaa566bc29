"""Weights of a linear evaluation as a vector.

A vector of weights, theta, is `float64[columns]`: one column a feature, or two with phases, all openings before
all endings. A column's count is the feature's, own minus other from the side to move's view, with phases times the
share of the start's pieces that is left (opening), or is gone (ending), which is how `linear` weighs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from arena.ratings.types import Floats, Ints
from arena.rules.jit.bits import popcount
from arena.rules.jit.kernel import kernel
from arena.rules.position import Position
from arena.rules.rules import Rules
from players.evaluation.linear import FEATURES, N, weighted

MAN = 100.0
"""The worth of a man in weights that are written out: hundredths of a man."""
DECIMALS = 2


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

    def design(self, rules: Rules, positions: Ints) -> Floats:
        """The columns' counts, `float64[n, columns]`, in positions, `int64[n, 4]`."""
        counts = np.empty((len(positions), N + 1))
        feature_counts(rules, positions, counts)
        chosen = counts[:, [FEATURES.index(name) for name in self.features]]
        if not self.phases:
            return np.ascontiguousarray(chosen)
        left = counts[:, N:] / self.pieces
        return np.hstack([chosen * left, chosen * (1 - left)])


@kernel
def feature_counts(rules: Rules, positions: Ints, counts: Floats) -> None:
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


def _pairs(theta: Floats) -> list[tuple[float, float]]:
    half = len(theta) // 2
    return list(zip(theta[:half].tolist(), theta[half:].tolist(), strict=True))
