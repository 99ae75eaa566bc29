"""The schedule of a tournament: which games come next, and what the games that were played make of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import inf

from arena.base.wording import counted
from arena.experiment.formats.base import Batch, Place, Played, ScheduledGame
from arena.ledger.record import GameRecord
from arena.play.match import Task
from arena.play.ready import Tournament
from arena.ratings.match import SequentialTest
from arena.rules.game import Termination
from arena.rules.result import NO_RESULT, points_of


class Schedule:
    """The games of a tournament as far as they are known. It plays and stores nothing.

    The same results lead to the same games in the end, in whatever order they come:

    - A batch of the format begins when the results of all games before it are known.
    - A sequential test is decided by the first pairs, in their order.
    - A player is disqualified after a game if it has failed in as many as the configuration says, and in all of
      its games up to that one that count. It loses all later games unplayed, those that were played already among
      them. Where games of disqualified players are void, a game against one counts for nobody, and the format
      leaves them out of later batches.
    """

    def __init__(self, tournament: Tournament, stored: Iterable[tuple[int, str, str]]) -> None:
        """Of a tournament, after the games that are stored: number, result, and who failed in it, or ""."""
        experiment = tournament.experiment
        self._tournament, self._names = tournament, tournament.names
        failures, self._are_void = experiment.failures, experiment.voids_games
        self._limit = failures.disqualify_after
        self._points: dict[int, float] = {}
        """White's, by number of the game, from 1."""
        self._failed: dict[int, str] = {}
        """Who failed, by number of the game."""
        self.failures: Counter[str] = Counter()
        """How often each player failed."""
        self.stopped: list[GameRecord] = []
        """Games in which a player was not reachable, which stop the run: they are played again."""
        self.order: list[Place] | None = None
        """The final order of the format; None while the tournament is not over."""
        for game, result, name in stored:
            self._points[game] = points_of(result)
            if name:
                self._fail(game, name)
        test = experiment.sprt.model_dump() if experiment.sprt else None
        self._batches, self._test = tournament.batches(), SequentialTest(test)
        self._batch: Batch | None = None
        self._before = 0
        """Games of the batches before this one."""
        self._disqualifications = Disqualifications(self._names, self._limit, are_void=self._are_void)

    def advance(self) -> bool:
        """Go on to the next batch; False if the tournament is over, or games of the batch before are missing."""
        if self.decided:
            self.order = []
            return False
        if any(number not in self._points for number in self.numbers):
            return False
        try:
            batch = next(self._batches) if self._batch is None else self._batches.send(self._played())
        except StopIteration as end:
            self._before += 2 * len(self._batch or ())
            self._batch, self.order = None, end.value
            return False
        self._before += 2 * len(self._batch or ())
        self._batch = batch
        return True

    def games(self) -> Iterator[ScheduledGame]:
        """The games of the batch in their order: each pair's first, then the one with colours swapped."""
        return map(self._game, self.numbers)

    def tasks(self) -> Iterator[Task]:
        """The games of the batch that are to be played, in their order, as workers receive them."""
        self._settle()
        return map(self._tournament.task, filter(self._is_missing, self.games()))

    def take(self, record: GameRecord) -> list[GameRecord]:
        """Take in a game that was played; returns what to store: it, and rulings in place of games played before.

        Nothing is stored of a game whose player was disqualified meanwhile, or that stops the run.
        """
        incident, number = record.incident, record.game
        if self._disqualifications.lost(self._game(number)):
            return []
        if record.result == NO_RESULT:
            self.stopped.append(record)
            return []
        if incident is not None:
            self._fail(number, incident.player)
        self._points[number] = points_of(record.result)
        return [record, *(self._rulings(unplayed=False) if self._settle() else ())]

    def rulings(self) -> Iterator[GameRecord]:
        """The games of the batch that disqualified players lose, to be stored once its other games are played."""
        return self._rulings(unplayed=True)

    @property
    def missing(self) -> bool:
        """Whether games of the batch are still to be played."""
        return not self.decided and any(map(self._is_missing, self.games()))

    def forget(self, games: Iterable[int]) -> None:
        """Forget what was known of games of this batch and later ones."""
        for game in games:
            self._points.pop(game, None)
            if name := self._failed.pop(game, ""):
                self.failures[name] -= 1

    @property
    def decided(self) -> bool:
        """Whether the sequential test is decided, so that no further game is needed."""
        self._test.advance(self._points)
        return self._test.decided

    @property
    def last(self) -> int:
        """The number of the last game of a tournament that is over; a sequential test ends it when decided."""
        return self._test.games if self.decided else self._before

    @property
    def disqualified(self) -> list[str]:
        """The names of the players of whom, by the games so far, none counts."""
        return [self._names[player] for player in sorted(self._disqualifications.after)] if self._are_void else []

    @property
    def numbers(self) -> range:
        """The numbers of the games of the batch."""
        return range(self._before + 1, self._before + 2 * len(self._batch or ()) + 1)

    def _game(self, number: int) -> ScheduledGame:
        assert self._batch is not None
        return game_of(self._batch, number, self._before)

    def _played(self) -> Played:
        points, numbers = self._points, self.numbers
        of_pairs = ((points[number], 1 - points[number + 1]) for number in numbers[::2])
        return Played(of_pairs, frozenset(self._disqualifications.after if self._are_void else ()))

    def _is_missing(self, scheduled: ScheduledGame) -> bool:
        return scheduled.game not in self._points and not self._disqualifications.lost(scheduled)

    def _fail(self, game: int, name: str) -> None:
        self._failed[game] = name
        self.failures[name] += 1

    def _settle(self) -> bool:
        """Disqualify players, as far as all games up to their failure are known; whether anybody was."""
        disqualifications, before = self._disqualifications, len(self._disqualifications.after)
        while (number := disqualifications.settled + 1) in self.numbers:
            scheduled = self._game(number)
            if self._is_missing(scheduled):
                break
            disqualifications.settle(scheduled, self._failed.get(number, ""))
        return len(disqualifications.after) > before

    def _rulings(self, *, unplayed: bool) -> Iterator[GameRecord]:
        for scheduled in self.games() if self._disqualifications.after else ():
            if (unplayed or scheduled.game in self._points) and (ruling := self._ruling(scheduled)) is not None:
                self._points[scheduled.game] = points_of(ruling.result)
                yield ruling

    def _ruling(self, scheduled: ScheduledGame) -> GameRecord | None:
        lost = self._disqualifications.lost(scheduled)
        if not lost:
            return None
        result = "draw" if len(lost) == 2 else "black" if lost[0] == scheduled.white else "white"
        why = f"was disqualified after {counted(self._limit, 'failure')}"
        why += ": its games do not count" if self._are_void else ""
        error = "; ".join(f"{self._names[player]} {why}" for player in lost)
        return self._tournament.task(scheduled).record(result, Termination.DISQUALIFIED, error=error)


def game_of(batch: Batch, number: int, before: int = 0) -> ScheduledGame:
    """The game of a number in a batch that comes after `before` games: a pair's first, or with colours swapped."""
    index, is_second = divmod(number - before - 1, 2)
    first, second, opening, round = batch[index]
    white, black = (second, first) if is_second else (first, second)
    return ScheduledGame(number, before // 2 + index + 1, round, white, black, opening)


class Disqualifications:
    """The players that are disqualified, by the games at the head of the schedule, in their order."""

    def __init__(self, names: list[str], limit: int, *, are_void: bool) -> None:
        """Of players that fail in `limit` games, never if that is 0; `are_void`: none of their games counts."""
        self._names, self._limit, self._are_void = names, limit, are_void
        self._failures = [0] * len(names)
        self._sound: list[set[int]] = [set() for _ in names]
        """The opponents against whom each player has played a game without a failure of its own."""
        self.settled = 0
        """Number of the last game that was taken in."""
        self.after: dict[int, int] = {}
        """The number of the game after which each of the players was disqualified."""

    def lost(self, scheduled: ScheduledGame) -> list[int]:
        """The players of a game who lose it as they were disqualified before it."""
        return [
            player for player in (scheduled.white, scheduled.black) if self.after.get(player, inf) < scheduled.game
        ]

    def settle(self, scheduled: ScheduledGame, failed: str) -> None:
        """Take in the next game, and who failed in it, or ""."""
        self.settled = scheduled.game
        if not self._limit or self.lost(scheduled):
            return
        for player, opponent in ((scheduled.white, scheduled.black), (scheduled.black, scheduled.white)):
            if self._names[player] == failed:
                self._failures[player] += 1
            else:
                self._sound[player].add(opponent)
        if failed:
            self.after |= dict.fromkeys(self._due(), scheduled.game)

    def _due(self) -> set[int]:
        """The players to disqualify now; where their games are void, none among themselves is sound."""
        due = {player for player, failures in enumerate(self._failures) if failures >= self._limit}
        due -= self.after.keys()
        while True:
            void = {*due, *self.after} if self._are_void else set()
            left = {player for player in due if self._sound[player] <= void}
            if left == due:
                return due
            due = left
