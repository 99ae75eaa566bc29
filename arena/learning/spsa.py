"""SPSA: numbers moved along the estimated slope of the score (J. C. Spall)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, Field

from arena.experiment.yaml.errors import Keys
from arena.learning.games import Job, job_of, points_of_pairs
from arena.learning.method import START, BuildTrial, LearningSession, Step, Tuner
from arena.learning.numbers import Number, NumberError, PlayerNumbers, tuned_number
from arena.learning.terms import Terms
from arena.ratings.interval import Floats

ALPHA, GAMMA = 0.602, 0.101
"""Decay of the gains and of the perturbations (Spall 1998, III)."""


def _some(numbers: dict[str, Number]) -> dict[str, Number]:
    if not numbers:
        raise ValueError("must have at least one number")
    return numbers


class Spsa(Tuner):
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
    unit: ClassVar[str] = "step"
    subject: ClassVar[str] = "tuned numbers"

    @property
    def schedule(self) -> Sequence[int]:
        return (2 * self.pairs,) * self.steps

    def gain(self, k: int) -> float:
        """How far step k, from 1, goes along the slope: a / (A + k)^alpha, with A a tenth of the steps."""
        return float(self.a / (self.steps / 10 + k) ** ALPHA)

    def perturbation(self, k: int) -> float:
        """How far numbers are changed in step k, in their steps: c / k^gamma, in the end 1, as fishtest."""
        return float(self.steps**GAMMA / k**GAMMA)

    def problems(self, terms: Terms) -> Iterator[tuple[Keys, str]]:
        for name, number in self.numbers.items():
            try:
                tuned_number(name, number, terms.spec(START, {}))
            except NumberError as error:
                yield ("learn", "numbers", name, *error.keys), str(error)

    def trials(self, terms: Terms) -> Iterator[BuildTrial]:
        yield from self.vector(terms).trials(self.numbers)

    def vector(self, terms: Terms) -> PlayerNumbers:
        player = terms.spec(START, {})
        numbers = [tuned_number(name, number, player) for name, number in self.numbers.items()]
        return PlayerNumbers(tuple(numbers), player)

    def deltas(self, terms: Terms, number: int) -> tuple[Floats, np.random.Generator]:
        """The signs of the changes of a step, `float64[pairs, columns]`, and what its roundings are drawn from."""
        rng = np.random.default_rng([terms.seed, number])
        return rng.choice([-1.0, 1.0], (self.pairs, len(self.numbers))), rng

    def jobs(self, session: LearningSession, steps: Sequence[Step]) -> list[Job]:
        terms, number, jobs = session.terms, len(steps) + 1, list[Job]()
        vector, theta, stage = self.vector(terms), self.theta(terms, steps), self.stage(number)
        deltas, rng = self.deltas(terms, number)
        for pair, delta in enumerate(deltas, start=1):
            changed, draw = vector.scale * self.perturbation(number) * delta, rng.random(len(theta))
            plus = terms.spec("plus", vector.options(theta + changed, draw))
            minus = terms.spec("minus", vector.options(theta - changed, draw))
            jobs.append(job_of(terms, stage, 2 * pair - 1, pair, plus, minus))
            jobs.append(job_of(terms, stage, 2 * pair, pair, minus, plus))
        return jobs

    def fit(self, session: LearningSession, steps: Sequence[Step]) -> Step:
        number, vector = len(steps) + 1, self.vector(session.terms)
        deltas, _ = self.deltas(session.terms, number)
        scores = np.array(points_of_pairs(session.store.games(self.stage(number)))) - 1
        move = vector.scale * self.gain(number) * slope(deltas, scores, self.perturbation(number))
        theta = vector.inside(self.theta(session.terms, steps) + move)
        return Step(number, sum(self.schedule[:number]), theta=theta.tolist())

    def description(self, steps: Sequence[Step]) -> str:
        return (
            f"SPSA: {self.steps} steps of {self.pairs} pairs of games, {steps[-1].games:,} games in all, "
            f"a = {self.a:g}. In a pair the numbers, each changed up or down at random, play against those "
            f"changed the other way: by their steps in the end, {self.perturbation(1):.3g} times as far at first."
        )


def slope(deltas: Floats, scores: Floats, change: float) -> Floats:
    """The estimated slope of the score, the mean over the pairs (Spall 1992, gradient averaging).

    `deltas`, `float64[pairs, columns]` of +-1, are the perturbations; `scores`, `float64[pairs]`, what the numbers
    changed by `change * delta` scored more than those changed the other way, as a fraction of a pair's points.
    """
    estimate: Floats = (scores[:, None] * deltas).mean(axis=0) / (2 * change)
    return estimate
