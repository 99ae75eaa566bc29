"""One game between two players on their clocks, and its record.

Time limits are enforced: a move that takes longer than it may, by more than the margin, loses the game. Players
keep to limits of depth and nodes themselves, as nobody else can count what they do; their counts are recorded.
"""

from __future__ import annotations

import random
import time
from numbers import Integral
from typing import NamedTuple, TypeAlias

import players
from arena.play.clock import clock_after, overrun
from arena.player import Limit, Player, PlayerSpec
from arena.record import GameRecord, Task, packed, search_values
from arena.rules.game import Game, Outcome, Termination
from arena.rules.move_text import move_text
from arena.rules.position import COLOURS
from arena.rules.variants import Variant
from arena.wording import cut, quoted

REASON_CHARACTERS = 200
"""Characters of the message of a player's exception that are kept."""

MoveRow: TypeAlias = tuple[str | float, ...]
"""A move's text and its MOVE_COLUMNS."""


class Answer(NamedTuple):
    """A player's legal move, with what it took."""

    move: int
    seconds: float
    """Wall time."""
    search: tuple[float, ...]
    """The values of `arena.record.SEARCH_COLUMNS`."""


class Fault(Exception):
    """A player cannot be built, fails to answer, or answers with no legal move; the message is one line."""

    def __init__(self, colour: int, termination: Termination, message: str) -> None:
        super().__init__(message)
        self.outcome = Outcome(1 - colour, termination)


def play(task: Task) -> GameRecord:
    """Play a game to its end: a player that raises, answers with no legal move or is late loses.

    Time is judged when the answer is there, by wall time; building the players is not on their clocks. The move
    that came too late is recorded, as the game's last. Only its building and its answers are blamed on a player:
    any other exception is a mistake of the arena, and is raised.
    """
    began = time.perf_counter()
    game = Game(task.variant, task.opening)
    rows: list[MoveRow] = []
    error = ""
    try:
        outcome = _play(task, game, rows)
    except Fault as fault:
        outcome, error = fault.outcome, str(fault)
    return GameRecord(
        task.pairing,
        outcome.result,
        str(outcome.termination),
        time.perf_counter() - began,
        error,
        *packed(rows),
    )


def adjudicate(game: Game, max_plies: int) -> Outcome | None:
    """How the game ended, by its rules or by the arena's limit of plies; None while it goes on."""
    outcome = game.outcome
    if outcome is None and len(game.moves) >= max_plies:
        return Outcome(None, Termination.MAX_PLIES)
    return outcome


def _play(task: Task, game: Game, rows: list[MoveRow]) -> Outcome:
    """Play the game, adding a row for each move, and return how it ended. Raises Fault."""
    specs = (task.white, task.black)
    sides = [_built(spec, task.variant, colour) for colour, spec in enumerate(specs)]
    rngs = [random.Random(f"{task.seed} {task.pairing.game} {colour}") for colour in COLOURS]
    limits = [spec.limit for spec in specs]
    outcome = game.outcome
    while outcome is None:
        turn = game.position.turn
        limit = limits[turn]
        answer = _ask(sides[turn], specs[turn].name, game, limit, rngs[turn])
        over = overrun(limit, answer.seconds)
        clock = clock_after(limit, answer.seconds)
        if clock is not None:
            limits[turn] = limit._replace(clock=clock)
        rows.append(_row(game, answer, clock, over))
        game.push(answer.move)
        late = over is not None and over > task.time_margin
        outcome = Outcome(1 - turn, Termination.TIME) if late else adjudicate(game, task.max_plies)
    return outcome


def _built(spec: PlayerSpec, variant: Variant, colour: int) -> Player:
    """The player of a side. Raises Fault if it cannot be built."""
    try:
        return players.build_player(spec, variant)
    except Exception as error:
        raise _fault(error, spec.name, colour, ply=1) from error


def _ask(player: Player, name: str, game: Game, limit: Limit, rng: random.Random) -> Answer:
    """The answer of the player to move. Raises Fault if there is none, or it is no legal move."""
    turn, ply = game.position.turn, len(game.moves) + 1
    try:
        before = time.perf_counter()
        choice = player.choose(game, limit, rng)
        seconds = time.perf_counter() - before
        move, search = choice.move, search_values(choice, seconds)
        legal = (type(move) is int or isinstance(move, Integral)) and move in game.legal_moves
        shown = "" if legal else quoted(move)
    except Exception as error:
        raise _fault(error, name, turn, ply) from error
    if not legal:
        raise Fault(turn, Termination.ILLEGAL_MOVE, f"{name} returned the illegal move {shown} at ply {ply}")
    return Answer(move, seconds, search)


def _fault(error: Exception, name: str, colour: int, ply: int) -> Fault:
    """An exception that a player raised, as its fault."""
    reason = cut(str(error), REASON_CHARACTERS)
    return Fault(colour, Termination.ERROR, f"{name} raised {type(error).__name__} at ply {ply}: {reason}")


def _row(game: Game, answer: Answer, clock: float | None, over: float | None) -> MoveRow:
    text = move_text(game.variant, game.position, answer.move, game.legal_moves)
    return (text, len(game.legal_moves), *answer.search, _number(clock), _number(over))


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
