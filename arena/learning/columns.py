"""Weights of features as a vector.

A vector of weights, theta, is `float64[columns]`: one column a feature, or two with phases, all openings before
all endings. A column's count is the feature's, own minus other from the side to move's view, with phases times the
share of the start's pieces that is left (opening), or is gone (ending), which is how `linear` weighs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from arena.base.number import with_minus
from arena.learning.method import Findings, Step
from arena.ratings.interval import Z95, Floats, Ints
from arena.rules.variants import Variant
from players.evaluation.evaluator import Evaluation
from players.evaluation.linear import linear, linear_weights

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
        rules, address = variant.constants, linear.address(variant.constants)
        counts = np.column_stack(
            [
                Evaluation(address, linear_weights({name: 1}, self.pieces)).values(rules, positions)
                for name in self.features
            ]
        )
        if not self.phases:
            return counts
        left = np.bitwise_count(positions[:, :1] | positions[:, 1:2]) / self.pieces
        return np.hstack([counts * left, counts * (1 - left)])


class LinearWeights(NamedTuple):
    """The Vector of a linear evaluation's weights."""

    columns: Columns
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

    def options(self, theta: Floats) -> dict[str, Any]:
        return {"evaluation": {"linear": self.columns.weights(theta)}}

    def shown(self, theta: Floats) -> Floats:
        return self.columns.scaled(theta)

    def traced(self, theta: Floats) -> Floats:
        return self.shown(theta)

    def text(self, theta: Floats) -> str:
        """Weights in hundredths of a man, `king 150/120` for opening/ending."""
        weights = self.columns.weights(self.shown(theta))
        return ", ".join(f"{name} {'/'.join(map(_whole, np.ravel(weight)))}" for name, weight in weights.items())

    def findings(self, last: Step) -> Findings:
        note = "With the 95 % intervals of the last fit (games independent, the unit taken as exact)."
        return Findings("Weights in hundredths of a man", note, self._table(last))

    def _table(self, last: Step) -> pd.DataFrame:
        columns = self.columns
        phases = ("opening", "ending") if columns.phases else ("weight",)
        start, tuned = (self.shown(theta).reshape(len(phases), -1) for theta in (self.start, np.array(last.theta)))
        errors = np.array(last.errors).reshape(tuned.shape)
        table = pd.DataFrame({"feature": columns.features})
        for row, phase in enumerate(phases):
            table[f"{phase}, start"] = [with_minus(f"{weight:.4g}") for weight in start[row]]
            table[phase] = [
                with_minus(f"{w:.1f} ± {Z95 * e:.1f}") for w, e in zip(tuned[row], errors[row], strict=True)
            ]
        return table


def _whole(weight: float) -> str:
    return with_minus(str(round(weight)))


def _pairs(theta: Floats) -> list[tuple[float, float]]:
    half = len(theta) // 2
    return list(zip(theta[:half].tolist(), theta[half:].tolist(), strict=True))
