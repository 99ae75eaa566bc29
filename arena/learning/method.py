"""Methods of tuning: what each must know, and what they share, such as the logistic regression of results."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from pydantic import Field

from arena.experiment.yaml.errors import Keys
from arena.experiment.yaml.section import Section
from arena.learning.driver import Play, StageProgress
from arena.learning.games import Terms
from arena.learning.store import GameStore
from arena.learning.terms import EvaluationField
from arena.ratings.types import Floats, Ints
from arena.rules.variants import Variant


class LogisticFit(NamedTuple):
    """A logistic regression: P(win) = 1 / (1 + exp(-theta . x))."""

    theta: Floats
    errors: Floats
    """Standard errors of theta, games being independent and positions of one game not."""
    loss: float
    """Mean cross-entropy of the results, in nats, without the penalty."""


def logistic_fit(x: Floats, points: Floats, games: Ints, penalty: float) -> LogisticFit:
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
    return LogisticFit(beta / spread, errors / spread, loss / len(points))


def spread_of(x: Floats) -> Floats:
    """The root mean square of each column: how far from 0 it typically is."""
    return np.asarray(np.sqrt((x**2).mean(axis=0)))


def _sigmoid(logits: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(logits, -500, 500)))


class Fitting(NamedTuple):
    """The fit of a step begins."""

    number: int
    """The step's number, from 1."""
    positions: int
    """Positions that it learns from or is judged by."""


class Step(NamedTuple):
    """The findings of one step, as they are stored."""

    number: int
    """From 1."""
    theta: list[float]
    """The weights that the next step plays with; see `arena.learning.columns`. Empty for tables."""
    errors: list[float]
    """Their standard errors; only from Texel's fit."""
    games: int
    """Games played for it."""
    positions: int
    """Positions of the fit, from these and earlier games; 0 for SPSA."""
    loss: float | None
    """In Texel's fit: the mean cross-entropy of the results, in nats. Of tables: the last of `losses`."""
    losses: Sequence[float] = ()
    """By the start and the tables of each round so far: the mean cross-entropy of the targets of all positions
    held out so far, in nats."""


StepRun: TypeAlias = Generator[StageProgress | Fitting, None, Step | None]
"""Does one step; None if it was stopped."""


class Method(Section):
    """A method of tuning, by its settings. What follows from it are its functions; it holds no state.

    A subclass has a field `method`, a Literal that is its name in configurations, and a row in
    `arena.learning.config.TABLE`.
    """

    method: str
    against: EvaluationField = Field(
        default="simple", description="The evaluation that the tuned one meets in the end."
    )
    check: int = Field(default=200, ge=1, description="Pairs of games of each match in the end.")

    noun: ClassVar[str] = "step"
    """The name of a step."""
    subject: ClassVar[str] = "The tuned weights"
    """The subject of the tuning, with which the answer begins."""

    @property
    @abstractmethod
    def step_count(self) -> int:
        """How many steps there are."""

    @property
    @abstractmethod
    def step_games(self) -> int:
        """How many games a step has."""

    @property
    @abstractmethod
    def given(self) -> Any:
        """The evaluation to begin with, as `start` gives it."""

    @property
    def start_keys(self) -> Keys:
        """The keys of `given` that lead to what the setting `start` is."""
        return ()

    @property
    def start_name(self) -> str:
        """The name, in sentences, of the evaluation to begin with."""
        return "the weights of the start"

    def problems(self) -> Iterator[tuple[Keys, str]]:
        """Yield problems between settings: keys, and a message."""
        yield from ()

    def first(self, _variant: Variant) -> Any:
        """The evaluation that the first step plays with; needs one that can be built."""
        return self.given

    @abstractmethod
    def step(self, terms: Terms, play: Play, store: GameStore, before: Sequence[Step]) -> StepRun:
        """Do the step after those before. Raises LearningError."""

    @abstractmethod
    def found(self, terms: Terms, step: Step, folder: Path) -> Any:
        """The evaluation that a step of the tuning in `folder` found, as it is written out."""

    @abstractmethod
    def step_text(self, variant: Variant, step: Step) -> str:
        """Describe the findings of a step in one line."""

    def weight_names(self) -> list[str]:
        """Names of the weights, if there are few enough to follow each."""
        return []

    def weights(self, _variant: Variant, _step: Step | None) -> Floats | Sequence[float]:
        """The weights after a step, None for the start, in hundredths of a man."""
        return ()

    def losses(self, steps: Sequence[Step]) -> list[float | None]:
        """The loss of the start and of each step, None where there is none."""
        return [None, *(step.loss for step in steps)]

    @abstractmethod
    def tuned_file(self, name: str, terms: Terms, steps: Sequence[Step], folder: Path) -> tuple[str, bytes]:
        """The name and the content of the file with what the tuning `name` in `folder` found."""

    @abstractmethod
    def summary_lines(self, variant: Variant, steps: Sequence[Step], folder: Path) -> list[str]:
        """The findings and the method, as Markdown; the chart is path.png."""

    def place(self, number: int) -> str:
        """A step among all: `round 1/3`."""
        return f"{self.noun} {number}/{self.step_count}"
