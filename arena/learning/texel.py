"""Texel's method (P. Österlund, 2014): weights of features, by logistic regression of results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, Field, WithJsonSchema

from arena.base.wording import shown, unknown
from arena.experiment.yaml.errors import Keys
from arena.learning.columns import MAN, Columns, LinearWeights
from arena.learning.driver import LearningError, Play
from arena.learning.games import Terms
from arena.learning.logistic import COIN, Loss, logistic_fit
from arena.learning.method import AGAINST, BuildTrial, Method, Step, StepRun
from arena.learning.store import GameStore
from arena.learning.terms import EvaluationField
from arena.rules.position import WHITE
from arena.rules.variants import Variant
from players.evaluation.linear import FEATURES

PENALTY = 20.0
"""Strength of the ridge penalty."""


def _weights(value: Any) -> Any:
    if not isinstance(value, dict) or not value:
        raise ValueError(f"must be a mapping of features to weights, not {shown(value)}")
    return value


def _features(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) != len(set(names)) or not names:
        raise ValueError("must list at least one feature, and none twice")
    return names


class Texel(Method):
    """Logistic regression of results: rounds of games of the weights with themselves, each followed by a fit.

    Later fits leave out the first round, whose weights need not be any good, and learn from all rounds since.
    """

    method: Literal["texel"]
    features: (
        Annotated[tuple[Annotated[str, WithJsonSchema({"enum": list(FEATURES)})], ...], AfterValidator(_features)]
        | None
    ) = Field(default=None, strict=False, description="Features to weigh [those of start, else all].")
    start: Annotated[Any, AfterValidator(_weights), WithJsonSchema({"type": "object"})] = Field(
        default=None, validate_default=False, description="Weights to begin with [1 for each]."
    )
    phases: bool = Field(default=False, description="Two weights a feature: for the opening and the ending.")
    games: int = Field(default=2000, ge=2, description="Games of a round.")
    rounds: int = Field(default=3, ge=1, description="Rounds: play with the weights so far, then fit.")
    positions: int = Field(default=12, ge=1, description="Positions of a game, at most.")
    against: EvaluationField = Field(
        default="simple", description="The evaluation that the tuned one meets in the end."
    )

    noun: ClassVar[str] = "round"
    subject: ClassVar[str] = "weights"

    @property
    def step_count(self) -> int:
        return self.rounds

    @property
    def step_games(self) -> int:
        return self.games

    @property
    def names(self) -> tuple[str, ...]:
        """The features that are weighed."""
        return self.features or tuple(self.start or FEATURES)

    @property
    def given(self) -> dict[str, Any]:
        """The weights of the start, as the setting gives them."""
        return dict.fromkeys(self.names, 1) if self.start is None else self.start

    def problems(self, terms: Terms) -> Iterator[tuple[Keys, str]]:
        for number, name in enumerate(self.features or ()):
            if name not in FEATURES:
                yield ("features", number), unknown("feature", name, FEATURES)
        for name in self.given:
            if name in FEATURES and name not in self.names:
                yield ("start", name), f"'features' must list {name}, which has a weight here"

    def trials(self, terms: Terms) -> Iterator[BuildTrial]:
        yield BuildTrial(("start",), {"evaluation": {"linear": self.given}}, ("evaluation", "linear"))
        yield BuildTrial(("against",), {"evaluation": self.against}, ("evaluation",))

    def opponents(self, terms: Terms) -> dict[str, dict[str, Any]]:
        return {**super().opponents(terms), AGAINST: {"evaluation": self.against}}

    def columns(self, variant: Variant) -> Columns:
        """Which weight stands where in theta."""
        return Columns(self.names, self.phases, 2 * variant.men)

    def vector(self, terms: Terms) -> LinearWeights:
        return LinearWeights(self.columns(terms.variant), self.given)

    def step(self, terms: Terms, play: Play, store: GameStore, before: Sequence[Step]) -> StepRun:
        number = len(before) + 1
        stage, variant, columns = f"{self.noun} {number}", terms.variant, self.columns(terms.variant)
        player = terms.player("weights", **self.vector(terms).options(self.theta(terms, before)))
        jobs = [terms.job(stage, game, player, player, game, self.positions) for game in range(1, self.games + 1)]
        if not (yield from play(stage, jobs)):
            return None
        games = [game for past in range(min(number, 2), number + 1) for game in store.games(f"round {past}")]
        positions = np.concatenate([game.array() for game in games])
        if not len(positions):
            raise LearningError(f"{stage}: there is no quiet position in its games")
        owner = np.repeat(np.arange(len(games)), [len(game.array()) for game in games])
        white = np.array([game.white_points() for game in games])[owner]
        points = np.where(positions[:, 3] == WHITE, white, 1 - white)
        fit = logistic_fit(columns.design(variant, positions), points, owner, PENALTY)
        if not fit.theta.any():
            raise LearningError(f"{stage}: its results depend on none of the features; play more games")
        errors = fit.errors * MAN / columns.unit(fit.theta)
        scaled = columns.scaled(fit.theta)
        return Step(number, scaled.tolist(), errors.tolist(), len(jobs), len(positions), fit.loss, fit.held_out)

    def description(self, steps: Sequence[Step]) -> str:
        last = steps[-1]
        held_out = f" Under a fit to all others a game's loss is {Loss(*last.held_out)}." if last.held_out else ""
        return (
            f"Logistic regression of results (Texel): {self.rounds} rounds of {self.games} games, each "
            f"played with the weights so far; the last fit has {last.positions:,} quiet positions, "
            f"{'of all rounds but the first' if self.rounds > 1 else 'of that round'}. "
            f"Its loss is {last.loss:.4f} nats; a coin's is {COIN:.4f}.{held_out}"
        )
