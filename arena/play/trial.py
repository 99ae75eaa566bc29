"""Trials: players are built before a run, those of a user's own code examined, and short games played with them.

`look_at` is the one way of `arena run`, `match`, `place`, `plan` and `doctor`. A user's Python is looked at by
workers, in processes of the players' own, so that a process with threads, a notebook's say, is not forked for it.
An outside program is begun by a fork of the calling process, which hears how long it is in answering.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from enum import IntEnum
from itertools import product
from threading import Timer
from typing import Any, NamedTuple

import numpy as np

from arena.base.wording import listed
from arena.experiment.formats.base import Pairing
from arena.experiment.model import Experiment
from arena.experiment.openings.sources import OpeningsError, random_openings
from arena.hosting.handle import PlayerFailure
from arena.hosting.player_process import begin_game, close_players
from arena.ledger.record import GameRecord
from arena.play.match import Task, play
from arena.play.workers import run
from arena.rules.movegen import compiled_generator
from arena.rules.position import COLOURS, WHITE, Position
from arena.rules.variants import Variant
from players.examine import Finding, examined
from players.loading import PlayerError, is_class, located, own_code, without_own_code
from players.player import ENGINE, Allowance, Limit, PlayerSpec
from players.table import build_player

FEWEST, MOST = 4, 40
"""Plies of a player's first moves, when its pace is unknown, and the most of any game."""
BUDGET = 3.0
"""Seconds that a player's games take, about, but for the first game of a user's own code, which has MOST plies."""
BUILT_IN = Limit(nodes=5000, seconds=0.5, clock=10.0)
"""No player of a built-in type is given more than this, as what it does with more is known."""
_SLOWER = 10
"""How many times as long as the slowest of its first moves a player may take for all of a game's, on average."""
_SLOW_SECONDS = 15.0
"""Seconds after which it is said who is still looked at."""
_OPENINGS, _OPENING_PLIES = 3, 4
"""Openings of the games, and their random plies."""
_OPPONENT = PlayerSpec("an opponent that moves at random", "random")
_COMPILED = PlayerSpec("compiled first", "negamax", Limit(depth=1))
"""A player whose kernels are compiled before the time of a user's own code begins."""
_COMPARED = ("move", "depth", "nodes", "score")
"""The facts that must repeat when a game is played again."""


class Extent(IntEnum):
    """How closely a player is looked at."""

    BUILT = 0
    """It is built."""
    FIRST_MOVES = 1
    """Its evaluation is examined, and it plays a few plies."""
    GAMES = 2
    """It plays several games, too."""


class Trial(NamedTuple):
    """A player to be looked at, in plain data."""

    player: PlayerSpec
    variant: Variant
    seed: int
    allowance: Allowance
    extent: Extent
    openings: tuple[Position, ...]
    """Of its games."""


class Look(NamedTuple):
    """What was found of a player."""

    man_value: float | None = None
    """The worth of a man in its scores, if it says so."""
    costs: bool = False
    """Whether its answers cost money."""
    findings: tuple[Finding, ...] = ()
    error: PlayerError | None = None
    """Why it cannot be built."""

    @property
    def problems(self) -> list[Finding]:
        """The mistakes and warnings, and that it cannot be built unless a mistake says why."""
        problems = [finding for finding in self.findings if finding.level != "ok"]
        is_faulty = any(finding.level == "error" for finding in problems)
        return problems if self.error is None or is_faulty else [*problems, Finding("error", str(self.error))]


def is_own(spec: PlayerSpec) -> bool:
    """Whether a player runs a user's own code: its class, its evaluation, or an outside program."""
    return bool(own_code(spec))


def look_at(
    experiment: Experiment,
    variant: Variant,
    extent: Extent,
    say: Callable[[str], object],
    workers: int = 1,
    *,
    everyone: bool = False,
) -> list[Look]:
    """Look at the players of an experiment: of built-in types only whether they can be built, unless `everyone`.

    Those of one evaluation are looked at together, on one of the worker processes. `say` receives who of a user's
    is tried at length, and who takes long.
    """
    specs = [located(spec, experiment.path.parent) for spec in experiment.players]
    allowance = experiment.allowance._replace(plays=1, unreachable=1)
    openings: tuple[Position, ...] = ()
    if extent > Extent.BUILT and (everyone or any(map(is_own, specs))):
        build_player(_COMPILED, variant)
        openings = _openings(variant)
    groups: dict[tuple[bool, str], list[Trial]] = {}
    for spec in specs:
        own_extent = extent if everyone or is_own(spec) else Extent.BUILT
        trial = Trial(spec, variant, experiment.seed, allowance, own_extent, openings)
        evaluation = spec.options.get("evaluation") if _is_python(spec) else None
        groups.setdefault((evaluation is None, str(evaluation or spec.name)), []).append(trial)
    looks: dict[str, Look] = {}
    of_users: list[Sequence[Trial]] = []
    for group in groups.values():
        if _is_python(group[0].player):
            of_users.append(group)
            _compile_for(group)
        else:
            looks |= looked_at(_announced(group, say))
    tasks = (_announced(group, say) for group in of_users)
    with _told_if_slow(lambda: [spec.name for spec in specs if spec.name not in looks], say):
        for of_group in run(looked_at, tasks, workers, lambda: False, _trial_name):
            looks |= of_group
    return [looks[spec.name] for spec in specs]


@contextmanager
def _told_if_slow(missing: Callable[[], list[str]], say: Callable[[str], object]) -> Iterator[None]:
    """Say which players are still looked at after _SLOW_SECONDS."""
    slow = Timer(_SLOW_SECONDS, lambda: missing() and say(f"still looking at {listed(missing())}"))
    slow.daemon = True
    slow.start()
    try:
        yield
    finally:
        slow.cancel()


def looked_at(trials: tuple[Trial, ...]) -> dict[str, Look]:
    """What is found of players of one evaluation, which is examined once, by their names."""
    findings, is_faulty = list[Finding](), False
    first = trials[0]
    looks: dict[str, Look] = {}
    try:
        with suppress(PlayerError):  # which is raised again when the player is built
            findings = list(_of_evaluation(first))
            is_faulty = any(finding.level == "error" for finding in findings)
        for trial in trials:
            look = _built(trial)._replace(findings=tuple(findings))
            if findings and trial is not first:
                message = f"its evaluation is that of {first.player.name}, which is faulty"
                look = look._replace(findings=(Finding("error", message),) if is_faulty else ())
            if look.error is None and not is_faulty and not look.costs and trial.extent > Extent.BUILT:
                look = look._replace(findings=(*look.findings, *_of_games(trial)))
            looks[trial.player.name] = look
    finally:
        close_players()  # games of the run begin without a memory of these; a program may have one port alone
    return looks


def _built(trial: Trial) -> Look:
    """A player's look when it is built, in a process of its own if it is a user's code."""
    spec = trial.player
    try:
        player = begin_game(
            replace(spec, in_process=False), trial.variant, trial.variant.start, "0", trial.allowance
        )
    except PlayerError as error:
        return Look(error=error)
    except PlayerFailure as failure:
        return Look(error=PlayerError(f"{spec.name} {failure} while it was built", "type"))
    return Look(player.man_value, player.costs)


def _of_evaluation(trial: Trial) -> Iterator[Finding]:
    """Yield what is found of a player's evaluation. Raises PlayerError if that cannot be built."""
    description: Any = trial.player.options.get("evaluation")
    is_file = isinstance(description, str) and (":" in description or description.endswith(".npz"))
    is_sandboxed = is_own(trial.player) and trial.allowance.sandbox is not None
    least = Extent.FIRST_MOVES if is_file else Extent.GAMES if isinstance(description, dict) else None
    if least is None or trial.extent < least or is_sandboxed:
        return
    examination = examined(description, trial.variant, build_seconds=trial.allowance.move_timeout)
    for finding in examination.findings:
        yield finding._replace(message=f"its evaluation {finding.message}")


def _of_games(trial: Trial) -> Iterator[Finding]:
    """Yield mistakes in a player's games: a few plies, then several games if the trial extends to these.

    The first of these has MOST plies where the player is a user's own, and is played once more at the end, and in
    new processes if it differs. It is an error if the player raises, moves illegally, is late, or reports more
    nodes or plies than its limit allows; what an outside program reports is not checked.
    """
    seen: set[str] = set()
    record = _game(trial, 0, FEWEST)
    yield from _new_messages(_of_record(trial, record, 0), seen)
    if trial.extent < Extent.GAMES or seen:
        return
    is_users = is_own(trial.player)
    games = 2 * len(trial.openings) if is_users else 2
    pace = float(_own_moves(trial, record, 0)["seconds"].max(initial=1e-3))
    plies = min(max(2 * int(BUDGET / games / pace), FEWEST), MOST)
    most = trial.allowance.move_timeout + MOST * _SLOWER * pace
    trial = trial._replace(
        allowance=trial.allowance._replace(game_timeout=min(trial.allowance.game_timeout, most))
    )
    records = []
    for number in range(games):
        records.append(_game(trial, number, MOST if is_users and not number else plies))
        yield from _new_messages(_of_record(trial, records[-1], number), seen)
    if not is_users or seen or trial.player.limit.longest is not None:
        return
    first, later = _compared(records[0], plies), _compared(_game(trial, 0, plies), plies)
    alone = _compared(_first_alone(trial, plies), plies)
    if first == later == alone:
        return
    if trial.player.type == ENGINE:
        yield Finding("warning", "does not repeat a game: its games cannot be replayed")
    elif _compared(_first_alone(trial, plies), plies) != alone:
        yield Finding("error", "does not play the same from the same seed: all chance must come from `rng`")
    else:
        yield Finding("error", "plays a game differently after other games: it keeps state from game to game")


def _is_python(spec: PlayerSpec) -> bool:
    return is_own(spec) and spec.type != ENGINE


def _compile_for(trials: Sequence[Trial]) -> None:
    """Compile what a user's players are played with, once for all workers."""
    for trial in trials:
        compiled_generator(trial.variant.constants)
        with suppress(PlayerError):  # which is found again when the player itself is built
            if (plain := without_own_code(trial.player)) is not None:
                build_player(plain, trial.variant)


def _announced(trials: Sequence[Trial], say: Callable[[str], object]) -> tuple[Trial, ...]:
    """The trials, when `say` has received who of a user's is tried at length."""
    for trial in trials:
        if is_own(trial.player) and trial.extent is Extent.GAMES:
            say(f"trying {trial.player.name}")
    return tuple(trials)


def _trial_name(trials: Sequence[Trial]) -> str:
    return f"the trial of {listed([trial.player.name for trial in trials])}"


def _openings(variant: Variant) -> tuple[Position, ...]:
    """The openings of the games: the start alone where the rules lead to fewer positions."""
    try:
        openings = random_openings(variant, _OPENING_PLIES, _OPENINGS, seed=0, balanced=False)
    except OpeningsError:
        return (variant.start,)
    return tuple(opening.position for opening in openings)


def _first_alone(trial: Trial, plies: int) -> GameRecord:
    """The first game of a trial as a new process plays it."""
    close_players()
    return _game(trial, 0, plies)


def _game(trial: Trial, number: int, plies: int) -> GameRecord:
    opening, colour = _of_number(trial, number)
    spec = replace(trial.player, in_process=False)
    if not is_class(spec.type) and spec.type != ENGINE:
        spec = _limited(spec)
    sides = (spec, _OPPONENT) if colour == WHITE else (_OPPONENT, spec)
    pairing = Pairing(number + 1, number // 2 + 1, 1, colour, 1 - colour, 0)
    return play(Task(pairing, trial.variant, opening, *sides, trial.seed, plies, trial.allowance))


def _of_number(trial: Trial, number: int) -> tuple[Position, int]:
    return list(product(trial.openings, range(len(COLOURS))))[number]


def _limited(spec: PlayerSpec) -> PlayerSpec:
    """A player of a built-in type, given no more than BUILT_IN."""
    limit = spec.limit._replace(nodes=spec.limit.nodes or BUILT_IN.nodes)
    most = {name: most for name, most in BUILT_IN._asdict().items() if None not in (most, getattr(limit, name))}
    return replace(spec, limit=limit._replace(**{name: min(most[name], getattr(limit, name)) for name in most}))


def _of_record(trial: Trial, record: GameRecord, number: int) -> Iterator[str]:
    if record.error:
        yield record.error.removeprefix(f"{trial.player.name} ")
    moves = _own_moves(trial, record, number)
    limit = trial.player.limit
    for name, most in () if trial.player.type == ENGINE else (("nodes", limit.nodes), ("depth", limit.depth)):
        if most is not None and moves[name].max(initial=0) > most:
            yield f"reports {name} {moves[name].max()} where its limit is {most}"
    if np.isinf(moves["score"]).any():
        yield "reports a score that is not finite"


def _own_moves(trial: Trial, record: GameRecord, number: int) -> np.ndarray:
    opening, colour = _of_number(trial, number)
    return record.table()[0 if opening.turn == colour else 1 :: 2]


def _new_messages(messages: Iterator[str], seen: set[str]) -> Iterator[Finding]:
    for message in messages:
        key = re.sub(r"[\d.]+", "", message)
        if key not in seen:
            seen.add(key)
            yield Finding("error", message)


def _compared(record: GameRecord, plies: int) -> bytes:
    table = record.table()[:plies]
    return b"".join(table[name].tobytes() for name in _COMPARED)
