"""A tournament made ready to play, and the doctor, who lists all that keeps one from being ready."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from arena.base.files import found_file
from arena.base.wording import printable
from arena.experiment.model import Experiment
from arena.experiment.openings import MAX_OPENINGS, RANDOM_OPENINGS
from arena.experiment.openings.sources import (
    FileOpenings,
    OpeningsError,
    doubled_lines,
    drawn,
    file_openings,
    left_out_lines,
    random_openings,
    set_openings,
)
from arena.experiment.yaml.errors import ConfigError
from arena.ledger.ledger import run_in
from arena.play.entrants import as_before, built, entered_before, tried, unchanged, unguarded
from arena.play.match import RESERVE, play
from arena.play.options import OPTIONS
from arena.play.ready import Tournament
from arena.play.trial import Extent, as_written, look_at, of_source
from arena.play.workers import Workers, start_workers
from arena.rules.custom import build_variant
from arena.rules.endgame.tables import EndgameError, opened
from arena.rules.variants import Variant
from arena.watch.observer import Observer, announcing
from players.finding import UNBUILT, Finding
from players.loading import located


class Parts(NamedTuple):
    """What a configuration asks for besides players, by its keys."""

    made: Mapping[str, Any]
    """As far as it can be made: `openings`, and what options have prepared."""
    errors: Mapping[str, ConfigError]
    """Why the rest cannot be."""

    @property
    def openings(self) -> FileOpenings:
        """The openings that are drawn."""
        found: FileOpenings = self.made.get("openings", FileOpenings([]))
        return found


def prepare(
    experiment: Experiment, folder: Path | None = None, observer: Observer | None = None, workers: Workers = 1
) -> Tournament:
    """The tournament of an experiment, whose run is to be kept in `folder`, without the players that are left out.

    Every player is built once, which also compiles what they need, and the openings are drawn. With a folder where
    no run has begun, a user's own code is tried, too, as `failures` of the configuration say, on as many worker
    processes; the observer hears the findings. Of a run that has begun so those are that are new, or have changed.

    Raises ConfigError, at the keys to blame, with all that cannot be: openings, suites and the rest, then players.
    """
    observer = observer or Observer()
    before = None if folder is None else run_in(folder)
    known = frozenset[str]()
    if before is not None:
        known = unchanged(experiment, before)
        experiment = entered_before(experiment, before.info, known)
    variant = build_variant(experiment.variant)
    are_tried = folder is not None and any(spec.name not in known for spec in experiment.players)
    if are_tried:
        _start_workers(experiment, workers)
    with announcing(observer.say):
        parts = _all_parts(experiment, variant, observer.say)
        if are_tried:
            entrants = tried(experiment, variant, observer.say, workers, known)
            _check_players(entrants.experiment)
        else:
            entrants = built(experiment, variant, observer.say)
    specs = entrants.located()
    if before is not None:
        entrants = as_before(entrants, before.info, known)
    openings = tuple(opening.position for opening in parts.openings.openings)
    return Tournament(entrants, variant, specs, openings, parts.made)


def _all_parts(experiment: Experiment, variant: Variant, say: Callable[[str], object]) -> Parts:
    """What the configuration asks for besides players. Raises ConfigError with all that cannot be."""
    parts = _parts(experiment, variant, say)
    if parts.errors:
        raise ConfigError(problem for error in parts.errors.values() for problem in error.problems)
    return parts


def _start_workers(experiment: Experiment, workers: Workers) -> None:
    """Have the workers of a run import what a game needs, while its openings are drawn and its players tried."""
    names = [player.name for player in experiment.players]
    openings = experiment.openings.count or RANDOM_OPENINGS
    start_workers(workers, experiment.format.most_games(names, openings), play)


def diagnose(
    experiment: Experiment,
    folder: Path,
    say: Callable[[str], object] = lambda _: None,
    looking: Callable[[Sequence[str]], object] = lambda _: None,
) -> Iterator[Finding]:
    """Yield problems of a configuration whose run is to be kept in `folder`, and what its players printed.

    All that `prepare` makes is made, and every player of the user's own plays several games. `say` receives what
    is done next, `looking` the players that are still looked at. Where a user's own code needs a sandbox and there
    is none, its files are only read.
    """
    if line := unguarded(experiment):
        say(line)
    variant = build_variant(experiment.variant)
    parts = _parts(experiment, variant, say)
    for key, problems in parts.errors.items():
        yield Finding("error", where=key, said=str(problems))
    if "sandbox" in parts.errors:
        say("without a sandbox players are read, but not tried")
        for spec in experiment.players:
            for finding in of_source(located(spec, experiment.path.parent)):
                said = as_written(finding.said, spec, experiment.path.parent)
                yield finding._replace(where=spec.name, said=said)
        return
    for line in left_out_lines(parts.openings.left_out)[1:]:
        yield Finding("warning", f"left out: {line}", "openings")
    for line in parts.openings.notes:
        yield Finding("warning", line, "openings")
    existing = next(parent for parent in (folder.resolve(), *folder.resolve().parents) if parent.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        yield Finding("error", f"{folder} cannot be written to", "disk")
    looks = look_at(experiment, variant, Extent.GAMES, say, everyone=True, looking=looking)
    said_before = set[object]()
    for index, (spec, look) in enumerate(zip(experiment.players, looks, strict=True)):
        for finding in look.problems:
            said = finding.said
            if look.error is not None and finding.kind == UNBUILT:
                refusal = experiment.error(("players", index, *look.error.keys), said)
                said = str(refusal)
                told = tuple((each.file, each.line, each.message) for each in refusal.problems)
                if told in said_before:
                    continue
                said_before.add(told)
            yield finding._replace(where=spec.name, said=said)
        if look.printed:
            yield Finding("ok", "printed in a game of its trial", spec.name, output=printable(look.printed))
    if experiment.is_timed and experiment.time_margin < RESERVE:
        margin = f"{experiment.time_margin:g} s to spare"
        late = f"moves are not timed here: with {margin} a player on a busy machine loses games by time"
        yield Finding("warning", late, "time_margin")
    if (rules := experiment.adjudicate) is not None:
        for line in rules.unusable([look.man_value for look in looks], experiment.max_plies):
            yield Finding("warning", line, "adjudicate")


def _parts(experiment: Experiment, variant: Variant, say: Callable[[str], object]) -> Parts:
    makers: Mapping[str, Callable[[], Any]] = {
        "players": partial(_check_players, experiment),
        "openings": partial(_openings, experiment, variant, say),
        **{option.key: partial(option.prepare, experiment, variant) for option in OPTIONS if option.key},
        "adjudicate": partial(_check_tables, experiment, variant),
    }
    made, errors = dict[str, Any](), dict[str, ConfigError]()
    for key, make in makers.items():
        try:
            made[key] = make()
        except ConfigError as error:
            errors[key] = error
    return Parts(made, errors)


def _check_players(experiment: Experiment) -> None:
    """No player is alone unless a probe measures it."""
    if len(experiment.players) == 1 and experiment.probe is None:
        message = "one player alone has no games: list two or more (or measure its search, with 'probe')"
        raise experiment.error(("players",), message)


def _check_tables(experiment: Experiment, variant: Variant) -> None:
    """The endgame tables by which games are to be adjudicated are there."""
    if experiment.adjudicate is not None and experiment.adjudicate.tables:
        try:
            opened(variant, experiment.adjudicate.tables)
        except EndgameError as error:
            raise experiment.error(("adjudicate", "tables"), str(error)) from None


def _openings(experiment: Experiment, variant: Variant, say: Callable[[str], object]) -> FileOpenings:
    times = experiment.openings.repeat
    try:
        found = _drawn(experiment, variant, say)
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


def _drawn(experiment: Experiment, variant: Variant, say: Callable[[str], object]) -> FileOpenings:
    settings, seed = experiment.openings, experiment.seed
    if settings.file is not None:
        path = found_file(Path(settings.file), experiment.path.parent)
        of_file = file_openings(variant, path)
        doubled = doubled_lines(of_file.openings, path.name)
        return of_file._replace(openings=drawn(of_file.openings, settings.count, seed), notes=doubled)
    if settings.set is not None:
        return FileOpenings(drawn(set_openings(variant, settings.set), settings.count, seed))
    count, plies = settings.count or RANDOM_OPENINGS, settings.random_plies
    return FileOpenings(random_openings(variant, plies, count, seed, settings.balanced, say))
