"""The schedule of a tournament: which games come next, and what the games that were played make of the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from arena.experiment.formats.base import BatchResult, FinalPlace, PairBatch, ScheduledGame
from arena.ledger.record import GameRecord
from arena.play.match import Task
from arena.play.ready import Tournament
from arena.ratings.match import SequentialTest
from arena.rules.game import Termination
from arena.rules.result import points_of


class Forfeits:
    """Who loses games unplayed: nobody. An option of a run may say who does (`Option.forfeits`)."""

    void: frozenset[int] = frozenset()
    """The players of whom no game counts."""

    def settle(self, scheduled: ScheduledGame, failed: str) -> bool:
        """Take in the next game, in the schedule's order, and who failed in it, or ""; whether any lose by it."""
        return False

    def losers(self, scheduled: ScheduledGame) -> Sequence[int]:
        """The players of a game who lose it unplayed."""
        return ()

    def why(self, name: str) -> str:
        """Why a player loses."""
        return name


class Schedule:
    """The games of a tournament as far as they are known. It plays and stores nothing.

    The same results lead to the same games in the end, in whatever order they come:

    - A batch of the format begins when the results of all games before it are known.
    - A sequential test is decided by the first pairs, in their order.
    - Who loses games unplayed, after games up to one, loses all later ones, those that were played already among
      them. The format leaves players whose games do not count out of later batches.
    """

    def __init__(
        self,
        tournament: Tournament,
        stored: Iterable[tuple[int, str, str]],
        forfeits: Forfeits | None = None,
    ) -> None:
        """Of a tournament, after the games that are stored: number, result, and who failed in it, or ""."""
        experiment = tournament.experiment
        self._tournament, self._names = tournament, tournament.names
        self._forfeits = forfeits or Forfeits()
        self._points: dict[int, float] = {}
        """White's, by number of the game, from 1."""
        self._failed: dict[int, str] = {}
        """Who failed, or "", by number of the game."""
        self._settled = 0
        """The number of the last game up to which all are known."""
        self.order: list[FinalPlace] | None = None
        """The final order of the format; None while the tournament is not over."""
        for game, result, name in stored:
            self._points[game], self._failed[game] = points_of(result), name
        test = experiment.sprt.model_dump() if experiment.sprt else None
        self._batches, self._test = tournament.batches(), SequentialTest(test)
        self._batch: PairBatch | None = None
        self._before = 0
        """Games of the batches before this one."""

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
        """Take in a game that was played; returns what to store: it, and games played before that are lost now.

        Nothing is stored of a game that was lost unplayed meanwhile.
        """
        number = record.game
        if self._forfeits.losers(self._game(number)):
            return []
        self._points[number], self._failed[number] = points_of(record.result), record.failed
        return [record, *(self._lost(unplayed=False) if self._settle() else ())]

    def lost(self) -> Iterator[GameRecord]:
        """The games of the batch that are lost unplayed, to be stored once its other games are played."""
        return self._lost(unplayed=True)

    def forget(self, games: Iterable[int]) -> None:
        """Forget what was known of games of this batch and later ones."""
        for game in games:
            self._points.pop(game, None)

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
        return [self._names[player] for player in sorted(self._forfeits.void)]

    @property
    def numbers(self) -> range:
        """The numbers of the games of the batch."""
        return range(self._before + 1, self._before + 2 * len(self._batch or ()) + 1)

    def _game(self, number: int) -> ScheduledGame:
        assert self._batch is not None
        return scheduled_game(self._batch, number, self._before)

    def _played(self) -> BatchResult:
        points, numbers = self._points, self.numbers
        of_pairs = ((points[number], 1 - points[number + 1]) for number in numbers[::2])
        return BatchResult(of_pairs, self._forfeits.void)

    def _is_missing(self, scheduled: ScheduledGame) -> bool:
        return scheduled.game not in self._points and not self._forfeits.losers(scheduled)

    def _settle(self) -> bool:
        """Tell of the next games, as far as all before them are known; whether more games are lost by them."""
        are_more = False
        while (number := self._settled + 1) in self.numbers:
            scheduled = self._game(number)
            if self._is_missing(scheduled):
                break
            are_more |= self._forfeits.settle(scheduled, self._failed.get(number, ""))
            self._settled = number
        return are_more

    def _lost(self, *, unplayed: bool) -> Iterator[GameRecord]:
        """The games of the batch that are lost unplayed: those played before, or those not played, too."""
        for scheduled in self.games():
            losers = self._forfeits.losers(scheduled)
            if losers and (unplayed or scheduled.game in self._points):
                result = "draw" if len(losers) == 2 else "black" if losers[0] == scheduled.white else "white"
                error = "; ".join(self._forfeits.why(self._names[player]) for player in losers)
                self._points[scheduled.game] = points_of(result)
                yield self._tournament.task(scheduled).record(result, Termination.DISQUALIFIED, error=error)


def scheduled_game(batch: PairBatch, number: int, before: int = 0) -> ScheduledGame:
    """The game of a number in a batch that comes after `before` games: a pair's first, or with colours swapped."""
    index, is_second = divmod(number - before - 1, 2)
    first, second, opening, round = batch[index]
    white, black = (second, first) if is_second else (first, second)
    return ScheduledGame(number, before // 2 + index + 1, round, white, black, opening)
