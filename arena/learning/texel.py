"""Texel's method (P. Österlund, 2014): weights of features, by logistic regression of results.

A vector of weights, theta, is `float64[columns]`: one column a feature, or two with phases, all openings before
all endings. A column's count is the feature's, own minus other from the side to move's view, with phases times the
share of the start's pieces that is left (opening), or is gone (ending), which is how `linear` weighs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
import pandas as pd
from pydantic import AfterValidator, Field, WithJsonSchema

from arena.base.number import with_minus
from arena.base.wording import shown, unknown
from arena.experiment.yaml.errors import Keys
from arena.learning.games import Job, job_of
from arena.learning.logistic import COIN, Loss, fit_weights
from arena.learning.method import AGAINST, BuildTrial, LearningFindings, LearningSession, Options, Step, Tuner
from arena.learning.samples import points_to_move
from arena.learning.terms import EvaluationField, LearningError, Terms
from arena.ratings.interval import Z95, Floats, Ints
from arena.rules.result import points_of
from arena.rules.variants import Variant
from players.evaluation.linear import FEATURES, linear, linear_weights

_PENALTY = 20.0
"""Strength of the ridge penalty."""
MAN = 100.0
"""The worth of a man in weights that are written out: hundredths of a man."""
DECIMALS = 2


def _weights(value: Any) -> Any:
    if not isinstance(value, dict) or not value:
        raise ValueError(f"must be a mapping of features to weights, not {shown(value)}")
    return value


def _features(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) != len(set(names)) or not names:
        raise ValueError("must list at least one feature, and none twice")
    return names


class Texel(Tuner):
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
    unit: ClassVar[str] = "round"
    subject: ClassVar[str] = "tuned weights"

    @property
    def schedule(self) -> Sequence[int]:
        return (self.games,) * self.rounds

    def problems(self, terms: Terms) -> Iterator[tuple[Keys, str]]:
        if "evaluation" in terms.player.options:
            yield (
                ("player", "evaluation"),
                "'evaluation' is tuned here: set its first weights by 'start', in 'learn'",
            )
        vector = self.vector(terms)
        for number, name in enumerate(self.features or ()):
            if name not in FEATURES:
                yield ("learn", "features", number), unknown("feature", name, FEATURES)
        for name in vector.weights:
            if name in FEATURES and name not in vector.features:
                yield ("learn", "start", name), f"'features' must list {name}, which has a weight here"

    def trials(self, terms: Terms) -> Iterator[BuildTrial]:
        yield BuildTrial(
            ("start",), {"evaluation": {"linear": self.vector(terms).weights}}, ("evaluation", "linear")
        )
        yield BuildTrial(("against",), {"evaluation": self.against}, ("evaluation",))

    def opponents(self, terms: Terms) -> dict[str, Options]:
        return {**super().opponents(terms), AGAINST: {"evaluation": self.against}}

    def vector(self, terms: Terms) -> LinearWeights:
        features = self.features or tuple(self.start or FEATURES)
        start = dict.fromkeys(features, 1) if self.start is None else self.start
        return LinearWeights(features, self.phases, 2 * terms.rule_set.men, start)

    def jobs(self, session: LearningSession, steps: Sequence[Step]) -> list[Job]:
        terms, stage = session.terms, self.stage(len(steps) + 1)
        player = terms.spec("weights", self.vector(terms).options(self.theta(terms, steps)))
        return [
            job_of(terms, stage, game, game, player, player, positions=self.positions)
            for game in range(1, self.games + 1)
        ]

    def fit(self, session: LearningSession, steps: Sequence[Step]) -> Step:
        number, vector = len(steps) + 1, self.vector(session.terms)
        games = [
            game for past in range(min(number, 2), number + 1) for game in session.store.games(self.stage(past))
        ]
        taken = [game.scored()["position"] for game in games]
        positions = np.concatenate(taken)
        if not len(positions):
            raise LearningError(f"{self.stage(number)}: there is no quiet position in its games")
        owner = np.repeat(np.arange(len(games)), [len(rows) for rows in taken])
        white = np.array([points_of(game.result) for game in games])[owner]
        points, design = points_to_move(positions, white), vector.design(session.terms.rule_set, positions)
        fit = fit_weights(design, points, owner, _PENALTY)
        if not fit.theta.any():
            stage = self.stage(number)
            raise LearningError(f"{stage}: its results depend on none of the features; play more games")
        errors = fit.errors * MAN / vector.unit(fit.theta)
        theta = vector.shown(fit.theta).tolist()
        return Step(number, len(games), len(positions), fit.loss, fit.held_out, theta, errors.tolist())

    def description(self, steps: Sequence[Step]) -> str:
        last = steps[-1]
        held_out = f" Under a fit to all others a game's loss is {Loss(*last.held_out)}." if last.held_out else ""
        return (
            f"Logistic regression of results (Texel): {self.rounds} rounds of {self.games} games, each "
            f"played with the weights so far; the last fit has {last.positions:,} quiet positions, "
            f"{'of all rounds but the first' if self.rounds > 1 else 'of that round'}. "
            f"Its loss is {last.loss:.4f} nats; a coin's is {COIN:.4f}.{held_out}"
        )


class LinearWeights(NamedTuple):
    """Gives a linear evaluation's weights as a vector to be fitted."""

    features: tuple[str, ...]
    phases: bool
    pieces: int
    """Pieces at the start of the game."""
    weights: Mapping[str, Any]
    """The weights of the start: a number or a pair for each feature; one that it lacks has 0."""

    @property
    def names(self) -> list[str]:
        columns = self.panels.values()
        return [name for phase in zip(*columns, strict=True) for name in phase]

    @property
    def panels(self) -> Mapping[str, Sequence[str]]:
        if not self.phases:
            return {name: [name] for name in self.features}
        return {name: [f"{name} opening", f"{name} ending"] for name in self.features}

    @property
    def start(self) -> Floats:
        pairs = np.array([np.broadcast_to(self.weights.get(name, 0.0), 2) for name in self.features], dtype=float)
        return pairs.T.ravel() if self.phases else pairs.mean(axis=1)

    def options(self, theta: Floats) -> Options:
        rows = theta.reshape(2, -1).T if self.phases else theta
        return {"evaluation": {"linear": dict(zip(self.features, rows.tolist(), strict=True))}}

    def unit(self, theta: Floats) -> float:
        """The size of a man's weight, with phases the mean of both; of the largest weight if a man has none."""
        man = [weight for name, weight in zip(self.features * 2, theta, strict=False) if name == "man"]
        worth = sum(man) / (2 if self.phases else 1)
        return abs(float(worth)) or float(np.abs(theta).max(initial=0.0)) or 1.0

    def shown(self, theta: Floats) -> Floats:
        """The vector in hundredths of a man, to two decimals: the same evaluation in another unit."""
        return np.round(theta * MAN / self.unit(theta), DECIMALS) + 0.0

    def traced(self, theta: Floats) -> Floats:
        return self.shown(theta)

    def text(self, theta: Floats) -> str:
        """Weights in hundredths of a man, `king 150/120` for opening/ending."""
        weights = self.options(self.shown(theta))["evaluation"]["linear"]
        whole = {name: [with_minus(str(round(w))) for w in np.ravel(weight)] for name, weight in weights.items()}
        return ", ".join(f"{name} {'/'.join(texts)}" for name, texts in whole.items())

    def design(self, variant: Variant, positions: Ints) -> Floats:
        """The columns' counts, `float64[n, columns]`, in positions, `int64[n, 4]`."""
        rules = variant.rules
        ones = [linear_weights({name: 1}, 1) for name in self.features]
        counts = np.column_stack([linear.compiled(rules, one).values(rules, positions) for one in ones])
        if not self.phases:
            return counts
        left = np.bitwise_count(positions[:, :1] | positions[:, 1:2]) / self.pieces
        return np.hstack([counts * left, counts * (1 - left)])

    def findings(self, last: Step) -> LearningFindings:
        phases = ("opening", "ending") if self.phases else ("weight",)
        start, tuned = (self.shown(theta).reshape(len(phases), -1) for theta in (self.start, np.array(last.theta)))
        errors = np.array(last.errors).reshape(tuned.shape)
        table = pd.DataFrame({"feature": self.features})
        for row, phase in enumerate(phases):
            table[f"{phase}, start"] = [with_minus(f"{weight:.4g}") for weight in start[row]]
            table[phase] = [
                with_minus(f"{w:.1f} ± {Z95 * e:.1f}") for w, e in zip(tuned[row], errors[row], strict=True)
            ]
        note = "With the 95 % intervals of the last fit (games independent, the unit taken as exact)."
        return LearningFindings("Weights in hundredths of a man", note, table)
