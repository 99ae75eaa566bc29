"""The sequential test of a match: as a configuration describes it, and its course."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, ValidationInfo, field_validator

from arena.experiment.yaml.section import Section
from arena.ratings.match import SprtState, sprt
from arena.rules.result import pair_points


class Sprt(Section):
    """A sequential test of the first player against the second, decided on pairs of games."""

    elo0: float = Field(description="Elo of the first player under H0.")
    elo1: float = Field(description="The same under H1: more than elo0.")
    alpha: float = Field(default=0.05, gt=0, description="Probability of accepting H1 when H0 holds.")
    beta: float = Field(
        default=0.05, gt=0, validate_default=True, description="Probability of accepting H0 when H1 holds."
    )
    model: Literal["normalized", "logistic"] = Field(
        default="normalized",
        description="Unit of elo0 and elo1: normalized or logistic Elo, see arena/ratings/match.py.",
    )

    @field_validator("elo1")
    @classmethod
    def _hypotheses_differ(cls, elo1: float, info: ValidationInfo) -> float:
        return _tested(elo1, elo0=info.data.get("elo0", elo1 - 1), elo1=elo1)

    @field_validator("beta")
    @classmethod
    def _errors_make_a_test(cls, beta: float, info: ValidationInfo) -> float:
        return _tested(beta, elo0=0.0, elo1=1.0, alpha=info.data.get("alpha", beta / 2), beta=beta)


def _tested(value: float, *, elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> float:
    from arena.ratings.match import sprt

    try:
        sprt([0, 0, 0, 0, 0], elo0, elo1, alpha, beta)
    except ValueError as error:
        raise ValueError(f"makes no test: {error}") from None
    return value


class SequentialTest:
    """An SPRT over the complete pairs at the head of a match's schedule; without settings never decided."""

    def __init__(self, settings: Sprt | None) -> None:
        self._settings = settings.model_dump() if settings else None
        self._counts = [0] * 5
        self.games = 0
        """Games that the test has taken in: two for each pair."""
        self.decided = False
        self.state: SprtState | None = None
        """After the last pair taken in; None before the first."""

    def advance(self, points: Mapping[int, float]) -> list[SprtState]:
        """Take in the next pairs as far as both games are known, until decided; returns the state after each.

        `points` are White's by number of the game, from 1. Games 2 k - 1 and 2 k are a pair, and the first player
        is White in the first of them. About a millisecond a pair.
        """
        states: list[SprtState] = []
        if self._settings is None:
            return states
        while not self.decided and self.games + 1 in points and self.games + 2 in points:
            won = pair_points(points[self.games + 1], points[self.games + 2])
            self._counts[round(2 * won)] += 1
            self.games += 2
            self.state = sprt(self._counts, **self._settings)
            states.append(self.state)
            self.decided = self.state.verdict != "continue"
        return states
