"""The Swiss system: rounds between players of about equal points, without avoidable rematches."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations, count
from typing import Literal

from pydantic import Field

from arena.formats.base import Numbers, Place, Schedule, Tie, points_by_tie
from arena.yaml.section import Section


class Swiss(Section):
    """Rounds between players of about equal points, with no rematch while one can be avoided."""

    type: Literal["swiss"]
    rounds: int = Field(ge=1, description="Rounds, fewer than there are players.")
    pairs: int = Field(default=1, ge=1, description="Openings of a round, each played twice.")

    def most_games(self, players: int, openings: int) -> int:
        return 2 * self.rounds * (players // 2) * self.pairs

    def openings_needed(self, players: int) -> int:
        return self.rounds * self.pairs


PRIME = 2**61 - 1


class Table:
    """What the players of a Swiss tournament have scored, round by round."""

    def __init__(self, players: int, pairs: int) -> None:
        self._most = 2 * pairs
        self.points = [0.0] * players
        """A bye counts as winning every game of the round."""
        self.byes = [0] * players
        self.met: list[list[tuple[int, float]]] = [[] for _ in range(players)]
        """Each player's opponents with the share of the points that the player won against them, 0 to 1."""

    def add(self, tie: Tie, points: tuple[float, float]) -> None:
        """Count a tie of two players."""
        for player, opponent, won in zip(tie, reversed(tie), points, strict=True):
            self.points[player] += won
            self.met[player].append((opponent, won / self._most))

    def add_bye(self, player: int) -> None:
        self.points[player] += self._most
        self.byes[player] += 1

    def buchholz(self, player: int) -> float:
        """Sum of the points of the player's opponents; a bye adds nothing."""
        return sum(self.points[opponent] for opponent, _ in self.met[player])

    def sonneborn_berger(self, player: int) -> float:
        """Sum of the points of the player's opponents, each times the share won against them."""
        return sum(share * self.points[opponent] for opponent, share in self.met[player])

    def order(self) -> list[int]:
        """Players by points, then Buchholz, then Sonneborn-Berger, then their order in the configuration."""

        def key(player: int) -> tuple[float, float, float, int]:
            return -self.points[player], -self.buchholz(player), -self.sonneborn_berger(player), player

        return sorted(range(len(self.points)), key=key)

    def meetings(self, one: int, other: int) -> int:
        return sum(opponent == other for opponent, _ in self.met[one])


def swiss(players: int, settings: Swiss) -> Schedule:
    """Rounds of ties of `pairs` pairs each; the players' order decides where nothing else does.

    All ties of a round have the same openings, other ones than the rounds before.
    """
    numbers = Numbers()
    table = Table(players, settings.pairs)
    for number in range(1, settings.rounds + 1):
        ties, bye = next_round(table)
        batch = numbers.pairs(ties, number, range((number - 1) * settings.pairs, number * settings.pairs))
        points = yield batch
        for tie, won in points_by_tie(batch, points).items():
            table.add(tie, won)
        if bye is not None:
            table.add_bye(bye)
    return [Place(player, _reason(table, player)) for player in table.order()]


def next_round(table: Table) -> tuple[list[Tie], int | None]:
    """The ties of the next round, and who has a bye if the number of players is odd.

    From the first in order down, each player without an opponent meets one of equal points, first in the lower
    half of these, then in the upper half, else the next below, such that nobody meets twice; if that cannot be,
    nobody three times, and so on. The bye goes to the last in order of those with the fewest byes for whom it
    can be so.
    """
    order = table.order()
    spare: list[int | None] = [None]
    if len(order) % 2:
        spare = [player for player in reversed(order) if table.byes[player] == min(table.byes)]
    for most in count():
        for bye in spare:
            ties = _matched(table, [player for player in order if player != bye], most)
            if ties is not None:
                return ties, bye
    raise AssertionError("unreachable: any two players have met so many times at most")


def _matched(table: Table, order: list[int], most: int) -> list[Tie] | None:
    """Ties of all players in `order` of whom none have met more than `most` times; None if there are none."""
    open_to = {
        one: {other for other in order if other != one and table.meetings(one, other) <= most} for one in order
    }
    if not _can_be_paired(open_to, order):
        return None
    ties: list[Tie] = []
    left = order
    while left:
        candidates = sorted(_candidates(table, left), key=partial(table.meetings, left[0]))
        for opponent in candidates:
            rest = [player for player in left[1:] if player != opponent]
            if opponent in open_to[left[0]] and _can_be_paired(open_to, rest):
                ties.append((left[0], opponent))
                left = rest
                break
    return ties


def _candidates(table: Table, left: Sequence[int]) -> Iterator[int]:
    """Opponents of the first of `left`, the preferred one first."""
    level = [player for player in left if table.points[player] == table.points[left[0]]]
    half = len(level) // 2
    yield from level[max(half, 1) :]
    yield from level[1:half]
    yield from left[len(level) :]


def _can_be_paired(open_to: dict[int, set[int]], players: Sequence[int]) -> bool:
    """Whether the players can all be paired with one who is open to them.

    They can if the determinant of Tutte's matrix is not 0 for some values of its variables (L. Lovász, "On
    determinants, matchings, and random algorithms", 1979). It is taken at random values modulo PRIME, so a False
    is wrong with a probability below 1e-15. What the first attempt pairs needs no determinant.
    """
    left = set(players)
    for player in sorted(players, key=lambda player: (len(open_to[player]), player)):
        partner = min(open_to[player] & left, key=lambda other: (len(open_to[other]), other), default=None)
        if player in left and partner is not None:
            left -= {player, partner}
    if not left:
        return True
    rng = random.Random(1)
    rows = [[0] * len(players) for _ in players]
    for (i, one), (j, other) in combinations(enumerate(players), 2):
        if other in open_to[one]:
            rows[i][j] = rng.randrange(1, PRIME)
            rows[j][i] = PRIME - rows[i][j]
    while rows:
        pivot = next((row for row in rows if row[-1]), None)
        if pivot is None:
            return False
        rows.remove(pivot)
        inverse = pow(pivot.pop(), -1, PRIME)
        for row in rows:
            if factor := row.pop() * inverse % PRIME:
                row[:] = [(value - factor * above) % PRIME for value, above in zip(row, pivot, strict=True)]
    return True


def _reason(table: Table, player: int) -> str:
    return (
        f"{table.points[player]:g} points, Buchholz {table.buchholz(player):g}, "
        f"Sonneborn-Berger {round(table.sonneborn_berger(player), 2):g}"
    )
