"""Formats whose next games follow from ratings: where they narrow the best players' intervals, or a newcomer's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from arena.base.wording import listed
from arena.experiment.formats.base import Format, Schedule, Tie, at_most
from arena.experiment.pools import full_name, pool_named
from arena.experiment.yaml.errors import Keys
from arena.experiment.yaml.messages import refusal
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


def _full_name(name: str) -> str:
    try:
        return full_name(name)
    except ValueError as error:
        raise refusal(str(error)) from None


class Placing(Format):
    """One player against the players of a pool, where its games tell most, until its Elo is sure."""

    type: Literal["place"]
    pool: Annotated[str, AfterValidator(_full_name)] = Field(
        description="The pool, as english-2026; its players need not be listed."
    )
    error: float = Field(default=20.0, gt=0, description="Wanted half width in Elo of the 95 % interval.")
    exact: ClassVar[bool] = False
    even: ClassVar[bool] = False

    def problems(self, names: Sequence[str]) -> Iterator[tuple[Keys, str]]:
        others = self._newcomers(names)
        if len(others) != 1:
            found = listed([names[player] for player in others]) or "none"
            yield ("type",), f"'place' needs exactly one player that is not of {self.pool}, not {found}"

    def newcomer(self, names: Sequence[str]) -> int:
        """The number of the player that is placed."""
        (player,) = self._newcomers(names)
        return player

    def ties(self, names: Sequence[str]) -> list[Tie]:
        player = self.newcomer(names)
        return [(player, other) for other in range(len(names)) if other != player]

    def schedule(
        self,
        names: Sequence[str],
        openings: int,
        first: Colour = "white",
        anchor: str | None = None,
        seed: int = 0,
    ) -> Schedule:
        """Pairs of the newcomer against players of the pool until its 95 % interval is within +-`error` Elo.

        See `arena.experiment.formats.information.placing`.
        """
        from arena.experiment.formats.information import placing

        return placing(pool_named(self.pool), names, openings, first, seed, self.error)

    def _newcomers(self, names: Sequence[str]) -> list[int]:
        known = pool_named(self.pool).names
        return [number for number, name in enumerate(names) if name not in known]
