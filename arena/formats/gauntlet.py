"""Gauntlet: seeds against everyone else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from arena.formats.base import Tie
from arena.yaml.section import Section


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


def gauntlet(seeds: Sequence[int], players: int) -> list[Tie]:
    """Each seed with every player that is no seed."""
    return [(seed, other) for seed in seeds for other in range(players) if other not in seeds]
