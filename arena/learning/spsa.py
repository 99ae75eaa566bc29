"""SPSA: numbers moved along the estimated slope of the score (J. C. Spall)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import AfterValidator, Field

from arena.experiment.yaml.errors import Keys
from arena.learning.driver import Play, check_player
from arena.learning.games import Terms, points_of_pairs
from arena.learning.linear import LinearMethod
from arena.learning.method import START, TUNED, BuildTrial, Step, StepRun, Vector
from arena.learning.numbers import Number, PlayerNumbers, number_problems, tuned_number
from arena.learning.store import GameStore
from arena.ratings.types import Floats

A_MEN, C_MEN = 1.0, 0.15
"""The gains of weights, in men."""
A_STEPS = 20.0
"""The numerator of the gains of numbers, in their steps."""
_OF_WEIGHTS = ("features", "start", "phases", "against")
"""Settings that numbers do not have."""


def _some(numbers: Any) -> Any:
    if numbers == {}:
        raise ValueError("must have at least one number")
    return numbers


class Spsa(LinearMethod):
    """Simultaneous perturbation stochastic approximation over pairs of games.

    In each pair the weights, or numbers, changed at random play against those changed the other way.
    """

    method: Literal["spsa"]
    numbers: Annotated[dict[str, Number] | None, AfterValidator(_some)] = Field(
        default=None, description="Numbers of the player's entry, to tune in place of weights."
    )
    steps: int = Field(default=60, ge=1, description="Steps.")
    pairs: int = Field(default=50, ge=1, description="Pairs of games of a step, each with its own perturbation.")
    a: float | None = Field(
        default=None,
        gt=0,
        description=f"Numerator of the gains, in men [{A_MEN:g}], of numbers in their steps [{A_STEPS:g}].",
    )
    c: float | None = Field(
        default=None, gt=0, description=f"Perturbation of weights in the first step, in men [{C_MEN:g}]."
    )
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
    def subject(self) -> str:
        return "The tuned weights" if self.numbers is None else "The tuned numbers"

    @property
    def start_name(self) -> str:
        return "the weights of the start" if self.numbers is None else "those of the start"

    @property
    def gains(self) -> Gains:
        """Those of numbers end with a perturbation of 1, in the unit of their steps, as fishtest's do."""
        stability = self.steps / 10 if self.A is None else self.A
        if self.numbers is None:
            return Gains(self.a or A_MEN, self.c or C_MEN, stability, self.alpha, self.gamma)
        return Gains(self.a or A_STEPS, self.steps**self.gamma, stability, self.alpha, self.gamma)

    def problems(self, terms: Terms) -> Iterator[tuple[Keys, str]]:
        if self.numbers is None:
            yield from super().problems(terms)
            return
        for key in _OF_WEIGHTS:
            if key in self.model_fields_set:
                yield (key,), f"{key!r} is of weights, and 'numbers' are tuned here: leave one of the two out"
        if self.c is not None:
            yield ("c",), "'c' is of weights: each of the 'numbers' has a 'step'"
        player = terms.player(START)
        check_player(player, terms.variant)
        yield from number_problems(self.numbers, player)

    def trials(self, terms: Terms) -> Iterator[BuildTrial]:
        if self.numbers is None:
            yield from super().trials(terms)
        else:
            yield from self._numbers(terms).trials(self.numbers)

    def opponents(self, terms: Terms) -> dict[str, dict[str, Any]]:
        every = super().opponents(terms)
        return every if self.numbers is None else {START: every[START]}

    def vector(self, terms: Terms) -> Vector:
        return super().vector(terms) if self.numbers is None else self._numbers(terms)

    def _numbers(self, terms: Terms) -> PlayerNumbers:
        player, given = terms.player(START), self.numbers or {}
        return PlayerNumbers(tuple(tuned_number(name, it, player) for name, it in given.items()), player)

    def step(self, terms: Terms, play: Play, store: GameStore, before: Sequence[Step]) -> StepRun:
        number = len(before) + 1
        stage, vector = f"{self.noun} {number}", self.vector(terms)
        theta, scale = self.theta(terms, before), vector.scale
        rng = np.random.default_rng([terms.seed, number])
        deltas = rng.choice([-1.0, 1.0], (self.pairs, len(theta)))
        jobs = []
        for pair, delta in enumerate(deltas, start=1):
            change, draw = scale * self.gains.perturbation(number) * delta, rng.random(len(theta))
            plus = terms.player("plus", **vector.options(theta + change, draw))
            minus = terms.player("minus", **vector.options(theta - change, draw))
            jobs.append(terms.job(stage, 2 * pair - 1, plus, minus, pair))
            jobs.append(terms.job(stage, 2 * pair, minus, plus, pair))
        if not (yield from play(stage, jobs)):
            return None
        scores = np.array(points_of_pairs(store.games(stage))) - 1
        moved = vector.inside(spsa_step(theta, scale, self.gains, number, deltas, scores))
        return Step(number, moved.tolist(), [], len(jobs), 0, None)

    def tuned_file(self, name: str, terms: Terms, steps: Sequence[Step]) -> tuple[str, str]:
        if self.numbers is None:
            return super().tuned_file(name, terms, steps)
        text = f"# An entry for `players:`, tuned by {name}.\n{self.findings(terms, steps).entry}"
        return f"{TUNED}.yaml", text

    def description(self, steps: Sequence[Step]) -> str:
        games, gains = sum(step.games for step in steps), self.gains
        c = f"c = {gains.c:g}, " if self.numbers is None else ""
        found = (
            f"SPSA: {self.steps} steps of {self.pairs} pairs of games, {games:,} games in all, "
            f"a = {gains.a:g}, {c}alpha = {self.alpha:g}, gamma = {self.gamma:g}."
        )
        if self.numbers is None:
            return found
        return (
            f"{found} In a pair the numbers, each changed up or down at random, play against those changed the "
            f"other way: by their steps in the end, {gains.c:.3g} times as far at first."
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
