"""Weights of features, or of the parts of the mix, as a vector.

A vector of weights, theta, is `float64[columns]`: one column a feature, or two with phases, all openings before
all endings. A column's count is the feature's, own minus other from the side to move's view, with phases times the
share of the start's pieces that is left (opening), or is gone (ending), which is how `linear` and the mix weigh.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from arena.ratings.types import Floats, Ints
from arena.rules.jit.kernel import kernel
from arena.rules.jit.native import popcount
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import Variant
from players.evaluation.build import build_evaluation, values_of
from players.evaluation.linear import FEATURES, N, weighted
from players.evaluation.mix import WEIGHTS

MAN = 100.0
"""The worth of a man in weights that are written out: hundredths of a man."""
DECIMALS = 2
KINDS: Mapping[str, tuple[str, ...]] = MappingProxyType({"linear": FEATURES, "mix": tuple(WEIGHTS)})
"""What can be weighed, by the evaluation: features, or parts of the mix."""
_WORTH_A_MAN = ("man", "material", "network")
"""Those whose count falls by one, about, with a man."""


class Columns(NamedTuple):
    """Which weight stands where in theta."""

    features: tuple[str, ...]
    phases: bool
    pieces: int
    """Pieces at the start of the game."""
    kind: str = "linear"
    """A key of KINDS."""

    def theta(self, weights: Mapping[str, Any]) -> Floats:
        """The vector of a mapping from features to a weight or a pair; features not in it get 0.

        Without phases a pair's mean is taken.
        """
        pairs = np.array([np.broadcast_to(weights.get(name, 0.0), 2) for name in self.features], dtype=float)
        return pairs.T.ravel() if self.phases else pairs.mean(axis=1)

    def weights(self, theta: Floats) -> dict[str, float | list[float]]:
        """The mapping that the evaluation takes: a number for each, with phases a pair [opening, ending]."""
        if self.phases:
            return {
                name: [float(w) for w in pair] for name, pair in zip(self.features, _pairs(theta), strict=True)
            }
        return {name: float(weight) for name, weight in zip(self.features, theta, strict=True)}

    def unit(self, theta: Floats) -> float:
        """The size of a man's weight, with phases the mean of both; of the largest weight if a man has none."""
        man = [w for name, w in zip(self.features * 2, theta, strict=False) if name in _WORTH_A_MAN]
        worth = sum(man) / (2 if self.phases else 1)
        return abs(float(worth)) or float(np.abs(theta).max(initial=0.0)) or 1.0

    def scaled(self, theta: Floats) -> Floats:
        """The vector in hundredths of a man, to two decimals: the same evaluation in another unit."""
        return np.round(theta * MAN / self.unit(theta), DECIMALS) + 0.0

    def design(self, variant: Variant, positions: Ints) -> Floats:
        """The columns' counts, `float64[n, columns]`, in positions, `int64[n, 4]`.

        Raises PlayerError for a network that the rules do not have.
        """
        counts = np.empty((len(positions), N + 1))
        feature_counts(variant.constants, positions, counts)
        if self.kind == "mix":
            chosen = np.column_stack([_values(part, variant, positions) for part in self.features])
        else:
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


def _values(part: str, variant: Variant, positions: Ints) -> Floats:
    """The values of the mix in which one part alone weighs, and weighs 1."""
    evaluation = build_evaluation({"mix": {**dict.fromkeys(WEIGHTS, 0.0), part: 1.0}}, variant)
    return values_of(*evaluation, variant.constants, positions)


def _pairs(theta: Floats) -> list[tuple[float, float]]:
    half = len(theta) // 2
    return list(zip(theta[:half].tolist(), theta[half:].tolist(), strict=True))
