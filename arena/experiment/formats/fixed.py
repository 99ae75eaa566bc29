"""Formats whose pairings are known before the first game: round robin, match, gauntlet; and free games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from arena.base.wording import unknown
from arena.experiment.formats.base import Format, Tie
from arena.experiment.yaml.errors import Keys


class RoundRobin(Format):
    """Everyone against everyone; a round is one opening by all pairings."""

    type: Literal["round-robin"] = "round-robin"
    tested: ClassVar[bool] = True
    annuls: ClassVar[bool] = True
    least_players: ClassVar[int] = 0


class Match(Format):
    """Two players; a round is one opening."""

    type: Literal["match"]
    tested: ClassVar[bool] = True

    def problems(self, names: Sequence[str]) -> Iterator[tuple[Keys, str]]:
        if len(names) != 2:
            yield ("type",), f"'match' needs exactly two players, not {len(names)}"


class Gauntlet(Format):
    """Each seed against every other player that is not a seed; a round is one opening by all pairings."""

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


class Free(Format):
    """Games as they come, each by itself: those of persons at the board. None are planned.

    A run has it that persons play; for a configuration it is a problem in itself.
    """

    type: Literal["free"] = "free"

    def problems(self, names: Sequence[str]) -> Iterator[tuple[Keys, str]]:
        yield ("type",), "the format 'free' is of games at the board (arena play --record), not of a tournament"

    def ties(self, names: Sequence[str]) -> list[Tie]:
        return []
