"""SPSA: weights moved along the estimated slope of the score (J. C. Spall)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from arena.experiment.openings.lines import random_line
from arena.learning.columns import Columns
from arena.learning.driver import Play
from arena.learning.games import Terms, points_of_pairs
from arena.learning.linear import LinearMethod
from arena.learning.method import Step, StepRun, spread_of
from arena.learning.store import GameStore
from arena.ratings.types import Floats
from arena.rules.position import Position
from arena.rules.variants import Variant

SAMPLE_GAMES = 200
"""Random games that show how much each feature varies."""
SAMPLE_PLIES = 200
"""Plies after which such a game is left."""


class Spsa(LinearMethod):
    """Simultaneous perturbation stochastic approximation over pairs of games.

    In each pair the weights changed at random play against the weights changed the other way.
    """

    method: Literal["spsa"]
    steps: int = Field(default=60, ge=1, description="Steps.")
    pairs: int = Field(default=50, ge=1, description="Pairs of games of a step, each with its own perturbation.")
    a: float = Field(default=1.0, gt=0, description="Numerator of the gains, in men.")
    c: float = Field(default=0.15, gt=0, description="Perturbation in the first step, in men.")
    A: float | None = Field(default=None, ge=0, description="Stability of the gains [a tenth of the steps].")
    alpha: float = Field(default=0.602, gt=0, description="Decay of the gains.")
    gamma: float = Field(default=0.101, gt=0, description="Decay of the perturbations.")

    @property
    def step_count(self) -> int:
        return self.steps

    @property
    def step_games(self) -> int:
        return 2 * self.pairs

    @property
    def gains(self) -> Gains:
        stability = self.steps / 10 if self.A is None else self.A
        return Gains(self.a, self.c, stability, self.alpha, self.gamma)

    def step(self, terms: Terms, play: Play, store: GameStore, before: Sequence[Step]) -> StepRun:
        number = len(before) + 1
        stage, variant, columns = f"{self.noun} {number}", terms.variant, self.columns(terms.variant)
        theta = self.theta(variant, before)
        scale = scale_of(random_design(columns, variant), columns.unit(self.theta(variant)))
        deltas = np.random.default_rng([terms.seed, number]).choice([-1.0, 1.0], (self.pairs, len(theta)))
        jobs = []
        for pair, delta in enumerate(deltas, start=1):
            change = scale * self.gains.perturbation(number) * delta
            plus = terms.player("plus", self.evaluation(variant, theta + change))
            minus = terms.player("minus", self.evaluation(variant, theta - change))
            jobs.append(terms.job(stage, 2 * pair - 1, plus, minus, pair))
            jobs.append(terms.job(stage, 2 * pair, minus, plus, pair))
        if not (yield from play(stage, jobs)):
            return None
        scores = np.array(points_of_pairs(store.games(stage))) - 1
        moved = spsa_step(theta, scale, self.gains, number, deltas, scores)
        return Step(number, moved.tolist(), [], len(jobs), 0, None)

    def description(self, steps: Sequence[Step]) -> str:
        games = sum(step.games for step in steps)
        return (
            f"SPSA: {self.steps} steps of {self.pairs} pairs of games, {games:,} games in all, "
            f"a = {self.a:g}, c = {self.c:g}, alpha = {self.alpha:g}, gamma = {self.gamma:g}."
        )


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
    slope: Floats = (scores[:, None] * deltas).mean(axis=0) / (2 * gains.perturbation(k))
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
    for _ in range(SAMPLE_GAMES):
        positions += random_line(variant, SAMPLE_PLIES, rng).positions
    return columns.design(variant, np.array(positions, dtype=np.int64))
