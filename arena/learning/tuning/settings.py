"""What every tuning is given: its openings and its player."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from arena.experiment.model import LIMIT_FIELDS
from arena.experiment.yaml.section import Section


class RandomOpenings(Section):
    """The openings; each is played once (Texel, patterns) or twice, colours swapped."""

    random_plies: int = Field(default=8, ge=2, description="Random plies from the start position.")
    balanced: bool = Field(default=True, description="Throw out random openings in which material is won.")


class Search(Section):
    """The negamax player whose evaluation is tuned: every other key is one of its options."""

    model_config = ConfigDict(extra="allow")
    depth: Annotated[int | None, LIMIT_FIELDS["depth"]] = None
    nodes: Annotated[int | None, LIMIT_FIELDS["nodes"]] = None

    @property
    def options(self) -> dict[str, Any]:
        """The options, without the limits."""
        return self.model_extra or {}
