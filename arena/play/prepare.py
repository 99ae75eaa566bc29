"""A tournament made ready to play: its players, as they were found and copied, openings, suites and judges."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from arena.base import ArenaError
from arena.base.files import found_file
from arena.base.wording import counted, first_few
from arena.base.work import cores
from arena.experiment.formats.base import ScheduledGame
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
from arena.experiment.schedule import Result, Schedule
from arena.experiment.yaml.values import ConfigError, Mistake
from arena.hosting import sandbox
from arena.ledger.info import Entrant, RunInfo, player_hash
from arena.ledger.ledger import run_in
from arena.play.grading import Grading, grading_of
from arena.play.match import Task, play
from arena.play.suites import ONE_PLY, Question, Suite, questions, suites_of
from arena.play.trials import How, is_own, look_at
from arena.play.workers import Workers, is_here, start_workers
from arena.rules.endgame.retrograde import opened
from arena.rules.endgame.tables import EndgameError
from arena.rules.notation import fen
from arena.rules.variants import Variant
from arena.watch.status import Observer, announcing
from players.identity import COPIES, keep, now, placed
from players.loading import UNBUILT, located, own_code, source_of, user_files
from players.player import PlayerSpec

_UNREADABLE = (
    "; in a sandbox it reads only files that its command names and its 'folder': "
    "'process: {readable: [...]}' adds others"
)
_LEAVE_OUT = "; 'failures: {faulty: leave-out}' plays without it"
_NOBODY: Mapping[str, str] = MappingProxyType({})
Made = TypeVar("Made")


class Parts(NamedTuple):
    """What a configuration asks for besides players, as far as it can be made."""

    openings: FileOpenings
    suites: tuple[Suite, ...]
    grading: Grading | None
    errors: Mapping[str, ConfigError]
    """Why the rest cannot be, by its keys."""


class Tournament(NamedTuple):
    """Holds all that a run needs, checked and built once: players as they were found, openings, suites, judges."""

    experiment: Experiment
    """The configuration, without the players that are left out."""
    players: tuple[PlayerSpec, ...]
    """Those who take part, to be loaded from the files with which they were tried."""
    parts: Parts
    info: RunInfo
    """What is known of the run before it begins."""

    @property
    def variant(self) -> Variant:
        """The rules."""
        return self.experiment.rule_set

    @property
    def costly(self) -> list[str]:
        """The names of the players whose answers cost money."""
        return sorted(name for name, entrant in self.info.playing.items() if entrant.costs)

    def schedule(self, results: Mapping[int, Result]) -> Schedule:
        """The schedule of the games, after the results that are known by their keys."""
        return Schedule(self.experiment, self.info.hashes, self.info.openings, results)

    def task(self, game: ScheduledGame) -> Task:
        """A game as workers receive it.

        Its random streams rest on who plays from which opening for which time, so that they are the same with more
        openings or players.
        """
        experiment, white, black = self.experiment, self.players[game.white], self.players[game.black]
        opening, time = self.info.openings[game.opening], experiment.openings.time_of(game.opening)
        conditions = experiment.seed, experiment.max_plies, experiment.allowance, experiment.adjudicate
        men = self.info.players[white.name].man_value, self.info.players[black.name].man_value
        return Task(game.key, experiment.rule_set, opening, time, white, black, *conditions, men)

    def questions(self, out: Collection[str]) -> list[Question]:
        """What suites ask of all players but those who are `out` and, where there are solutions, of ONE_PLY."""
        players, hashes = [spec for spec in self.players if spec.name not in out], self.info.hashes
        found: list[Question] = []
        for suite in self.parts.suites:
            baseline = [ONE_PLY] if suite.puzzles[0].best and ONE_PLY.name not in hashes else []
            conditions = hashes, self.experiment.seed, self.experiment.allowance
            found += questions(suite, [*players, *baseline], *conditions)
        return found

    def warnings(self, workers: Workers) -> Iterator[str]:
        """Yield a line on games that give no opening, on repeated openings, for each rule of adjudication that can
        end no game, and on more processes than cores under time limits.
        """
        yield from left_out_lines(self.parts.openings.left_out)
        yield from self.parts.openings.notes
        if self.experiment.is_timed and isinstance(workers, int) and workers > cores():
            yield (
                f"{workers} workers share {counted(cores(), 'core')}: players under time limits have less than "
                "their time, and may lose by it; --workers sets their number"
            )
        if (rules := self.experiment.adjudicate) is not None:
            men = [entrant.man_value for entrant in self.info.playing.values()]
            yield from rules.unusable(men, self.experiment.max_plies)


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
    known = {} if begun is None else _unchanged(experiment, begun[1])
    playing = experiment.without(_left_out(experiment, known))
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
        out = _left_out(experiment, entrants)
        _refuse_unbuilt(experiment, entrants, out)
    new = {
        spec.name: entrants[spec.name] for spec in experiment.players if is_own(spec) and spec.name not in known
    }
    for index, spec in enumerate(experiment.players if is_strict else ()):
        if spec.name in new and (mistakes := _mistakes(new[spec.name])):
            raise experiment.error(("players", index), mistakes[0])
    if warning and is_short:
        say(warning)
    _say_findings(experiment, new, out, say)
    tournament = made_ready(experiment, entrants, parts, out, folder)
    for key, value in tournament.experiment.format:
        if value != (before := getattr(experiment.format, key)):
            say(f"the format has {key} {value}, not {before}, with {counted(len(tournament.players), 'player')}")
    return tournament


def made_ready(
    experiment: Experiment,
    entrants: Mapping[str, Entrant],
    parts: Parts,
    out: Mapping[str, str] = _NOBODY,
    folder: Path | None = None,
) -> Tournament:
    """The tournament of players as they were found without those who are `out`, with the files of these.

    Those who play are loaded from the files with which they were tried, which are copied into the run's folder.
    Raises ArenaError if one was edited meanwhile, or cannot be copied, and ConfigError if too few are left.
    """
    playing, home = experiment.without(out), experiment.path.parent
    check_work(playing)
    copies, specs = str(folder.resolve() / COPIES) if folder else "", list[PlayerSpec]()
    for spec in playing.players:
        files = dict(entrants[spec.name].files)
        specs.append(replace(located(spec, home), files=files, copies=copies))
    every = {path: mark for spec in specs for path, mark in spec.files.items()}
    if copies and (edited := keep(every, copies)):
        raise ArenaError(f"{edited[0]} was changed while the players were tried; run the same command again")
    players: dict[str, Entrant] = {}
    for spec in experiment.players:
        entrant = entrants[spec.name]
        found = [finding._replace(where=spec.name) for finding in entrant.problems if is_own(spec)]
        players[spec.name] = entrant._replace(
            hash=player_hash(spec, entrant.files.values(), entrant.version),
            findings=tuple(found),
            files=placed(entrant.files, home),
            printed="",
            left_out=out.get(spec.name, ""),
        )
    openings = tuple(fen(playing.rule_set, opening.position) for opening in parts.openings.openings)
    games = playing.format.most_games([spec.name for spec in specs], len(openings))
    exact = (playing.sprt or playing.until) is None and playing.format.exact
    info = RunInfo(players, openings, games, exact, str(experiment.path.resolve()))
    return Tournament(playing, tuple(specs), parts, info)


def _mistakes(entrant: Entrant) -> list[str]:
    return [finding.words for finding in entrant.problems if finding.level == "error"]


def _unchanged(experiment: Experiment, begun: RunInfo) -> dict[str, Entrant]:
    """The players that are as they were when a run began, by settings and files, and what was found of them then.

    Who was left out is known only if the faulty still are.
    """
    known = {}
    for spec in experiment.players:
        entrant = begun.players.get(spec.name, Entrant())
        files = now(entrant.files, experiment.path.parent)
        is_same = entrant.hash == player_hash(spec, files.values(), entrant.version)
        if is_same and (not entrant.left_out or experiment.failures.faulty == "leave-out"):
            known[spec.name] = entrant._replace(files=files)
    return known


def _left_out(experiment: Experiment, entrants: Mapping[str, Entrant]) -> dict[str, str]:
    """The faulty players that do not take part, if `failures` says so, with their files."""
    if experiment.failures.faulty != "leave-out":
        return {}
    own = [spec for spec in experiment.players if is_own(spec) and spec.name in entrants]
    return {spec.name: source_of(spec) for spec in own if _mistakes(entrants[spec.name])}


def _refuse_unbuilt(experiment: Experiment, entrants: Mapping[str, Entrant], out: Collection[str]) -> None:
    """Raise ConfigError at the players that take part and cannot be built, unless they are to lose their games."""
    problems: list[Mistake] = []
    for index, spec in enumerate(experiment.players):
        if spec.name in out or (is_own(spec) and experiment.failures.faulty == "forfeit"):
            continue
        for finding in entrants[spec.name].findings:
            if finding.kind == UNBUILT:
                advice = _LEAVE_OUT if is_own(spec) and len(experiment.players) > 2 else ""
                why = _UNREADABLE if experiment.sandbox and "command" in finding.keys else ""
                keys, message = ("players", index, *finding.keys), f"{finding.detail}{why}{advice}"
                problems += experiment.error(keys, message).problems
    if problems:
        raise ConfigError(problems)


def _say_findings(
    experiment: Experiment, entrants: Mapping[str, Entrant], out: Collection[str], say: Callable[[str], object]
) -> None:
    """Say each finding, but only the first mistake of a player that is left out."""
    has_new_out = is_warned = False
    for name, entrant in entrants.items():
        for finding in entrant.problems:
            if finding.level != "error" or name not in out:
                is_warned = True
                say(f"{name}: {finding.words}" + ("" if finding.level == "error" else " (warning)"))
        if name in out:
            has_new_out = True
            say(f"{name} is left out: {_mistakes(entrant)[0]}")
    if has_new_out:
        say(f"left out: {len(out)} of {len(experiment.players)} players")
    elif is_warned and experiment.failures.faulty == "stop":
        closer = f"; to look closer:\narena check {experiment.path}" if experiment.path.is_file() else ""
        say(f"the run continues{closer}")


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
    if experiment.sandbox and (why := sandbox.unavailable()):
        errors["sandbox"] = experiment.error(("sandbox",), f"'sandbox' cannot be true: {why}")
    openings = made("openings", lambda: _openings(experiment, say), FileOpenings([]))
    suites = made("suite", lambda: suites_of(experiment), tuple[Suite, ...]())
    grading = made("grade", lambda: grading_of(experiment), None)
    if experiment.adjudicate is not None and experiment.adjudicate.tables:
        try:  # which makes them if they are not there
            opened(experiment.rule_set, experiment.adjudicate.tables)
        except EndgameError as error:
            errors["adjudicate"] = experiment.error(("adjudicate", "tables"), str(error))
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


def _openings(experiment: Experiment, say: Callable[[str], object]) -> FileOpenings:
    """The openings of an experiment, each as often as it is played. Raises ConfigError."""
    settings, seed, variant, times = (
        experiment.openings,
        experiment.seed,
        experiment.rule_set,
        experiment.openings.repeat,
    )
    try:
        if settings.file is not None:
            found = file_openings(variant, found_file(Path(settings.file), experiment.path.parent), settings.plies)
            found = found._replace(openings=drawn(found.openings, settings.count, seed, settings.order))
        elif settings.set is not None:
            found = FileOpenings(drawn(set_openings(variant, settings.set), settings.count, seed, settings.order))
        else:
            plies, count = settings.random_plies, settings.to_draw
            found = FileOpenings(random_openings(variant, plies, count, seed, settings.balanced, say))
        if (plays := len(found.openings) * times) > MAX_OPENINGS:
            raise OpeningsError(f"'repeat' makes {plays} openings, more than {MAX_OPENINGS}", "repeat")
    except OpeningsError as error:
        raise experiment.error(("openings", error.key), str(error)) from None
    players = len(experiment.players)
    if plays < (needed := experiment.format.openings_needed(players)):
        message = f"with {players} players, {experiment.format.type} needs {needed} openings, not {plays}"
        raise experiment.error(("openings", "count"), message)
    openings, notes = [opening for opening in found.openings for _ in range(times)], found.notes
    if settings.are_repeated:
        times = plays // len({opening.position for opening in openings})
        alike = "games of two players that come out alike count once"
        notes = [*notes, f"each opening is played {times} times; {alike}"]
    return found._replace(openings=openings, notes=notes)


def unguarded(experiment: Experiment) -> str:
    """Say in a line that the user's own Python may do what the user may; empty in a sandbox, or without any."""
    paths = (str(path) for spec in experiment.players for path in user_files(spec) if path.suffix == ".py")
    files = list(dict.fromkeys(paths))
    if experiment.sandbox or not files:
        return ""
    return f"{first_few(files, 1)} can read and write whatever you can; 'sandbox: true' prevents it"
