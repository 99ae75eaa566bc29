"""The doctor: everything that is wrong with a configuration, found before its first game."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from arena.base.wording import first_few
from arena.base.work import MEMORY, Lost, run_in_subprocess
from arena.experiment.model import Experiment
from arena.experiment.openings.sources import left_out_lines, random_openings
from arena.experiment.yaml.errors import ConfigError
from arena.hosting import sandbox
from arena.hosting.player_process import begin_game, close_players
from arena.ledger.info import Diagnosis
from arena.ledger.ledger import info_in
from arena.play.prepare import check_players, check_tables, openings_of, probes_of, suites_of
from arena.play.trial import RepeatedGame, Trial, alone, is_sandboxed, tried
from arena.rules.custom import build_variant
from arena.rules.variants import Variant
from players.examine import Finding, examined, name_of
from players.loading import PlayerError, located, own_code, source_of, user_files
from players.player import ENGINE, Limit, PlayerSpec
from players.table import build_player

GAME_BYTES, REPORT_BYTES = 1000, 10 * 2**20
"""Bytes on the disk that a game takes in the ledger, about, and that a report takes."""
_OPENINGS, _OPENING_PLIES = 3, 4
"""Openings that players are tried on, and their random plies."""
_COMPILED = PlayerSpec("compiled first", "negamax", Limit(depth=1))
"""A player whose kernels are compiled before the time of a user's own code begins."""


def diagnose(
    experiment: Experiment,
    folder: Path,
    say: Callable[[str], None] = lambda _: None,
    games: int | None = None,
) -> Iterator[Finding]:
    """Yield problems of a configuration whose run is to be kept in `folder`: errors and warnings.

    Openings, positions to search and the room on the disk are looked at, every player is built, and evaluations of
    a user's own are examined. Then all players play several short games. `say` receives what is done next. `games`
    are those that the disk has to hold, of the tournament if they are not given.

    A user's own code runs in its own processes, and is ended when it takes too long. Nothing more is looked for
    where it needs a sandbox and there is none.
    """
    if line := unguarded(experiment):
        say(line)
    try:
        sandbox.check(experiment)
    except ConfigError as error:
        yield Finding("error", str(error), "sandbox")
        return
    variant = build_variant(experiment.variant)
    drawn = yield from _of_games(experiment, variant)
    names = [spec.name for spec in experiment.players]
    if games is None:
        games = experiment.format.most_games(names, drawn) if drawn and len(names) > 1 else 0
    if games:
        say(f"{games} games at most, about {_megabytes(_needed(games))} MB on the disk")
    yield from of_disk(folder, games)
    yield from _of_adjudication(experiment, variant)
    yield from of_players(experiment, say)


def of_players(
    experiment: Experiment,
    say: Callable[[str], None] = lambda _: None,
    *,
    thorough: bool = True,
    own_alone: bool = False,
) -> Iterator[Finding]:
    """Yield problems of the players of a configuration, see `diagnose`; `where` is a player's name.

    Unless `thorough`, only players of a user's own code play, one game each. With `own_alone` only these are
    looked at. Raises ConfigError if they need a sandbox and there is none.
    """
    sandbox.check(experiment)
    variant = build_variant(experiment.variant)
    specs = [located(entry, experiment.path.parent) for entry in experiment.players]
    if any(map(is_own, specs)):
        build_player(_COMPILED, variant)
    openings = random_openings(variant, _OPENING_PLIES, _OPENINGS, seed=0, balanced=False)
    doctor = _Doctor(experiment, variant, thorough)
    starts = tuple(opening.position for opening in openings)
    allowance = experiment.allowance._replace(plays=1, unreachable=1)
    for index, spec in enumerate(specs):
        if own_alone and not is_own(spec):
            continue
        trial = Trial(spec, variant, starts, experiment.seed, allowance, is_own(spec))
        if trial.own:
            say(f"trying {spec.name}")
        if spec.type == ENGINE:
            close_players()  # a program may have one port alone
        try:
            for finding in doctor.of_player(trial):
                if finding.level != "ok":
                    yield finding._replace(where=spec.name)
        except PlayerError as error:
            placed = str(experiment.error(("players", index, *error.keys), str(error)))
            short = str(error).replace(f"{experiment.path.parent.resolve()}/", "")
            yield Finding("error", short if own_alone else placed, spec.name)


TakingPart: TypeAlias = tuple[Experiment, Mapping[str, str], tuple[Diagnosis, ...] | None]
"""A tournament without the players that are left out, these with their files, and what was found of all players.

The last is None if nothing was looked for yet.
"""


def taking_part(experiment: Experiment, folder: Path, say: Callable[[str], None]) -> TakingPart:
    """Who takes part in a run that is kept in `folder`, as `failures` of its configuration say.

    Unless that is `stop`, every player of a user's own code is examined, and `say` receives what is found. A run
    that has begun decided that when it began. Raises ConfigError if too few are left.
    """
    if (begun := info_in(folder)) is not None and begun.began:
        names = {player.name for player in experiment.players} & begun.left_out.keys()
        return experiment.without(names) if names else experiment, begun.left_out, begun.found
    if experiment.failures.faulty == "stop":
        return experiment, {}, None
    if line := unguarded(experiment):
        say(line)
    leaves_out = experiment.failures.faulty == "leave-out"
    found = reported(of_players(experiment, say, own_alone=True), say, leaves_out=leaves_out)
    faulty = {one.player for one in found if one.level == "error"}
    left_out = {it.name: source_of(it) for it in experiment.players if it.name in faulty and leaves_out}
    if left_out:
        say(f"left out: {len(left_out)} of {len(experiment.players)} players")
    return experiment.without(left_out) if left_out else experiment, left_out, found


def reported(
    findings: Iterable[Finding], say: Callable[[str], None], *, leaves_out: bool = False
) -> tuple[Diagnosis, ...]:
    """Hand findings to `say` as they come, of a player that is left out its first mistake; all of them."""
    found: list[Diagnosis] = []
    for finding in findings:
        is_error = finding.level == "error"
        known = any(one.player == finding.where and one.level == "error" for one in found)
        if not (leaves_out and is_error):
            say(f"{finding.where}: {finding.message}" + ("" if is_error else " (warning)"))
        elif not known:
            say(f"{finding.where} is left out: {finding.message}")
        found.append(Diagnosis(finding.where, finding.level, finding.message))
    return tuple(found)


def unguarded(experiment: Experiment) -> str:
    """Say in a line that the user's own Python may do what the user may; empty in a sandbox, or without any."""
    files = dict.fromkeys(
        path.name for it in experiment.players for path in user_files(it) if path.suffix == ".py"
    )
    if experiment.sandbox or not files:
        return ""
    return f"{first_few(list(files), 1)} can read and write whatever you can; 'sandbox: true' prevents it"


def is_own(spec: PlayerSpec) -> bool:
    """Whether a player runs a user's own code: its class, or its evaluation."""
    return bool(own_code(spec))


class _Doctor:
    def __init__(self, experiment: Experiment, variant: Variant, thorough: bool) -> None:
        self.experiment, self.variant, self.thorough = experiment, variant, thorough
        self.usable: dict[str, bool] = {}
        """Whether it is worth while to play with the evaluations that were examined."""
        self.first: dict[str, str] = {}
        """The player with which each evaluation was examined."""

    def of_player(self, trial: Trial) -> Iterator[Finding]:
        """Yield the findings on a player. Raises PlayerError if it cannot be built."""
        description: Any = trial.player.options.get("evaluation")
        is_text = isinstance(description, str) and (":" in description or description.endswith(".npz"))
        if not is_sandboxed(trial) and (is_text or (isinstance(description, dict) and self.thorough)):
            name = name_of(description)
            if name not in self.usable:
                self.usable[name], self.first[name] = False, trial.player.name
                examination = examined(description, self.variant, build_seconds=trial.allowance.move_timeout)
                self.usable[name] = all(finding.level != "error" for finding in examination.findings)
                for finding in examination.findings:
                    yield finding._replace(message=f"its evaluation {finding.message}")
            if not self.usable[name]:
                if self.first[name] != trial.player.name:
                    yield Finding("error", f"its evaluation is that of {self.first[name]}, which is faulty")
                return
        if not trial.own:
            for found in tried(trial, self.thorough):
                if isinstance(found, PlayerError):
                    raise found
                if isinstance(found, Finding):
                    yield found
            return
        try:
            for found in run_in_subprocess(tried, trial, self.thorough, memory=_memory(trial)):
                if isinstance(found, PlayerError):
                    raise found
                if isinstance(found, RepeatedGame):
                    yield from _of_repetition(trial, found)
                else:
                    yield found
        except Lost as lost:
            yield Finding("error", str(lost))


def _of_repetition(trial: Trial, game: RepeatedGame) -> Iterator[Finding]:
    if trial.player.limit.longest is not None:
        return
    [new] = run_in_subprocess(alone, trial, game.plies, memory=_memory(trial))
    if new == game.before == game.after:
        return
    [newer] = run_in_subprocess(alone, trial, game.plies, memory=_memory(trial))
    if trial.player.type == ENGINE:
        yield Finding("warning", "does not repeat a game: its games cannot be replayed")
    elif new != newer:
        yield Finding("error", "does not play the same from the same seed: all chance must come from `rng`")
    else:
        yield Finding("error", "plays a game differently after other games: it keeps state from game to game")


def _of_games(experiment: Experiment, variant: Variant) -> Generator[Finding, None, int]:
    """Yield what is wrong with what is played and searched; returns the number of openings."""
    checks: Mapping[str, Callable[[], Any]] = {
        "players": partial(check_players, experiment),
        "openings": partial(openings_of, experiment, variant),
        "probe": partial(probes_of, experiment, variant),
        "suite": partial(suites_of, experiment, variant),
    }
    made: dict[str, Any] = {}
    for where, check in checks.items():
        try:
            made[where] = check()
        except ConfigError as error:
            yield Finding("error", str(error), where)
    openings, unread = made.get("openings", ((), ()))
    for line in left_out_lines(unread)[1:]:
        yield Finding("warning", f"left out: {line}", "openings")
    return len(openings)


def _of_adjudication(experiment: Experiment, variant: Variant) -> Iterator[Finding]:
    if (rules := experiment.adjudicate) is None:
        return
    try:
        check_tables(experiment, variant)
    except ConfigError as error:
        yield Finding("error", str(error), "adjudicate")
    men: list[float | None] = []
    for spec in experiment.players:
        try:
            player = begin_game(
                located(spec, experiment.path.parent), variant, variant.start, "0", experiment.allowance
            )
            men.append(player.man)
        except Exception:  # it cannot be built, which is a finding of its own
            men.append(None)
    for line in rules.unusable(men, experiment.max_plies):
        yield Finding("warning", line, "adjudicate")


def of_disk(folder: Path, games: int) -> Iterator[Finding]:
    """Yield what prevents a run of so many games from being kept in a folder."""
    place = next(parent for parent in (folder.resolve(), *folder.resolve().parents) if parent.exists())
    needed, free = _needed(games), shutil.disk_usage(place).free
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        yield Finding("error", f"{folder} cannot be written to", "disk")
    elif free < needed:
        there = f"{folder} needs about {_megabytes(needed)} MB for {games} games"
        yield Finding("error", f"{there}, {_megabytes(free)} MB are free", "disk")


def _needed(games: int) -> int:
    """Bytes that so many games and their report take, about."""
    return REPORT_BYTES + games * GAME_BYTES


def _memory(trial: Trial) -> int:
    """Megabytes that the process of a player may take: MEMORY, and its transposition table."""
    table = trial.player.options.get("tt")
    return MEMORY + (table if isinstance(table, int) else 0)


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.0f}"
