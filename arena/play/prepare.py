"""A tournament made ready to play: its players, as they were found and copied, openings, suites and judges."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from arena.base.errors import ArenaError
from arena.base.wording import counted
from arena.base.work import cores
from arena.experiment.formats.base import ScheduledGame
from arena.experiment.model import Experiment
from arena.experiment.openings.sources import FileOpenings, left_out_lines
from arena.experiment.schedule import Result, Schedule
from arena.experiment.yaml.errors import ConfigError, Mistake
from arena.ledger.info import RunInfo, player_hash
from arena.ledger.ledger import run_in
from arena.play.grading import Grading
from arena.play.match import Task, play
from arena.play.parts import Parts, check_work, parts_of, unguarded
from arena.play.suites import ONE_PLY, Question, Suite, questions
from arena.play.trials import Entrant, How, is_own, look_at
from arena.play.workers import Workers, is_here, start_workers
from arena.rules.notation import fen
from arena.rules.variants import Variant
from arena.watch.observer import Observer, announcing
from players.finding import SAME_FILE
from players.identity import COPIES, keep, now, placed
from players.loading import located, source_of
from players.player import PlayerSpec

_UNREADABLE = (
    "; in a sandbox it reads only files that its command names and its 'folder': "
    "'process: {readable: [...]}' adds others"
)
_LEAVE_OUT = "; 'failures: {faulty: leave-out}' plays without it"


class Tournament(NamedTuple):
    """Holds all that a run needs, checked and built once: players as they were found, openings, suites, judges."""

    experiment: Experiment
    """The configuration, without the players that are left out."""
    entrants: Mapping[str, Entrant]
    """All its players as they were found, by name, those left out among them."""
    players: tuple[PlayerSpec, ...]
    """Those who take part, to be loaded from the files with which they were tried."""
    openings: FileOpenings
    suites: Collection[Suite]
    grading: Grading | None
    info: RunInfo
    """What is known of the run before it begins."""

    @property
    def variant(self) -> Variant:
        """The rules."""
        return self.experiment.rule_set

    @property
    def costly(self) -> list[str]:
        """The names of the players whose answers cost money."""
        return sorted(spec.name for spec in self.players if self.entrants[spec.name].costs)

    def schedule(self, results: Mapping[int, Result]) -> Schedule:
        """The schedule of the games, after the results that are known by their keys."""
        return Schedule(self.experiment, self.info.players, self.info.openings, results)

    def task(self, game: ScheduledGame) -> Task:
        """A game as workers receive it.

        Its random streams rest on who plays from which opening for which time, so that they are the same with more
        openings or players.
        """
        experiment, white, black = self.experiment, self.players[game.white], self.players[game.black]
        opening, time = self.info.openings[game.opening], experiment.openings.time_of(game.opening)
        conditions = experiment.seed, experiment.max_plies, experiment.allowance, experiment.adjudicate
        men = self.info.men[white.name], self.info.men[black.name]
        return Task(game.key, experiment.rule_set, opening, time, white, black, *conditions, men)

    def questions(self, out: Collection[str]) -> list[Question]:
        """What suites ask of all players but those who are `out` and, where there are solutions, of ONE_PLY."""
        players, hashes = [spec for spec in self.players if spec.name not in out], self.info.players
        found: list[Question] = []
        for suite in self.suites:
            baseline = [ONE_PLY] if suite.puzzles[0].best and ONE_PLY.name not in hashes else []
            conditions = hashes, self.experiment.seed, self.experiment.allowance
            found += questions(suite, [*players, *baseline], *conditions)
        return found

    def warnings(self, workers: Workers) -> Iterator[str]:
        """Yield a line on games that give no opening, on repeated openings, for each rule of adjudication that can
        end no game, and on more processes than cores under time limits.
        """
        yield from left_out_lines(self.openings.left_out)
        yield from self.openings.notes
        if self.experiment.is_timed and isinstance(workers, int) and workers > cores():
            yield (
                f"{workers} workers share {counted(cores(), 'core')}: players under time limits have less than "
                "their time, and may lose by it; --workers sets their number"
            )
        if (rules := self.experiment.adjudicate) is not None:
            men = [self.info.men[spec.name] for spec in self.players]
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
    known = {} if begun is None else _known_before(experiment, begun[1])
    playing = _without(experiment, _left_out(experiment, known))
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
    playing = _without(experiment, out)
    for key, value in playing.format:
        if value != (before := getattr(experiment.format, key)):
            say(f"the format has {key} {value}, not {before}, with {counted(len(playing.players), 'player')}")
    check_work(playing)
    info, specs = _info(experiment, playing, entrants, out, parts), _copied(playing, entrants, folder)
    return Tournament(playing, entrants, specs, parts.openings, parts.suites, parts.grading, info)


def made_ready(experiment: Experiment, entrants: Mapping[str, Entrant], parts: Parts) -> Tournament:
    """The tournament of players as they were found, none of whom is left out; its run is kept nowhere."""
    info, specs = _info(experiment, experiment, entrants, {}, parts), _copied(experiment, entrants, None)
    return Tournament(experiment, entrants, specs, parts.openings, parts.suites, parts.grading, info)


def _without(experiment: Experiment, names: Collection[str]) -> Experiment:
    return experiment.without(names) if names else experiment


def _mistakes(entrant: Entrant) -> list[str]:
    return [finding.words for finding in entrant.problems if finding.level == "error"]


def _known_before(experiment: Experiment, begun: RunInfo) -> dict[str, Entrant]:
    """The players that are as they were when a run began, by settings and files, and what was found of them then.

    Who was left out is known only if the faulty still are.
    """
    home, hashes = experiment.path.parent, dict(begun.players)
    if experiment.failures.faulty == "leave-out":
        hashes |= begun.left_out_hashes
    known = {}
    for spec in experiment.players:
        files, version = now(begun.files.get(spec.name, {}), home), begun.programs.get(spec.name, "")
        if hashes.get(spec.name) == player_hash(spec, files.values(), version):
            of_player = (finding for finding in begun.found if finding.where == spec.name)
            findings = tuple(finding for finding in of_player if finding.kind != SAME_FILE)
            known[spec.name] = Entrant(findings=findings, files=files, version=version)
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
        error = entrants[spec.name].error
        if error is None or spec.name in out or (is_own(spec) and experiment.failures.faulty == "forfeit"):
            continue
        advice = _LEAVE_OUT if is_own(spec) and len(experiment.players) > 2 else ""
        why = _UNREADABLE if experiment.sandbox and "command" in error.keys else ""
        problems += experiment.error(("players", index, *error.keys), f"{error}{why}{advice}").problems
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


def _copied(
    experiment: Experiment, entrants: Mapping[str, Entrant], folder: Path | None
) -> tuple[PlayerSpec, ...]:
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
    whole: Experiment,
    playing: Experiment,
    entrants: Mapping[str, Entrant],
    out: Mapping[str, str],
    parts: Parts,
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
