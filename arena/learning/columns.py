"""Weights of features as a vector.

A vector of weights, theta, is `float64[columns]`: one column a feature, or two with phases, all openings before
all endings. A column's count is the feature's, own minus other from the side to move's view, with phases times the
share of the start's pieces that is left (opening), or is gone (ending), which is how `linear` weighs.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from arena.experiment.openings.lines import random_line
from arena.learning.method import Step, TuningFindings, spread_of
from arena.ratings.match import Z95
from arena.ratings.types import Floats, Ints
from arena.rules.jit.kernel import kernel
from arena.rules.jit.native import popcount
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import Variant
from players.evaluation.linear import FEATURES, N, weighted
from players.player import PlayerSpec

MAN = 100.0
"""The worth of a man in weights that are written out: hundredths of a man."""
DECIMALS = 2
SAMPLE_GAMES = 200
"""Random games that show how much each feature varies."""
SAMPLE_PLIES = 200
"""Plies after which such a game is left."""


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
        """The mapping that the evaluation takes: a number for each, with phases a pair [opening, ending]."""
        if self.phases:
            return {
                name: [float(w) for w in pair] for name, pair in zip(self.features, _pairs(theta), strict=True)
            }
        return {name: float(weight) for name, weight in zip(self.features, theta, strict=True)}

    def unit(self, theta: Floats) -> float:
        """The size of a man's weight, with phases the mean of both; of the largest weight if a man has none."""
        man = [weight for name, weight in zip(self.features * 2, theta, strict=False) if name == "man"]
        worth = sum(man) / (2 if self.phases else 1)
        return abs(float(worth)) or float(np.abs(theta).max(initial=0.0)) or 1.0

    def scaled(self, theta: Floats) -> Floats:
        """The vector in hundredths of a man, to two decimals: the same evaluation in another unit."""
        return np.round(theta * MAN / self.unit(theta), DECIMALS) + 0.0

    def design(self, variant: Variant, positions: Ints) -> Floats:
        """The columns' counts, `float64[n, columns]`, in positions, `int64[n, 4]`."""
        counts = np.empty((len(positions), N + 1))
        feature_counts(variant.constants, positions, counts)
        chosen = counts[:, [FEATURES.index(name) for name in self.features]]
        if not self.phases:
            return np.ascontiguousarray(chosen)
        left = counts[:, N:] / self.pieces
        return np.hstack([chosen * left, chosen * (1 - left)])


class LinearWeights(NamedTuple):
    """The Vector of a linear evaluation's weights."""

    columns: Columns
    variant: Variant
    given: Mapping[str, Any]
    """The weights of the start."""

    @property
    def names(self) -> list[str]:
        columns = self.columns
        if not columns.phases:
            return list(columns.features)
        return [f"{name} {phase}" for phase in ("opening", "ending") for name in columns.features]

    @property
    def start(self) -> Floats:
        return self.columns.theta(self.given)

    @property
    def scale(self) -> Floats:
        return scale_of(random_design(self.columns, self.variant), self.columns.unit(self.start))

    def inside(self, theta: Floats) -> Floats:
        return theta

    def options(self, theta: Floats, draw: Floats | float = 0.5) -> dict[str, Any]:
        return {"evaluation": {"linear": self.columns.weights(theta)}}

    def shown(self, theta: Floats) -> Floats:
        return self.columns.scaled(theta)

    def traced(self, theta: Floats) -> Floats:
        return self.shown(theta)

    def text(self, theta: Floats) -> str:
        """Weights in hundredths of a man, `king 150/120` for opening/ending."""
        weights = self.columns.weights(self.shown(theta))
        return ", ".join(f"{name} {'/'.join(map(_whole, np.ravel(weight)))}" for name, weight in weights.items())

    def findings(self, steps: Sequence[Step], entry: PlayerSpec, description: str) -> TuningFindings:
        intervals = ", with the 95 % intervals of the last fit (games independent, the unit taken as exact)"
        note = f"In hundredths of a man{intervals if steps[-1].errors else ''}."
        title = "Weights in hundredths of a man"
        return TuningFindings("Weights", note, self._table(steps[-1]), description, "", title)

    def _table(self, last: Step) -> pd.DataFrame:
        columns = self.columns
        phases = ("opening", "ending") if columns.phases else ("weight",)
        start, tuned = (self.shown(theta).reshape(len(phases), -1) for theta in (self.start, np.array(last.theta)))
        errors = np.array(last.errors or np.zeros(tuned.size)).reshape(tuned.shape)
        table = pd.DataFrame({"feature": columns.features})
        for row, phase in enumerate(phases):
            ends = [f" ± {Z95 * error:.1f}" if last.errors else "" for error in errors[row]]
            table[f"{phase}, start"] = [f"{weight:.4g}" for weight in start[row]]
            table[phase] = [f"{weight:.1f}{end}" for weight, end in zip(tuned[row], ends, strict=True)]
        return table


def scale_of(x: Floats, unit: float) -> Floats:
    """For each column of a design the weight whose typical share of the evaluation, weight times spread, is
    `unit`; columns that are hardly ever other than 0 count as if their spread were a tenth."""
    return unit / np.maximum(spread_of(x), 0.1)


@cache
def random_design(columns: Columns, variant: Variant) -> Floats:
    """The columns' counts in all positions of random games, `float64[n, columns]`."""
    rng = random.Random("random games")
    positions: list[Position] = []
    for _ in range(SAMPLE_GAMES):
        positions += random_line(variant, SAMPLE_PLIES, rng).positions
    return columns.design(variant, np.array(positions, dtype=np.int64))


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


def _whole(weight: float) -> str:
    return str(round(weight))


def _pairs(theta: Floats) -> list[tuple[float, float]]:
    half = len(theta) // 2
    return list(zip(theta[:half].tolist(), theta[half:].tolist(), strict=True))
