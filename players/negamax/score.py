"""Values, for the side to move: of positions that a search does not search, of certain wins, and of a man."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from arena.rules.jit.kernel import entry, inlined, kernel
from arena.rules.jit.native import floats_at, popcount
from arena.rules.movegen import has_move
from arena.rules.moves import sides
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import Variant
from players.evaluation.build import Evaluation
from players.evaluation.evaluator import evaluate
from players.evaluation.sample import positions_of
from players.negamax.switches import ALIKE, EVALUATED, POINTS

WIN = 1_000_000.0
"""Score of a game won at the root; a win in n plies scores WIN - n."""
LIMIT = 900_000.0
"""Evaluations beyond are cut to this, so that none looks like a win."""

_STRIDE = 6
"""One in this many positions of the sample is valued."""
_ERRORS = 4.0
"""Standard errors by which the mean must differ from 0."""


@inlined
def within_limit(value: float) -> float:
    """An evaluation that looks like no win."""
    return min(max(value, -LIMIT), LIMIT)


@cache
def compiled_static_value(rules: Any) -> Any:
    """`static_value` for a rule set, to be called from Python; compiled, or loaded from the cache, at first."""
    return entry(static_value, types.float64, rules, 0, np.zeros(0), Position(0, 0, 0, 0), 0)


@kernel
def static_value(rules: Rules, address: Any, weights: NDArray[np.float64], position: Position, ply: int) -> float:
    """The value of a position that is not searched further, for the side to move."""
    if has_move(rules, position):
        return within_limit(evaluate(address, position, rules, weights))
    return decided_value(rules, position, ply)


@inlined
def leaf_value(rules: Rules, state: Any, position: Position) -> float:
    """The evaluation of a position, within LIMIT."""
    weights = floats_at(state.weights, state.weight_count)
    return within_limit(evaluate(state.evaluation, position, rules, weights))


@inlined
def final_value(rules: Rules, state: Any, position: Position, ply: int) -> float:
    """The score of a position without a move, for the side to move, by the switch `finals`."""
    if rules.score_decides and state.finals == POINTS:
        difference = own_points(rules, position)
        if ply & 1:
            difference = -difference
        value = 100.0 + difference if difference > 0 else difference - 100.0
        return -value if ply & 1 else value
    if state.finals == EVALUATED:
        return leaf_value(rules, state, position)
    return decided_value(rules, position, 0 if state.finals >= ALIKE else ply)


@kernel
def decided_value(rules: Rules, position: Position, ply: int) -> float:
    """The score of a position without a move, for the side to move: a win, a loss or a draw on points."""
    if rules.score_decides:
        difference = own_points(rules, position)
        if difference == 0:
            return 0.0
        return WIN - ply if difference > 0 else ply - WIN
    won = rules.losing_wins
    if rules.first_king_wins and position.kings != 0:
        won = position.kings & sides(position)[0] != 0
    return WIN - ply if won else ply - WIN


@kernel
def own_points(rules: Rules, position: Position) -> int:
    """Points of the side to move minus the other side's: 2 for a piece on its far row, 1 for any other."""
    white = popcount(position.white) + popcount(position.white & rules.top)
    black = popcount(position.black) + popcount(position.black & rules.bottom)
    if position.turn == 0:
        return white - black
    return black - white


def wins_in(score: float, depth: int = 0) -> int:
    """Plies to the win that a score is, less than 0 to a loss; 0 for one that is neither.

    Where all wins are alike, the most that they are in a search of so many plies.
    """
    if abs(score) <= LIMIT:
        return 0
    plies = round(WIN - abs(score)) or depth - (depth % 2 == (score < 0))
    return plies if score > 0 else -plies


def worth_of_a_man(variant: Variant, evaluation: Evaluation) -> float | None:
    """The worth of a man in an evaluation's unit, more than 0; None for one that ignores a man.

    It is the size of the mean change of a position's value when one man of the side that is not to move is taken
    off, if that has another piece: over the positions of `players.evaluation.sample` and, in each, over all such
    men.
    """
    changes = []
    value, rules = compiled_static_value(variant.constants), variant.constants
    for position in positions_of(variant)[::_STRIDE]:
        before = value(rules, *evaluation, position, 0)
        _, other = sides(position)
        men = other & ~position.kings if other.bit_count() > 1 else 0
        after = [value(rules, *evaluation, less, 0) for less in without_each(position, men)]
        found = [other - before for other in after if max(abs(other), abs(before)) < LIMIT]
        if found:
            changes.append(fmean(found))
    if len(changes) < 2:
        return None
    mean, error = fmean(changes), stdev(changes) / math.sqrt(len(changes))
    return abs(mean) if math.isfinite(mean) and abs(mean) > _ERRORS * error else None


def without_each(position: Position, men: int) -> Iterator[Position]:
    """The position without one of these men, for each of them, from the lowest bit."""
    for bit in (1 << i for i in range(men.bit_length()) if men >> i & 1):
        yield position._replace(white=position.white & ~bit, black=position.black & ~bit)
