"""Trials: short games of one player against random moves, and what is wrong with how it plays them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from arena.base.work import Stage
from arena.experiment.formats.base import Pairing
from arena.hosting.handle import PlayerFailure
from arena.hosting.player_process import PlayerHandle, begin_game
from arena.ledger.record import GameRecord
from arena.play.match import Task, play
from arena.rules.position import COLOURS, WHITE, Position
from arena.rules.variants import Variant
from players.examine import Finding
from players.loading import PlayerError, is_class
from players.player import ENGINE, Allowance, CompletePlayer, Limit, PlayerSpec
from players.table import complete_player

FEWEST, MOST = 4, 40
"""Plies of a player's first moves, when its pace is unknown, and the most of any game."""
BUDGET = 3.0
"""Seconds that a player's games take, about, but for the first game of a user's own code, which has MOST plies."""
_SLOWER = 10
"""How many times as long as the slowest of its first moves a player may take for all of a game's, on average."""
BUILT_IN = Limit(nodes=5000, seconds=0.5, clock=10.0)
"""No player of a built-in type is given more than this, as what it does with more is known."""
_OPPONENT = PlayerSpec("an opponent that moves at random", "random")
_COMPARED = ("move", "depth", "nodes", "score")
"""The facts that must repeat when a game is played again."""


class Trial(NamedTuple):
    """A player to be tried, in plain data."""

    player: PlayerSpec
    variant: Variant
    openings: tuple[Position, ...]
    seed: int
    allowance: Allowance
    own: bool
    """Whether the player runs a user's own code."""


def is_sandboxed(trial: Trial) -> bool:
    """Whether the code of the player runs in a sandbox alone."""
    return trial.own and trial.allowance.sandbox is not None


class RepeatedGame(NamedTuple):
    """One game as it was played before others and after them."""

    plies: int
    before: bytes
    after: bytes


def tried(trial: Trial, thorough: bool) -> Iterator[Stage | Finding | RepeatedGame | PlayerError]:
    """Stages and findings of a player that is built and plays: a few plies, then, if `thorough`, several games.

    The first of these has MOST plies where the player is a user's own, and is played once more at the end. It is
    an error if the player raises, moves illegally, is late, or reports more nodes or plies than its limit allows;
    what an outside program reports is not checked. A player that cannot be built is the PlayerError; one whose
    answers cost money is only built.
    """
    yield Stage("being built", trial.allowance.move_timeout)
    try:
        player: CompletePlayer | PlayerHandle = (
            begin_game(trial.player, trial.variant, trial.variant.start, "0", trial.allowance)
            if is_sandboxed(trial)
            else complete_player(trial.player, trial.variant)
        )
    except PlayerError as error:
        yield error
        return
    except PlayerFailure as error:
        yield Finding("error", f"{error} while it was built")
        return
    costs = player.costs
    player.close()
    if costs or not (thorough or trial.own):
        return
    seen: set[str] = set()
    yield _stage(trial, "playing its first moves", FEWEST, timeouts=FEWEST // 2)
    record = _game(trial, 0, FEWEST)
    yield from _new_messages(_of_record(trial, record, 0), seen)
    if not thorough or seen:
        return
    games = 2 * len(trial.openings) if trial.own else 2
    pace = float(_own_moves(trial, record, 0)["seconds"].max(initial=1e-3))
    plies = min(max(2 * int(BUDGET / games / pace), FEWEST), MOST)
    first = None
    for number in range(games):
        most = MOST if trial.own and first is None else plies
        yield _stage(trial, f"playing game {number + 1} of {games}", most, pace=pace)
        record = _game(trial, number, most)
        first = first or record
        yield from _new_messages(_of_record(trial, record, number), seen)
    if trial.own and first is not None and not seen:
        yield _stage(trial, "playing its first game once more", plies, pace=pace)
        yield RepeatedGame(plies, _compared(first, plies), _compared(_game(trial, 0, plies), plies))


def alone(trial: Trial, plies: int) -> Iterator[Stage | bytes]:
    """The first game of a trial as it is played in a new process: its moves, and what was counted for them."""
    yield _stage(trial, "playing its first game in a new process", plies, timeouts=2)
    yield _compared(_game(trial, 0, plies), plies)


def _stage(trial: Trial, doing: str, plies: int, timeouts: int = 1, pace: float = 0.0) -> Stage:
    """A game as a stage: the player may use its time limits, or what its `pace` says, and the timeouts besides."""
    limit, moves = trial.player.limit, plies // 2 + 1
    allowed = moves * ((limit.seconds or 0.0) + (limit.increment or 0.0) + _SLOWER * pace) + (limit.clock or 0.0)
    return Stage(doing, timeouts * trial.allowance.move_timeout + allowed)


def _game(trial: Trial, number: int, plies: int) -> GameRecord:
    opening, colour = _of_number(trial, number)
    spec = trial.player if is_class(trial.player.type) or trial.player.type == ENGINE else _held(trial.player)
    sides = (spec, _OPPONENT) if colour == WHITE else (_OPPONENT, spec)
    pairing = Pairing(number + 1, number // 2 + 1, 1, colour, 1 - colour, 0)
    return play(Task(pairing, trial.variant, opening, *sides, trial.seed, plies, trial.allowance))


def _of_number(trial: Trial, number: int) -> tuple[Position, int]:
    return list(product(trial.openings, range(len(COLOURS))))[number]


def _held(spec: PlayerSpec) -> PlayerSpec:
    given, most = spec.limit, BUILT_IN
    limit = given._replace(
        nodes=_least(given.nodes or most.nodes, most.nodes),
        seconds=_least(given.seconds, most.seconds),
        clock=_least(given.clock, most.clock),
    )
    return replace(spec, limit=limit)


def _least(given: Any, most: Any) -> Any:
    return None if given is None else min(given, most)


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
