"""Methods of learning: what each must know, and what it works with."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

import numpy as np
import pandas as pd
from pydantic import Field

from arena.base.errors import ArenaError
from arena.experiment.yaml.errors import Keys
from arena.experiment.yaml.section import Section
from arena.learning.games import GameStore, Job, attempted
from arena.learning.terms import Terms
from arena.play.workers import Workers, run
from arena.ratings.interval import Floats
from arena.watch.observer import Observer
from players.loading import is_class
from players.table import build_player

LEARNED, START, AGAINST = "learned", "start", "against"
"""Players of the last matches, the latter two also the names of these stages."""
STEPS_SHOWN = 40
"""Steps of which there is a line, about."""

Options: TypeAlias = dict[str, Any]
"""Options of the configured player that are set in place of its own."""


class Step(NamedTuple):
    """Stores what one step of learning found."""

    number: int
    """From 1."""
    games: int
    """Games that were learned from by now."""
    positions: int = 0
    """Positions of the fit; 0 for SPSA."""
    loss: float | None = None
    """The fit's mean cross-entropy, in nats."""
    held_out: Sequence[float] | None = None
    """The Loss of games that were not learned from."""
    theta: Sequence[float] = ()
    """The weights or numbers that the next step plays with, see Vector; a network has a file."""
    errors: Sequence[float] = ()
    """Their standard errors, from Texel's fit."""
    judged: int = 0
    """Positions held out from the fit of a network."""
    epochs: Sequence[Sequence[float]] = ()
    """The Epochs of the fit of a network."""


class LearningSession(NamedTuple):
    """A learning run under way."""

    terms: Terms
    store: GameStore
    workers: Workers
    observer: Observer

    def play(self, what: str, jobs: Sequence[Job]) -> bool:
        """Play the games of a stage, in words `what`, that are not stored, and store each; whether to go on.

        Raises LearningError or OpeningsError for a game that cannot be played, once those under way are stored,
        and EngineError for one that ends its process.
        """
        stored = self.store.finished(jobs[0].stage) if jobs else set()
        missing = [job for job in jobs if job.game not in stored]
        if not missing:
            return True
        for spec in (missing[0].white, missing[0].black):
            if not is_class(spec.type):
                build_player(spec, self.terms.rule_set)  # compiled here once, not by every worker at once
        done, failures = len(stored), list[ArenaError]()
        with self.observer.working(what, len(jobs)) as stopping:
            for played in run(attempted, missing, self.workers, lambda: bool(failures) or stopping()):
                if isinstance(played, ArenaError):
                    failures.append(played)
                    continue
                self.store.add(played)
                done += 1
                self.observer.done(done)
            if failures:
                raise failures[0]
            return done == len(jobs) and not stopping()


class BuildTrial(NamedTuple):
    """Options that the player must take before the first game, and the setting that gives them."""

    keys: Keys
    """The setting, within `learn`."""
    options: Options
    above: Keys = ()
    """The keys of the player's entry that lead to what the setting is, if it is one of the player's."""


class LearningFindings(NamedTuple):
    """What was learned, for the report."""

    heading: str
    """Also the title of the chart of the path."""
    note: str
    """Markdown, above the table."""
    table: pd.DataFrame
    """Texts: a row for each number that was tuned; empty for a network."""


class Method(Section):
    """A method of learning, by its settings. What follows from it are its functions; it holds no state.

    A subclass has a field `method`, a Literal that is its name in configurations, and a row in
    `arena.learning.config.TABLE`.
    """

    method: str
    check: int = Field(default=200, ge=1, description="Pairs of games of each match in the end.")

    noun: ClassVar[str]
    """The name of a step."""
    subject: ClassVar[str]
    """What is learned, in sentences: `tuned weights`."""
    unit: ClassVar[str]
    """What a row of the path is."""

    @property
    @abstractmethod
    def schedule(self) -> Sequence[int]:
        """The number of games of each step."""

    @abstractmethod
    def problems(self, terms: Terms) -> Iterator[tuple[Keys, str]]:
        """Yield problems between settings: keys, and a message. Raises PlayerError for one of the player."""

    @abstractmethod
    def trials(self, terms: Terms) -> Iterator[BuildTrial]:
        """Yield what must be built before the first game, without problems."""

    @abstractmethod
    def first_options(self, terms: Terms) -> Options:
        """The options of the player of the first step."""

    @abstractmethod
    def opponents(self, terms: Terms) -> dict[str, Options]:
        """Options of the players that the learned player meets in the end, by the stage: START, AGAINST."""

    @abstractmethod
    def jobs(self, session: LearningSession, steps: Sequence[Step]) -> list[Job]:
        """The games of the step after some."""

    @abstractmethod
    def fit(self, session: LearningSession, steps: Sequence[Step]) -> Step | None:
        """Learn from the stored games of the step after some; None if it was stopped. Raises LearningError."""

    def told(self, terms: Terms, step: Step) -> str:
        """A step in one line; "" where it has been told, and for most of many steps."""
        return ""

    @abstractmethod
    def options(self, terms: Terms, step: Step, folder: Path) -> Options:
        """The options that a step of the run in a folder found, as they are written out."""

    @abstractmethod
    def findings(self, terms: Terms, step: Step, folder: Path) -> LearningFindings:
        """What the last step found."""

    @abstractmethod
    def path(self, terms: Terms, steps: Sequence[Step]) -> pd.DataFrame:
        """A row for each `unit` on the way, `step`: `games`, `loss`, `held_out`, then numbers, if it tunes any.

        Numbers have a row for the start, too, and epochs, before all else, their `round`.
        """

    def panels(self, terms: Terms) -> Mapping[str, Sequence[str]]:
        """The columns of numbers in `path` that a chart shows together."""
        return {}

    @abstractmethod
    def description(self, steps: Sequence[Step]) -> str:
        """How it was learned, in a sentence or two."""

    def stage(self, number: int) -> str:
        """The stage of a step's games, which decides their openings."""
        return f"{self.noun} {number}"

    def is_changed(self, terms: Terms, step: Step) -> bool:
        """Whether a step found anything else than the start."""
        return True

    def is_kept(self, step: Step, folder: Path) -> bool:
        """Whether all that a stored step found is still in the folder."""
        return True


class Vector(Protocol):
    """The numbers that a method tunes, theta, `float64[n]`: where they stand in a player's options."""

    @property
    def names(self) -> Sequence[str]:
        """Their names, in the order of theta."""

    @property
    def panels(self) -> Mapping[str, Sequence[str]]:
        """The names that a chart shows together: a number, or those of the opening and the ending."""

    @property
    def start(self) -> Floats:
        """Theta at first."""

    def options(self, theta: Floats) -> Options:
        """The options of the player that has theta."""

    def shown(self, theta: Floats) -> Floats:
        """Theta as it is written out."""

    def traced(self, theta: Floats) -> Floats:
        """Theta as its path has it: whole numbers before they are rounded."""

    def text(self, theta: Floats) -> str:
        """Theta in a line."""

    def findings(self, last: Step) -> LearningFindings:
        """What the last step found."""


class Tuner(Method):
    """A method that finds numbers in the options of the player."""

    @abstractmethod
    def vector(self, terms: Terms) -> Vector:
        """The numbers that are tuned."""

    def first_options(self, terms: Terms) -> Options:
        vector = self.vector(terms)
        return vector.options(vector.start)

    def opponents(self, terms: Terms) -> dict[str, Options]:
        return {START: self.first_options(terms)}

    def theta(self, terms: Terms, steps: Sequence[Step]) -> Floats:
        """The vector after some steps."""
        return np.array(steps[-1].theta) if steps else self.vector(terms).start

    def options(self, terms: Terms, step: Step, folder: Path) -> Options:
        vector = self.vector(terms)
        return vector.options(vector.shown(np.array(step.theta)))

    def is_changed(self, terms: Terms, step: Step) -> bool:
        vector = self.vector(terms)
        return not np.array_equal(vector.shown(np.array(step.theta)), vector.shown(vector.start))

    def told(self, terms: Terms, step: Step) -> str:
        planned = len(self.schedule)
        if step.number % -(-planned // STEPS_SHOWN) and step.number < planned:
            return ""
        learned = f" from {step.positions} positions, loss {step.loss:.4f}" if step.loss is not None else ""
        return f"{self.noun} {step.number}/{planned}{learned}: {self.vector(terms).text(np.array(step.theta))}"

    def findings(self, terms: Terms, step: Step, folder: Path) -> LearningFindings:
        return self.vector(terms).findings(step)

    def panels(self, terms: Terms) -> Mapping[str, Sequence[str]]:
        return self.vector(terms).panels

    def path(self, terms: Terms, steps: Sequence[Step]) -> pd.DataFrame:
        vector = self.vector(terms)
        rows: list[tuple[Any, ...]] = [(0, 0, None, None, *vector.traced(vector.start))]
        for step in steps:
            games, held_out = sum(self.schedule[: step.number]), step.held_out[0] if step.held_out else None
            rows.append((step.number, games, step.loss, held_out, *vector.traced(np.array(step.theta))))
        table = pd.DataFrame(rows, columns=["step", "games", "loss", "held_out", *vector.names])
        return table.astype({"loss": "Float64", "held_out": "Float64"})
