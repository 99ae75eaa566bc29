"""One game between two players on their clocks, and its record.

Time limits are enforced: a move that takes longer than it may, by more than the margin, loses the game. Players
keep to limits of depth and nodes themselves, as only they can count what they do; their counts are recorded.
"""

from __future__ import annotations

import math
import os
import platform
import random
import time
from typing import TypeAlias

from arena.base.wording import cut
from arena.hosting.held import Answer, HeldPlayer, PlayerFailure, failure_of
from arena.hosting.player_process import hold
from arena.ledger.record import SEARCH_COLUMNS, GameRecord, Incident, Task, packed, search_values
from arena.rules.game import Game, Outcome, Termination
from arena.rules.move_text import move_text
from arena.rules.notation import fen
from arena.rules.position import COLOURS
from arena.watch.underway import UnderwayFile, UnderwayPlace, file_of
from players.player import Limit, PlayerSpec

REASON_CHARACTERS = 200
"""Characters of the message of a player's exception that are kept."""

_SCORE, _WINS_IN = ([name for name, _ in SEARCH_COLUMNS].index(name) for name in ("score", "wins_in"))

MoveRow: TypeAlias = tuple[str | float, ...]
"""A move's text and its MOVE_COLUMNS."""


class Fault(Exception):
    """A player cannot be built, fails to answer, or answers with no legal move, or too late."""

    def __init__(self, colour: int, failure: PlayerFailure, ply: int) -> None:
        super().__init__(str(failure))
        self.colour = colour
        self.failure = failure
        self.ply = ply
        self.outcome = Outcome(1 - colour, failure.termination)


def play(task: Task, place: UnderwayPlace | None = None) -> GameRecord:
    """Play a game to its end: a player that raises, answers with no legal move or is late loses.

    Time is judged when the answer is there, by wall time; building the players is not on their clocks. The move
    that came too late is recorded, as the game's last; one that did not come is not waited for beyond its time if
    it is in a process of its own. A game that ends so is played again as often as its allowance says. Only its
    building and its answers are blamed on a player: any other exception is a mistake of the arena, and is raised.
    The game is shown in `place` while it is played, if there is one.
    """
    shown = None if place is None else file_of(place)
    for _ in range(task.allowance.attempts):
        record = _record(task, shown)
        if record.incident is None:
            break
    return record


def adjudicate(game: Game, max_plies: int) -> Outcome | None:
    """How the game ended, by its rules or by the arena's limit of plies; None while it is played."""
    outcome = game.outcome
    if outcome is None and len(game.moves) >= max_plies:
        return Outcome(None, Termination.MAX_PLIES)
    return outcome


def _record(task: Task, shown: UnderwayFile | None) -> GameRecord:
    when, began = time.time(), time.perf_counter()
    game = Game(task.variant, task.opening)
    rows: list[MoveRow] = []
    times: list[float] = []
    error, incident = "", None
    if shown is not None:
        shown.begin(task.pairing.game, task.white.name, task.black.name, task.opening)
    try:
        outcome = _play(task, game, rows, times, shown)
    except Fault as fault:
        name = (task.white, task.black)[fault.colour].name
        outcome = fault.outcome
        error = f"{name} {cut(str(fault), REASON_CHARACTERS)} at ply {fault.ply}"
        incident = Incident(
            name,
            fault.ply,
            error,
            fault.failure.traceback,
            fault.failure.output,
            fen(task.variant, task.opening),
            tuple(str(row[0]) for row in rows),
            _seed(task, fault.colour),
        )
    if shown is not None:
        shown.end(outcome.result, str(outcome.termination))
    return GameRecord(
        task.pairing,
        outcome.result,
        str(outcome.termination),
        time.perf_counter() - began,
        error,
        *packed(rows),
        incident,
        when,
        os.getpid(),
        platform.node(),
        math.fsum(times),
        outcome.points,
    )


def _play(task: Task, game: Game, rows: list[MoveRow], times: list[float], shown: UnderwayFile | None) -> Outcome:
    """Play the game and return how it ended, adding a row and, if known, the processor time of each move.

    Raises Fault.
    """
    specs = (task.white, task.black)
    sides = [_held(spec, task, colour) for colour, spec in enumerate(specs)]
    rngs = [random.Random(_seed(task, colour)) for colour in range(len(specs))]
    limits = [spec.limit for spec in specs]
    outcome = game.outcome
    while outcome is None:
        turn = game.position.turn
        limit = limits[turn]
        answer, search = _ask(sides[turn], game, limit, rngs[turn])
        move = answer.choice.move
        over = limit.overrun(answer.seconds)
        clock = limit.clock_after(answer.seconds)
        if clock is not None:
            limits[turn] = limit._replace(clock=clock)
        rows.append(_row(game, move, search, clock, over, answer.pondered_seconds))
        if not math.isnan(answer.cpu_seconds):
            times.append(answer.cpu_seconds)
        if shown is not None:
            shown.add(move, answer.seconds, search[_SCORE], _number(clock), search[_WINS_IN])
        game.push(move)
        if over is not None and over > task.allowance.time_margin:
            late = f"took {answer.seconds:.3g} s, {over:.3g} s more than it had,"
            raise Fault(turn, PlayerFailure(Termination.TIME, late), len(game.moves))
        outcome = adjudicate(game, task.max_plies)
    return outcome


def _seed(task: Task, colour: int) -> str:
    return f"{task.seed} {task.pairing.game} {COLOURS[colour]}"


def _held(spec: PlayerSpec, task: Task, colour: int) -> HeldPlayer:
    place = colour if task.white == task.black else 0
    try:
        return hold(spec, task.variant, task.opening, _seed(task, colour), task.allowance, place)
    except Exception as error:
        raise Fault(colour, failure_of(error), ply=1) from error


def _ask(player: HeldPlayer, game: Game, limit: Limit, rng: random.Random) -> tuple[Answer, tuple[float, ...]]:
    """The answer of the player to move, and its SEARCH_COLUMNS. Raises Fault without a legal move."""
    turn, ply = game.position.turn, len(game.moves) + 1
    try:
        answer = player.ask(game, limit, rng)
        return answer, search_values(answer.choice, answer.seconds, answer.cpu_seconds)
    except Exception as error:
        raise Fault(turn, failure_of(error), ply) from error


def _row(
    game: Game,
    move: int,
    search: tuple[float, ...],
    clock: float | None,
    over: float | None,
    pondered_seconds: float,
) -> MoveRow:
    position = game.position
    text = move_text(game.variant, position, move, game.legal_moves)
    pieces = (position.white | position.black).bit_count()
    return (text, len(game.legal_moves), pieces, *search, _number(clock), _number(over), pondered_seconds)


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
