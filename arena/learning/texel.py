"""Texel's tuning (P. Österlund, 2014): logistic regression of results on the features of quiet positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from arena.learning.columns import MAN
from arena.learning.driver import LearningError, Play
from arena.learning.games import Terms
from arena.learning.linear import LinearMethod
from arena.learning.method import Step, StepRun, logistic_fit
from arena.learning.store import GameStore
from arena.rules.position import WHITE


class Texel(LinearMethod):
    """Rounds of games of the weights with themselves, each followed by a fit of their results.

    Later fits leave out the first round, whose weights need not be any good, and learn from all rounds since.
    """

    method: Literal["texel"]
    games: int = Field(default=2000, ge=2, description="Games of a round.")
    rounds: int = Field(default=3, ge=1, description="Rounds: play with the weights so far, then fit.")
    positions: int = Field(default=12, ge=1, description="Positions of a game, at most.")
    penalty: float = Field(default=20.0, gt=0, description="Strength of the ridge penalty.")

    noun: ClassVar[str] = "round"

    @property
    def step_count(self) -> int:
        return self.rounds

    @property
    def step_games(self) -> int:
        return self.games

    def step(self, terms: Terms, play: Play, store: GameStore, before: Sequence[Step]) -> StepRun:
        number = len(before) + 1
        stage, variant, columns = f"{self.noun} {number}", terms.variant, self.columns(terms.variant)
        player = terms.player("weights", self.evaluation(variant, self.theta(variant, before)))
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
        fit = logistic_fit(columns.design(variant, positions), points, owner, self.penalty)
        if not fit.theta.any():
            raise LearningError(f"{stage}: its results depend on none of the features; play more games")
        errors = fit.errors * MAN / columns.unit(fit.theta)
        scaled = columns.scaled(fit.theta)
        return Step(number, scaled.tolist(), errors.tolist(), len(jobs), len(positions), fit.loss)

    def description(self, steps: Sequence[Step]) -> str:
        return (
            f"Logistic regression of results (Texel): {self.rounds} rounds of {self.games} games, each "
            f"played with the weights so far; the last fit has {steps[-1].positions:,} quiet positions, "
            f"{'of all rounds but the first' if self.rounds > 1 else 'of that round'}."
        )
