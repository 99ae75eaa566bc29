"""Play one game between two players, and record it."""

from __future__ import annotations

import random
import time
from typing import NamedTuple

import numpy as np

import players
from arena.player import Choice, Player, PlayerSpec
from arena.rules.game import Game, Outcome, Termination
from arena.rules.notation import move_text
from arena.rules.position import COLOURS, Position
from arena.rules.variants import Variant
from arena.schedule import Pairing

MOVE_COLUMNS = (
    ("legal_moves", "i4"),
    ("depth", "i4"),
    ("nodes", "i8"),
    ("leaves", "i8"),
    ("seconds", "f8"),
    ("score", "f8"),
    ("cutoffs_max", "i8"),
    ("cutoffs_min", "i8"),
)
"""Names and numpy types of what is recorded for a move, besides its text."""


class Task(NamedTuple):
    """All that a worker needs to play a game: plain data."""

    pairing: Pairing
    variant: Variant
    opening: Position
    white: PlayerSpec
    black: PlayerSpec
    seed: int
    max_plies: int


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
    """Play a game to its end. A player that raises or returns an illegal move loses; nothing is raised."""
    began = time.perf_counter()
    game = Game(task.variant, task.opening)
    specs = (task.white, task.black)
    sides: list[Player] = []
    rows: list[tuple[str, int, int, int, int, float, float, int, int]] = []
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
            before = time.perf_counter()
            choice = sides[turn].choose(game, specs[turn].limit, rngs[turn])
            seconds = time.perf_counter() - before
            if choice.move not in game.legal_moves:
                outcome = Outcome(1 - turn, Termination.ILLEGAL_MOVE)
                error = (
                    f"{specs[turn].name} returned the illegal move {choice.move!r} at ply {len(game.moves) + 1}"
                )
                break
            rows.append(_row(game, choice, seconds))
            game.push(choice.move)
            outcome = adjudicate(game, task.max_plies)
    except Exception as raised:
        assert outcome is not None and outcome.winner is not None
        loser = specs[1 - outcome.winner]
        reason = " ".join(str(raised).split())[:200]
        error = f"{loser.name} raised {type(raised).__name__} at ply {len(game.moves) + 1}: {reason}"
    width = max((len(row[0]) for row in rows), default=1)
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


def move_dtype(width: int) -> np.dtype[np.void]:
    """The numpy record of a move whose text takes up to `width` characters."""
    return np.dtype([("move", f"S{width}"), *MOVE_COLUMNS])


def _row(game: Game, choice: Choice, seconds: float) -> tuple[str, int, int, int, int, float, float, int, int]:
    text = move_text(game.variant, game.position, choice.move, game.legal_moves)
    score = float("nan") if choice.score is None else choice.score
    return (
        text,
        len(game.legal_moves),
        choice.depth,
        choice.nodes,
        choice.leaves,
        seconds,
        score,
        choice.cutoffs_max,
        choice.cutoffs_min,
    )
