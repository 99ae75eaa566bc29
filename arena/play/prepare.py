"""A tournament made ready to play: its variant, players, openings and positions to search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from arena.base.files import found_file
from arena.base.wording import quoted
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
from arena.hosting.handle import PlayerFailure
from arena.hosting.player_process import begin_game
from arena.ledger.info import Diagnosis, RunInfo
from arena.play.grading import GradingError, configured
from arena.play.match import Task
from arena.play.probe import ProbeError, positions
from arena.play.suite import Suite, SuiteError, read_suite
from arena.rules.custom import build_variant
from arena.rules.endgame.tables import EndgameError, opened
from arena.rules.jit.kernel import compilation_announced
from arena.rules.position import COLOURS, Position
from arena.rules.result import Colour
from arena.rules.variants import Variant
from players.loading import PlayerError, fingerprints, located, own_code
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
    found: tuple[Diagnosis, ...] | None = None
    """What was found of the players before the first game; None if nothing was looked for yet."""

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
        return RunInfo(self.games, self.exact, files, file, self.men, self.found or (), self.left_out)


def prepare(experiment: Experiment, compiling: Callable[[str], None] = lambda _: None) -> Tournament:
    """Build every player once, which also compiles what they need, and draw the openings.

    `compiling` is called before something is compiled, with the names of the rules and of the user's code.
    Raises ConfigError, at the keys to blame, with all players that cannot be built, unless they are of a user's
    own code and forfeit their games; for too few players or openings.
    """
    check_players(experiment)
    variant = build_variant(experiment.variant)
    check_tables(experiment, variant)
    folder = experiment.path.parent
    specs = tuple(located(spec, folder) for spec in experiment.players)
    sandbox.check(experiment)
    problems: list[Problem] = []
    men: dict[str, float | None] = {}
    costly = set()
    for index, spec in enumerate(specs):
        code = [Path(name).name for name in own_code(spec)]
        what = ", ".join([variant.name, *code])
        if experiment.sandbox and spec.in_process and code:
            message = "'in_process' cannot be true beside 'sandbox: true'"
            raise experiment.error(("players", index, "in_process"), message)
        try:
            with compilation_announced(partial(compiling, what)):
                player = begin_game(spec, variant, variant.start, "plan", experiment.allowance)
                men[spec.name] = player.man
                costly |= {spec.name} if player.costs else set()
        except (PlayerError, PlayerFailure) as error:
            problems += _unbuilt(experiment, index, spec, error)
    try:
        configured(experiment)
    except GradingError as error:
        problems += experiment.error(("oracle", error.key), str(error)).problems
    try:
        suites = suites_of(experiment, variant)
    except ConfigError as error:
        problems += error.problems
    if problems:
        raise ConfigError(problems)
    with compilation_announced(partial(compiling, variant.name)):
        openings, unread = openings_of(experiment, variant)
    probes = probes_of(experiment, variant)
    return Tournament(experiment, variant, specs, openings, probes, suites, men, frozenset(costly), unread)


def _unbuilt(
    experiment: Experiment, index: int, spec: PlayerSpec, error: PlayerError | PlayerFailure
) -> Sequence[Problem]:
    """The problem of a player that cannot be built; none if it is to lose its games instead."""
    is_own = bool(own_code(spec))
    if is_own and experiment.failures.faulty == "forfeit":
        return ()
    advice = _LEAVE_OUT if is_own and len(experiment.players) > 2 else ""
    if isinstance(error, PlayerError):
        why = _UNREADABLE if experiment.sandbox and "command" in error.keys else ""
        return experiment.error(("players", index, *error.keys), f"{error}{why}{advice}").problems
    message = f"{spec.name} {error} while it was built{advice}"
    return experiment.error(("players", index, "type"), message).problems


def check_players(experiment: Experiment) -> None:
    """Raise ConfigError for a player alone that no probe measures."""
    if len(experiment.players) == 1 and experiment.probe is None:
        message = "one player alone has no games: list two or more (or measure its search, with 'probe')"
        raise experiment.error(("players",), message)


def check_tables(experiment: Experiment, variant: Variant) -> None:
    """Raise ConfigError if the endgame tables by which games are to be adjudicated are not there."""
    if experiment.adjudicate is not None and experiment.adjudicate.tables:
        try:
            opened(variant, experiment.adjudicate.tables)
        except EndgameError as error:
            raise experiment.error(("adjudicate", "tables"), str(error)) from None


def openings_of(experiment: Experiment, variant: Variant) -> tuple[tuple[Position, ...], Sequence[str]]:
    """The openings that a configuration asks for, and a line on each game that gives none.

    Raises ConfigError if there are too few.
    """
    try:
        openings, left_out = _drawn(experiment, variant)
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
    except ProbeError as error:
        raise experiment.error(("probe", "positions"), str(error)) from None


def suites_of(experiment: Experiment, variant: Variant) -> tuple[Suite, ...]:
    """The suites of a configuration. Raises ConfigError for one that cannot be read or is of other rules."""
    found = []
    for number, entry in enumerate(experiment.suite):
        keys = ("suite", number, "name")
        try:
            suite = read_suite(str(entry.path(experiment.path.parent)), variant)
        except SuiteError as error:
            raise experiment.error(keys, str(error)) from None
        if suite.variant.rules != variant.rules:
            message = f"the suite {quoted(suite.name)} is of {suite.variant.name}, the run of {variant.name}"
            raise experiment.error(keys, message)
        found.append(suite.spread(entry.count))
    return tuple(found)


def _drawn(experiment: Experiment, variant: Variant) -> FileOpenings:
    settings, seed = experiment.openings, experiment.seed
    if settings.file is not None:
        path = found_file(Path(settings.file), experiment.path.parent)
        found = file_openings(variant, path)
        return found._replace(openings=drawn(found.openings, settings.count, seed))
    if settings.set is not None:
        return FileOpenings(drawn(set_openings(variant, settings.set, settings.barred), settings.count, seed))
    openings = random_openings(variant, settings.random_plies, settings.count or 50, seed, settings.balanced)
    return FileOpenings(openings)
