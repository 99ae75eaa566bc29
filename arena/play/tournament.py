"""Run a tournament: prepare it, play what the ledger lacks on workers, and do what its options add.

`play_runs` is the one way for `arena run`, `match`, `place` and, from Python, `arena.run`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from arena.base.errors import ArenaError
from arena.base.wording import counted
from arena.base.work import cores
from arena.experiment.model import Experiment, checked_workers
from arena.hosting.player_process import closing_players
from arena.ledger.growth import OtherOpenings
from arena.ledger.info import session, versions
from arena.ledger.ledger import Ledger, complete_with_failures, run_in
from arena.ledger.record import GameRecord
from arena.ledger.store import StoreError
from arena.play.match import play as play_game
from arena.play.options import OPTIONS
from arena.play.options.option import Option, Running
from arena.play.prepare import prepare
from arena.play.ready import Tournament
from arena.play.schedule import Schedule
from arena.play.workers import Workers, is_here, kept_workers, worker_count
from arena.play.workers import run as run_tasks
from arena.watch.live import CLOCK
from arena.watch.observer import Observer, announcing
from players.identity import now, placed


class Outcome(NamedTuple):
    """What a run has come to."""

    complete: bool
    """Whether nothing is left to be done."""
    failed: bool
    """Whether players failed in games, were found faulty, or were left out."""


def is_free_for(folder: Path, experiment: Experiment) -> bool:
    """Whether a folder is empty or has a run of this experiment with the players' files as they are."""
    if not folder.exists() or not any(folder.iterdir()):
        return True
    run, home = run_in(folder), experiment.path.parent
    if run is None or run.experiment.as_dict() != experiment.as_dict():
        return False
    return placed(now(run.info.files, home), home) == run.info.files


def play_runs(
    experiments: Mapping[str, Experiment],
    folder: Path,
    observer: Observer | None = None,
    *,
    workers: Workers | None = None,
    force: bool = False,
) -> Iterator[tuple[str, Outcome]]:
    """Play the runs of a configuration, by their names, or what is missing of them; yield the outcome of each.

    Each is kept in a folder of its name in `folder`, and all are made ready before the first is played. `workers`
    are processes or the address of a Dask scheduler [those of the configuration, else one a core]; `force` resumes
    a run although it began with other versions of packages. After a run that is not complete none is played.

    Raises ConfigError, and what `carry_out` raises.
    """
    observer, first = observer or Observer(), next(iter(experiments.values()))
    with kept_workers(), closing_players():
        used = available(first.workers if workers is None else workers, observer.say)
        runs = {name: prepare(each, folder / name, observer, used) for name, each in experiments.items()}
        if len(runs) > 1:
            from arena.report.load import list_runs

            list_runs(folder, first.name, list(runs))
        for number, (name, tournament) in enumerate(runs.items(), start=1):
            if len(runs) > 1:
                observer.say(f"{name}, run {number} of {len(runs)}:")
            outcome = carry_out(tournament, folder / name, observer, used, force=force)
            yield name, outcome
            if not outcome.complete:
                return


def carry_out(
    tournament: Tournament,
    folder: Path,
    observer: Observer,
    workers: Workers,
    *,
    force: bool = False,
) -> Outcome:
    """Play what is missing of a tournament's run in `folder`, and of its options; what is finished is kept.

    Raises StoreError for a folder that holds another run or cannot be written to; Pause for a player that asks for
    it; ArenaError for what else keeps the run from going on: other versions, grades that cannot be given, lost
    workers.
    """
    experiment, info = tournament.experiment, tournament.info
    try:
        opened = Ledger(folder, experiment, info, tournament.opening_fens)
    except OtherOpenings:
        raise
    except StoreError as error:
        failed = complete_with_failures(folder, experiment, info)
        if failed is None:
            raise
        observer.say(f"the run in {folder} is complete: nothing is played ({error})")
        return Outcome(True, failed or bool(tournament.entrants.left_out))
    with opened as ledger, announcing(observer.say), kept_workers():
        running = Running(tournament, ledger, workers, observer)
        options = [option(running) for option in OPTIONS]
        for line in filter(None, (ledger.repaired, ledger.grown)):
            observer.say(line)
        if ledger.complete:
            observer.say(f"the run in {folder} is complete: nothing is played")
        if not ledger.complete or any(option.is_missing() for option in options):
            begin_session(tournament, ledger, workers, force=force)
        if not ledger.complete:
            for line in tournament.warnings(workers):
                observer.say(line)
            with observer.working("games", tournament.games, folder) as stopping:
                for number, _ in enumerate(play(tournament, ledger, workers, stopping, options), start=1):
                    observer.done(number)
        is_whole = ledger.complete and all(option.after() for option in options)
        info = ledger.info
        return Outcome(is_whole, bool(info.faulty or info.left_out) or ledger.has_failures)


def begin_session(tournament: Tournament, ledger: Ledger, workers: Workers, *, force: bool = False) -> None:
    """Record in the run's info that it begins, or resumes, with `workers` workers.

    Raises ArenaError if it began with other versions of packages, unless `force` is true, and StoreError if
    the info cannot be read or written.
    """
    info, now = ledger.info, session(len(ledger.finished()), workers)
    if not info.began:
        ledger.save_info(tournament.info.begun(now))
        return
    here = versions()
    others = [
        f"{name} {then} then, {here[name]} now" for name, then in info.versions.items() if here[name] != then
    ]
    if others and not force:
        raise ArenaError(
            f"{ledger.path.parent}: the run began with other versions ({'; '.join(others)}), so players may play "
            "differently; --force resumes it all the same; or give this run another name or --out"
        )
    forced = "; ".join(others) or info.forced
    kept = {name: getattr(info, name) for name in ("versions", "machine", "began")}
    ledger.save_info(tournament.info._replace(**kept, session=now, forced=forced))


def play(
    tournament: Tournament,
    ledger: Ledger,
    workers: Workers,
    stopping: Callable[[], bool] = lambda: False,
    options: Sequence[Option] | None = None,
) -> Iterator[GameRecord]:
    """Play the games that the ledger lacks, storing each before it is yielded; mark the ledger when all is done.

    The `Schedule` says which games they are, the same ones for any number of workers. Once a sequential test is
    decided no game begins, and the games after the deciding pair are removed. `options` hear of the games: all
    that there are, unwatched, unless they are given.

    Raises the Pause that a player asks for, when all games under way are stored; EngineError for games that ended
    two workers, when all others of the batch are, and if the workers are lost; StoreError if another program
    changed games in the ledger meanwhile; what `arena.play.match.play` raises.
    """
    if options is None:
        options = [option(Running(tournament, ledger, workers)) for option in OPTIONS]
    forfeits = next(filter(None, (option.forfeits() for option in options)), None)
    store, schedule = _storing(ledger), Schedule(tournament, ledger.results(), forfeits)
    here = is_here(workers, tournament.players)

    def is_enough() -> bool:
        return schedule.decided or stopping()

    while schedule.advance():
        names = tournament.names
        games = ((game.game, names[game.white], names[game.black], game.opening + 1) for game in schedule.games())
        schedule.forget(ledger.remove_others(schedule.numbers, games))
        for record in run_tasks(play_game, schedule.tasks(), workers, is_enough, here=here):
            to_store = schedule.take(record)
            for game in to_store:
                store(game)
            ledger.disqualify(schedule.disqualified)
            if to_store:
                for option in options:
                    option.stored(record)
                yield record
        for record in () if stopping() else schedule.lost():
            store(record)
            for option in options:
                option.stored(record)
            yield record
        ledger.disqualify(schedule.disqualified)
    if schedule.order is not None:
        ledger.remove_after(schedule.last)
    ledger.verify()
    if schedule.order is not None:
        ledger.finish([(tournament.names[place.player], place.figures) for place in schedule.order])


def available(workers: Workers | None, say: Callable[[str], object]) -> Workers:
    """The workers, one process a core unless others are given; of Dask with a line on how many there are.

    Raises EngineError if these are not to be had, ValueError for what is neither processes nor an address.
    """
    try:
        checked_workers(workers)
    except ValueError as error:
        raise ValueError(f"workers {error}") from None
    if isinstance(workers, str):
        count = worker_count(workers)
        waiting = "" if count else f"; waiting for one (dask worker {workers} --nthreads 1)"
        say(f"{counted(count, 'Dask worker')} at {workers}{waiting}")
    return workers or cores()


def _storing(ledger: Ledger) -> Callable[[GameRecord], None]:
    """Return a function that stores games in a ledger; the session's first tells when its first move was begun."""
    timed = False

    def store(record: GameRecord) -> None:
        nonlocal timed
        if not timed:
            ledger.put(CLOCK, time.monotonic() - float(np.nansum(record.table()["seconds"])))
            timed = True
        ledger.add(record)

    return store
