"""Run a tournament: the schedule less what the ledger has, through the executor, into the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial

from arena.experiment.formats.base import BatchResults, Pairing, Place
from arena.experiment.formats.sequential import SequentialTest
from arena.ledger.ledger import Ledger
from arena.ledger.record import GameRecord, ProbeRecord, ProbeTask, Task
from arena.play.executor import Workers, run
from arena.play.failures import Failures, write_bundle
from arena.play.match import play as play_game
from arena.play.pinning import pin
from arena.play.plan import Plan
from arena.play.probe import measure as measure_search
from arena.rules.notation import fen
from arena.rules.result import WHITE_POINTS, points_of
from arena.watch import underway

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
                yield ProbeTask(
                    spec,
                    number,
                    plan.variant,
                    position,
                    settings.depth,
                    plan.experiment.seed,
                    plan.experiment.allowance,
                )


class RunStopped(Exception):
    """A player failed once too often for the run to go on; the message is one line."""


def play(
    plan: Plan, ledger: Ledger, workers: Workers, stopping: Callable[[], bool] = lambda: False
) -> Iterator[GameRecord]:
    """Play the games that the ledger lacks, storing each before it is yielded; mark the ledger when all is done.

    A batch of the schedule is begun when all games of those before are stored. A sequential test is decided by
    the first pairs of the schedule, in its order; when it is, no game is begun and the games behind the deciding
    pair are removed, so that the games are the same for any number of workers. Those of a player that is withdrawn
    are, too, see `Failures`; where they are annulled, a schedule leaves it out of later batches. A failure
    leaves a bundle in the ledger's folder.

    Raises RunStopped, when what is under way is stored, if failures are to stop the run: the games with the last
    ones are not stored. Raises WorkerDied, when all other games of the batch are stored, for games that end the
    process that plays them; EngineError if the workers are lost; and any exception that `arena.play.match.play`
    raises; StoreError if another program changed games in the ledger meanwhile. Finished games are kept in any
    case. Workers of this machine show their games under way in the
    ledger's folder: see `arena.watch.underway`.
    """
    with underway.place(ledger.path.parent) as place:
        yield from _play(plan, ledger, workers, stopping, place)


def _play(
    plan: Plan,
    ledger: Ledger,
    workers: Workers,
    stopping: Callable[[], bool],
    place: underway.UnderwayPlace | None,
) -> Iterator[GameRecord]:
    """See `play`."""
    tournament = _Tournament(plan, ledger)
    test = SequentialTest(plan.experiment.sprt)
    work = work_of(plan, workers, place)
    games = plan.schedule()
    batch = next(games, None)
    order: list[Place] = []
    while batch is not None:
        if ledger.repaired:
            tournament.forget_others(batch)
        test.advance(tournament.points)
        missing = tasks(plan, tournament.missing(batch))
        enough = lambda: test.decided or tournament.stopped is not None or stopping()  # noqa: E731
        for record in run(work, missing, workers, enough, _game_name):
            if tournament.add(record, batch):
                test.advance(tournament.points)
                yield record
        if tournament.stopped is not None:
            raise RunStopped(tournament.stopped)
        if not stopping():
            for record in tournament.unplayed(batch):
                test.advance(tournament.points)
                yield record
        if test.decided:
            ledger.remove_after(test.games)
            break
        if any(pairing.game not in tournament.points for pairing in batch):
            ledger.verify()
            return
        try:
            points = [tournament.points[pairing.game] for pairing in batch]
            batch = games.send(BatchResults(points, tournament.annul()))
        except StopIteration as end:
            batch, order = None, end.value
    ledger.verify()
    ledger.finish([(plan.names[place.player], place.figures) for place in order])


class _Tournament:
    """The games of a tournament as far as they are known, and the ledger that has them."""

    def __init__(self, plan: Plan, ledger: Ledger) -> None:
        self._plan, self._ledger = plan, ledger
        self._opening_fen = lru_cache(_FENS)(lambda opening: fen(plan.variant, plan.openings[opening]))
        self.stopped: str | None = None
        """The failure that stops the run."""
        self.points = Points()
        experiment = plan.experiment
        self.failures = Failures(plan.names, experiment.withdraw.after, annul=experiment.annuls)
        self._withdrawn: set[int] = set()
        for game, result in ledger.results():
            self.points.add(game, result)
        for game, name in ledger.failures():
            self.failures.add(game, name)

    def forget_others(self, batch: Iterable[Pairing]) -> None:
        """Remove the stored games that others played than are to."""
        names = self._plan.names
        drawn = ((it.game, names[it.white], names[it.black], it.opening + 1) for it in batch)
        for game in self._ledger.remove_others(drawn):
            self.points.remove(game)
            self.failures.remove(game)

    def missing(self, batch: Iterable[Pairing]) -> Iterator[Pairing]:
        """The games of a batch that are to be played, in its order."""
        for pairing in batch:
            self.failures.schedule(pairing)
            if pairing.game not in self.points and self.failures.ruling(pairing) is None:
                yield pairing

    def add(self, record: GameRecord, batch: Iterable[Pairing]) -> bool:
        """Store a game that was played, unless a ruling or the run's stop is in its place."""
        experiment, incident = self._plan.experiment, record.incident
        if self.failures.ruling(record.pairing) is not None:
            return False
        if incident is not None:
            earlier = self.failures.of(incident.player)
            write_bundle(self._ledger.path.parent, record.pairing.game, incident, earlier)
            if experiment.on_failure == "stop" and len(self.failures) + 1 >= (experiment.failures or 1):
                self.stopped = f"game {record.pairing.game}: {record.error}"
                return False
        self._store(record)
        if incident is not None:
            self.failures.add(record.pairing.game, incident.player)
            self._replace(batch)
            self.annul()
        return True

    def annul(self) -> frozenset[int]:
        """The numbers of the players of whom, by the games so far, none counts; the ledger holds their names."""
        annulled = self.failures.annulled
        self._ledger.annul(self._plan.names[player] for player in sorted(annulled))
        return annulled

    def unplayed(self, batch: Iterable[Pairing]) -> Iterator[GameRecord]:
        """The games of a batch that are lost unplayed, stored."""
        if not self.failures.withdrawn:
            return
        for pairing in batch:
            ruling = self.failures.ruling(pairing)
            if ruling is not None and pairing.game not in self.points:
                self._store(ruling)
                yield ruling

    def _replace(self, batch: Iterable[Pairing]) -> None:
        """Put rulings in the place of games that players played who are now withdrawn."""
        if self.failures.withdrawn > self._withdrawn:
            self._withdrawn = self.failures.withdrawn
            for pairing in batch:
                ruling = self.failures.ruling(pairing)
                if ruling is not None and pairing.game in self.points:
                    self._store(ruling, replace=True)

    def _store(self, record: GameRecord, *, replace: bool = False) -> None:
        pairing, names = record.pairing, self._plan.names
        opening = self._opening_fen(pairing.opening)
        self._ledger.add(record, names[pairing.white], names[pairing.black], opening, replace=replace)
        self.points.add(pairing.game, record.result)


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


def work_of(
    plan: Plan, workers: Workers, place: underway.UnderwayPlace | None = None
) -> Callable[[Task], GameRecord]:
    """What a worker does for a game, which one of this machine shows in `place` while it plays it."""
    if isinstance(workers, str):
        return play_game
    return partial(_play_pinned if plan.experiment.pin else play_game, place=place)


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
            plan.experiment.allowance,
        )


def _play_pinned(task: Task, place: underway.UnderwayPlace | None) -> GameRecord:
    pin()
    return play_game(task, place)


def _game_name(task: Task) -> str:
    return f"game {task.pairing.game} ({task.white.name} against {task.black.name})"


def _search_name(task: ProbeTask) -> str:
    return f"the search of position {task.number} by {task.player.name}"
