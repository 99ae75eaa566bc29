"""Knockout: who loses is out."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from arena.formats.base import Numbers, Place, Schedule, points_by_tie
from arena.yaml.section import Section


class Knockout(Section):
    """Who loses is out; players are seeded in their order, the first ones have the byes."""

    type: Literal["knockout"]
    pairs: int = Field(default=1, ge=1, description="Openings of a tie, each played twice.")
    extra: int = Field(default=5, ge=0, description="Most further openings of a level tie.")

    def most_games(self, players: int, openings: int) -> int:
        return 2 * (players - 1) * (self.pairs + self.extra)

    def openings_needed(self, players: int) -> int:
        return (players - 1).bit_length() * (self.pairs + self.extra)


def knockout(players: int, settings: Knockout) -> Schedule:
    """Rounds of ties until one player is left; the players stand in the order of their seeds.

    The bracket is the usual one: seeds 1 and 2 can only meet in the final, and the first ones have the byes that a
    number of players other than 2, 4, 8 ... needs. All ties of a round have the same openings, other ones than the
    rounds before. A tie that is level after `pairs` goes on pair by pair, `extra` at most, then the higher seed
    wins it. Who lost in the same round stands in the order of the seeds.
    """
    numbers = Numbers()
    bracket = _bracket(players)
    out: list[Place] = []
    number = 0
    while len(bracket) > 1:
        number += 1
        ties = [(min(tie), max(tie)) for tie in zip(bracket[::2], bracket[1::2], strict=True)]
        met = [tie for tie in ties if tie[1] < players]
        lead = dict.fromkeys(met, 0.0)
        first = (number - 1) * (settings.pairs + settings.extra)
        plays = [range(first, first + settings.pairs)]
        plays += [range(o, o + 1) for o in range(first + settings.pairs, first + settings.pairs + settings.extra)]
        for openings in plays:
            level = [tie for tie in met if lead[tie] == 0]
            if not level:
                break
            batch = numbers.pairs(level, number, openings)
            points = yield batch
            for tie, won in points_by_tie(batch, points).items():
                lead[tie] += won[0] - won[1]
        bracket = [tie[1] if lead.get(tie, 0) < 0 else tie[0] for tie in ties]
        lost = {tie[0] if lead[tie] < 0 else tie[1]: tie for tie in met}
        out[:0] = [Place(loser, f"out in round {number}") for loser in sorted(lost)]
    return [Place(bracket[0], "winner"), *out]


def _bracket(players: int) -> list[int]:
    """Seeds from 0 in the order of the bracket, whose size is a power of 2; those beyond the players are byes."""
    bracket = [0]
    while len(bracket) < players:
        size = 2 * len(bracket)
        bracket = [seed for each in bracket for seed in (each, size - 1 - each)]
    return bracket
