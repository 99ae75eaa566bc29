"""Run a tournament: prepare it, play what the ledger lacks on workers, grade the games and solve suites.

`run` is the one way for `arena run`, `arena.run`, `arena match` and `arena place`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from arena.base.errors import ArenaError
from arena.base.files import replace
from arena.base.wording import counted, listed, nearest, unknown
from arena.base.work import cores
from arena.base.writing import write_text
from arena.experiment.model import Experiment, checked_workers
from arena.experiment.yaml.errors import ConfigError
from arena.experiment.yaml.values import yaml_text
from arena.ledger.growth import OtherOpenings
from arena.ledger.info import session, versions
from arena.ledger.ledger import SPENT, Ledger, complete_with_failures
from arena.ledger.packing import add_named
from arena.ledger.record import LOGS, GameRecord, incident_file, replay_command
from arena.ledger.store import StoreError
from arena.play.grading import configured, grade
from arena.play.match import crashed
from arena.play.match import play as play_game
from arena.play.prepare import Tournament, prepare
from arena.play.schedule import Schedule
from arena.play.searches import measured, solved, unanswered
from arena.play.workers import Workers, kept_workers, worker_count
from arena.play.workers import run as run_tasks
from arena.rules.position import COLOURS
from arena.watch.live import CLOCK
from arena.watch.observer import Observer, announcing

_KEPT_FILES = 20
"""Bundles, and logs, of one player that are kept: the first ones."""


class RunPaused(ArenaError):
    """Nobody failed, but the run cannot continue now; the message is one line."""


class BudgetSpent(RunPaused):
    """The run continues with a larger budget."""


class Unreachable(RunPaused):
    """The run continues when a player is reachable again."""


class Outcome(NamedTuple):
    """What a run has come to."""

    complete: bool
    """Whether nothing is left to be played, graded or solved."""
    failed: bool
    """Whether players failed in games, were found faulty, or were left out."""


def run(
    experiment: Experiment,
    folder: Path,
    observer: Observer | None = None,
    *,
    workers: Workers | None = None,
    force: bool = False,
) -> Outcome:
    """Play the tournament of an experiment whose run is kept in `folder`, or what is missing of it.

    Its games are graded and its suites solved, too, as the experiment says. `workers` are processes or the address
    of a Dask scheduler [those of the experiment, else one a core]. `force` resumes a run although it began with
    other versions of packages.

    Raises ConfigError, and what `carry_out` raises.
    """
    observer = observer or Observer()
    with kept_workers():
        used = available(experiment.workers if workers is None else workers, observer.say)
        tournament = prepare(experiment, folder, observer, used)
        return carry_out(tournament, folder, observer, used, force=force)


def carry_out(
    tournament: Tournament,
    folder: Path,
    observer: Observer,
    workers: Workers,
    *,
    force: bool = False,
) -> Outcome:
    """Play, grade and solve what is missing of a tournament's run in `folder`; what is finished is kept.

    Raises StoreError for a folder that holds another run or cannot be written to; Unreachable for a player,
    BudgetSpent, and ConfigError for a budget that names another number than the players report; ArenaError for
    what else keeps the run from going on: other versions, an `oracle` that cannot grade it, lost workers.
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
        return Outcome(True, failed or bool(tournament.left_out))
    with opened as ledger, announcing(observer.say), kept_workers():
        for line in filter(None, (ledger.repaired, ledger.grown)):
            observer.say(line)
        if ledger.complete:
            observer.say(f"the run in {folder} is complete: nothing is played")
        if not ledger.complete or unanswered(tournament, ledger):
            begin(tournament, ledger, workers, force=force)
        if not ledger.complete:
            for line in tournament.warnings(workers):
                observer.say(line)
            _play_watched(tournament, ledger, workers, observer)
        is_whole = ledger.complete
        if is_whole and (grading := configured(experiment)) is not None:
            is_whole = grade(grading, ledger, workers, observer)
        is_whole = is_whole and solved(tournament, ledger, workers, observer)
        info = ledger.info
        return Outcome(is_whole, bool(info.faulty or info.left_out) or ledger.has_failures)


def begin(tournament: Tournament, ledger: Ledger, workers: Workers, *, force: bool = False) -> None:
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
    tournament: Tournament, ledger: Ledger, workers: Workers, stopping: Callable[[], bool] = lambda: False
) -> Iterator[GameRecord]:
    """Play the games that the ledger lacks, storing each before it is yielded; mark the ledger when all is done.

    The `Schedule` says which games they are, the same ones for any number of workers. Once a sequential test is
    decided no game begins, and the games after the deciding pair are removed. A failure leaves a bundle in the
    ledger's folder.

    Raises Unreachable or BudgetSpent when all games under way are stored; EngineError, when all other games of the
    batch are stored, for games that ended two processes where either player may be to blame, and if the workers
    are lost; StoreError if another program changed games in the ledger meanwhile; what `arena.play.match.play`
    raises.
    """
    folder = ledger.path.parent
    store, schedule = _storing(ledger), Schedule(tournament, ledger.results())
    spent, budget = ledger.spent(), tournament.experiment.budget or {}
    enough = lambda: bool(schedule.stopped) or schedule.decided or stopping() or bool(_used_up(spent, budget))  # noqa: E731
    while schedule.advance():
        names = tournament.names
        games = ((game.game, names[game.white], names[game.black], game.opening + 1) for game in schedule.games())
        schedule.forget(ledger.remove_others(schedule.numbers, games))
        for record in run_tasks(play_game, schedule.tasks(), workers, enough, crashed):
            if numbers := [*record.uncounted, *filter(None, [record.extras])]:
                add_named(spent, numbers)
                ledger.put(SPENT, spent)
            to_store = schedule.take(record)
            for game in to_store:
                write_files(folder, game, schedule.failures)
                store(game)
            ledger.disqualify(schedule.disqualified)
            if to_store:
                yield record
        if schedule.stopped:
            record = schedule.stopped[-1]
            raise Unreachable(f"game {record.game}: {record.error}")
        if schedule.missing and (used := _used_up(spent, budget)):
            raise BudgetSpent(f"the budget is spent: {listed(used)}; a larger one lets the run continue")
        for record in () if stopping() else schedule.rulings():
            store(record)
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


def write_files(folder: Path, record: GameRecord, failures: Mapping[str, int]) -> None:
    """Write a game's bundle, if a player failed in it, and its logs into a run's folder. Raises OSError.

    `failures` counts how often each player has failed, this game included.
    """
    incident = record.incident
    if incident is not None and failures[incident.player] <= _KEPT_FILES:
        document = {
            "game": record.game,
            **incident._asdict(),
            "moves": " ".join(incident.moves),
            "replay": replay_command(folder, record.game),
        }
        _write(incident_file(folder, record.game), yaml_text(document))
    for colour, player, text in zip(COLOURS, (record.white, record.black), record.logs, strict=True):
        end = re.sub(r"[^\w.-]", "_", player) + ".txt"
        kept = (path.name.split("-", 3)[-1] for path in (folder / LOGS).glob(f"game-*{end}"))
        if text and list(kept).count(end) < _KEPT_FILES:
            _write(folder / LOGS / f"game-{record.game}-{colour}-{end}", text)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    replace(path, partial(write_text, text))


def _play_watched(tournament: Tournament, ledger: Ledger, workers: Workers, observer: Observer) -> None:
    """Make the searches of the probe, then play the games, seen by an observer."""
    if not measured(tournament, ledger, workers, observer):
        return
    folder, told = ledger.path.parent, set[str]()
    experiment = tournament.experiment
    missing = None if experiment.budget else list[str]()
    misspelt: ConfigError | None = None
    with observer.working("games", tournament.games, folder) as stopping:
        is_over = lambda: stopping() or misspelt is not None  # noqa: E731
        for number, record in enumerate(play(tournament, ledger, workers, is_over), start=1):
            observer.done(number)
            if missing is None and (missing := _unreported(tournament, ledger)):
                observer.say(f"budget: no player has reported {listed(missing, 'or')}")
                for name in missing:
                    if nearest(name, reported := ledger.spent()) is not None:
                        misspelt = experiment.error(("budget", name), unknown("number", name, reported))
            incident, error = record.incident, record.error
            causes = set(error.split("; ")) if incident is None else {incident.player}
            if not error or causes <= told:
                continue
            told |= causes
            if incident is None:
                observer.say(f"game {record.game} and later: {error}")
            else:
                file = incident_file(folder, record.game)
                observer.say(f"game {record.game}: {error}; it loses" + (f" ({file})" if file.exists() else ""))
    if misspelt is not None and not ledger.complete:
        raise misspelt


def _unreported(tournament: Tournament, ledger: Ledger) -> list[str] | None:
    """The numbers of the budget that no player reports; None before all have moved that may report any."""
    asked = tournament.costly or set(tournament.names)
    if not asked <= ledger.movers():
        return None
    reported = ledger.spent()
    return [name for name in tournament.experiment.budget or () if name not in reported]


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


def _used_up(spent: Mapping[str, float], budget: Mapping[str, float]) -> list[str]:
    """The numbers of a budget that are used up, in words."""
    used = {name: spent.get(name, 0.0) for name in budget}
    return [f"{used[name]:,.10g} of {most:,.10g} {name}" for name, most in budget.items() if used[name] >= most]
