"""Values, for the side to move, of positions that a search does not search, and of certain wins."""

from __future__ import annotations

import math

import numpy as np

from arena.rules.jit.kernel import inlined, kernel
from arena.rules.jit.native import call_at, view
from arena.rules.moves import points, sides
from arena.rules.notation import fen
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import Variant
from players.negamax.state import Searched
from players.player import AnswerError

WIN = 1_000_000.0  # score of a game won at the root; a win in n plies scores WIN - n
LIMIT = 900_000.0  # evaluations beyond are cut to this, so that none looks like a win


@inlined
def within_limit(value: float) -> float:
    """Cut an evaluation to LIMIT, so that no search takes it for a win."""
    return min(max(value, -LIMIT), LIMIT)


@inlined
def leaf_value(rules: Rules, state: Searched, position: Position) -> float:
    """The evaluation of a position, within LIMIT; one that is no finite number ends the search."""
    value = call_at(state.evaluation, position, rules, view(state.weights, np.float64))
    if not math.isfinite(value):
        refuse(state, position)
        return 0.0
    return within_limit(value)


@kernel
def refuse(state: Searched, position: Position) -> None:
    """End the search at a position that the evaluation has no finite value for."""
    state.undefined = state.stopped = 1
    for i in range(4):
        state.undefined_at[i] = position[i]


@kernel
def decided_value(rules: Rules, position: Position, ply: int) -> float:
    """The score of a position without a move, for the side to move: a win, a loss or a draw on points."""
    won = rules.losing_wins
    if rules.score_decides:
        white, black = points(rules, position)
        if white == black:
            return 0.0
        won = (white > black) == (position.turn == 0)
    elif rules.first_king_wins and position.kings != 0:
        won = position.kings & sides(position)[0] != 0
    return WIN - ply if won else ply - WIN


def undefined_value(variant: Variant, position: Position, value: float) -> AnswerError:
    """The failure of a player whose evaluation of a position is no finite number."""
    return AnswerError(f"has an evaluation that is {value}, not a finite number, in {fen(variant, position)}")


def plies_to_win(score: float) -> int:
    """Plies to the win that a score is, less than 0 to a loss; 0 for one that is neither."""
    if abs(score) <= LIMIT:
        return 0
    plies = round(WIN - abs(score))
    return plies if score > 0 else -plies
