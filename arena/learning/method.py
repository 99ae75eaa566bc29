"""Methods of tuning: what each must know, and what they share."""

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
from arena.ratings.interval import Floats

TUNED, START, AGAINST = "tuned", "start", "against"
"""Players of the last matches, the latter two also the names of these stages."""


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
    held_out: Sequence[float] | None = None
    """In Texel's fit: the Loss of each game under the fit to all others."""


StepRun: TypeAlias = Generator[StageProgress, None, Step | None]
"""Does one step; None if it was stopped."""


class BuildTrial(NamedTuple):
    """Options that the player must take before the first game, and the setting that gives them."""

    keys: Keys
    """The setting, within `tuning`."""
    options: Mapping[str, Any]
    above: Keys
    """The keys of the player's entry that lead to what the setting is."""


class Findings(NamedTuple):
    """What a tuning found, for its report."""

    heading: str
    """Also the title of the chart of the path."""
    note: str
    """Markdown, above the table."""
    table: pd.DataFrame
    """Texts: a row for each number that was tuned."""


class Vector(Protocol):
    """The numbers that a method moves, theta, `float64[n]`: where they stand in a player's options."""

    @property
    def names(self) -> Sequence[str]:
        """Their names, in the order of theta."""

    @property
    def start(self) -> Floats:
        """Theta at first."""

    def options(self, theta: Floats) -> dict[str, Any]:
        """The options of the player that has theta."""

    def shown(self, theta: Floats) -> Floats:
        """Theta as it is written out."""

    def traced(self, theta: Floats) -> Floats:
        """Theta as its path has it: whole numbers before they are rounded."""

    def text(self, theta: Floats) -> str:
        """Theta in a line."""

    def findings(self, last: Step) -> Findings:
        """What the last step found."""


class Method(Section):
    """A method of tuning, by its settings. What follows from it are its functions; it holds no state.

    A subclass has a field `method`, a Literal that is its name in configurations, and a row in
    `arena.learning.config.TABLE`.
    """

    method: str
    check: int = Field(default=200, ge=1, description="Pairs of games of each match in the end.")

    noun: ClassVar[str]
    """The name of a step."""
    subject: ClassVar[str]
    """What is tuned, in sentences."""

    @property
    @abstractmethod
    def step_count(self) -> int:
        """How many steps there are."""

    @property
    @abstractmethod
    def step_games(self) -> int:
        """How many games a step has."""

    @abstractmethod
    def problems(self, terms: Terms) -> Iterator[tuple[Keys, str]]:
        """Yield problems between settings: keys, and a message. Raises PlayerError for one of the player."""

    @abstractmethod
    def trials(self, terms: Terms) -> Iterator[BuildTrial]:
        """Yield what must be built before the first game, without problems."""

    @abstractmethod
    def vector(self, terms: Terms) -> Vector:
        """The numbers that are tuned."""

    @abstractmethod
    def step(self, terms: Terms, play: Play, store: GameStore, before: Sequence[Step]) -> StepRun:
        """Do the step after those before. Raises LearningError."""

    @abstractmethod
    def description(self, steps: Sequence[Step]) -> str:
        """How the numbers were found, in a sentence or two."""

    def opponents(self, terms: Terms) -> dict[str, dict[str, Any]]:
        """The options of those that the tuned player meets in the end, by the stage: START, AGAINST."""
        vector = self.vector(terms)
        return {START: vector.options(vector.start)}

    def theta(self, terms: Terms, before: Sequence[Step]) -> Floats:
        """The vector after some steps."""
        return np.array(before[-1].theta) if before else self.vector(terms).start

    def found(self, terms: Terms, step: Step) -> dict[str, Any]:
        """The options that a step found, as they are written out."""
        vector = self.vector(terms)
        return vector.options(vector.shown(np.array(step.theta)))

    def step_text(self, terms: Terms, step: Step) -> str:
        """Describe the findings of a step in one line."""
        learned = f" from {step.positions} positions, loss {step.loss:.4f}" if step.loss is not None else ""
        found = self.vector(terms).text(np.array(step.theta))
        return f"{self.noun} {step.number}/{self.step_count}{learned}: {found}"
