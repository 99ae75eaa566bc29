"""The Swiss system: rounds between players of about equal points, without avoidable rematches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import count
from typing import ClassVar, Literal, NamedTuple

from pydantic import Field

from arena.experiment.formats.base import Batches, FinalPlace, Format, Pairing, pairs_of, points_by_pairing
from arena.experiment.yaml.errors import Keys


class Swiss(Format):
    """Rounds between players of about equal points, with no rematch while one can be avoided."""

    type: Literal["swiss"]
    rounds: int = Field(ge=1, description="Rounds, fewer than there are players.")
    pairs: int = Field(default=1, ge=1, description="Openings of a round, each played twice.")
    is_known: ClassVar[bool] = False

    def problems(self, names: Sequence[str]) -> Iterator[tuple[Keys, str]]:
        yield from super().problems(names)
        if self.rounds > len(names) - 1 > 0:
            yield ("rounds",), f"'rounds' must be at most {len(names) - 1} with {len(names)} players"

    def limited_to(self, names: Sequence[str]) -> Format:
        return self.model_copy(update={"rounds": min(self.rounds, max(len(names) - 1, 1))})

    def pairs_of_pairing(self, openings: int) -> int:
        return self.pairs

    def most_games(self, names: Sequence[str], openings: int) -> int:
        return 2 * self.rounds * (len(names) // 2) * self.pairs

    def openings_needed(self, players: int) -> int:
        return self.rounds * self.pairs

    def batches(self, names: Sequence[str], openings: int) -> Batches:
        """Rounds of pairings of `pairs` pairs each; the players' order decides where nothing else does.

        All pairings of a round have the same openings, other ones than the rounds before. A withdrawn player is
        not paired any more, and stands at the end; who met it had a bye.
        """
        table, rounds = ScoreTable(len(names), self.pairs), list[Round]()
        for number in range(1, self.rounds + 1):
            pairings, bye = next_round(table)
            batch = pairs_of(pairings, range((number - 1) * self.pairs, number * self.pairs), number)
            played = yield batch
            rounds.append(Round(points_by_pairing(batch, played.points), bye))
            table = ScoreTable(len(names), self.pairs, rounds, played.withdrawn)
        return [FinalPlace(player, table.figures(player)) for player in table.order()]


class Round(NamedTuple):
    """A round that was played."""

    points: Mapping[Pairing, tuple[float, float]]
    bye: int | None
    """The player that had no opponent."""


class ScoreTable:
    """The scores of the players of a Swiss tournament after some rounds."""

    def __init__(
        self, players: int, pairs: int, rounds: Iterable[Round] = (), withdrawn: frozenset[int] = frozenset()
    ) -> None:
        """Of so many players, `pairs` pairs of games a round; whoever met one that is withdrawn had a bye."""
        self._most = 2 * pairs
        self._won = [0.0] * players
        self.byes = [0] * players
        self.met: list[list[tuple[int, float]]] = [[] for _ in range(players)]
        """Each player's opponents with the share of the points that the player won against them, 0 to 1."""
        self.withdrawn = withdrawn
        for points, bye in rounds:
            for pairing, won in points.items():
                self._add(pairing, won)
            if bye is not None:
                self._add_bye(bye)

    def _add(self, pairing: Pairing, points: tuple[float, float]) -> None:
        for player, opponent, won in zip(pairing, reversed(pairing), points, strict=True):
            if opponent in self.withdrawn:
                self._add_bye(player)
            elif player not in self.withdrawn:
                self._won[player] += won
                self.met[player].append((opponent, won / self._most))

    def _add_bye(self, player: int) -> None:
        if player not in self.withdrawn:
            self._won[player] += self._most
            self.byes[player] += 1

    def points(self, player: int) -> float:
        """A player's points; a bye counts as winning every game of the round."""
        return self._won[player]

    def buchholz(self, player: int) -> float:
        """Sum of the points of the player's opponents; a bye adds nothing."""
        return sum(self.points(opponent) for opponent, _ in self.met[player])

    def sonneborn_berger(self, player: int) -> float:
        """As Buchholz, each opponent's points times the share won against it."""
        return sum(share * self.points(opponent) for opponent, share in self.met[player])

    def order(self) -> list[int]:
        """Players by points, then Buchholz, then Sonneborn-Berger, then their order in the configuration.

        Players that are withdrawn stand at the end.
        """

        def key(player: int) -> tuple[bool, float, float, float, int]:
            figures = self.points(player), self.buchholz(player), self.sonneborn_berger(player)
            return player in self.withdrawn, *(-figure for figure in figures), player  # type: ignore[return-value]

        return sorted(range(len(self.met)), key=key)

    def times_met(self, one: int, other: int) -> int:
        return sum(opponent == other for opponent, _ in self.met[one])

    def figures(self, player: int) -> dict[str, float | str]:
        """The basis of the player's place; empty for one that is withdrawn."""
        if player in self.withdrawn:
            return {}
        return {
            "points": self.points(player),
            "buchholz": self.buchholz(player),
            "sonneborn_berger": self.sonneborn_berger(player),
            "byes": self.byes[player],
        }


def next_round(table: ScoreTable) -> tuple[list[Pairing], int | None]:
    """The pairings of the next round, and who has a bye if the number of players is odd.

    From the first in order down, each player without an opponent meets one of equal points, first in the lower
    half of these, then in the upper half, else the next below, such that nobody meets twice; if that cannot be,
    nobody three times, and so on. The bye goes to the last in order of the players with the fewest byes for
    whom it can be so. Players that are withdrawn are left out.
    """
    order = [player for player in table.order() if player not in table.withdrawn]
    spare: list[int | None] = [None]
    if len(order) % 2:
        fewest = min(table.byes[player] for player in order)
        spare = [player for player in reversed(order) if table.byes[player] == fewest]
    for most in count():
        for bye in spare:
            pairings = _matched(table, [player for player in order if player != bye], most)
            if pairings is not None:
                return pairings, bye
    raise AssertionError("unreachable: any two players have met at most that often")


def _matched(table: ScoreTable, order: list[int], most: int) -> list[Pairing] | None:
    """Ties of all players in `order`, none of whom have met more than `most` times; None if that is impossible."""
    open_to = {
        one: {other for other in order if other != one and table.times_met(one, other) <= most} for one in order
    }
    if not can_all_meet(open_to.keys(), open_to):
        return None
    pairings: list[Pairing] = []
    left = order
    while left:
        for opponent in sorted(_candidates(table, left), key=partial(table.times_met, left[0])):
            others = [player for player in left[1:] if player != opponent]
            if opponent in open_to[left[0]] and can_all_meet({*others}, open_to):
                pairings.append((left[0], opponent))
                left = others
                break
    return pairings


def _candidates(table: ScoreTable, left: Sequence[int]) -> Iterator[int]:
    level = [player for player in left if table.points(player) == table.points(left[0])]
    half = len(level) // 2
    yield from level[max(half, 1) :]
    yield from level[1:half]
    yield from left[len(level) :]


def can_all_meet(players: Set[int], open_to: Mapping[int, Set[int]]) -> bool:
    """Whether all players can be paired, each with one that is open to it.

    By backtracking: the player that is open to the fewest is paired first, as it fails soonest.
    """
    if not players:
        return True
    one = min(players, key=lambda player: len(open_to[player] & players))
    return any(can_all_meet(players - {one, other}, open_to) for other in open_to[one] & players)
