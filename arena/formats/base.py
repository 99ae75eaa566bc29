"""Schedules: which games to play, in batches of which each is decided by the results of all before."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias


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


def static(ties: Sequence[Tie], openings: int) -> Schedule:
    """All games in one batch; a round is one opening by all ties, so that everyone is level after each."""
    numbers = Numbers()
    batch: list[Pairing] = []
    for opening in range(openings):
        batch += numbers.pairs(ties, opening + 1, [opening])
    if batch:
        yield batch
    return []


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
