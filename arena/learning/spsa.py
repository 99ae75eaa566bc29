"""SPSA: numbers moved along the estimated slope of the score (J. C. Spall)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, Field

from arena.experiment.yaml.errors import Keys
from arena.learning.driver import Play, check_player
from arena.learning.games import Terms, points_of_pairs
from arena.learning.method import START, BuildTrial, Method, Step, StepRun
from arena.learning.numbers import Number, PlayerNumbers, number_problems, tuned_number
from arena.learning.store import GameStore
from arena.ratings.interval import Floats

ALPHA, GAMMA = 0.602, 0.101
"""Decay of the gains and of the perturbations (Spall 1998, III)."""


def _some(numbers: dict[str, Number]) -> dict[str, Number]:
    if not numbers:
        raise ValueError("must have at least one number")
    return numbers


class Spsa(Method):
    """Simultaneous perturbation stochastic approximation over pairs of games.

    In each pair the numbers changed at random play against those changed the other way.
    """

    method: Literal["spsa"]
    numbers: Annotated[dict[str, Number], AfterValidator(_some)] = Field(
        description="Numbers of the player's entry, with dots into mappings."
    )
    steps: int = Field(default=60, ge=1, description="Steps.")
    pairs: int = Field(default=50, ge=1, description="Pairs of games of a step, each with its own perturbation.")
    a: float = Field(default=20.0, gt=0, description="Numerator of the gains, in the steps of the numbers.")

    noun: ClassVar[str] = "step"
    subject: ClassVar[str] = "numbers"

    @property
    def step_count(self) -> int:
        return self.steps

    @property
    def step_games(self) -> int:
        return 2 * self.pairs

    def gain(self, k: int) -> float:
        """How far step k, from 1, goes along the slope: a / (A + k)^alpha, with A a tenth of the steps."""
        return float(self.a / (self.steps / 10 + k) ** ALPHA)

    def perturbation(self, k: int) -> float:
        """How far numbers are changed in step k, in their steps: c / k^gamma, in the end 1, as fishtest."""
        return float(self.steps**GAMMA / k**GAMMA)

    def problems(self, terms: Terms) -> Iterator[tuple[Keys, str]]:
        player = terms.player(START)
        check_player(player, terms.variant)
        yield from number_problems(self.numbers, player)

    def trials(self, terms: Terms) -> Iterator[BuildTrial]:
        yield from self.vector(terms).trials(self.numbers)

    def vector(self, terms: Terms) -> PlayerNumbers:
        player = terms.player(START)
        return PlayerNumbers(tuple(tuned_number(name, it, player) for name, it in self.numbers.items()), player)

    def step(self, terms: Terms, play: Play, store: GameStore, before: Sequence[Step]) -> StepRun:
        number = len(before) + 1
        stage, vector = f"{self.noun} {number}", self.vector(terms)
        theta, change = self.theta(terms, before), self.perturbation(number)
        rng = np.random.default_rng([terms.seed, number])
        deltas = rng.choice([-1.0, 1.0], (self.pairs, len(theta)))
        jobs = []
        for pair, delta in enumerate(deltas, start=1):
            changed, draw = vector.scale * change * delta, rng.random(len(theta))
            plus = terms.player("plus", **vector.options(theta + changed, draw))
            minus = terms.player("minus", **vector.options(theta - changed, draw))
            jobs.append(terms.job(stage, 2 * pair - 1, plus, minus, pair))
            jobs.append(terms.job(stage, 2 * pair, minus, plus, pair))
        if not (yield from play(stage, jobs)):
            return None
        scores = np.array(points_of_pairs(store.games(stage))) - 1
        moved = theta + vector.scale * self.gain(number) * slope(deltas, scores, change)
        return Step(number, vector.inside(moved).tolist(), [], len(jobs), 0, None)

    def description(self, steps: Sequence[Step]) -> str:
        games = sum(step.games for step in steps)
        return (
            f"SPSA: {self.steps} steps of {self.pairs} pairs of games, {games:,} games in all, a = {self.a:g}. "
            "In a pair the numbers, each changed up or down at random, play against those changed the "
            f"other way: by their steps in the end, {self.perturbation(1):.3g} times as far at first."
        )


def slope(deltas: Floats, scores: Floats, change: float) -> Floats:
    """The estimated slope of the score, the mean over the pairs (Spall 1992, gradient averaging).

    `deltas`, `float64[pairs, columns]` of +-1, are the perturbations; `scores`, `float64[pairs]`, what the numbers
    changed by `change * delta` scored more than those changed the other way, as a fraction of a pair's points.
    """
    found: Floats = (scores[:, None] * deltas).mean(axis=0) / (2 * change)
    return found
