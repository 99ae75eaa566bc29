"""The knockout: pairings whose loser is out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from arena.experiment.formats.base import Batches, FinalPlace, Format, Rounds


class Knockout(Format):
    """Who loses is out; players are seeded in their order, the first ones have the byes."""

    type: Literal["knockout"]
    pairs: int = Field(default=1, ge=1, description="Openings of a pairing, each played twice.")
    extra: int = Field(default=5, ge=0, description="Most further openings of a drawn match.")
    exact: ClassVar[bool] = False
    is_known: ClassVar[bool] = False

    def pairs_of_pairing(self, openings: int) -> int:
        return self.pairs + self.extra

    def most_games(self, names: Sequence[str], openings: int) -> int:
        return 2 * (len(names) - 1) * (self.pairs + self.extra)

    def openings_needed(self, players: int) -> int:
        return (players - 1).bit_length() * (self.pairs + self.extra)

    def batches(self, names: Sequence[str], openings: int) -> Batches:
        """Rounds of pairings until one player is left; the players stand in the order of their seeds.

        The bracket is the usual one: seeds 1 and 2 can only meet in the final, and the first ones have the byes
        that a number of players other than 2, 4, 8 ... needs. All matches of a round have the same openings, other
        ones than the rounds before. A match that is level after `pairs` continues pair by pair, `extra` at most,
        then the higher seed wins it. Who lost in the same round stands in the order of the seeds; a place rests on
        the player's last match.
        """
        bracket = _bracket(len(names))
        out: list[FinalPlace] = []
        last: dict[int, dict[str, float | str]] = {}
        number = 0
        while len(bracket) > 1:
            number += 1
            pairings = [(min(pairing), max(pairing)) for pairing in zip(bracket[::2], bracket[1::2], strict=True)]
            met = [pairing for pairing in pairings if pairing[1] < len(names)]
            won = dict.fromkeys(met, (0.0, 0.0))
            begin = (number - 1) * (self.pairs + self.extra)
            further = range(begin + self.pairs, begin + self.pairs + self.extra)
            for played in (range(begin, begin + self.pairs), *(range(one, one + 1) for one in further)):
                level = [pairing for pairing in met if won[pairing][0] == won[pairing][1]]
                if not level:
                    break
                batch = Rounds(level, played, number)
                for pairing, scored in batch.totals((yield batch).points).items():
                    won[pairing] = won[pairing][0] + scored[0], won[pairing][1] + scored[1]
            behind = {pairing for pairing, (scored, conceded) in won.items() if scored < conceded}
            bracket = [second if (first, second) in behind else first for first, second in pairings]
            for (first, second), (gained, conceded) in won.items():
                last[first] = _last_match(number, names[second], gained, conceded)
                last[second] = _last_match(number, names[first], conceded, gained)
            lost = sorted(player for pairing in met for player in pairing if player not in bracket)
            out[:0] = [FinalPlace(loser, last[loser]) for loser in lost]
        return [FinalPlace(bracket[0], last[bracket[0]]), *out]


def _last_match(number: int, opponent: str, scored: float, conceded: float) -> dict[str, float | str]:
    """What a place rests on: the player's last match, in round `number`; of equal points the seed decides."""
    decided = "seed" if scored == conceded else "points"
    return {"round": number, "opponent": opponent, "points": scored, "conceded": conceded, "decided": decided}


def _bracket(players: int) -> list[int]:
    """Seeds from 0 in the order of the bracket, whose size is a power of 2; those beyond the players are byes."""
    bracket = [0]
    while len(bracket) < players:
        size = 2 * len(bracket)
        bracket = [seed for each in bracket for seed in (each, size - 1 - each)]
    return bracket
