"""The sequential test of a match, as a configuration describes it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, ValidationInfo, field_validator

from arena.experiment.yaml.section import Section


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
