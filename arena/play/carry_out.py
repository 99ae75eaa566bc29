"""Carry out runs: play the games that are missing, then what a run has beside them.

`play_runs` is the one way for `arena run` and `match` and, from Python, `arena.run`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from arena.base.errors import ArenaError
from arena.base.wording import counted
from arena.base.work import cores
from arena.experiment.kept import write_kept
from arena.experiment.model import Experiment, checked_workers
from arena.experiment.schedule import Result
from arena.ledger.info import RunInfo, session, versions
from arena.ledger.ledger import COMPLETE, Ledger
from arena.ledger.record import GameRecord
from arena.play.cluster import worker_count
from arena.play.grading import grade_run, is_ungraded
from arena.play.logs import append_logs
from arena.play.match import play as play_game
from arena.play.prepare import prepare
from arena.play.suites import answer_suites, unanswered
from arena.play.tournament import Tournament
from arena.play.workers import Workers, is_here, kept_workers
from arena.play.workers import run as run_tasks
from arena.watch.observer import Observer, announcing
from arena.watch.status import CLOCK


class Outcome(NamedTuple):
    """What a run has come to."""

    complete: bool
    """Whether nothing is left to be done."""
    failed: bool
    """Whether players failed in games, were found faulty, or were left out."""


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
    with kept_workers():
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
    tournament: Tournament, folder: Path, observer: Observer, workers: Workers, *, force: bool = False
) -> Outcome:
    """Play what is missing of the run in `folder`, and of its suites and grades; what is finished is kept.

    Raises StoreError for a folder that holds another run or cannot be written to; Pause for a player that asks for
    it; ArenaError for what else keeps the run from going on: other versions, grades that cannot be given, lost
    workers.
    """
    with (
        Ledger(folder, tournament.experiment, tournament.info) as ledger,
        announcing(observer.say),
        kept_workers(),
    ):
        for line in ledger.notes:
            observer.say(line)
        before, is_stopped = ledger.info, False
        is_over = before is not None and not is_missing(tournament, ledger)
        if before is not None and is_over:
            info = tournament.info.begun(before.session, before)
        else:
            info = begun(tournament.info, ledger, workers, force=force)
        ledger.begin(info)
        write_kept(tournament.experiment, info.facts(), folder)
        if is_over:
            observer.say(f"the run in {folder} is complete: nothing is played")
        else:
            ledger.put(COMPLETE, False)
            for line in tournament.warnings(workers):
                observer.say(line)
            with observer.working("games", tournament.games, folder) as stopping:
                for number, _ in enumerate(play(tournament, ledger, workers, stopping, observer.say), start=1):
                    observer.done(number)
                is_stopped = stopping()
        results = ledger.results()
        schedule = tournament.schedule(results)
        asked = list(schedule.asked())
        failed = any(results[game.key].failed for game in asked)
        is_played = schedule.order is not None
        ledger.put(COMPLETE, is_played)
        is_whole = (
            (is_played or not is_stopped)
            and answer_suites(tournament, ledger, workers, observer)
            and grade_run(tournament, ledger, workers, observer)
        )
        return Outcome(is_whole, failed or bool(tournament.info.faulty or tournament.info.left_out))


def is_missing(tournament: Tournament, ledger: Ledger) -> bool:
    """Whether a run lacks games, answers to suites or grades."""
    is_played = tournament.played(ledger.results()).order is not None
    return not is_played or bool(unanswered(tournament, ledger)) or is_ungraded(tournament, ledger)


def begun(info: RunInfo, ledger: Ledger, workers: Workers, *, force: bool) -> RunInfo:
    """The info of a run that begins, or goes on, here and now.

    Raises ArenaError if it began with other versions of packages, unless `force` is true.
    """
    before, here = ledger.info, versions()
    then = {} if before is None else before.versions
    others = [f"{name} {was} then, {here[name]} now" for name, was in then.items() if here[name] != was]
    if others and not force:
        raise ArenaError(
            f"{ledger.folder}: the run began with other versions ({'; '.join(others)}), so players may play "
            "differently; --force resumes it all the same; or give this run another name or --out"
        )
    info = info.begun(session(len(ledger.counting()), workers), before)
    return info._replace(forced="; ".join(others) or info.forced)


def play(
    tournament: Tournament,
    ledger: Ledger,
    workers: Workers,
    stopping: Callable[[], bool] = lambda: False,
    say: Callable[[str], object] = lambda _: None,
) -> Iterator[GameRecord]:
    """Play the games that the ledger lacks, storing each before it is yielded.

    The `Schedule` says which games they are, the same ones for any number of workers. Once a sequential test is
    decided no game begins. Games that another program altered meanwhile are played again; where it alters the same
    ones again, the run ends without them.

    Raises the Pause that a player asks for, when all games under way are stored; EngineError for games that ended
    two workers, when all others of the batch are, and if the workers are lost; what `play_game` raises.
    """
    yield from _batches(tournament, ledger, workers, stopping, say)
    before = set[int]()
    while (altered := _altered(ledger, say)) and not stopping():
        if altered & before:
            say("the same games were altered again: the run ends without them")
            break
        before |= altered
        yield from _batches(tournament, ledger, workers, stopping, say)


def _altered(ledger: Ledger, say: Callable[[str], object]) -> set[int]:
    """Remove the games that another program altered, and say which; their keys."""
    ledger.notes.clear()
    keys = set(ledger.check("was altered by another program during the run"))
    for line in ledger.notes:
        say(line)
    return keys


def _batches(
    tournament: Tournament,
    ledger: Ledger,
    workers: Workers,
    stopping: Callable[[], bool],
    say: Callable[[str], object],
) -> Iterator[GameRecord]:
    """Play what is missing of one batch of the schedule after the other."""
    schedule, here = tournament.schedule(ledger.results()), is_here(workers, tournament.players)
    is_first, named, decided = True, set[str](), threading.Event()
    while schedule.advance():
        tasks = map(tournament.task, schedule.missing())
        for record in run_tasks(play_game, tasks, workers, lambda: decided.is_set() or stopping(), here=here):
            if is_first:
                ledger.put(CLOCK, time.monotonic() - float(np.nansum(record.table()["seconds"])))
                is_first = False
            ledger.add(record)
            append_logs(ledger.folder, record)
            out = schedule.withdrawn
            schedule.take(record.key, Result(record.result, record.failed))
            if schedule.decided:
                decided.set()
            if record.failed and record.failed not in named:
                named.add(record.failed)
                say(f"game {record.id}: {record.error}")
            for name in schedule.withdrawn.keys() - out.keys():
                say(f"{name} is withdrawn: {schedule.withdrawn[name]}, so its games count for nobody")
            yield record


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
