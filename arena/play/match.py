"""Play one game between two players on their clocks, and record it.

Time limits are enforced: a move that takes longer than it may, by more than the margin, loses the game. Limits of
depth and nodes are the player's own affair, as nobody else can count what it does; the record shows what it says.
"""

from __future__ import annotations

import random
import time

import numpy as np

import players
from arena.play.clock import clock_after, overrun
from arena.player import Choice, Player
from arena.record import GameRecord, Task, move_dtype
from arena.rules.game import Game, Outcome, Termination
from arena.rules.move_text import move_text
from arena.rules.position import COLOURS


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
