"""The Swiss system: rounds between players of about equal points, without avoidable rematches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import count
from typing import ClassVar, Literal, NamedTuple

from pydantic import Field

from arena.experiment.formats.base import Batches, FinalPlace, Format, Pairing, Rounds
from arena.experiment.yaml.values import Problem


class Swiss(Format):
    """Rounds between players of about equal points, with no rematch while one can be avoided."""

    type: Literal["swiss"]
    rounds: int = Field(ge=1, description="Rounds, fewer than there are players.")
    pairs: int = Field(default=1, ge=1, description="Openings of a round, each played twice.")
    is_known: ClassVar[bool] = False

    def problems(self, names: Sequence[str]) -> Iterator[Problem]:
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
            batch = Rounds(pairings, range((number - 1) * self.pairs, number * self.pairs), number)
            played = yield batch
            rounds.append(Round(batch.totals(played.points), bye))
            table = ScoreTable(len(names), self.pairs, rounds, played.withdrawn)
        out = table.withdrawn
        return [FinalPlace(player, {} if player in out else table.figures(player)) for player in table.order()]


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
        self.points = [0.0] * players
        self.byes = [0] * players
        self.met: list[list[tuple[int, float]]] = [[] for _ in range(players)]
        """Each player's opponents with the share of the points that the player won against them, 0 to 1."""
        self.withdrawn = withdrawn
        most = 2.0 * pairs
        for points, bye in rounds:
            played = [(one, two, won) for (one, two), (won, _) in points.items()]
            played += [(two, one, won) for (one, two), (_, won) in points.items()]
            for player, opponent, won in [*played, *([] if bye is None else [(bye, bye, most)])]:
                if player in withdrawn:
                    continue
                is_bye = opponent == player or opponent in withdrawn
                self.points[player] += most if is_bye else won
                self.byes[player] += is_bye
                self.met[player] += [] if is_bye else [(opponent, won / most)]

    def order(self) -> list[int]:
        """Players by points, then Buchholz, then Sonneborn-Berger, then their order in the configuration.

        Players that are withdrawn stand at the end.
        """

        def key(player: int) -> tuple[float, ...]:
            *figures, _ = self.figures(player).values()
            return player in self.withdrawn, *(-figure for figure in figures), player

        return sorted(range(len(self.met)), key=key)

    def figures(self, player: int) -> dict[str, float]:
        """What a player's place rests on.

        A bye gives all points of a round. Buchholz is the sum of the opponents' points; Sonneborn-Berger weights
        each with the share won against it. Byes add nothing to either.
        """
        met = self.met[player]
        return {
            "points": self.points[player],
            "buchholz": sum(self.points[opponent] for opponent, _ in met),
            "sonneborn_berger": sum(share * self.points[opponent] for opponent, share in met),
            "byes": self.byes[player],
        }

    def times_met(self, one: int, other: int) -> int:
        return sum(opponent == other for opponent, _ in self.met[one])


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
    while order:
        first = order[0]
        level = [player for player in order if table.points[player] == table.points[first]]
        half = max(len(level) // 2, 1)
        candidates = [*level[half:], *level[1:half], *order[len(level) :]]
        for opponent in sorted(candidates, key=partial(table.times_met, first)):
            others = [player for player in order[1:] if player != opponent]
            if opponent in open_to[first] and can_all_meet({*others}, open_to):
                pairings.append((first, opponent))
                order = others
                break
    return pairings


def can_all_meet(players: Set[int], open_to: Mapping[int, Set[int]]) -> bool:
    """Whether all players can be paired, each with one that is open to it.

    By backtracking: the player that is open to the fewest is paired first, as it fails soonest.
    """
    if not players:
        return True
    one = min(players, key=lambda player: len(open_to[player] & players))
    return any(can_all_meet(players - {one, other}, open_to) for other in open_to[one] & players)
