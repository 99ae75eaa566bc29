"""Adaptive schedules: the next games where they narrow the intervals of the best players most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from arena.experiment.formats.base import Format, Schedule, at_most
from arena.experiment.yaml.errors import Keys
from arena.rules.result import Colour

START = 2
"""Pairs that every two players play before the first rating."""


class Adaptive(Format):
    """Games where they narrow the intervals of the best players most, until these are narrow enough."""

    type: Literal["adaptive"]
    error: float = Field(gt=0, description="Wanted half width in Elo of their 95 % intervals.")
    top: int = Field(default=3, ge=1, description="How many of the best players it is wanted of.")
    batch: int = Field(default=10, ge=1, description="Pairs of games between two ratings.")
    exact: ClassVar[bool] = False
    even: ClassVar[bool] = False

    def problems(self, names: Sequence[str]) -> Iterator[tuple[Keys, str]]:
        yield from super().problems(names)
        yield from at_most("top", self.top, len(names), len(names))

    def limited_to(self, names: Sequence[str]) -> Format:
        return self.model_copy(update={"top": min(self.top, max(len(names), 1))})

    def openings_needed(self, players: int) -> int:
        return START

    def schedule(
        self,
        names: Sequence[str],
        openings: int,
        first: Colour = "white",
        anchor: str | None = None,
        seed: int = 0,
    ) -> Schedule:
        """START pairs by everyone against everyone, then `arena.experiment.formats.information.narrowing`."""
        from arena.experiment.formats.information import narrowing

        start = self.ties(names) * min(START, openings)
        return narrowing(start, names, openings, first, anchor, self.top, self.error, self.batch)
