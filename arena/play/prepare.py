"""A tournament made ready to play."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from arena.base.files import found_file
from arena.experiment.model import Experiment
from arena.experiment.openings import MAX_OPENINGS
from arena.experiment.openings.sources import (
    FileOpenings,
    OpeningsError,
    drawn,
    file_openings,
    random_openings,
    set_openings,
)
from arena.experiment.yaml.errors import ConfigError
from arena.hosting import sandbox
from arena.ledger.ledger import run_in
from arena.play.entrants import as_before, entered, entered_before, known_before
from arena.play.grading import check_grading
from arena.play.inspection import BUILDING
from arena.play.match import play
from arena.play.suite import Suite
from arena.play.suites import suites_of
from arena.play.tournament import Tournament
from arena.play.trials import trial_of
from arena.play.workers import Workers, is_here, start_workers
from arena.rules.endgame.retrograde import opened
from arena.rules.endgame.tables import EndgameError
from arena.watch.observer import Observer, announcing

Made = TypeVar("Made")


class Parts(NamedTuple):
    """What a configuration asks for besides players, as far as it can be made."""

    openings: FileOpenings
    suites: tuple[Suite, ...]
    errors: Mapping[str, ConfigError]
    """Why the rest cannot be, by its keys."""


def prepare(
    experiment: Experiment,
    folder: Path | None = None,
    observer: Observer | None = None,
    workers: Workers = 1,
    *,
    is_strict: bool = False,
) -> Tournament:
    """The tournament of an experiment, whose run is to be kept in `folder`, without the players that are left out.

    Every player is built once, which also compiles what they need, and the openings are drawn. With a folder where
    no run has begun, a user's own code is tried, too, as `failures` of the configuration say, on as many worker
    processes; the observer hears the findings. Of a run that has begun so those are that are new, or have changed.

    Raises ConfigError, at the keys to blame, with all that cannot be: openings, suites and the rest, then players;
    where it `is_strict`, a mistake that was found in a player, too.
    """
    observer = observer or Observer()
    before = None if folder is None else run_in(folder)
    known = frozenset[str]()
    if before is not None:
        known = known_before(experiment, before[1])
        experiment = entered_before(experiment, before[1], known)
    names, is_close = [player.name for player in experiment.players], experiment.failures.faulty != "stop"
    are_tried = folder is not None and not known.issuperset(names)
    if are_tried and not is_here(workers, experiment.players):
        # they import what a game needs, while openings are drawn and players tried
        start_workers(workers, experiment.format.most_games(names, experiment.openings.to_draw), play)
    with announcing(observer.say):
        parts = parts_of(experiment, observer.say)
        if parts.errors:
            raise ConfigError(problem for error in parts.errors.values() for problem in error.problems)
        inspector = trial_of(experiment, is_close=is_close) if are_tried else BUILDING
        entrants = entered(experiment, inspector, observer.say, workers, known, is_strict=is_strict)
        _check_work(entrants.experiment)
    specs = entrants.located(folder)
    if before is not None:
        entrants = as_before(entrants, before[1], known)
    return Tournament(entrants, specs, parts.openings, parts.suites)


def parts_of(experiment: Experiment, say: Callable[[str], object]) -> Parts:
    """What a configuration asks for besides players, as far as it can be made."""
    errors = dict[str, ConfigError]()

    def made(key: str, make: Callable[[], Made], without: Made) -> Made:
        try:
            return make()
        except ConfigError as error:
            errors[key] = error
            return without

    made("players", partial(_check_work, experiment), None)
    made("sandbox", partial(_check_sandbox, experiment), None)
    openings = made("openings", partial(_openings, experiment, say), FileOpenings([]))
    suites = made("suite", partial(suites_of, experiment), tuple[Suite, ...]())
    made("grade", partial(check_grading, experiment), None)
    made("adjudicate", partial(_open_tables, experiment), None)
    return Parts(openings, suites, errors)


def _check_work(experiment: Experiment) -> None:
    """There are games, or a suite to answer."""
    if experiment.suite:
        return
    if len(experiment.players) == 1:
        message = "one player alone has no games: list two or more (or give it a 'suite' to answer)"
        raise experiment.error(("players",), message)
    if experiment.openings.count == 0:
        raise experiment.error(("openings", "count"), "without openings there are no games, and no 'suite' either")


def _check_sandbox(experiment: Experiment) -> None:
    """There can be a sandbox, where one is asked for."""
    if experiment.sandbox and (why := sandbox.unavailable()):
        raise experiment.error(("sandbox",), f"'sandbox' cannot be true: {why}")


def _open_tables(experiment: Experiment) -> None:
    """Make the endgame tables by which games are to be adjudicated, if they are not there."""
    if experiment.adjudicate is not None and experiment.adjudicate.tables:
        try:
            opened(experiment.rule_set, experiment.adjudicate.tables)
        except EndgameError as error:
            raise experiment.error(("adjudicate", "tables"), str(error)) from None


def _openings(experiment: Experiment, say: Callable[[str], object]) -> FileOpenings:
    times = experiment.openings.repeat
    try:
        found = _drawn(experiment, say)
        if (plays := len(found.openings) * times) > MAX_OPENINGS:
            raise OpeningsError(f"'repeat' makes {plays} openings, more than {MAX_OPENINGS}", "repeat")
    except OpeningsError as error:
        raise experiment.error(("openings", error.key), str(error)) from None
    players = len(experiment.players)
    if plays < (needed := experiment.format.openings_needed(players)):
        message = f"with {players} players, {experiment.format.type} needs {needed} openings, not {plays}"
        raise experiment.error(("openings", "count"), message)
    openings, notes = [opening for opening in found.openings for _ in range(times)], found.notes
    if experiment.openings.are_repeated:
        times = plays // len({opening.position for opening in openings})
        alike = "games of two players that come out alike count once"
        notes = [*notes, f"each opening is played {times} times; {alike}"]
    return found._replace(openings=openings, notes=notes)


def _drawn(experiment: Experiment, say: Callable[[str], object]) -> FileOpenings:
    settings, seed, variant = experiment.openings, experiment.seed, experiment.rule_set
    if settings.file is not None:
        path = found_file(Path(settings.file), experiment.path.parent)
        of_file = file_openings(variant, path)
        return of_file._replace(openings=drawn(of_file.openings, settings.count, seed))
    if settings.set is not None:
        return FileOpenings(drawn(set_openings(variant, settings.set), settings.count, seed))
    plies, count = settings.random_plies, settings.to_draw
    return FileOpenings(random_openings(variant, plies, count, seed, settings.balanced, say))
