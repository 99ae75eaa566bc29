"""Methods of tuning: what each must know, and what they share, such as the logistic regression of results."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

import numpy as np
import pandas as pd
from pydantic import Field

from arena.experiment.yaml.errors import Keys
from arena.experiment.yaml.section import Section
from arena.learning.driver import Play, StageProgress
from arena.learning.games import Terms
from arena.learning.store import GameStore
from arena.learning.terms import EvaluationField
from arena.ratings.types import Floats, Ints
from players.player import PlayerSpec

TUNED, START, AGAINST = "tuned", "start", "against"
"""Players of the last matches, the latter two also the names of these stages."""


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


class Step(NamedTuple):
    """The findings of one step, as they are stored."""

    number: int
    """From 1."""
    theta: list[float]
    """The numbers that the next step plays with, see Vector."""
    errors: list[float]
    """Their standard errors; only from Texel's fit."""
    games: int
    """Games played for it."""
    positions: int
    """Positions of the fit, from these and earlier games; 0 for SPSA."""
    loss: float | None
    """In Texel's fit: the mean cross-entropy of the results, in nats."""


StepRun: TypeAlias = Generator[StageProgress, None, Step | None]
"""Does one step; None if it was stopped."""


class BuildTrial(NamedTuple):
    """Options that the player must take before the first game, and the setting that gives them."""

    keys: Keys
    """The setting, within `tuning`."""
    options: Mapping[str, Any]
    above: Keys
    """The keys of the player's entry that lead to what the setting is."""


class TuningFindings(NamedTuple):
    """What a tuning found, and how, for its report."""

    heading: str
    note: str
    """Markdown, above the table."""
    table: pd.DataFrame
    """Texts: a row for each number that was tuned."""
    description: str
    """The method, in a sentence or two."""
    entry: str
    """An entry of `players:` with what was tuned, as YAML."""
    title: str
    """The title of the chart of the path."""


class Vector(Protocol):
    """The numbers that a method moves, theta, `float64[n]`: where they stand in a player's options."""

    @property
    def names(self) -> Sequence[str]:
        """Their names, in the order of theta."""

    @property
    def start(self) -> Floats:
        """Theta at first."""

    @property
    def scale(self) -> Floats:
        """How far SPSA moves each where it moves all by 1."""

    def inside(self, theta: Floats) -> Floats:
        """Theta within the bounds."""

    def options(self, theta: Floats, draw: Floats | float = 0.5) -> dict[str, Any]:
        """The options of the player that has theta.

        A whole number is rounded up with the part of it after the point as the chance if `draw` is uniform from
        0 to 1, and to the nearest one as it is.
        """

    def shown(self, theta: Floats) -> Floats:
        """Theta as it is written out."""

    def traced(self, theta: Floats) -> Floats:
        """Theta as its path has it: whole numbers before they are rounded."""

    def text(self, theta: Floats) -> str:
        """Theta in a line."""

    def findings(self, steps: Sequence[Step], entry: PlayerSpec, description: str) -> TuningFindings:
        """What was found; `entry` is the tuned player."""


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

    @property
    @abstractmethod
    def step_count(self) -> int:
        """How many steps there are."""

    @property
    @abstractmethod
    def step_games(self) -> int:
        """How many games a step has."""

    @property
    def subject(self) -> str:
        """The subject of the tuning, with which the answer begins."""
        return "The tuned weights"

    @property
    @abstractmethod
    def start_name(self) -> str:
        """The name, in sentences, of what the tuning begins with."""

    def problems(self, _terms: Terms) -> Iterator[tuple[Keys, str]]:
        """Yield problems between settings: keys, and a message. Raises PlayerError for one of the player."""
        yield from ()

    @abstractmethod
    def trials(self, terms: Terms) -> Iterator[BuildTrial]:
        """Yield what must be built before the first game, without problems."""

    def opponents(self, terms: Terms) -> dict[str, dict[str, Any]]:
        """The options of those that the tuned player meets in the end, by the stage: START, AGAINST."""
        return {START: self.first(terms), AGAINST: {"evaluation": self.against}}

    @abstractmethod
    def first(self, terms: Terms) -> dict[str, Any]:
        """The options that the first step plays with; needs what can be built."""

    @abstractmethod
    def step(self, terms: Terms, play: Play, store: GameStore, before: Sequence[Step]) -> StepRun:
        """Do the step after those before. Raises LearningError."""

    @abstractmethod
    def found(self, terms: Terms, step: Step) -> dict[str, Any]:
        """The options that a step found, as they are written out."""

    @abstractmethod
    def step_text(self, terms: Terms, step: Step) -> str:
        """Describe the findings of a step in one line."""

    @abstractmethod
    def vector(self, terms: Terms) -> Vector:
        """The numbers that are tuned."""

    @abstractmethod
    def tuned_file(self, name: str, terms: Terms, steps: Sequence[Step]) -> tuple[str, str]:
        """The name and the text of the file with what the tuning `name` found."""

    @abstractmethod
    def findings(self, terms: Terms, steps: Sequence[Step]) -> TuningFindings:
        """What was found, and how."""

    def place(self, number: int) -> str:
        """A step among all: `round 1/3`."""
        return f"{self.noun} {number}/{self.step_count}"
