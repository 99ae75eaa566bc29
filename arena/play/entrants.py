"""Who takes part in a run: its players are built, a user's own tried, and those found faulty may be left out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from arena.base.errors import ArenaError
from arena.base.wording import counted, first_few
from arena.experiment.model import Experiment
from arena.experiment.yaml.errors import ConfigError, Mistake
from arena.ledger.info import RunInfo, player_hash
from arena.play.inspection import BUILDING, Inspection, Inspector, inspected_players, is_own
from arena.play.workers import Workers
from players.finding import Finding
from players.identity import COPIES, Files, keep, now
from players.loading import PlayerError, located, source_of, user_files
from players.player import PlayerSpec

_UNREADABLE = (
    "; in a sandbox it reads only files that its command names and its 'folder': "
    "'process: {readable: [...]}' adds others"
)
_LEAVE_OUT = "; 'failures: {faulty: leave-out}' plays without it"
_NOBODY: Mapping[str, Files] = MappingProxyType({})


class Entrants(NamedTuple):
    """The players of a run, and what is known of them before its first game."""

    experiment: Experiment
    """Without those that are left out."""
    inspections: Mapping[str, Inspection] = MappingProxyType({})
    """How each was found, by its name."""
    left_out: Mapping[str, str] = MappingProxyType({})
    """The faulty players that do not take part, with their files."""
    left_out_hashes: Mapping[str, str] = MappingProxyType({})
    """The `player_hash` of these."""
    found: tuple[Finding, ...] = ()
    """The findings on all players with a user's code."""
    left_out_files: Mapping[str, Files] = _NOBODY
    """The files of the players that do not take part, as they were when that was found."""
    files_of: Mapping[str, Files] = _NOBODY
    """The files of a user's own that each of those who take part is made of."""
    programs: Mapping[str, str] = MappingProxyType({})
    """What outside programs say that they are, by player."""

    @property
    def men(self) -> dict[str, float | None]:
        """What a man is worth in each player's scores, by its name; None where it is not known."""
        names = (spec.name for spec in self.experiment.players)
        return {name: self.inspections[name].man_value for name in names if name in self.inspections}

    @property
    def costly(self) -> frozenset[str]:
        """The names of the players whose answers cost money."""
        return frozenset(spec.name for spec in self.experiment.players if self.inspections[spec.name].costs)

    def located(self, folder: Path | None) -> tuple[PlayerSpec, ...]:
        """The players, to be loaded from the files with which they were inspected, copied into the run's folder.

        Raises ArenaError if one was edited meanwhile, or cannot be copied.
        """
        copies, home = str(folder.resolve() / COPIES) if folder else "", self.experiment.path.parent
        files = {spec.name: dict(self.inspections[spec.name].files) for spec in self.experiment.players}
        if copies and (
            edited := keep({path: mark for own in files.values() for path, mark in own.items()}, copies)
        ):
            raise ArenaError(f"{edited[0]} was changed while the players were tried; run the same command again")
        return tuple(
            replace(located(spec, home), files=files[spec.name], copies=copies) for spec in self.experiment.players
        )


def entered(
    experiment: Experiment,
    inspector: Inspector,
    say: Callable[[str], object],
    workers: Workers = 1,
    known: Collection[str] = (),
    *,
    is_strict: bool = False,
) -> Entrants:
    """The players of an experiment, inspected as `failures` of the experiment say.

    Those that are `known` by their names were inspected before. `say` receives the findings. Raises ConfigError if
    players cannot be built, or too few are left, and, where it `is_strict`, at the first mistake that was found.
    """
    is_short = experiment.failures.faulty == "stop"
    warning = "" if inspector is BUILDING else unguarded(experiment)
    if warning and not is_short:
        say(warning)
    processes = workers if isinstance(workers, int) else 1
    inspections = inspected_players(experiment, inspector, say, processes, known=known)
    left_out, found = _judged(experiment, inspections, known)
    _refuse(experiment, inspections, left_out)
    if mistakes := [finding for finding in found if is_strict and finding.level == "error"]:
        index = [spec.name for spec in experiment.players].index(mistakes[0].where)
        raise experiment.error(("players", index), mistakes[0].words)
    if warning and is_short:
        say(warning)
    for line in _lines(experiment, left_out, found):
        say(line)
    by_name = {spec.name: inspection for spec, inspection in zip(experiment.players, inspections, strict=True)}
    entering = _without(experiment, left_out, say)
    files_of = {spec.name: by_name[spec.name].files for spec in entering.players}
    out = [spec for spec in experiment.players if spec.name in left_out]
    programs = {name: found.version for name, found in by_name.items() if found.version}
    files_left_out = {spec.name: by_name[spec.name].files for spec in out}
    hashes = {
        spec.name: player_hash(spec, files_left_out[spec.name].values(), programs.get(spec.name, ""))
        for spec in out
    }
    return Entrants(entering, by_name, left_out, hashes, found, files_left_out, files_of, programs)


def known_before(experiment: Experiment, info: RunInfo) -> frozenset[str]:
    """The players that are as they were when the run began, those left out among them if such ones still are."""
    home, before = experiment.path.parent, dict(info.players)
    if experiment.failures.faulty == "leave-out":
        before |= info.left_out_hashes

    def is_known(spec: PlayerSpec) -> bool:
        marks = now(info.files.get(spec.name, {}), home).values()
        return before.get(spec.name) == player_hash(spec, marks, info.programs.get(spec.name, ""))

    return frozenset(spec.name for spec in experiment.players if is_known(spec))


def entered_before(experiment: Experiment, begun: RunInfo, known: Collection[str]) -> Experiment:
    """The experiment of a run that has begun, without the players that were left out then and are `known`."""
    names = {player.name for player in experiment.players if player.name in known} & begun.left_out.keys()
    return experiment.without(names) if names else experiment


def as_before(entrants: Entrants, begun: RunInfo, known: Collection[str]) -> Entrants:
    """The players of a run that has begun, with what was found then of those that are as they were: `known`."""
    home, kept = entrants.experiment.path.parent, [name for name in begun.left_out if name in known]
    programs = {name: program for name, program in begun.programs.items() if name in known}
    files_of = {
        name: now(begun.files[name], home) if name in known else files for name, files in entrants.files_of.items()
    }
    left_out_files = {name: now(begun.files.get(name, {}), home) for name in kept}
    return entrants._replace(
        left_out={name: begun.left_out[name] for name in kept} | dict(entrants.left_out),
        left_out_hashes={name: begun.left_out_hashes[name] for name in kept} | dict(entrants.left_out_hashes),
        found=(*(finding for finding in begun.found if finding.where in known), *entrants.found),
        left_out_files=left_out_files | dict(entrants.left_out_files),
        files_of=files_of,
        programs=programs | dict(entrants.programs),
    )


def unguarded(experiment: Experiment) -> str:
    """Say in a line that the user's own Python may do what the user may; empty in a sandbox, or without any."""
    files = dict.fromkeys(
        str(path) for spec in experiment.players for path in user_files(spec) if path.suffix == ".py"
    )
    if experiment.sandbox or not files:
        return ""
    return f"{first_few(list(files), 1)} can read and write whatever you can; 'sandbox: true' prevents it"


def _without(experiment: Experiment, left_out: Collection[str], say: Callable[[str], object]) -> Experiment:
    """The experiment without players that are left out; a line says each key of the format that this changes."""
    if not left_out:
        return experiment
    smaller = experiment.without(left_out)
    for key, value in smaller.format:
        if value != (before := getattr(experiment.format, key)):
            say(f"the format has {key} {value}, not {before}, with {counted(len(smaller.players), 'player')}")
    return smaller


def _judged(
    experiment: Experiment, inspections: Sequence[Inspection], known: Collection[str]
) -> tuple[Mapping[str, str], tuple[Finding, ...]]:
    """The faulty players that are left out, with their files, and the findings on all with a user's code.

    Players that are known by their names were tried before.
    """
    tried_now = zip(experiment.players, inspections, strict=True)
    users = [(spec, found.problems) for spec, found in tried_now if is_own(spec) and spec.name not in known]
    diagnoses = tuple(finding._replace(where=spec.name) for spec, problems in users for finding in problems)
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
        closer = f"; to look closer:\narena doctor {experiment.path}" if experiment.path.is_file() else ""
        yield f"the run continues{closer}"


def _refuse(experiment: Experiment, inspections: Sequence[Inspection], left_out: Collection[str]) -> None:
    """Raise ConfigError at the players that take part and cannot be built."""
    problems: list[Mistake] = []
    for index, (spec, inspection) in enumerate(zip(experiment.players, inspections, strict=True)):
        if inspection.error is not None and spec.name not in left_out:
            problems += _unbuilt(experiment, index, inspection.error)
    if problems:
        raise ConfigError(problems)


def _unbuilt(experiment: Experiment, index: int, error: PlayerError) -> Sequence[Mistake]:
    """The problem of a player that cannot be built; none if it is to lose its games instead."""
    is_users = is_own(experiment.players[index])
    if is_users and experiment.failures.faulty == "forfeit":
        return ()
    advice = _LEAVE_OUT if is_users and len(experiment.players) > 2 else ""
    why = _UNREADABLE if experiment.sandbox and "command" in error.keys else ""
    return experiment.error(("players", index, *error.keys), f"{error}{why}{advice}").problems
