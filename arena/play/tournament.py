"""Run a tournament: the schedule less what the ledger has, through the executor, into the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from arena.formats.base import Pairing, Place
from arena.play.executor import Workers, run
from arena.play.match import play as play_game
from arena.play.plan import Plan
from arena.play.probe import measure as measure_search
from arena.play.sequential import SequentialTest
from arena.record import GameRecord, ProbeRecord, ProbeTask, Task
from arena.result import WHITE_POINTS, points_of
from arena.rules.notation import fen
from arena.store.ledger import Ledger

_FENS = 1000
"""Openings whose FEN is kept, of those that games were last played from."""


def measure(
    plan: Plan, ledger: Ledger, workers: Workers, stopping: Callable[[], bool] = lambda: False
) -> Iterator[ProbeRecord]:
    """Make the searches of the probe that the ledger lacks, storing each before it is yielded.

    A position is searched by all players before the next one, so that a machine that slows down slows all of
    them, and by another player first each time. Raises WorkerDied if a search ends the process that makes it.
    """
    for record in run(measure_search, probe_tasks(plan, ledger.probed()), workers, stopping, _search_name):
        ledger.add_probe(record)
        yield record


def probe_tasks(plan: Plan, finished: set[tuple[str, int]]) -> Iterator[ProbeTask]:
    """The searches still to make, as workers receive them; `finished` has players and numbers of positions."""
    settings = plan.experiment.probe
    if settings is None:
        return
    for number, position in enumerate(plan.probes, start=1):
        first = number % len(plan.players)
        for spec in plan.players[first:] + plan.players[:first]:
            if (spec.name, number) not in finished:
                yield ProbeTask(spec, number, plan.variant, position, settings.depth, plan.experiment.seed)


def play(
    plan: Plan, ledger: Ledger, workers: Workers, stopping: Callable[[], bool] = lambda: False
) -> Iterator[GameRecord]:
    """Play the games that the ledger lacks, storing each before it is yielded; mark the ledger when all is done.

    A batch of the schedule is begun when all games of those before are stored. A sequential test is decided by
    the first pairs of the schedule, in its order; when it is, no game is begun and the games behind the deciding
    pair are removed, so that the games are the same for any number of workers.

    Raises WorkerDied, when all other games of the batch are stored, for games that end the process that plays
    them; EngineError if the workers are lost; and any exception that `arena.play.match.play` raises. Finished
    games are kept in any case.
    """
    names = plan.names
    points = Points()
    for game, result in ledger.results():
        points.add(game, result)
    opening_fen = lru_cache(_FENS)(lambda opening: fen(plan.variant, plan.openings[opening]))
    test = SequentialTest(plan.experiment.sprt)
    games = plan.schedule()
    batch = next(games, None)
    order: list[Place] = []
    while batch is not None:
        test.advance(points)
        missing = tasks(plan, (pairing for pairing in batch if pairing.game not in points))
        for record in run(play_game, missing, workers, lambda: test.decided or stopping(), _game_name):
            pairing = record.pairing
            ledger.add(record, names[pairing.white], names[pairing.black], opening_fen(pairing.opening))
            points.add(pairing.game, record.result)
            test.advance(points)
            yield record
        if test.decided:
            ledger.remove_after(test.games)
            break
        if any(pairing.game not in points for pairing in batch):
            return
        try:
            batch = games.send([points[pairing.game] for pairing in batch])
        except StopIteration as end:
            batch, order = None, end.value
    ledger.finish([(names[place.player], place.reason) for place in order])


class Points(Mapping[int, float]):
    """White's points by number of the game, from 1: a byte each."""

    _VALUES = tuple(dict.fromkeys(WHITE_POINTS.values()))

    def __init__(self) -> None:
        self._codes = bytearray()

    def add(self, game: int, result: str) -> None:
        """Add a game's result. Raises ValueError for what is no result."""
        if game >= len(self._codes):
            self._codes.extend(bytes(game + 1 - len(self._codes) + len(self._codes) // 2))
        self._codes[game] = 1 + self._VALUES.index(points_of(result))

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


def tasks(plan: Plan, pairings: Iterable[Pairing]) -> Iterator[Task]:
    """Games as workers receive them."""
    for pairing in pairings:
        yield Task(
            pairing,
            plan.variant,
            plan.openings[pairing.opening],
            plan.players[pairing.white],
            plan.players[pairing.black],
            plan.experiment.seed,
            plan.experiment.max_plies,
            plan.experiment.time_margin,
        )


def _game_name(task: Task) -> str:
    return f"game {task.pairing.game} ({task.white.name} against {task.black.name})"


def _search_name(task: ProbeTask) -> str:
    return f"the search of position {task.number} by {task.player.name}"
