"""A tournament made ready to play, and all that keeps one from being so."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from arena.base.errors import ArenaError
from arena.base.files import found_file
from arena.base.wording import counted, printable
from arena.experiment.model import Experiment
from arena.experiment.openings import MAX_OPENINGS
from arena.experiment.openings.sources import (
    FileOpenings,
    OpeningsError,
    drawn,
    file_openings,
    left_out_lines,
    random_openings,
    set_openings,
)
from arena.experiment.yaml.errors import ConfigError
from arena.hosting import sandbox
from arena.ledger.info import RunInfo, player_hash
from arena.ledger.ledger import run_in
from arena.play.entrants import (
    Entrants,
    as_written,
    known_before,
    left_out,
    look_at,
    refuse_unbuilt,
    said_of,
    unguarded,
)
from arena.play.grading import Grading, grading_of
from arena.play.match import TIME_RESERVE, play
from arena.play.suites import Suite, suites_of
from arena.play.tournament import Tournament
from arena.play.trials import How, is_own, of_source
from arena.play.workers import Workers, is_here, start_workers
from arena.rules.endgame.retrograde import opened
from arena.rules.endgame.tables import EndgameError
from arena.rules.notation import fen
from arena.watch.observer import Observer, announcing
from players.finding import UNBUILT, Finding
from players.identity import COPIES, keep, placed
from players.loading import located
from players.player import PlayerSpec

Made = TypeVar("Made")


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
    say = (observer or Observer()).say
    begun = None if folder is None else run_in(folder)
    known = {} if begun is None else known_before(experiment, begun[1])
    playing = _without(experiment, left_out(experiment, known))
    names, is_short = [spec.name for spec in playing.players], experiment.failures.faulty == "stop"
    how: How = "tried" if is_short else "examined"
    if folder is None or known.keys() >= {*names}:
        how = "built"
    elif not is_here(workers, playing.players):
        # they import what a game needs, while openings are drawn and players tried
        start_workers(workers, playing.format.most_games(names, playing.openings.to_draw), play)
    with announcing(say):
        parts = parts_of(playing, say)
        if parts.errors:
            raise ConfigError(problem for error in parts.errors.values() for problem in error.problems)
        warning = unguarded(experiment) if how != "built" else ""
        if warning and not is_short:
            say(warning)
        processes = workers if isinstance(workers, int) else 1
        entrants = known | look_at(playing, how, say, processes, known=known)
        out = left_out(experiment, entrants)
        refuse_unbuilt(experiment, entrants, out)
    own = [spec.name for spec in experiment.players if is_own(spec)]
    new = {name: entrants[name] for name in own if name not in known}
    for name, entrant in new.items() if is_strict else ():
        for finding in entrant.problems:
            if finding.level == "error":
                place = [spec.name for spec in experiment.players].index(name)
                raise experiment.error(("players", place), finding.words)
    if warning and is_short:
        say(warning)
    for line in said_of(experiment, new, out):
        say(line)
    playing = _without(experiment, out)
    for key, value in playing.format:
        if value != (before := getattr(experiment.format, key)):
            say(f"the format has {key} {value}, not {before}, with {counted(len(playing.players), 'player')}")
    _check_work(playing)
    info, specs = _info(experiment, playing, entrants, out, parts), _located(playing, entrants, folder)
    return Tournament(playing, entrants, specs, parts.openings, parts.suites, parts.grading, info)


def _without(experiment: Experiment, names: Mapping[str, str]) -> Experiment:
    return experiment.without(names) if names else experiment


def _located(experiment: Experiment, entrants: Entrants, folder: Path | None) -> tuple[PlayerSpec, ...]:
    """The players, to be loaded from the files with which they were tried, copied into the run's folder.

    Raises ArenaError if one was edited meanwhile, or cannot be copied.
    """
    copies, home = str(folder.resolve() / COPIES) if folder else "", experiment.path.parent
    files = {spec.name: dict(entrants[spec.name].files) for spec in experiment.players}
    every = {path: mark for of_player in files.values() for path, mark in of_player.items()}
    if copies and (edited := keep(every, copies)):
        raise ArenaError(f"{edited[0]} was changed while the players were tried; run the same command again")
    return tuple(
        replace(located(spec, home), files=files[spec.name], copies=copies) for spec in experiment.players
    )


def _info(
    whole: Experiment, playing: Experiment, entrants: Entrants, out: Mapping[str, str], parts: Parts
) -> RunInfo:
    """What is known of a run before it begins."""
    path, openings = whole.path.resolve(), parts.openings.openings
    names = [spec.name for spec in playing.players]
    programs = {spec.name: entrants[spec.name].version for spec in whole.players if entrants[spec.name].version}
    hashes = {
        spec.name: player_hash(spec, entrants[spec.name].files.values(), programs.get(spec.name, ""))
        for spec in whole.players
    }
    found = (
        finding._replace(where=spec.name)
        for spec in whole.players
        if is_own(spec)
        for finding in entrants[spec.name].problems
    )
    return RunInfo(
        players={name: hashes[name] for name in names},
        openings=tuple(fen(whole.rule_set, opening.position) for opening in openings),
        games=playing.format.most_games(names, len(openings)),
        exact=(playing.sprt or playing.until) is None and playing.format.exact,
        files={spec.name: placed(entrants[spec.name].files, path.parent) for spec in whole.players},
        programs=programs,
        file=str(path),
        men={name: entrants[name].man_value for name in names},
        found=tuple(found),
        left_out=out,
        left_out_hashes={name: hashes[name] for name in out},
    )


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
    parts = parts_of(experiment, say)
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
    entrants = look_at(experiment, "examined", say, everyone=True, looking=looking)
    said_before = set[str]()
    for index, (name, entrant) in enumerate(entrants.items()):
        for finding in entrant.problems:
            said = finding.said
            if entrant.error is not None and finding.kind == UNBUILT:
                said = str(experiment.error(("players", index, *entrant.error.keys), said))
                if said in said_before:
                    continue
                said_before.add(said)
            yield finding._replace(where=name, said=said)
        if entrant.printed:
            yield Finding("ok", "printed in a game of its trial", name, output=printable(entrant.printed))
    if experiment.is_timed and experiment.time_margin < TIME_RESERVE:
        margin = f"{experiment.time_margin:g} s to spare"
        late = f"moves are not timed here: with {margin} a player on a busy machine loses games by time"
        yield Finding("warning", late, "time_margin")
    if (rules := experiment.adjudicate) is not None:
        men = [entrant.man_value for entrant in entrants.values()]
        for line in rules.unusable(men, experiment.max_plies):
            yield Finding("warning", line, "adjudicate")


class Parts(NamedTuple):
    """What a configuration asks for besides players, as far as it can be made."""

    openings: FileOpenings
    suites: tuple[Suite, ...]
    grading: Grading | None
    errors: Mapping[str, ConfigError]
    """Why the rest cannot be, by its keys."""


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
    grading = made("grade", partial(grading_of, experiment), None)
    made("adjudicate", partial(_open_tables, experiment), None)
    return Parts(openings, suites, grading, errors)


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
