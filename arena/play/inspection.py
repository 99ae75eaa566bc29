"""What is found of the players of an experiment before it begins: whether they can be built, and what they are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import NamedTuple

from arena.base.wording import listed
from arena.experiment.model import Experiment
from arena.hosting.handle import PlayerFailure
from arena.hosting.player_process import begin_game, close_players
from arena.play.workers import is_here, run
from arena.rules.movegen import compiled_generator
from arena.rules.variants import Variant
from players.engines.program import wrote
from players.finding import UNBUILT, Finding
from players.identity import NO_FILES, Files
from players.loading import (
    PlayerError,
    files_of,
    from_folder,
    located,
    own_code,
    user_files,
    without_own_code,
)
from players.player import ENGINE, Allowance, PlayerSpec
from players.table import build_player

_SLOW_SECONDS = 5.0
"""Seconds after which it is said who is still inspected."""


class Inspection(NamedTuple):
    """What is found of a player before a run."""

    man_value: float | None = None
    """The worth of a man in its scores, if it says so."""
    costs: bool = False
    """Whether its answers cost money."""
    findings: tuple[Finding, ...] = ()
    error: PlayerError | None = None
    """Why it cannot be built."""
    files: Files = NO_FILES
    """The files of a user's own that it was loaded from."""
    version: str = ""
    """What an outside program says that it is."""
    printed: str = ""
    """What a class of a user's own printed in its first game of several."""

    @property
    def problems(self) -> list[Finding]:
        """The mistakes and warnings, and that it cannot be built unless a mistake says why."""
        problems = [finding for finding in self.findings if finding.level != "ok"]
        is_faulty = any(finding.level == "error" for finding in problems)
        if self.error is None or is_faulty:
            return problems
        return [*problems, Finding("error", said=str(self.error), kind=UNBUILT)]


def is_own(spec: PlayerSpec) -> bool:
    """Whether a player runs a user's own code: its class, its evaluation, or an outside program."""
    return bool(own_code(spec))


def is_python(spec: PlayerSpec) -> bool:
    """Whether a player runs a user's own Python."""
    return is_own(spec) and spec.type != ENGINE


class PlayerGroup(NamedTuple):
    """Players to be inspected together: those of a user's Python with one evaluation, or any other one alone."""

    players: tuple[PlayerSpec, ...]
    experiment: Experiment
    allowance: Allowance
    inspector: Inspector

    @property
    def variant(self) -> Variant:
        """The rules."""
        return self.experiment.rule_set

    def __str__(self) -> str:
        return f"the trial of {listed([spec.name for spec in self.players])}"


class Inspector:
    """How players are inspected besides being built: not at all. An option may do more (`Option.inspector`)."""

    is_announced = False
    """Whether it is said which of a user's players is inspected."""

    def inspect(self, group: PlayerGroup) -> dict[str, Inspection]:
        """Inspect the players of a group, by their names."""
        return {spec.name: build(group, spec) for spec in group.players}

    def compare(self, specs: Sequence[PlayerSpec], inspections: list[Inspection]) -> list[Inspection]:
        """Compare what was found of all players."""
        return inspections


BUILDING = Inspector()


def inspected_players(
    experiment: Experiment,
    inspector: Inspector,
    say: Callable[[str], object],
    workers: int = 1,
    *,
    everyone: bool = False,
    looking: Callable[[Sequence[str]], object] = lambda _: None,
    known: Collection[str] = (),
) -> list[Inspection]:
    """Inspect the players of an experiment: of built-in types, unless `everyone`, only whether they can be built.

    So at those that are `known` by their names, where no other one has their evaluation. Players of one evaluation
    are inspected together, a user's Python by worker processes, so that a process with threads, such as a
    notebook's, is not forked for it. `say` receives which of a user's players is tried at length, and which take
    long; `looking` those that are left, also when none is.
    """
    specs = [located(spec, experiment.path.parent) for spec in experiment.players]
    allowance = experiment.allowance
    groups: dict[tuple[bool, str], list[PlayerSpec]] = {}
    for spec in specs:
        evaluation = spec.options.get("evaluation") if is_python(spec) else None
        groups.setdefault((evaluation is None, str(evaluation or spec.name)), []).append(spec)
    inspections: dict[str, Inspection] = {}
    of_users: list[PlayerGroup] = []
    for players in groups.values():
        is_known = not everyone and (not is_own(players[0]) or all(spec.name in known for spec in players))
        group = PlayerGroup(tuple(players), experiment, allowance, BUILDING if is_known else inspector)
        if is_python(players[0]):
            of_users.append(group)
            _compile_for(group)
        else:
            inspections |= _inspected(_announced(group, say))

    def left() -> list[str]:
        return [spec.name for spec in specs if spec.name not in inspections]

    def say_who_is_slow() -> None:
        if left():
            say(f"still looking at {listed(left())}")

    slow = Timer(_SLOW_SECONDS, say_who_is_slow)
    slow.daemon = True
    slow.start()
    try:
        looking(left())
        announced = (_announced(group, say) for group in of_users)
        for of_group in run(_inspected, announced, workers, lambda: False, here=is_here(workers, specs)):
            inspections |= of_group
            looking(left())
    finally:
        slow.cancel()
        looking(())
    told = [_as_written(inspections[spec.name], spec, experiment.path.parent) for spec in experiment.players]
    return inspector.compare(specs, told)


def as_written(text: str, spec: PlayerSpec, folder: Path) -> str:
    """A message on a player, with its files as the configuration in `folder` names them, others from there on."""
    for at, path in zip(user_files(located(spec, folder)), user_files(spec), strict=True):
        text = text.replace(str(at), str(path))
    return from_folder(text, str(folder.resolve()))


def _as_written(found: Inspection, spec: PlayerSpec, folder: Path) -> Inspection:
    findings = tuple(finding._replace(said=as_written(finding.said, spec, folder)) for finding in found.findings)
    error = found.error and PlayerError(as_written(str(found.error), spec, folder), *found.error.keys)
    return found._replace(findings=findings, error=error)


def build(group: PlayerGroup, spec: PlayerSpec) -> Inspection:
    """Build a player, in a process of its own if it is a user's code."""
    try:
        player = begin_game(spec, group.variant, group.variant.start, "0", group.allowance)
    except PlayerError as error:
        return Inspection(error=error, files=error.files or files_of(spec))
    except PlayerFailure as failure:
        words = wrote(failure.output) if spec.type == ENGINE else ""
        message = f"{spec.name} {failure} while it was built{words}"
        return Inspection(error=PlayerError(message, "type"), files=dict(failure.files))
    return Inspection(player.man_value, player.costs, files=player.files, version=player.version)


def _inspected(group: PlayerGroup) -> dict[str, Inspection]:
    try:
        return group.inspector.inspect(group)
    finally:
        close_players()  # games of the run begin without a memory of these; a program may have one port alone


def _announced(group: PlayerGroup, say: Callable[[str], object]) -> PlayerGroup:
    """The group, when `say` has received which of a user's players are tried at length."""
    if group.inspector.is_announced and is_own(group.players[0]):
        for spec in group.players:
            say(f"trying {spec.name}")
    return group


def _compile_for(group: PlayerGroup) -> None:
    """Compile what a user's players are played with, once for all workers."""
    compiled_generator(group.variant.rules)
    for spec in group.players:
        with suppress(PlayerError):  # which is found again when the player itself is built
            if (plain := without_own_code(spec)) is not None:
                build_player(plain, group.variant)
