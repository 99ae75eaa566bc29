"""Tournament formats and the sequential test as a configuration describes them: keys, bounds, greatest size."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator


class Section(BaseModel):
    """A mapping in the file: frozen, unknown keys refused, no value converted to another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class RoundRobin(Section):
    """Everyone against everyone; a round is one opening by all pairings."""

    type: Literal["round-robin"] = "round-robin"

    def most_games(self, players: int, openings: int) -> int:
        return players * (players - 1) * openings

    def openings_needed(self, players: int) -> int:
        return 0


class Match(Section):
    """Two players; a round is one opening."""

    type: Literal["match"]

    def most_games(self, players: int, openings: int) -> int:
        return 2 * openings

    def openings_needed(self, players: int) -> int:
        return 0


class Gauntlet(Section):
    """Each seed against everyone who is no seed; a round is one opening by all pairings."""

    type: Literal["gauntlet"]
    seeds: tuple[str, ...] = Field(
        strict=False, json_schema_extra={"minItems": 1}, description="Names of players."
    )

    def most_games(self, players: int, openings: int) -> int:
        return 2 * len(self.seeds) * (players - len(self.seeds)) * openings

    def openings_needed(self, players: int) -> int:
        return 0


class Swiss(Section):
    """Rounds between players of about equal points, with no rematch while one can be avoided."""

    type: Literal["swiss"]
    rounds: int = Field(ge=1, description="Rounds, fewer than there are players.")
    pairs: int = Field(default=1, ge=1, description="Openings of a round, each played twice.")

    def most_games(self, players: int, openings: int) -> int:
        return 2 * self.rounds * (players // 2) * self.pairs

    def openings_needed(self, players: int) -> int:
        return self.rounds * self.pairs


class Knockout(Section):
    """Who loses is out; players are seeded in their order, the first ones have the byes."""

    type: Literal["knockout"]
    pairs: int = Field(default=1, ge=1, description="Openings of a tie, each played twice.")
    extra: int = Field(default=5, ge=0, description="Most further openings of a level tie.")

    def most_games(self, players: int, openings: int) -> int:
        return 2 * (players - 1) * (self.pairs + self.extra)

    def openings_needed(self, players: int) -> int:
        return (players - 1).bit_length() * (self.pairs + self.extra)


class Ladder(Section):
    """King of the hill: from the last player up, each challenges the winner of the tie before."""

    type: Literal["ladder"]
    pairs: int = Field(default=1, ge=1, description="Openings of a tie, each played twice.")

    def most_games(self, players: int, openings: int) -> int:
        return 2 * (players - 1) * self.pairs

    def openings_needed(self, players: int) -> int:
        return (players - 1) * self.pairs


class Adaptive(Section):
    """Games where they narrow the intervals of the best players most, until these are narrow enough."""

    type: Literal["adaptive"]
    error: float = Field(gt=0, description="Wanted half width in Elo of their 95 % intervals.")
    top: int = Field(default=3, ge=1, description="How many of the best players it is wanted of.")
    batch: int = Field(default=10, ge=1, description="Pairs of games between two ratings.")

    def most_games(self, players: int, openings: int) -> int:
        return players * (players - 1) * openings

    def openings_needed(self, players: int) -> int:
        return 2


Format: TypeAlias = RoundRobin | Match | Gauntlet | Swiss | Knockout | Ladder | Adaptive
"""`most_games` is the most that a number of players and openings can lead to, exact for the first four;
`openings_needed` how many openings are the least."""

FORMATS: dict[str, type[Section]] = {
    get_args(model.model_fields["type"].annotation)[0]: model for model in get_args(Format)
}
STATIC = ("round-robin", "match", "gauntlet")
"""Formats whose games are known before the first is played."""
TESTED = ("round-robin", "match")
"""Formats that a sequential test may end."""


ELO_LIMIT = 5000.0
"""That of `arena.stats`, which is not imported for it."""


class Sprt(Section):
    """A sequential test of the first player against the second, decided on pairs of games."""

    elo0: float = Field(ge=-ELO_LIMIT, le=ELO_LIMIT, description="Elo of the first player under H0.")
    elo1: float = Field(ge=-ELO_LIMIT, le=ELO_LIMIT, description="The same under H1: more than elo0.")
    alpha: float = Field(default=0.05, gt=0, description="Probability of accepting H1 when H0 holds.")
    beta: float = Field(
        default=0.05, gt=0, validate_default=True, description="Probability of accepting H0 when H1 holds."
    )
    model: Literal["normalized", "logistic"] = Field(
        default="normalized", description="Unit of elo0 and elo1: normalized or logistic Elo, see arena/stats.py."
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
    """The value; raises ValueError with the reason of `arena.stats.sprt` if the settings make no test."""
    from arena.stats import sprt

    try:
        sprt([0, 0, 0, 0, 0], elo0, elo1, alpha, beta)
    except ValueError as error:
        raise ValueError(f"makes no test: {error}") from None
    return value
