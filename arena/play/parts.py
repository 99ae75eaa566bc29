"""What a configuration asks for besides players: openings, suites, a judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from arena.base.files import found_file
from arena.base.wording import first_few
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
from arena.play.grading import Grading, grading_of
from arena.play.suites import Suite, suites_of
from arena.rules.endgame.retrograde import opened
from arena.rules.endgame.tables import EndgameError
from players.loading import own_code, user_files

Made = TypeVar("Made")


class Parts(NamedTuple):
    """What a configuration asks for besides players, as far as it can be made."""

    openings: FileOpenings
    suites: tuple[Suite, ...]
    grading: Grading | None
    errors: Mapping[str, ConfigError]
    """Why the rest cannot be, by its keys."""


def parts_of(experiment: Experiment, say: Callable[[str], object]) -> Parts:
    """Draw the openings and make suites and endgame tables, as far as that can be."""
    errors = dict[str, ConfigError]()

    def made(key: str, make: Callable[[], Made], without: Made) -> Made:
        try:
            return make()
        except ConfigError as error:
            errors[key] = error
            return without

    made("players", lambda: check_work(experiment), None)
    made("sandbox", lambda: _check_sandbox(experiment), None)
    openings = made("openings", lambda: _openings(experiment, say), FileOpenings([]))
    suites = made("suite", lambda: suites_of(experiment), tuple[Suite, ...]())
    grading = made("grade", lambda: grading_of(experiment), None)
    made("adjudicate", lambda: _open_tables(experiment), None)
    return Parts(openings, suites, grading, errors)


def check_work(experiment: Experiment) -> None:
    """Raise ConfigError unless there are games, or a suite to answer, and submissions if sheets are wanted."""
    if "sheets" in experiment.report and not any(map(own_code, experiment.players)):
        raise experiment.error(
            ("report",), "there are no submissions for sheets: no player has code of the user's own"
        )
    if experiment.suite:
        return
    if len(experiment.players) == 1:
        message = "one player alone has no games: list two or more (or give it a 'suite' to answer)"
        raise experiment.error(("players",), message)
    if experiment.openings.count == 0:
        raise experiment.error(("openings", "count"), "without openings there are no games, and no 'suite' either")


def _check_sandbox(experiment: Experiment) -> None:
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
    """The openings of an experiment, each as often as it is played."""
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
        of_file = file_openings(variant, path, settings.plies)
        return of_file._replace(openings=drawn(of_file.openings, settings.count, seed, settings.order))
    if settings.set is not None:
        return FileOpenings(drawn(set_openings(variant, settings.set), settings.count, seed, settings.order))
    plies, count = settings.random_plies, settings.to_draw
    return FileOpenings(random_openings(variant, plies, count, seed, settings.balanced, say))


def unguarded(experiment: Experiment) -> str:
    """Say in a line that the user's own Python may do what the user may; empty in a sandbox, or without any."""
    paths = (str(path) for spec in experiment.players for path in user_files(spec) if path.suffix == ".py")
    files = list(dict.fromkeys(paths))
    if experiment.sandbox or not files:
        return ""
    return f"{first_few(files, 1)} can read and write whatever you can; 'sandbox: true' prevents it"
