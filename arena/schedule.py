"""Schedules: generators of the games to play."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple


class Pairing(NamedTuple):
    """One game to play. Players and openings are indices from 0, the other numbers count from 1."""

    game: int
    pair: int
    """The two games of one opening between the same players, colours swapped, share it."""
    round: int
    white: int
    black: int
    opening: int


def round_robin(players: int, openings: int) -> Iterator[Pairing]:
    """Everyone against everyone: a round is one opening, played twice by each two players, colours swapped."""
    game = pair = 0
    for opening in range(openings):
        for first, second in combinations(range(players), 2):
            pair += 1
            for white, black in ((first, second), (second, first)):
                game += 1
                yield Pairing(game, pair, opening + 1, white, black, opening)
