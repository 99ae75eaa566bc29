"""The schedule of a run: which games it asks for, by its configuration and the results that are known."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from arena.base.wording import counted
from arena.experiment.formats.base import BatchResult, FinalPlace, Rounds, ScheduledGame
from arena.experiment.model import Experiment
from arena.ratings.match import SequentialTest
from arena.rules.game import FORFEITS
from arena.rules.position import COLOURS
from arena.rules.result import points_of

_MODULUS = 1 << 62
"""Above any key: an integer of SQLite, and of numpy, with a bit to spare."""


class Result(NamedTuple):
    """What the schedule needs to know of a game that was played."""

    result: str
    failed: str = ""
    """The name of the player that failed in it; "" if none did."""

    @classmethod
    def of(cls, result: str, termination: str, white: str, black: str) -> Result:
        """The result of a game that ended so: who lost by a forfeit has failed."""
        loser = {"white": black, "black": white}.get(result, "")
        return cls(result, loser if termination in FORFEITS else "")


class Keys:
    """The keys of the games of some players from some openings.

    A game is known by what makes it: its two players with their colours, each by its name and the hash of its
    settings and files, its opening, and for which time that is played. Its key is the sum of a number for each of
    the three, drawn from their SHA-256, modulo 2^62: two of a million games share one with a probability of 1e-7.
    """

    def __init__(self, players: Mapping[str, str], openings: Sequence[str], time_of: Callable[[int], int]) -> None:
        """`players` are hashes by name, `openings` FENs; `time_of` gives how many equal ones stand before one."""
        self._white = [number_of("white", *player) for player in players.items()]
        self._black = [number_of("black", *player) for player in players.items()]
        self._openings = [number_of("opening", fen, time_of(place)) for place, fen in enumerate(openings)]

    def of(self, white: int, black: int, opening: int) -> int:
        """The key of the game of two players from an opening, by their places from 0."""
        return (self._white[white] + self._black[black] + self._openings[opening]) % _MODULUS


def number_of(*words: str | int) -> int:
    """A number below 2^62, drawn from the SHA-256 of some words: equal ones have the same."""
    digest = hashlib.sha256(json.dumps(words).encode()).digest()
    return int.from_bytes(digest[:8], "little") % _MODULUS


class Schedule:
    """The games of a run as far as they are known. It plays and stores nothing.

    The same results lead to the same games, in whatever order they come:

    - A batch of the format begins when the results of all games before it are known.
    - A sequential test is decided by the first pairs, in their order.
    - A player whose first games, as many as `failures` says, all fail by its fault is withdrawn. Its games count
      for nobody, and only those that may show the same of its opponents are still played.
    """

    def __init__(
        self,
        experiment: Experiment,
        players: Mapping[str, str],
        openings: Sequence[str],
        results: Mapping[int, Result],
    ) -> None:
        """Begin at the first batch with missing games, else at the end.

        `players` are hashes by name, `openings` FENs, `results` those of stored games by their keys.
        """
        self.names = list(players)
        self._keys = Keys(players, openings, experiment.openings.time_of)
        self._results = dict(results)
        self._limit = experiment.failures.withdraw_after
        self._first_games: list[list[int]] = [[] for _ in self.names]
        """The keys of the first games of each player, at most `_limit`."""
        self._out: frozenset[int] = frozenset()
        """The players that are withdrawn."""
        if (until := experiment.until) is None:
            self._batches = experiment.format.batches(self.names, len(openings))
        else:
            first = COLOURS[experiment.rule_set.first]
            conditions = self.names, len(openings), first, experiment.anchor
            self._batches = until.batches(experiment.format, *conditions)
        self.test = SequentialTest(experiment.sprt.model_dump()) if experiment.sprt else None
        """The sequential test over the pairs known without a gap; none if a player is withdrawn."""
        self._batch = Rounds([], range(0))
        self._before = 0
        """Games of the batches before this one."""
        self._passed: list[ScheduledGame] = []
        """The games of these batches that were played."""
        self.order: list[FinalPlace] | None = None
        """The final order of the format; None while games are missing."""
        self._begin_batch(None)
        self.advance()

    def advance(self) -> bool:
        """Go on to the next batch with missing games; False if this one still has some, or the run is over."""
        has_moved = False
        while self.order is None and next(self.missing(), None) is None:
            has_moved = True
            if self.decided:
                self.order = []
            else:
                white = [self._points(game) for game in self.games()]
                of_first = ((first, 1 - second) for first, second in zip(white[::2], white[1::2], strict=True))
                self._begin_batch(BatchResult(of_first, self._out))
        return has_moved and self.order is None

    def _begin_batch(self, result: BatchResult | None) -> None:
        """Go on to the next batch of the format, which is sent how the one before ended."""
        try:
            batch = next(self._batches) if result is None else self._batches.send(result)
        except StopIteration as end:
            self.order = end.value
            return
        self._passed += self._known()
        self._before += 2 * len(self._batch)
        self._batch = batch
        wanting = {player for player, keys in enumerate(self._first_games) if len(keys) < self._limit}
        for game in self.games() if wanting else ():
            for player in {game.white, game.black} & wanting:
                self._first_games[player].append(game.key)
                if len(self._first_games[player]) == self._limit:
                    wanting.remove(player)
            if not wanting:
                break
        self._withdraw()

    def games(self) -> Iterator[ScheduledGame]:
        """The games of the batch in their order: each pair's first, then the one with colours swapped.

        A sequential test that is decided leaves out the games after the deciding pair.
        """
        count = 2 * len(self._batch)
        if self.test is not None and self.decided:
            count = self.test.games
        return map(self._game, range(self._before + 1, self._before + count + 1))

    def missing(self) -> Iterator[ScheduledGame]:
        """The games of the batch that are still to be played."""
        return filter(self._is_missing, self.games())

    def asked(self) -> list[ScheduledGame]:
        """The games that were played, also of withdrawn players."""
        return [*self._passed, *self._known()]

    def counting(self) -> list[int]:
        """The keys of the games of `asked` that count."""
        return [game.key for game in self.asked() if not {game.white, game.black} & self._out]

    @property
    def has_failures(self) -> bool:
        """Whether players failed in games of `asked`."""
        return any(self._results[game.key].failed for game in self.asked())

    def _known(self) -> list[ScheduledGame]:
        """The games of the batch that were played."""
        return [game for game in self.games() if game.key in self._results]

    def take(self, key: int, result: Result) -> None:
        """Take in the result of a game."""
        self._results[key] = result
        if result.failed:
            self._withdraw()

    @property
    def decided(self) -> bool:
        """Whether the sequential test, whose pairs are all of one batch, is decided: no further game is needed."""
        if self.test is None:
            return False
        for number in range(self.test.games + 1, 2 * len(self._batch), 2):
            first, second = self._game(number), self._game(number + 1)
            if self.test.decided or not {first.key, second.key} <= self._results.keys():
                break
            self.test.add(self._points(first), self._points(second))
        return self.test.decided

    @property
    def withdrawn(self) -> dict[str, str]:
        """Why players are withdrawn, by their names."""
        why = f"it failed in its first {counted(self._limit, 'game')}"
        return {self.names[player]: why for player in sorted(self._out)}

    def _game(self, number: int) -> ScheduledGame:
        index, is_second = divmod(number - self._before - 1, 2)
        first, second, opening, round = self._batch[index]
        white, black = (second, first) if is_second else (first, second)
        key = self._keys.of(white, black, opening)
        return ScheduledGame(key, number, self._before // 2 + index + 1, round, white, black, opening)

    def _is_missing(self, game: ScheduledGame) -> bool:
        if game.key in self._results:
            return False
        left = {game.white, game.black} - self._out
        return len(left) == 2 or any(game.key in self._first_games[player] for player in left)

    def _points(self, game: ScheduledGame) -> float:
        """White's points in a game that is not missing: all of them against a player that is withdrawn."""
        if game.black in self._out:
            return 0.5 if game.white in self._out else 1.0
        return 0.0 if game.white in self._out else points_of(self._results[game.key].result)

    def _withdraw(self) -> None:
        """Find who is withdrawn by the results that are known."""
        nothing = Result("")
        self._out = frozenset(
            player
            for player, keys in enumerate(self._first_games)
            if len(keys) == self._limit > 0
            and all(self._results.get(key, nothing).failed == self.names[player] for key in keys)
        )
        if self._out:
            self.test = None
