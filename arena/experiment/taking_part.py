"""When a player is withdrawn from a tournament."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from arena.base.wording import shown
from arena.experiment.yaml.section import Section

LEAST_TO_ANNUL = 3
"""With fewer players, a withdrawal would annul all games."""


class Withdrawal(Section):
    """When a player is withdrawn, and what becomes of its games."""

    after: int = Field(
        default=3, ge=0, description="A player that fails in all of its first N games is withdrawn; 0: none."
    )
    games: Literal["annul", "forfeit"] | None = Field(
        default=None,
        description="annul: none of its games counts; forfeit: it loses those it has not played "
        "[annul in a Swiss or round robin of three players or more].",
    )


def withdrawal(value: Any) -> Any:
    """The settings that a number of failures, `annul` or `forfeit` alone mean. Raises ValueError."""
    if isinstance(value, int) and not isinstance(value, bool):
        return {"after": value}
    if value in ("annul", "forfeit"):
        return {"games": value}
    if isinstance(value, dict | Withdrawal):
        return value
    raise ValueError(f"must be a number of failures, annul, forfeit, or a mapping with both, not {shown(value)}")
