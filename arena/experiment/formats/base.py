"""Formats: what each one knows, and the batches of games that it makes of the results so far."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import ClassVar, NamedTuple, TypeAlias

from arena.experiment.yaml.section import Section
from arena.experiment.yaml.values import Problem

MIN_ROUNDS = 25
"""Rounds before which no interval ends a run: fewer say too little of its width (arena/ratings/README.md)."""


class ScheduledGame(NamedTuple):
    """One game to play. Players and openings are indices from 0, the other numbers count from 1."""

    key: int
    """Known by it wherever it is stored (`arena.experiment.schedule.Keys`)."""
    game: int
    pair: int
    """The two games of one opening between the same players, colours swapped, share it."""
    round: int
    white: int
    black: int
    opening: int


Pairing: TypeAlias = tuple[int, int]
"""Two players who meet; the first one is White in the first game of each pair."""


class Rounds:
    """Pairs of games, played in any order and all before the next ones: each opening by all pairings in turn.

    None of them is in memory.
    """

    def __init__(self, pairings: Sequence[Pairing], openings: range, round: int | None = None) -> None:
        """All of one `round`, or a round for each opening."""
        self._pairings, self._openings, self._round = pairings, openings, round

    def __len__(self) -> int:
        return len(self._pairings) * len(self._openings)

    def __getitem__(self, index: int) -> tuple[int, int, int, int]:
        """A pair: who is White in its first game, who in its second, and opening, from 0; its round, from 1."""
        turn, pairing = divmod(index, len(self._pairings))
        first, second = self._pairings[pairing]
        return first, second, self._openings[turn], self._round or self._openings[turn] + 1

    def totals(self, points: Iterable[tuple[float, float]]) -> dict[Pairing, tuple[float, float]]:
        """The points of the two players of each pairing, by those of the first in each pair."""
        total = dict.fromkeys(self._pairings, (0.0, 0.0))
        for index, won in enumerate(points):
            pairing = self._pairings[index % len(self._pairings)]
            scored, conceded = total[pairing]
            total[pairing] = scored + sum(won), conceded + 2 - sum(won)
        return total


class BatchResult(NamedTuple):
    """How a batch of games ended, which is sent to the format."""

    points: Iterator[tuple[float, float]]
    """Of the first player of each pair, in order: its points in the game as White, and as Black."""
    withdrawn: frozenset[int] = frozenset()
    """The players whose games count for nobody, in this batch and before; their opponents have all points."""


class FinalPlace(NamedTuple):
    """A player's place in the final order of a format, and what it rests on."""

    player: int
    figures: Mapping[str, float | str]
    """By the columns of `standings.csv`: see the formats."""


Batches: TypeAlias = Generator[Rounds, BatchResult, list[FinalPlace]]
"""A format under way: it yields a batch, is sent how that ended, and so on.

It returns the final order, best first, which is empty for formats that leave it to the rating. Nothing but what it
is sent decides what comes next: the same results give the same games.
"""


class Format(Section):
    """A tournament format: its settings in a configuration, and everything that follows from them.

    Left as they are, the methods describe a format whose games are known before the first is played: every pairing
    plays every opening. `names` are the players' names in the order of the configuration.
    """

    type: str
    exact: ClassVar[bool] = True
    """Whether exactly `most_games` games are played, whatever their results."""
    is_known: ClassVar[bool] = True
    """Whether it is known before the first game who plays whom from which opening; then intervals may end it."""
    tested: ClassVar[bool] = False
    """Whether a sequential test may end it."""

    def problems(self, names: Sequence[str]) -> Iterable[Problem]:
        """Yield problems between the settings and the players, each with the key in the format to blame."""
        if len(names) < 2:
            yield ("type",), f"{self.type!r} needs at least 2 players, not {len(names)}"

    def limited_to(self, names: Sequence[str]) -> Format:
        """The format for some of the players of a configuration; what is for more of them is made less."""
        return self

    def pairings(self, names: Sequence[str]) -> list[Pairing]:
        """Who may meet whom."""
        return list(combinations(range(len(names)), 2))

    def pairs_of_pairing(self, openings: int) -> int:
        """The most pairs of games of a pairing, given the number of openings."""
        return openings

    def most_games(self, names: Sequence[str], openings: int) -> int:
        """The most games that a number of openings can lead to."""
        return 2 * len(self.pairings(names)) * self.pairs_of_pairing(openings)

    def openings_needed(self, players: int) -> int:
        """How many openings a number of players needs at least."""
        return 0

    def batches(self, names: Sequence[str], openings: int) -> Batches:
        """Play one batch, as no result is needed: each opening by all pairings, a round, before the next one."""
        if batch := Rounds(self.pairings(names), range(openings)):
            yield batch
        return []
