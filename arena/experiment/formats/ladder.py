"""Ladder: each challenges the winner of the tie before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from arena.experiment.formats.base import Format, Numbers, Place, Schedule, last_tie, points_by_tie
from arena.rules.result import Colour


class Ladder(Format):
    """King of the hill: from the last player up, each challenges the winner of the tie before."""

    type: Literal["ladder"]
    pairs: int = Field(default=1, ge=1, description="Openings of a tie, each played twice.")
    even: ClassVar[bool] = False

    def pairs_of_tie(self, openings: int) -> int:
        return self.pairs

    def most_games(self, names: Sequence[str], openings: int) -> int:
        return 2 * (len(names) - 1) * self.pairs

    def openings_needed(self, players: int) -> int:
        return (players - 1) * self.pairs

    def schedule(
        self, names: Sequence[str], openings: int, first: Colour = "white", anchor: str | None = None
    ) -> Schedule:
        """The last player holds the place; the one before it challenges, and so on up to the first.

        A level tie leaves the place to its holder. Each tie is a round with its own openings. The final order
        is the holder, then those who lost to it or to one before it, the latest first; a place rests on the
        player's last tie.
        """
        numbers = Numbers()
        holder = len(names) - 1
        last: dict[str, float | str] = {}
        order: list[Place] = []
        for number, challenger in enumerate(range(len(names) - 2, -1, -1), start=1):
            batch = numbers.pairs(
                [(challenger, holder)], number, range((number - 1) * self.pairs, number * self.pairs)
            )
            points = (yield batch).points
            lost, won = points_by_tie(batch, points)[challenger, holder]
            loser = challenger
            if lost > won:
                loser, holder, lost, won = holder, challenger, won, lost
            last = last_tie(number, names[loser], won, lost, "holder")
            order.insert(0, Place(loser, last_tie(number, names[holder], lost, won, "holder")))
        return [Place(holder, last), *order]
