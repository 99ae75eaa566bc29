"""Formats: what each one knows, and the schedules that they make."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import ClassVar, NamedTuple, TypeAlias, overload

from arena.experiment.yaml.errors import Keys
from arena.experiment.yaml.section import Section
from arena.rules.result import pair_points

LEAST_ROUNDS = 25
"""Rounds before which no interval ends a run: fewer say too little of its width (arena/ratings/README.md)."""


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
    """A player's place in the final order of a format, and what it rests on."""

    player: int
    figures: Mapping[str, float | str]
    """By the columns of `order.csv`: see the formats."""


Tie: TypeAlias = tuple[int, int]
"""Two players; the first one is White in the first game of each pair."""


class BatchResults(NamedTuple):
    """The results of a batch, sent to a schedule."""

    points: Sequence[float]
    """White's (0, 0.5 or 1) in the games of the batch, in their order."""
    annulled: frozenset[int] = frozenset()
    """The players, by number, whose games do not count, in this batch and those before."""


Schedule: TypeAlias = Generator[Sequence[Pairing], BatchResults, list[Place]]
"""Yields a batch, is sent how it was played, and so on.

It returns the final order, best first, which is empty for formats that leave it to the rating. Nothing but what it
is sent decides what comes next: the same results give the same games.
"""


class Format(Section):
    """A tournament format: its settings in a configuration, and everything that follows from them.

    Left as they are, the methods describe a format whose games are known before the first is played: every tie
    plays every opening. `names` are the players' names in the order of the configuration.
    """

    type: str
    exact: ClassVar[bool] = True
    """Whether exactly `most_games` games are played, whatever their results."""
    tested: ClassVar[bool] = False
    """Whether a sequential test may end it."""
    narrowed: ClassVar[bool] = False
    """Whether it may end once intervals are narrow enough: all ties play an opening before the next."""
    annuls: ClassVar[bool] = True
    """Whether the games of a player that is withdrawn are left out."""
    least_players: ClassVar[int] = 2

    def problems(self, names: Sequence[str]) -> Iterator[tuple[Keys, str]]:
        """Yield problems between the settings and the players, each with the key in the format to blame."""
        if len(names) < self.least_players:
            least = self.least_players
            yield ("type",), f"{self.type!r} needs at least {least} players, not {len(names)}"

    def limited_to(self, names: Sequence[str]) -> Format:
        """The format for some of the players of a configuration; what is for more of them is made less."""
        return self

    def ties(self, names: Sequence[str]) -> list[Tie]:
        """Who may meet whom."""
        return everyone(len(names))

    def pairs_of_tie(self, openings: int) -> int:
        """The most pairs of games of a tie, given the number of openings."""
        return openings

    def most_games(self, names: Sequence[str], openings: int) -> int:
        """The most games that a number of openings can lead to."""
        return 2 * len(self.ties(names)) * self.pairs_of_tie(openings)

    def openings_needed(self, players: int) -> int:
        """How many openings a number of players needs at least."""
        return 0

    def schedule(self, names: Sequence[str], openings: int) -> Schedule:
        """The games, in batches."""
        return static(self.ties(names), openings)


def everyone(players: int) -> list[Tie]:
    """All pairings of a round robin."""
    return list(combinations(range(players), 2))


def static(ties: Sequence[Tie], openings: int) -> Schedule:
    """All games in one batch; a round is one opening by all ties, so that everyone is level after each."""
    if batch := Rounds(ties, openings):
        yield batch
    return []


class Rounds(Sequence[Pairing]):
    """The games of rounds of one opening each by all ties, none of them in memory."""

    def __init__(self, ties: Sequence[Tie], openings: int, begin: int = 0) -> None:
        """Of the openings from number `begin` on, from 0."""
        self._ties, self._openings, self._begin = ties, openings, begin

    def __len__(self) -> int:
        return 2 * len(self._ties) * (self._openings - self._begin)

    @overload
    def __getitem__(self, place: int) -> Pairing: ...
    @overload
    def __getitem__(self, place: slice) -> list[Pairing]: ...
    def __getitem__(self, place: int | slice) -> Pairing | list[Pairing]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        place = range(len(self))[place] + 2 * len(self._ties) * self._begin
        pair, second = divmod(place, 2)
        opening, tie = divmod(pair, len(self._ties))
        white, black = self._ties[tie][:: -1 if second else 1]
        return Pairing(place + 1, pair + 1, opening + 1, white, black, opening)


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
    """The points of the two players of each tie in a batch, from White's points in its games."""
    total: dict[Tie, tuple[float, float]] = {}
    for first, second in zip(range(0, len(batch), 2), range(1, len(batch), 2), strict=True):
        tie = batch[first].white, batch[first].black
        one, other = total.get(tie, (0.0, 0.0))
        won = pair_points(points[first], points[second])
        total[tie] = (one + won, other + 2 - won)
    return total


def last_tie(number: int, opponent: str, own: float, conceded: float) -> dict[str, float | str]:
    """The basis of a place decided by ties: the player's last tie, of round `number`, in points.

    The seed decides a tie of equal points.
    """
    decided = "seed" if own == conceded else "points"
    return {"round": number, "opponent": opponent, "points": own, "conceded": conceded, "decided": decided}


def at_most(key: str, number: int, most: int, players: int) -> Iterator[tuple[Keys, str]]:
    """The problem of a setting above `most`, which depends on the number of players."""
    if number > most > 0:
        yield (key,), f"{key!r} must be at most {most} with {players} players"
