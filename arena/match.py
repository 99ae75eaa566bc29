"""Play one game between two players on their clocks, and record it.

Time limits are enforced: a move that takes longer than it may, by more than the margin, loses the game. Limits of
depth and nodes are the player's own affair, as nobody else can count what it does; the record shows what it says.
"""

from __future__ import annotations

import random
import time
from typing import NamedTuple

import numpy as np

import players
from arena.player import Choice, Limit, Player, PlayerSpec
from arena.rules.game import Game, Outcome, Termination
from arena.rules.notation import move_text
from arena.rules.position import COLOURS, Position
from arena.rules.variants import Variant
from arena.schedule import Pairing

MOVE_COLUMNS = (
    ("legal_moves", "i4"),
    ("depth", "i4"),
    ("deepest", "i4"),
    ("nodes", "i8"),
    ("leaves", "i8"),
    ("seconds", "f8"),
    ("score", "f8"),
    ("cutoffs_max", "i8"),
    ("cutoffs_min", "i8"),
    ("cutoffs_first", "i8"),
    ("tt_probes", "i8"),
    ("tt_hits", "i8"),
    ("clock", "f8"),
    ("overrun", "f8"),
)
"""Names and numpy types of what is recorded for a move, besides its text.

`clock` is what the player's clock shows after the move, `overrun` by how many seconds the move took longer than it
might. These and `score` are nan where there is no clock, no time limit or no score.
"""


class Task(NamedTuple):
    """All that a worker needs to play a game: plain data."""

    pairing: Pairing
    variant: Variant
    opening: Position
    white: PlayerSpec
    black: PlayerSpec
    seed: int
    max_plies: int
    time_margin: float = 0.1
    """Seconds by which a move may take longer than its limit before the game is lost."""


class GameRecord(NamedTuple):
    """A finished game."""

    pairing: Pairing
    result: str
    """As PDN writes it: `1-0`, `0-1` or `1/2-1/2`."""
    termination: str
    seconds: float
    """Wall time of the whole game."""
    error: str
    """Why a game was lost by a player's fault, otherwise empty."""
    moves: bytes
    """A numpy record per ply."""
    dtype: str
    """The width of the moves' text; the other columns are MOVE_COLUMNS."""


def play(task: Task) -> GameRecord:
    """Play a game to its end. Nothing is raised: a player that raises, returns an illegal move or is late loses.

    Time is judged when the answer is there, by wall time; building the players is not on their clocks. The move
    that came too late is recorded, as the game's last.
    """
    began = time.perf_counter()
    game = Game(task.variant, task.opening)
    specs = (task.white, task.black)
    sides: list[Player] = []
    rows: list[tuple[str | float, ...]] = []
    clocks = [spec.limit.clock for spec in specs]
    error = ""
    outcome = game.outcome
    try:
        for colour, spec in enumerate(specs):
            outcome = Outcome(1 - colour, Termination.ERROR)
            sides.append(players.build_player(spec, task.variant))
        rngs = [random.Random(f"{task.seed} {task.pairing.game} {colour}") for colour in COLOURS]
        outcome = game.outcome
        while outcome is None:
            turn = game.position.turn
            outcome = Outcome(1 - turn, Termination.ERROR)
            limit = specs[turn].limit._replace(clock=clocks[turn])
            before = time.perf_counter()
            choice = sides[turn].choose(game, limit, rngs[turn])
            seconds = time.perf_counter() - before
            if choice.move not in game.legal_moves:
                outcome = Outcome(1 - turn, Termination.ILLEGAL_MOVE)
                error = (
                    f"{specs[turn].name} returned the illegal move {choice.move!r} at ply {len(game.moves) + 1}"
                )
                break
            over = overrun(limit, seconds)
            clocks[turn] = clock_after(limit, seconds)
            rows.append(_row(game, choice, seconds, clocks[turn], over))
            game.push(choice.move)
            late = over is not None and over > task.time_margin
            outcome = Outcome(1 - turn, Termination.TIME) if late else adjudicate(game, task.max_plies)
    except Exception as raised:
        assert outcome is not None and outcome.winner is not None
        loser = specs[1 - outcome.winner]
        reason = " ".join(str(raised).split())[:200]
        error = f"{loser.name} raised {type(raised).__name__} at ply {len(game.moves) + 1}: {reason}"
    width = max((len(str(row[0])) for row in rows), default=1)
    table = np.array(rows, dtype=move_dtype(width))
    return GameRecord(
        task.pairing,
        outcome.result,
        str(outcome.termination),
        time.perf_counter() - began,
        error,
        table.tobytes(),
        str(width),
    )


def adjudicate(game: Game, max_plies: int) -> Outcome | None:
    """How the game ended, by its rules or by the arena's limit of plies; None while it goes on."""
    outcome = game.outcome
    if outcome is None and len(game.moves) >= max_plies:
        return Outcome(None, Termination.MAX_PLIES)
    return outcome


def overrun(limit: Limit, seconds: float) -> float | None:
    """By how many seconds a move of `seconds` broke its limit, 0 if it did not; None without a limit of time."""
    allowed = [bound for bound in (limit.seconds, limit.clock) if bound is not None]
    return max(seconds - min(allowed), 0.0) if allowed else None


def clock_after(limit: Limit, seconds: float) -> float | None:
    """What a clock of `limit.clock` shows after a move of `seconds`: at least 0, and the increment added.

    None without a clock.
    """
    if limit.clock is None:
        return None
    return max(limit.clock - seconds, 0.0) + (limit.increment or 0.0)


def move_dtype(width: int) -> np.dtype[np.void]:
    """The numpy record of a move whose text takes up to `width` characters."""
    return np.dtype([("move", f"S{width}"), *MOVE_COLUMNS])


def _row(
    game: Game, choice: Choice, seconds: float, clock: float | None, over: float | None
) -> tuple[str | float, ...]:
    """A move's text and its MOVE_COLUMNS."""
    return (
        move_text(game.variant, game.position, choice.move, game.legal_moves),
        len(game.legal_moves),
        choice.depth,
        choice.deepest,
        choice.nodes,
        choice.leaves,
        seconds,
        _number(choice.score),
        choice.cutoffs_max,
        choice.cutoffs_min,
        choice.cutoffs_first,
        choice.tt_probes,
        choice.tt_hits,
        _number(clock),
        _number(over),
    )


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
