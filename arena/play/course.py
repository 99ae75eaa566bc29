"""The course of a tournament: which games come next, and what each game that was played makes of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf

from arena.experiment.formats.base import BatchResults, Pairing, Place
from arena.ledger.record import GameRecord, Task, packed
from arena.play.plan import Plan
from arena.ratings.sprt import SequentialTest
from arena.rules.game import Termination
from arena.rules.result import NO_RESULT, WHITE_POINTS, points_of


class Course:
    """The games of a tournament as far as they are known. It plays and stores nothing.

    The same results lead to the same games in the end, in whatever order they come:

    - A batch of the schedule begins when the results of all games before it are known.
    - A sequential test is decided by the first pairs of the schedule, in its order.
    - A player is withdrawn that failed in each of its first games in the schedule's order, as many as the
      configuration says: it loses all its later games unplayed, those that were played already among them. Where
      games are to be annulled, none of its games counts, and the schedule leaves it out of later batches.
    """

    def __init__(self, plan: Plan, stored: Iterable[tuple[int, str, str]]) -> None:
        """Of a plan, after the games that are stored: number, result, and who failed in it, or ""."""
        experiment = plan.experiment
        self._plan, self._names = plan, plan.names
        self._limit, self._annuls = experiment.failures.disqualify_after, experiment.annuls
        self._most_failures = experiment.failures.stop_after if experiment.failures.game == "stop" else inf
        self._first: list[list[int]] = [[] for _ in plan.names]
        """Of each player the numbers of its first games, `_limit` of them."""
        self._failed: dict[int, str] = {}
        self._ruled: set[int] = set()
        """The players who were withdrawn when games of the batch were ruled on last."""
        self._points = Points()
        self.failures: Counter[str] = Counter()
        """How often each player failed, in `stopped`, too."""
        self.stopped: list[GameRecord] = []
        """The failures that are to stop the run, and games in which a player was not reachable.

        They are not stored: these games are played again.
        """
        self.order: list[Place] | None = None
        """The final order of the format; None while the course is not over."""
        for game, result, name in stored:
            self._points.add(game, result)
            if name:
                self._fail(game, name)
        self._batch: Sequence[Pairing] | None = None
        test = experiment.sprt.model_dump() if experiment.sprt else None
        self._schedule, self._test = plan.schedule(), SequentialTest(test)

    def batch(self) -> Sequence[Pairing] | None:
        """The next games of the schedule; None if the course is over, or games of the batch before are missing."""
        results = None
        if self.decided:
            self.order = []
            return None
        if self._batch is not None:
            if any(pairing.game not in self._points for pairing in self._batch):
                return None
            points = [self._points[pairing.game] for pairing in self._batch]
            results = BatchResults(points, frozenset(self._withdrawn if self._annuls else ()))
        try:
            self._batch = next(self._schedule) if results is None else self._schedule.send(results)
        except StopIteration as end:
            self._batch, self.order = None, end.value
        return self._batch

    def tasks(self) -> Iterator[Task]:
        """The games of the batch that are to be played, in its order, as workers receive them."""
        for pairing in self._batch or ():
            for player in (pairing.white, pairing.black):
                if len(self._first[player]) < self._limit:
                    self._first[player].append(pairing.game)
            if pairing.game not in self._points and self._ruling(pairing) is None:
                yield self._plan.task(pairing)

    def take(self, record: GameRecord) -> list[GameRecord]:
        """Take in a game that was played; returns what to store: it, and rulings in place of games played before.

        Nothing is stored of a game whose player was withdrawn meanwhile, or that stops the run.
        """
        incident, number = record.incident, record.pairing.game
        if self._ruling(record.pairing) is not None:
            return []
        if record.result == NO_RESULT:
            self.stopped.append(record)
            return []
        if incident is None:
            self._points.add(number, record.result)
            return [record]
        if len(self._failed) + 1 >= self._most_failures:
            self.failures[incident.player] += 1
            self.stopped.append(record)
            return []
        self._points.add(number, record.result)
        self._fail(number, incident.player)
        return [record, *self._rulings(unplayed=False)]

    def rulings(self) -> Iterator[GameRecord]:
        """The games of the batch that are lost unplayed, each to be stored; once its other games are played."""
        return self._rulings(unplayed=True)

    @property
    def missing(self) -> bool:
        """Whether games of the batch are still to be played."""
        batch = () if self._batch is None or self.decided else self._batch
        return any(it.game not in self._points and self._ruling(it) is None for it in batch)

    def forget(self, games: Iterable[int]) -> None:
        """Forget what was known of games."""
        for game in games:
            self._points.remove(game)
            if name := self._failed.pop(game, ""):
                self.failures[name] -= 1

    @property
    def decided(self) -> bool:
        """Whether the sequential test is decided, so that no further game is needed."""
        self._test.advance(self._points)
        return self._test.decided

    @property
    def tested(self) -> int:
        """Games that the sequential test has taken in: those behind them are not needed once it is decided."""
        return self._test.games

    @property
    def annulled(self) -> list[str]:
        """The names of the players of whom, by the games so far, none counts."""
        return [self._names[player] for player in sorted(self._withdrawn)] if self._annuls else []

    @property
    def _withdrawn(self) -> set[int]:
        return {player for player in range(len(self._names)) if self._is_withdrawn(player)}

    def _fail(self, game: int, name: str) -> None:
        self._failed[game] = name
        self.failures[name] += 1

    def _is_withdrawn(self, player: int) -> bool:
        first = self._first[player]
        return 0 < self._limit == len(first) and all(
            self._failed.get(game) == self._names[player] for game in first
        )

    def _rulings(self, *, unplayed: bool) -> Iterator[GameRecord]:
        """Rulings on games that were played, if a player was withdrawn since the last time, and on the others."""
        withdrawn = self._withdrawn
        is_new, self._ruled = withdrawn > self._ruled, withdrawn
        if not withdrawn or not (is_new or unplayed):
            return
        for pairing in self._batch or ():
            wanted = is_new if pairing.game in self._points else unplayed
            if wanted and (ruling := self._ruling(pairing)) is not None:
                self._points.add(pairing.game, ruling.result)
                yield ruling

    def _ruling(self, pairing: Pairing) -> GameRecord | None:
        lost = [
            player
            for player in (pairing.white, pairing.black)
            if self._is_withdrawn(player) and pairing.game not in self._first[player]
        ]
        if not lost:
            return None
        result = "draw" if len(lost) == 2 else "black" if lost[0] == pairing.white else "white"
        names = " and ".join(self._names[player] for player in lost)
        why = f"{names} withdrawn after {self._limit} failures in the first {self._limit} games"
        why += ", whose games are annulled" if self._annuls else ""
        return GameRecord(pairing, result, str(Termination.WITHDRAWN), 0.0, why, *packed([]))


class Points(Mapping[int, float]):
    """White's points by number of the game, from 1: a byte each."""

    _VALUES = tuple(dict.fromkeys(WHITE_POINTS.values()))

    def __init__(self) -> None:
        self._codes = bytearray()

    def add(self, game: int, result: str) -> None:
        """Add a game's result. Raises ValueError for an unknown result."""
        if game >= len(self._codes):
            self._codes.extend(bytes(game + 1 - len(self._codes) + len(self._codes) // 2))
        self._codes[game] = 1 + self._VALUES.index(points_of(result))

    def remove(self, game: int) -> None:
        """Take out a game."""
        self._codes[game] = 0

    def __contains__(self, game: object) -> bool:
        return isinstance(game, int) and 0 <= game < len(self._codes) and self._codes[game] > 0

    def __getitem__(self, game: int) -> float:
        if game not in self:
            raise KeyError(game)
        return self._VALUES[self._codes[game] - 1]

    def __iter__(self) -> Iterator[int]:
        return (game for game, code in enumerate(self._codes) if code)

    def __len__(self) -> int:
        return len(self._codes) - self._codes.count(0)
