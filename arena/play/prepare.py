"""A tournament made ready to play, and the doctor, who lists all that keeps one from being ready."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from arena.base.errors import ArenaError
from arena.base.files import found_file
from arena.base.wording import counted, first_few, printable, quoted
from arena.base.work import cores
from arena.experiment.formats.base import Batches, ScheduledGame
from arena.experiment.model import Experiment
from arena.experiment.openings import MAX_OPENINGS, RANDOM_OPENINGS
from arena.experiment.openings.sources import (
    FileOpenings,
    OpeningsError,
    doubled_lines,
    drawn,
    file_openings,
    is_even,
    left_out_lines,
    random_line,
    random_openings,
    set_openings,
)
from arena.experiment.yaml.errors import ConfigError, Problem
from arena.hosting import sandbox
from arena.ledger.growth import Wanted, entries
from arena.ledger.info import RunInfo
from arena.ledger.ledger import run_in
from arena.play.grading import GradingError, configured
from arena.play.match import Task, play
from arena.play.suite import Suite, read_suite
from arena.play.trial import Extent, Look, is_own, look_at, of_source
from arena.play.workers import Workers, start_workers
from arena.rules.custom import build_variant
from arena.rules.endgame.tables import EndgameError, opened
from arena.rules.game import Game
from arena.rules.notation import fen
from arena.rules.position import COLOURS, Position
from arena.rules.result import Colour
from arena.rules.variants import Variant
from arena.watch.observer import Observer, announcing
from players.finding import UNBUILT, Finding
from players.identity import Files, keep_sources, now, placed
from players.loading import PlayerError, located, source_of, user_files
from players.player import PlayerSpec

PROBE_PLIES = (6, 40)
"""Random plies to the first and to the last position of a probe where a configuration does not say how many: from
the opening to positions of 9 or 10 pieces on the small boards."""
_PROBE_TRIES = 1000
"""Random lines tried for each position of a probe before giving up."""
_UNREADABLE = (
    "; in a sandbox it reads only files that its command names and its 'folder': "
    "'process: {readable: [...]}' adds others"
)
_LEAVE_OUT = "; 'failures: {faulty: leave-out}' plays without it"


class Tournament(NamedTuple):
    """A tournament that is ready to be played: everything that it needs, checked and built once."""

    experiment: Experiment
    """Without the players that are left out."""
    variant: Variant
    players: tuple[PlayerSpec, ...]
    openings: tuple[Position, ...]
    probes: tuple[Position, ...] = ()
    """Positions that every player searches to the depth of the configuration's probe."""
    suites: tuple[Suite, ...] = ()
    """Positions that every player tries to solve when the games are over."""
    man_values: Mapping[str, float | None] = MappingProxyType({})
    """What a man is worth in each player's scores, by its name; None where it is not known."""
    costly: frozenset[str] = frozenset()
    """The names of the players whose answers cost money."""
    unread: Sequence[str] = ()
    """A line on each game of a file of openings that gives none."""
    notes: Sequence[str] = ()
    """What is to be said of openings that are played several times, or are given twice and played once."""
    left_out: Mapping[str, str] = MappingProxyType({})
    """The faulty players that do not take part, with their files."""
    diagnoses: tuple[Finding, ...] = ()
    """The findings on the players before the first game."""
    files: Files = MappingProxyType({})
    """The files of a user's own that the players are made of."""
    left_out_files: Mapping[str, Files] = MappingProxyType({})
    """Those of the players that do not take part, as they were when that was found, by player."""
    files_of: Mapping[str, Files] = MappingProxyType({})
    """The files of each player that takes part; none where that is not known of a run that has begun."""

    def batches(self) -> Batches:
        """The tournament's format under way, from its first batch on."""
        experiment, openings = self.experiment, len(self.openings)
        if (until := experiment.until) is not None:
            return until.batches(experiment.format, self.names, openings, self.first, experiment.anchor)
        return experiment.format.batches(self.names, openings)

    def task(self, scheduled: ScheduledGame) -> Task:
        """A game as workers receive it."""
        opening = self.openings[scheduled.opening]
        sides = self.players[scheduled.white], self.players[scheduled.black]
        return Task.of(self.experiment, scheduled, self.variant, opening, sides, self.man_values)

    def warnings(self, workers: Workers) -> Iterator[str]:
        """Yield a line on games that give no opening, on repeated openings, for each rule of adjudication that can
        end no game, and on more processes than cores under time limits.
        """
        yield from left_out_lines(self.unread)
        yield from self.notes
        is_timed = any(spec.limit.longest is not None for spec in self.players)
        if is_timed and isinstance(workers, int) and workers > cores():
            yield (
                f"{workers} workers share {counted(cores(), 'core')}: players under time limits have less than "
                "their time, and may lose by it; --workers sets their number"
            )
        if (rules := self.experiment.adjudicate) is not None:
            yield from rules.unusable(list(self.man_values.values()), self.experiment.max_plies)

    def opening_fens(self) -> list[str]:
        """The openings as FENs."""
        return [fen(self.variant, opening) for opening in self.openings]

    @property
    def names(self) -> list[str]:
        """The players' names in their order."""
        return [spec.name for spec in self.players]

    @property
    def first(self) -> Colour:
        """The colour that moves first."""
        return COLOURS[self.variant.first]

    @property
    def games(self) -> int:
        """The most games that the whole tournament can have, exact for formats that know them all before."""
        return self.experiment.format.most_games(self.names, len(self.openings))

    @property
    def exact(self) -> bool:
        """Whether exactly this many games are played, whatever their results."""
        experiment = self.experiment
        return (experiment.sprt or experiment.until) is None and experiment.format.exact

    @property
    def searches(self) -> int:
        """How many searches the probe has."""
        return len(self.players) * len(self.probes)

    @property
    def questions(self) -> int:
        """How many answers of players the suites need."""
        return len(self.players) * sum(len(suite.puzzles) for suite in self.suites)

    @property
    def info(self) -> RunInfo:
        """What is known of the run before it begins."""
        path = self.experiment.path.resolve()
        files = placed(self.files, path.parent)
        left_out = {name: placed(others, path.parent) for name, others in self.left_out_files.items()}
        known = self.man_values, self.diagnoses, self.left_out
        files_of = {name: list(placed(theirs, path.parent)) for name, theirs in self.files_of.items()}
        info = RunInfo(self.games, self.exact, files, str(path), *known)
        return info._replace(left_out_files=left_out, files_of=files_of)


class Parts(NamedTuple):
    """What a configuration asks for besides players, as far as it can be made."""

    openings: tuple[Position, ...] = ()
    unread: Sequence[str] = ()
    notes: Sequence[str] = ()
    """As a Tournament has them."""
    probes: tuple[Position, ...] = ()
    suites: tuple[Suite, ...] = ()
    errors: Mapping[str, ConfigError] = MappingProxyType({})
    """By the keys of the configuration what cannot be."""


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
    known = frozenset[str]() if before is None else _known(experiment, before)
    if before is not None and (names := known & before.info.left_out.keys()):
        experiment = experiment.without(names)
    sandbox.check(experiment)
    variant, faulty = build_variant(experiment.variant), experiment.failures.faulty
    is_tried = folder is not None and any(spec.name not in known for spec in experiment.players)
    extent = Extent.BUILT if not is_tried else Extent.FIRST_MOVES if faulty == "stop" else Extent.GAMES
    warning = _unguarded(experiment) if is_tried else ""
    with announcing(observer.say):
        parts = _parts(experiment, variant, observer.say)
        if parts.errors:
            raise ConfigError(problem for error in parts.errors.values() for problem in error.problems)
        if is_tried:
            everyone = [player.name for player in experiment.players]
            start_workers(workers, experiment.format.most_games(everyone, len(parts.openings)), play)
        if warning and extent is Extent.GAMES:
            observer.say(warning)
        processes = workers if isinstance(workers, int) else 1
        looks = look_at(experiment, variant, extent, observer.say, processes, known=known)
    left_out, diagnoses = _judged(experiment, looks, known) if is_tried else ({}, ())
    problems: list[Problem] = []
    for index, look in enumerate(looks):
        if look.error is not None and experiment.players[index].name not in left_out:
            problems += _unbuilt(experiment, index, look.error)
    if problems:
        raise ConfigError(problems)
    by_name = {spec.name: look for spec, look in zip(experiment.players, looks, strict=True)}
    if is_tried:
        if warning and extent is not Extent.GAMES:
            observer.say(warning)
        for line in _lines(experiment, left_out, diagnoses):
            observer.say(line)
        experiment = _without(experiment, left_out, observer.say)
        _check_players(experiment)
    specs, files = _as_tried(experiment, by_name)
    tournament = Tournament(
        experiment,
        variant,
        specs,
        parts.openings,
        parts.probes,
        parts.suites,
        {spec.name: by_name[spec.name].man_value for spec in specs},
        frozenset(spec.name for spec in specs if by_name[spec.name].costs),
        parts.unread,
        parts.notes,
        left_out,
        diagnoses,
        files,
        {name: by_name[name].files for name in left_out},
        {spec.name: spec.files or {} for spec in specs},
    )
    return tournament if before is None else _resumed(tournament, before.info, known)


def _resumed(tournament: Tournament, info: RunInfo, known: frozenset[str]) -> Tournament:
    """The tournament with what a run that has begun knows of the players that are as they were."""
    home, kept = tournament.experiment.path.parent, known & info.left_out.keys()
    files_of = {
        name: now(info.files_by(name), home) if name in known else files
        for name, files in tournament.files_of.items()
    }
    files = {path: mark for theirs in files_of.values() for path, mark in theirs.items()}
    if info.files and not info.files_of:  # of an earlier version
        files_of, files = {}, now(info.files, home)
    found = (finding for finding in info.found if finding.where in known)
    out_files = {name: now(info.left_out_files.get(name, {}), home) for name in kept}
    return tournament._replace(
        left_out={name: info.left_out[name] for name in kept} | dict(tournament.left_out),
        diagnoses=(*found, *tournament.diagnoses),
        files=files,
        files_of=files_of,
        left_out_files=out_files | dict(tournament.left_out_files),
    )


def _known(experiment: Experiment, before: Wanted) -> frozenset[str]:
    """The players that are as they were when the run began, those that were left out among them."""
    info, home = before.info, experiment.path.parent
    old, new = entries(before.experiment), entries(experiment)
    files = {name: info.files_by(name) for name in old.keys() & new.keys() if old[name] == new[name]}
    files |= {name: dict(theirs) for name, theirs in info.left_out_files.items()}
    return frozenset(name for name, theirs in files.items() if placed(now(theirs, home), home) == theirs)


def _without(experiment: Experiment, left_out: Collection[str], say: Callable[[str], object]) -> Experiment:
    """The experiment without players that are left out; a line says each key of the format that this changes."""
    if not left_out:
        return experiment
    smaller = experiment.without(left_out)
    for key, value in smaller.format:
        if value != (before := getattr(experiment.format, key)):
            say(f"the format has {key} {value}, not {before}, with {counted(len(smaller.players), 'player')}")
    return smaller


def _as_tried(experiment: Experiment, looks: Mapping[str, Look]) -> tuple[tuple[PlayerSpec, ...], Files]:
    """The players, to be loaded from the files with which they were tried, and all of these files."""
    files: dict[str, str] = {}
    specs = []
    for spec in experiment.players:
        specs.append(replace(located(spec, experiment.path.parent), files=dict(looks[spec.name].files)))
        files |= specs[-1].files
    if edited := keep_sources(files):
        raise ArenaError(f"{edited[0]} was changed while the players were tried; run the same command again")
    return tuple(specs), files


def diagnose(
    experiment: Experiment,
    folder: Path,
    say: Callable[[str], object] = lambda _: None,
) -> Iterator[Finding]:
    """Yield problems of a configuration whose run is to be kept in `folder`, and what its players printed.

    All that `prepare` makes is made, and every player of the user's own plays several games. `say` receives what
    is done next. Where a user's own code needs a sandbox and there is none, its files are only read.
    """
    if line := _unguarded(experiment):
        say(line)
    try:
        sandbox.check(experiment)
    except ConfigError as error:
        yield Finding("error", where="sandbox", said=str(error))
        say("without a sandbox players are read, but not tried")
        for spec in experiment.players:
            for finding in of_source(located(spec, experiment.path.parent)):
                yield finding._replace(where=spec.name)
        return
    variant = build_variant(experiment.variant)
    parts = _parts(experiment, variant, say)
    for key, problems in parts.errors.items():
        yield Finding("error", where=key, said=str(problems))
    for line in left_out_lines(parts.unread)[1:]:
        yield Finding("warning", f"left out: {line}", "openings")
    for line in parts.notes:
        yield Finding("warning", line, "openings")
    existing = next(parent for parent in (folder.resolve(), *folder.resolve().parents) if parent.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        yield Finding("error", f"{folder} cannot be written to", "disk")
    looks, said_before = look_at(experiment, variant, Extent.GAMES, say, everyone=True), set[str]()
    for index, (spec, look) in enumerate(zip(experiment.players, looks, strict=True)):
        for finding in look.problems:
            said = finding.said
            if look.error is not None and finding.kind == UNBUILT:
                placed_at = experiment.error(("players", index, *look.error.keys), said)
                said, key = str(placed_at), str([(file, line, what) for file, line, _, what in placed_at.problems])
                if key in said_before:
                    continue
                said_before.add(key)
            yield finding._replace(where=spec.name, said=said)
        if look.printed:
            yield Finding("ok", "printed in a game of its trial", spec.name, output=printable(look.printed))
    if (rules := experiment.adjudicate) is not None:
        for line in rules.unusable([look.man_value for look in looks], experiment.max_plies):
            yield Finding("warning", line, "adjudicate")


def _parts(experiment: Experiment, variant: Variant, say: Callable[[str], object]) -> Parts:
    makers: Mapping[str, Callable[[], Mapping[str, Any]]] = {
        "players": partial(_check_players, experiment),
        "openings": partial(_openings, experiment, variant, say),
        "probe": partial(_probes, experiment, variant),
        "suite": partial(_suites, experiment, variant),
        "oracle": partial(_check_oracle, experiment),
        "adjudicate": partial(_check_tables, experiment, variant),
    }
    parts, errors = Parts(), dict[str, ConfigError]()
    for key, make in makers.items():
        try:
            parts = parts._replace(**make())
        except ConfigError as error:
            errors[key] = error
    return parts._replace(errors=errors)


def _unguarded(experiment: Experiment) -> str:
    """Say in a line that the user's own Python may do what the user may; empty in a sandbox, or without any."""
    files = dict.fromkeys(
        path.name for spec in experiment.players for path in user_files(spec) if path.suffix == ".py"
    )
    if experiment.sandbox or not files:
        return ""
    return f"{first_few(list(files), 1)} can read and write whatever you can; 'sandbox: true' prevents it"


def _judged(
    experiment: Experiment, looks: Sequence[Look], known: Collection[str]
) -> tuple[Mapping[str, str], tuple[Finding, ...]]:
    """The faulty players that are left out, with their files, and the findings on all with a user's code.

    Players that are known by their names were tried before.
    """
    tried = zip(experiment.players, looks, strict=True)
    users = [(spec, look.problems) for spec, look in tried if is_own(spec) and spec.name not in known]
    folder = f"{experiment.path.parent.resolve()}/"
    diagnoses = tuple(
        finding._replace(where=spec.name, said=finding.said.replace(folder, ""))
        for spec, problems in users
        for finding in problems
    )
    faulty = {finding.where for finding in diagnoses if finding.level == "error"}
    leaves_out = experiment.failures.faulty == "leave-out"
    return {spec.name: source_of(spec) for spec, _ in users if leaves_out and spec.name in faulty}, diagnoses


def _lines(experiment: Experiment, left_out: Collection[str], diagnoses: Sequence[Finding]) -> Iterator[str]:
    """Yield a line on each finding, but only on the first mistake of a player that is left out."""
    named: set[str] = set()
    for finding in diagnoses:
        player, is_error = finding.where, finding.level == "error"
        if not is_error or player not in left_out:
            yield f"{player}: {finding.words}" + ("" if is_error else " (warning)")
        elif player not in named:
            named.add(player)
            yield f"{player} is left out: {finding.words}"
    if left_out:
        yield f"left out: {len(left_out)} of {len(experiment.players)} players"
    elif diagnoses and experiment.failures.faulty == "stop":
        closer = f"; arena doctor {experiment.path} looks closer" if experiment.path.is_file() else ""
        yield f"the run continues{closer}"


def _unbuilt(experiment: Experiment, index: int, error: PlayerError) -> Sequence[Problem]:
    """The problem of a player that cannot be built; none if it is to lose its games instead."""
    is_users = is_own(experiment.players[index])
    if is_users and experiment.failures.faulty == "forfeit":
        return ()
    advice = _LEAVE_OUT if is_users and len(experiment.players) > 2 else ""
    why = _UNREADABLE if experiment.sandbox and "command" in error.keys else ""
    return experiment.error(("players", index, *error.keys), f"{error}{why}{advice}").problems


# Each of these makes fields of Parts, or only checks, and raises ConfigError at the key to blame.


def _check_players(experiment: Experiment) -> Mapping[str, Any]:
    """No player is alone unless a probe measures it, and none is both in and out of a sandbox."""
    if len(experiment.players) == 1 and experiment.probe is None:
        message = "one player alone has no games: list two or more (or measure its search, with 'probe')"
        raise experiment.error(("players",), message)
    for index, spec in enumerate(experiment.players):
        if experiment.sandbox and spec.in_process and is_own(spec):
            message = "'in_process' cannot be true beside 'sandbox: true'"
            raise experiment.error(("players", index, "in_process"), message)
    return {}


def _check_oracle(experiment: Experiment) -> Mapping[str, Any]:
    """Games can be graded as is asked for."""
    try:
        configured(experiment)
    except GradingError as error:
        raise experiment.error(("oracle", error.key), str(error)) from None
    return {}


def _check_tables(experiment: Experiment, variant: Variant) -> Mapping[str, Any]:
    """The endgame tables by which games are to be adjudicated are there."""
    if experiment.adjudicate is not None and experiment.adjudicate.tables:
        try:
            opened(variant, experiment.adjudicate.tables)
        except EndgameError as error:
            raise experiment.error(("adjudicate", "tables"), str(error)) from None
    return {}


def _openings(experiment: Experiment, variant: Variant, say: Callable[[str], object]) -> Mapping[str, Any]:
    try:
        openings, unread, notes = _drawn(experiment, variant, say)
        if (plays := len(openings) * experiment.openings.repeat) > MAX_OPENINGS:
            raise OpeningsError(f"'repeat' makes {plays} openings, more than {MAX_OPENINGS}", "repeat")
    except OpeningsError as error:
        raise experiment.error(("openings", error.key), str(error)) from None
    times = experiment.openings.repeat
    positions = tuple(opening.position for opening in openings for _ in range(times))
    players = len(experiment.players)
    if len(positions) < (needed := experiment.format.openings_needed(players)):
        message = f"with {players} players, {experiment.format.type} needs {needed} openings, not {len(positions)}"
        raise experiment.error(("openings", "count"), message)
    if experiment.openings.are_repeated:
        times = len(positions) // len(set(positions))
        alike = "games of two players that come out alike count once"
        notes = [*notes, f"each opening is played {times} times; {alike}"]
    return {"openings": positions, "unread": unread, "notes": notes}


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


def _suites(experiment: Experiment, variant: Variant) -> Mapping[str, Any]:
    suites = []
    for number, entry in enumerate(experiment.suite):
        keys = ("suite", number, "name")
        try:
            suite = read_suite(str(entry.path(experiment.path.parent)), variant)
        except ArenaError as error:
            raise experiment.error(keys, str(error)) from None
        if suite.variant.rules != variant.rules:
            message = f"the suite {quoted(suite.name)} is of {suite.variant.name}, the run of {variant.name}"
            raise experiment.error(keys, message)
        suites.append(suite.spread(entry.count))
    return {"suites": tuple(suites)}


def _probes(experiment: Experiment, variant: Variant) -> Mapping[str, Any]:
    if (probe := experiment.probe) is None:
        return {}
    try:
        return {"probes": tuple(probe_positions(variant, probe.positions, probe.plies, experiment.seed))}
    except ArenaError as error:
        raise experiment.error(("probe", "positions"), str(error)) from None


def probe_positions(variant: Variant, count: int, plies: int | None, seed: int) -> list[Position]:
    """`count` distinct positions after `plies` random plies, spread evenly over PROBE_PLIES for None.

    In each there is a choice of moves, and no side wins material by force within
    `arena.experiment.openings.sources.EVEN_DEPTH` plies. The same seed gives the same positions. Raises
    ArenaError if fewer are found.
    """
    rng = random.Random(f"probe {seed}")
    first, last = PROBE_PLIES if plies is None else (plies, plies)
    positions: dict[Position, None] = {}
    for number in range(count):
        length = first + round(number * (last - first) / max(count - 1, 1))
        lines = (random_line(variant, length, rng) for _ in range(_PROBE_TRIES))
        new = (game.position for game in lines if game.position not in positions and _worth_searching(game))
        if (position := next(new, None)) is None:
            raise ArenaError(
                f"only {number} of {count} balanced positions were found, none more after {length} random plies"
            )
        positions[position] = None
    return list(positions)


def _worth_searching(game: Game) -> bool:
    if game.outcome is not None or len(game.legal_moves) < 2:
        return False
    return is_even(game.variant, game.position)
