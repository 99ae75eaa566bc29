"""Carry out runs: play the games that are missing, then what a run has beside them.

`play_runs` is the one way for `arena run` and `match` and, from Python, `run`, which is `arena.run`.
"""

from __future__ import annotations

import os
import re
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from arena.base.wording import counted
from arena.base.work import cores
from arena.experiment.load import load_all, write_kept
from arena.experiment.model import Experiment, checked_workers
from arena.experiment.schedule import Result, Schedule
from arena.experiment.yaml.values import ConfigError
from arena.ledger.info import session
from arena.ledger.ledger import COMPLETE, Ledger, StoreError
from arena.ledger.record import GameRecord
from arena.play.cluster import worker_count
from arena.play.grading import grade, ungraded
from arena.play.match import play as play_game
from arena.play.prepare import Tournament, prepare
from arena.play.suites import answer, unanswered
from arena.play.workers import Workers, kept_workers
from arena.play.workers import run as run_tasks
from arena.rules.position import COLOURS
from arena.watch.status import CLOCK, Observer, announcing
from players.player import ENGINE, PlayerSpec

if TYPE_CHECKING:
    from arena.report.run import Run

Config: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]
"""A YAML file, or a mapping with the keys of one."""
LOGS = "logs"
"""The folder, in a run's, of what players printed in games, a file for each."""
MOST_LOG_BYTES = 4 << 20
"""Bytes of such a file from which on no further game is added."""


class Outcome(NamedTuple):
    """What a run has come to."""

    complete: bool
    """Whether nothing is left to be done."""
    failed: bool
    """Whether players failed in games, were found faulty, or were left out."""


def run(
    config: Config | Experiment,
    out: str | os.PathLike[str] | None = None,
    *,
    workers: int | str | None = None,
    report: bool = False,
    quiet: bool = False,
    force: bool = False,
) -> Run | Any:
    """Play a tournament, or what is missing of it, and return it as `arena.load` does.

    `config` is a YAML file, a mapping with the keys of one, or an experiment, as `run.experiment` of another run;
    files that a mapping names are looked for in the working directory. The several runs that `variants` and
    `limits` make are returned by their names: `english-d4`. `out` is the folder of the run, or that of theirs
    [reports/<name>]; `workers` are processes or the address of a Dask scheduler [those of the
    configuration, else one a core].
    What `arena run` prints goes to stderr unless `quiet`; with `report` the page, tables and charts are written.
    `force` resumes a run although it began with other versions of packages. Ctrl-C stops, and the same call
    resumes. A UserWarning says that players failed in games, or were found faulty.

    Raises ValueError, in one line, for a configuration or workers that are wrong; StoreError for a folder that
    holds another run or cannot be written to; Pause for a player that asks for it; ArenaError for what else keeps
    the run from going on: other versions, grades that cannot be given, lost workers. What was finished is kept.
    """
    from arena.report.load import load_run  # which need pandas and rich, as no command does that only plays
    from arena.report.sentences.cautions import failures
    from arena.watch.display import Display

    runs: dict[str, Run] = {}
    try:
        experiments = {"": config} if isinstance(config, Experiment) else load_all(config)
        folder = Path("reports") / next(iter(experiments.values())).name if out is None else Path(out)
        observer = Observer() if quiet else Display()
        for name, outcome in play_runs(experiments, folder, observer, workers=workers, force=force):
            runs[name] = load_run(folder / name)
            if report:
                from arena.report.write import write

                write(runs[name])
                for line in runs[name].faults.found.values():
                    warnings.warn(f"{folder / name}: {line}", stacklevel=2)
            if outcome.failed:
                warnings.warn(f"{folder / name}: {' '.join(map(str, failures(runs[name])))}", stacklevel=2)
    except ConfigError as error:
        raise ValueError("; ".join(str(error).splitlines())) from None
    if report and len(runs) > 1:
        from arena.report.joint import load_joint, write_joint

        write_joint(load_joint(folder))
    return runs.get("", runs)


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
        players = [spec for each in experiments.values() for spec in each.players]
        used = available(first.workers if workers is None else workers, observer.say, players)
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

    Raises StoreError for a folder that holds another run, or one that began with other versions, or cannot be
    written to; Pause for a player that asks for it; ArenaError for grades that cannot be given, and lost workers.
    """
    experiment, info, grading = tournament.experiment, tournament.info, tournament.parts.grading
    with Ledger(folder, experiment, info) as ledger, announcing(observer.say), kept_workers():
        for line in ledger.notes:
            observer.say(line)
        schedule = tournament.schedule(ledger.results())
        is_whole = (
            schedule.order is not None
            and not unanswered(tournament.questions(schedule.withdrawn), ledger)
            and (grading is None or not ungraded(grading, ledger, schedule.counting()))
        )
        if is_whole and ledger.info is not None:
            info = ledger.begin(info, None)
            observer.say(f"the run in {folder} is complete: nothing is played")
        else:
            info = ledger.begin(info, session(len(schedule.asked()), workers), force=force)
            ledger.put(COMPLETE, schedule.order is not None)
        write_kept(experiment, info.facts(), folder)
        if next(schedule.missing(), None) is not None:
            for line in tournament.warnings(workers):
                observer.say(line)
            with observer.working("games", info.games, folder) as stopping:
                records = play(tournament, schedule, ledger, workers, stopping, observer.say)
                for number, _ in enumerate(records, start=1):
                    observer.done(number)
                ledger.put(COMPLETE, schedule.order is not None)  # before the last line is drawn
        is_whole = (
            schedule.order is not None
            and answer(tournament.questions(schedule.withdrawn), ledger, workers, observer)
            and (grading is None or grade(grading, ledger, schedule.counting(), workers, observer))
        )
        return Outcome(is_whole, schedule.has_failures or any(each.level == "error" for each in info.found))


def play(
    tournament: Tournament,
    schedule: Schedule,
    ledger: Ledger,
    workers: Workers,
    stopping: Callable[[], bool] = lambda: False,
    say: Callable[[str], object] = lambda _: None,
) -> Iterator[GameRecord]:
    """Play the games that a schedule misses, storing each before it is yielded, the same ones for any workers.

    Once a sequential test is decided no game begins.

    Raises the Pause that a player asks for, when all games under way are stored; EngineError for games that ended
    two workers, when all others of the batch are, and if the workers are lost; what `play_game` raises.
    """
    named, is_first, has_batch = set[str](), True, True

    def is_over() -> bool:
        return schedule.decided or stopping()

    while has_batch:
        tasks = map(tournament.task, schedule.missing())
        for record in run_tasks(play_game, tasks, workers, is_over, tournament.players):
            if is_first:
                ledger.put(CLOCK, time.monotonic() - float(np.nansum(record.table()["seconds"])))
                is_first = False
            ledger.add(record)
            append_logs(ledger.folder, record)
            out = schedule.withdrawn
            schedule.take(record.key, Result(record.result, record.failed))
            if record.failed and record.failed not in named:
                named.add(record.failed)
                say(f"game {record.id}: {record.error}")
            for name in schedule.withdrawn.keys() - out.keys():
                say(f"{name} is withdrawn: {schedule.withdrawn[name]}, so its games count for nobody")
            yield record
        has_batch = schedule.advance()


def append_logs(folder: Path, record: GameRecord) -> None:
    """Append what White and Black printed in a game to their files, unless these are long. Raises StoreError."""
    for colour, player, text in zip(COLOURS, (record.white, record.black), record.logs, strict=True):
        if text:
            path = folder / LOGS / (re.sub(r"[^\w.-]", "_", player) + ".txt")
            game = f"game {record.id}, {record.white} against {record.black}, as {colour}"
            try:
                path.parent.mkdir(exist_ok=True)
                with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                    if file.tell() < MOST_LOG_BYTES:
                        file.write(f"--- {game}\n{text.rstrip()}\n")
            except OSError as error:
                raise StoreError(f"{path} cannot be written: {error.strerror}") from None


def available(
    workers: Workers | None, say: Callable[[str], object], players: Iterable[PlayerSpec] = ()
) -> Workers:
    """The workers, one process a core unless others are given; of Dask with a line on how many there are.

    With a line it is one process where one of the players is a program with one port, at which no second can be.

    Raises EngineError if these are not to be had, ValueError for what is neither processes nor an address.
    """
    try:
        checked_workers(workers)
    except ValueError as error:
        raise ValueError(f"workers {error}") from None
    for spec in players:
        if workers != 1 and spec.type == ENGINE and (port := spec.options.get("port")):
            say(f"one worker plays, as {spec.name} has one port, {port}")
            return 1
    if isinstance(workers, str):
        count = worker_count(workers)
        waiting = "" if count else f"; waiting for one (dask worker {workers} --nthreads 1)"
        say(f"{counted(count, 'Dask worker')} at {workers}{waiting}")
    return workers or cores()
