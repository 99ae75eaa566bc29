"""Gauntlet: seeds against everyone else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from arena.base.wording import unknown
from arena.experiment.formats.base import Format, Tie
from arena.experiment.yaml.errors import Keys


class Gauntlet(Format):
    """Each seed against everyone who is no seed; a round is one opening by all pairings."""

    type: Literal["gauntlet"]
    seeds: tuple[str, ...] = Field(
        strict=False, json_schema_extra={"minItems": 1}, description="Names of players."
    )

    def problems(self, names: Sequence[str]) -> Iterator[tuple[Keys, str]]:
        yield from super().problems(names)
        for i, seed in enumerate(self.seeds):
            if seed not in names:
                yield ("seeds", i), unknown("player", seed, names)
            elif seed in self.seeds[:i]:
                yield ("seeds", i), f"the seed {seed!r} is given twice"
        if not self.seeds:
            yield ("seeds",), "'seeds' must list at least one player"
        elif names and set(names) <= set(self.seeds):
            yield ("seeds",), "'seeds' must leave out a player: seeds do not meet each other"

    def ties(self, names: Sequence[str]) -> list[Tie]:
        seeds = [names.index(seed) for seed in self.seeds]
        return [(seed, other) for seed in seeds for other in range(len(names)) if other not in seeds]
