"""Schedules: which games to play, in batches of which each is decided by the results of all before."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

from arena.formats import Knockout, Ladder


class Pairing(NamedTuple):
    """One game to play. Players and openings are indices from 0, the other numbers count from 1."""

    game: int
    pair: int
    """The two games of one opening between the same players, colours swapped, share it."""
    round: int
    white: int
    black: int
    opening: int


class Place(NamedTuple):
    """A player's place in the final order of a format, and what it rests on in words."""

    player: int
    reason: str


Tie: TypeAlias = tuple[int, int]
"""Two players; the first one is White in the first game of each pair."""
Schedule: TypeAlias = Generator[list[Pairing], Sequence[float], list[Place]]
"""Yields a batch, is sent White's points (0, 0.5 or 1) in its games, in their order, and so on.

It returns the final order, best first, which is empty for formats that leave it to the rating. Nothing but the
points sent decides what comes next: the same results give the same games.
"""


def everyone(players: int) -> list[Tie]:
    """All pairings of a round robin."""
    return list(combinations(range(players), 2))


def gauntlet(seeds: Sequence[int], players: int) -> list[Tie]:
    """Each seed with every player that is no seed."""
    return [(seed, other) for seed in seeds for other in range(players) if other not in seeds]


def static(ties: Sequence[Tie], openings: int) -> Schedule:
    """All games in one batch; a round is one opening by all ties, so that everyone is level after each."""
    numbers = Numbers()
    batch: list[Pairing] = []
    for opening in range(openings):
        batch += numbers.pairs(ties, opening + 1, [opening])
    if batch:
        yield batch
    return []


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


def ladder(players: int, settings: Ladder) -> Schedule:
    """The last player holds the place; the one before it challenges, and so on up to the first.

    A level tie leaves the place to its holder. Each tie is a round with openings of its own. The final order is
    the holder, then those who lost to it or to one before it, the latest first.
    """
    numbers = Numbers()
    holder, kept = players - 1, 0
    order: list[Place] = []
    for number, challenger in enumerate(range(players - 2, -1, -1), start=1):
        openings = range((number - 1) * settings.pairs, number * settings.pairs)
        batch = numbers.pairs([(challenger, holder)], number, openings)
        points = yield batch
        won = points_by_tie(batch, points)[challenger, holder]
        loser = challenger
        if won[0] > won[1]:
            loser, holder, kept = holder, challenger, 0
        else:
            kept += 1
        order.insert(0, Place(loser, f"lost tie {number}"))
    return [Place(holder, f"holds the place, {kept} challengers beaten off"), *order]


class Numbers:
    """Numbers games and pairs in the order in which they are asked for."""

    def __init__(self) -> None:
        self._pair = 0

    def pairs(self, ties: Iterable[Tie], round: int, openings: Iterable[int]) -> list[Pairing]:
        """The games of a round: opening by opening, by each tie, two games with colours swapped."""
        return list(self._pairs(list(ties), round, openings))

    def _pairs(self, ties: Sequence[Tie], round: int, openings: Iterable[int]) -> Iterator[Pairing]:
        for opening in openings:
            for first, second in ties:
                self._pair += 1
                yield Pairing(2 * self._pair - 1, self._pair, round, first, second, opening)
                yield Pairing(2 * self._pair, self._pair, round, second, first, opening)


def points_by_tie(batch: Sequence[Pairing], points: Sequence[float]) -> dict[Tie, tuple[float, float]]:
    """What the two players of each tie won in a batch."""
    total: dict[Tie, tuple[float, float]] = {}
    for first, second in zip(range(0, len(batch), 2), range(1, len(batch), 2), strict=True):
        tie = batch[first].white, batch[first].black
        one, other = total.get(tie, (0.0, 0.0))
        won = points[first] + 1 - points[second]
        total[tie] = (one + won, other + 2 - won)
    return total


def _bracket(players: int) -> list[int]:
    """Seeds from 0 in the order of the bracket, whose size is a power of 2; those beyond the players are byes."""
    bracket = [0]
    while len(bracket) < players:
        size = 2 * len(bracket)
        bracket = [seed for each in bracket for seed in (each, size - 1 - each)]
    return bracket
