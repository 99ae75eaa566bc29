"""A tournament made ready to play: its variant, players, openings and positions to search."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from arena.base.errors import ArenaError
from arena.base.files import found_file
from arena.base.wording import first_few, quoted
from arena.experiment.formats.base import Batches, Pairing
from arena.experiment.model import Experiment
from arena.experiment.openings.sources import (
    FileOpenings,
    OpeningsError,
    drawn,
    file_openings,
    left_out_lines,
    random_openings,
    set_openings,
)
from arena.experiment.yaml.errors import ConfigError, Problem
from arena.hosting import sandbox
from arena.ledger.info import Diagnosis, RunInfo
from arena.ledger.ledger import info_in
from arena.play.grading import GradingError, configured
from arena.play.match import Task, play
from arena.play.probe import positions
from arena.play.suite import Suite, read_suite
from arena.play.trial import Extent, Look, is_own, look_at
from arena.play.workers import Workers, start_workers
from arena.rules.custom import build_variant
from arena.rules.endgame.tables import EndgameError, opened
from arena.rules.position import COLOURS, Position
from arena.rules.result import Colour
from arena.rules.variants import Variant
from arena.watch.observer import Observer, announcing
from players.loading import PlayerError, fingerprints, located, source_of, user_files
from players.player import PlayerSpec

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
    men: Mapping[str, float | None] = MappingProxyType({})
    """The worth of a man in the scores of each player, by its name; None where it is not known."""
    costly: frozenset[str] = frozenset()
    """The names of the players whose answers cost money."""
    unread: Sequence[str] = ()
    """A line on each game of a file of openings that gives none."""
    left_out: Mapping[str, str] = MappingProxyType({})
    """The faulty players that do not take part, with their files."""
    found: tuple[Diagnosis, ...] = ()
    """The findings on the players before the first game."""

    def batches(self) -> Batches:
        """The tournament's format under way, from its first batch on."""
        experiment, openings = self.experiment, len(self.openings)
        if (until := experiment.until) is not None:
            return until.batches(experiment.format, self.names, openings, self.first, experiment.anchor)
        return experiment.format.batches(self.names, openings)

    def task(self, pairing: Pairing) -> Task:
        """A game as workers receive it."""
        experiment = self.experiment
        return Task(
            pairing,
            self.variant,
            self.openings[pairing.opening],
            self.players[pairing.white],
            self.players[pairing.black],
            experiment.seed,
            experiment.max_plies,
            experiment.allowance,
            experiment.adjudicate,
            (self.men.get(self.players[pairing.white].name), self.men.get(self.players[pairing.black].name)),
        )

    def warnings(self) -> Iterator[str]:
        """Yield a line for each rule of adjudication that can end no game, and on games that give no opening."""
        yield from left_out_lines(self.unread)
        if (rules := self.experiment.adjudicate) is not None:
            yield from rules.unusable(list(self.men.values()), self.experiment.max_plies)

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
        files: dict[str, str] = {}
        for spec in self.players:
            files |= fingerprints(spec)
        file = str(self.experiment.path.resolve())
        return RunInfo(self.games, self.exact, files, file, self.men, self.found, self.left_out)


def prepare(
    experiment: Experiment, folder: Path | None = None, observer: Observer | None = None, workers: Workers = 1
) -> Tournament:
    """The tournament of an experiment, whose run is to be kept in `folder`, without the players that are left out.

    Every player is built once, which also compiles what they need, and the openings are drawn. With a folder where
    no run has begun, a user's own code is tried, too, as `failures` of the configuration say, on as many worker
    processes; the observer hears what is found. A run that has begun decided then who takes part.

    Raises ConfigError, at the keys to blame, with all that cannot be: openings, suites and the rest, then players.
    """
    observer = observer or Observer()
    begun = None if folder is None else info_in(folder)
    begun = begun if begun is not None and begun.began else None
    if begun is not None and (names := {player.name for player in experiment.players} & begun.left_out.keys()):
        experiment = experiment.without(names)
    sandbox.check(experiment)
    variant = build_variant(experiment.variant)
    with announcing(observer.say):
        made, errors = parts_of(experiment, variant, observer.say)
        if errors:
            raise ConfigError(problem for error in errors.values() for problem in error.problems)
        is_new = folder is not None and begun is None
        if is_new:
            everyone = [player.name for player in experiment.players]
            games = experiment.format.most_games(everyone, len(made["openings"][0]))
            start_workers(workers, games, play)
        faulty = experiment.failures.faulty
        extent = Extent.BUILT if not is_new else Extent.FIRST_MOVES if faulty == "stop" else Extent.GAMES
        unsafe = unguarded(experiment) if is_new else ""
        if unsafe and extent is Extent.GAMES:
            observer.say(unsafe)
        looks = look_at(experiment, variant, extent, observer.say, workers if isinstance(workers, int) else 1)
    left_out: Mapping[str, str] = {}
    diagnoses: tuple[Diagnosis, ...] = ()
    if begun is not None:
        left_out, diagnoses = begun.left_out, begun.found
    elif is_new:
        left_out, diagnoses = _judged(experiment, looks)
    problems: list[Problem] = []
    for index, look in enumerate(looks):
        if look.error is not None and experiment.players[index].name not in left_out:
            problems += _unbuilt(experiment, index, look.error)
    if problems:
        raise ConfigError(problems)
    by_name = {spec.name: look for spec, look in zip(experiment.players, looks, strict=True)}
    if is_new:
        if unsafe and extent is not Extent.GAMES:
            observer.say(unsafe)
        for line in _told(experiment, left_out, diagnoses):
            observer.say(line)
        experiment = experiment.without(left_out) if left_out else experiment
        _check_players(experiment)
    openings, unread = made["openings"]
    specs = tuple(located(spec, experiment.path.parent) for spec in experiment.players)
    return Tournament(
        experiment,
        variant,
        specs,
        openings,
        made["probe"],
        made["suite"],
        {spec.name: by_name[spec.name].man_value for spec in specs},
        frozenset(spec.name for spec in specs if by_name[spec.name].costs),
        unread,
        left_out,
        diagnoses,
    )


def parts_of(
    experiment: Experiment, variant: Variant, say: Callable[[str], object]
) -> tuple[dict[str, Any], dict[str, ConfigError]]:
    """What is played and searched by the keys of a configuration, and the errors of those that cannot be."""
    checks: Mapping[str, Callable[[], Any]] = {
        "players": partial(_check_players, experiment),
        "openings": partial(openings_of, experiment, variant, say),
        "probe": partial(probes_of, experiment, variant),
        "suite": partial(suites_of, experiment, variant),
        "oracle": partial(_check_oracle, experiment),
        "adjudicate": partial(_check_tables, experiment, variant),
    }
    made: dict[str, Any] = {}
    errors: dict[str, ConfigError] = {}
    for key, check in checks.items():
        try:
            made[key] = check()
        except ConfigError as error:
            errors[key] = error
    return made, errors


def unguarded(experiment: Experiment) -> str:
    """Say in a line that the user's own Python may do what the user may; empty in a sandbox, or without any."""
    files = dict.fromkeys(
        path.name for spec in experiment.players for path in user_files(spec) if path.suffix == ".py"
    )
    if experiment.sandbox or not files:
        return ""
    return f"{first_few(list(files), 1)} can read and write whatever you can; 'sandbox: true' prevents it"


def _judged(experiment: Experiment, looks: Sequence[Look]) -> tuple[dict[str, str], tuple[Diagnosis, ...]]:
    """The faulty players that are left out, with their files, and what was found of all with a user's code."""
    users = [(spec, look.problems) for spec, look in zip(experiment.players, looks, strict=True) if is_own(spec)]
    here = f"{experiment.path.parent.resolve()}/"
    diagnoses = tuple(
        Diagnosis(spec.name, finding.level, finding.message.replace(here, ""))
        for spec, problems in users
        for finding in problems
    )
    faulty = {diagnosis.player for diagnosis in diagnoses if diagnosis.level == "error"}
    leaves_out = experiment.failures.faulty == "leave-out"
    return {spec.name: source_of(spec) for spec, _ in users if leaves_out and spec.name in faulty}, diagnoses


def _told(experiment: Experiment, left_out: Collection[str], diagnoses: Sequence[Diagnosis]) -> Iterator[str]:
    """Yield a line on each finding, but only on the first mistake of a player that is left out."""
    told: set[str] = set()
    for player, level, message in diagnoses:
        if level != "error" or player not in left_out:
            yield f"{player}: {message}" + ("" if level == "error" else " (warning)")
        elif player not in told:
            told.add(player)
            yield f"{player} is left out: {message}"
    if left_out:
        yield f"left out: {len(left_out)} of {len(experiment.players)} players"
    elif diagnoses and experiment.failures.faulty == "stop":
        yield f"the run continues; arena doctor {experiment.path} looks closer"


def _unbuilt(experiment: Experiment, index: int, error: PlayerError) -> Sequence[Problem]:
    """The problem of a player that cannot be built; none if it is to lose its games instead."""
    is_users = is_own(experiment.players[index])
    if is_users and experiment.failures.faulty == "forfeit":
        return ()
    advice = _LEAVE_OUT if is_users and len(experiment.players) > 2 else ""
    why = _UNREADABLE if experiment.sandbox and "command" in error.keys else ""
    return experiment.error(("players", index, *error.keys), f"{error}{why}{advice}").problems


def _check_players(experiment: Experiment) -> None:
    """Raise ConfigError for a player alone that no probe measures, and for one in and out of a sandbox."""
    if len(experiment.players) == 1 and experiment.probe is None:
        message = "one player alone has no games: list two or more (or measure its search, with 'probe')"
        raise experiment.error(("players",), message)
    for index, spec in enumerate(experiment.players):
        if experiment.sandbox and spec.in_process and is_own(spec):
            message = "'in_process' cannot be true beside 'sandbox: true'"
            raise experiment.error(("players", index, "in_process"), message)


def _check_oracle(experiment: Experiment) -> None:
    """Raise ConfigError if games cannot be graded as is asked for."""
    try:
        configured(experiment)
    except GradingError as error:
        raise experiment.error(("oracle", error.key), str(error)) from None


def _check_tables(experiment: Experiment, variant: Variant) -> None:
    """Raise ConfigError if the endgame tables by which games are to be adjudicated are not there."""
    if experiment.adjudicate is not None and experiment.adjudicate.tables:
        try:
            opened(variant, experiment.adjudicate.tables)
        except EndgameError as error:
            raise experiment.error(("adjudicate", "tables"), str(error)) from None


def openings_of(
    experiment: Experiment, variant: Variant, say: Callable[[str], object]
) -> tuple[tuple[Position, ...], Sequence[str]]:
    """The openings that a configuration asks for, and a line on each game that gives none.

    Raises ConfigError if there are too few.
    """
    try:
        openings, left_out = _drawn(experiment, variant, say)
    except OpeningsError as error:
        raise experiment.error(("openings", error.key), str(error)) from None
    players = len(experiment.players)
    if len(openings) < (needed := experiment.format.openings_needed(players)):
        message = f"with {players} players, {experiment.format.type} needs {needed} openings, not {len(openings)}"
        raise experiment.error(("openings", "count"), message)
    return tuple(opening.position for opening in openings), left_out


def probes_of(experiment: Experiment, variant: Variant) -> tuple[Position, ...]:
    """The positions that a configuration has every player search. Raises ConfigError if there are too few."""
    if (settings := experiment.probe) is None:
        return ()
    try:
        return tuple(positions(variant, settings.positions, settings.plies, experiment.seed))
    except ArenaError as error:
        raise experiment.error(("probe", "positions"), str(error)) from None


def suites_of(experiment: Experiment, variant: Variant) -> tuple[Suite, ...]:
    """The suites of a configuration. Raises ConfigError for one that cannot be read or is of other rules."""
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
    return tuple(suites)


def _drawn(experiment: Experiment, variant: Variant, say: Callable[[str], object]) -> FileOpenings:
    settings, seed = experiment.openings, experiment.seed
    if settings.file is not None:
        path = found_file(Path(settings.file), experiment.path.parent)
        of_file = file_openings(variant, path)
        return of_file._replace(openings=drawn(of_file.openings, settings.count, seed))
    if settings.set is not None:
        return FileOpenings(drawn(set_openings(variant, settings.set, settings.barred), settings.count, seed))
    count, plies = settings.count or 50, settings.random_plies
    openings = random_openings(variant, plies, count, seed, settings.balanced, say)
    return FileOpenings(openings)
