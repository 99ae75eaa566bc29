"""The decorator that makes an evaluation of a function, how kernels and Python call it, and the first examples:
plain material, and the evaluations of published programs.

An evaluation is a function `(position, rules) -> float`: the value of a position from the side to move's view, in
a unit of its own choice. Its native code is called by its address, with the address of weights as the last
argument; code that takes none ignores it, as the calling conventions of C allow. Functions as numba's first-class
values take a third more time a node with `material`, a sixth with `neural`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from arena.rules.jit.kernel import callback, inlined, is_compiling, kernel
from arena.rules.jit.native import call_at, popcount, view
from arena.rules.moves import step
from arena.rules.position import Position
from arena.rules.rules import Rules
from players.evaluation.features import (
    apart,
    back_row,
    double_corners,
    edge,
    far_half,
    far_row,
    forward_of,
    kings,
    men,
    pieces,
    pieces_mask,
)

POSITION = types.NamedUniTuple(types.int64, 4, Position)
WEIGHTS = types.CPointer(types.float64)
NO_WEIGHTS = np.zeros(0)


class Evaluator:
    """An evaluation, callable from Python as it was written, and compiled for the rules that it is used under."""

    def __init__(self, function: Callable[..., float]) -> None:
        self.function = function
        self.weighted = len(inspect.signature(function).parameters) == 3  # it takes weights
        self.__doc__, self.__name__ = function.__doc__, function.__name__
        self._compiled: dict[Any, Any] = {}

    def compiled(self, rules: Rules, weights: NDArray[np.float64] = NO_WEIGHTS) -> Evaluation:
        """What a search under `rules` calls. Raises numba's error if the function uses what numba cannot
        compile."""
        if not is_compiling():
            return Evaluation(self, weights)
        if rules not in self._compiled:
            arguments = (POSITION, numba.typeof(rules), WEIGHTS)[: 3 if self.weighted else 2]
            self._compiled[rules] = callback(self.function, types.float64(*arguments))
        return Evaluation(self._compiled[rules].address, weights)

    def __call__(self, *arguments: Any) -> float:
        """The value of a position from the side to move's view."""
        return float(self.function(*arguments[: 3 if self.weighted else 2]))


def evaluator(function: Callable[..., float]) -> Evaluator:
    """Decorate a function to be an evaluation: `(position, rules)` or `(position, rules, weights)`."""
    return Evaluator(function)


@kernel
def evaluate_all(
    rules: Rules, address: Any, weights: NDArray[np.float64], positions: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The evaluation of many positions, `int64[n, 4]`, finished or not: `float64[n]`."""
    values = np.empty(len(positions))
    for i in range(len(positions)):
        white, black, kings, turn = positions[i]
        position = Position(white, black, kings, turn)
        values[i] = call_at(address, position, rules, view(weights, np.float64))
    return values


class Evaluation(NamedTuple):
    """Points a search to the native code that it calls at its leaves, and to the weights."""

    address: Any
    weights: NDArray[np.float64]  # one after another in memory, as native code reads them; none if it takes none

    def values(self, rules: Rules, positions: Sequence[Position] | NDArray[np.int64]) -> NDArray[np.float64]:
        """The values of positions, from the view of the side to move in each."""
        return evaluate_all(rules, self.address, self.weights, np.array(positions, np.int64).reshape(-1, 4))


# --- evaluations


@evaluator
def material(position: Position, rules: Rules) -> float:
    """Man 1, king 1.5; own minus other."""
    own, other = position.turn, 1 - position.turn
    return (men(position, rules, own) - men(position, rules, other)) + 1.5 * (
        kings(position, rules, own) - kings(position, rules, other)
    )


@evaluator
def simple(position: Position, rules: Rules) -> float:
    """The +7/+5/+3 heuristic: 7 for a piece on the far row, 5 elsewhere in the opponent's half, 3 in its own;
    own minus other. A king counts as a man."""
    own, other = position.turn, 1 - position.turn
    return 1.0 * (
        3 * (pieces(position, rules, own) - pieces(position, rules, other))
        + 2 * (far_half(position, rules, own) - far_half(position, rules, other))
        + 2 * (far_row(position, rules, own) - far_row(position, rules, other))
    )


@evaluator
def cis300(position: Position, rules: Rules) -> float:
    """Man 5, king 10, piece on its own back row 1, piece on any edge 3; own minus other."""
    own, other = position.turn, 1 - position.turn
    return 1.0 * (
        5 * (men(position, rules, own) - men(position, rules, other))
        + 10 * (kings(position, rules, own) - kings(position, rules, other))
        + (back_row(position, rules, own) - back_row(position, rules, other))
        + 3 * (edge(position, rules, own) - edge(position, rules, other))
    )


@evaluator
def game3(position: Position, rules: Rules) -> float:
    """Man 1, king 3, and 10 for each piece more; own minus other. The penalty for repetition is the search's."""
    own, other = position.turn, 1 - position.turn
    return 1.0 * (
        11 * (men(position, rules, own) - men(position, rules, other))
        + 13 * (kings(position, rules, own) - kings(position, rules, other))
    )


@evaluator
def checkers_ai(position: Position, rules: Rules) -> float:
    """Man 1, king 1.5, worth more the fewer are left; advancement, central kings, back row; with at most 5 pieces,
    kings all, their distances and the double corners; 3 for the side to move.

    Stated for 8x8. Other boards have the central squares of the feature `centre`; 37 is 13 more than the men of a
    full board, and so on other boards.
    """
    own, other = pieces_mask(position, position.turn), pieces_mask(position, 1 - position.turn)
    own_kings, other_kings = own & position.kings, other & position.kings
    ahead, total = popcount(own) - popcount(other), popcount(own) + popcount(other)
    if position.kings == own | other and total <= 5:
        corners = double_corners(rules)
        cornered = popcount(own & corners) - popcount(other & corners)
        return 3.0 + 50 * ahead * (6 - total) - ahead * apart(rules, own, other) + 50 * cornered
    material_ahead = ahead + 0.5 * (popcount(own_kings) - popcount(other_kings))
    material_total = total + 0.5 * popcount(position.kings)
    most = 13 + rules.per_row * (rules.rows - 2)
    own_side, other_side = first_rows(rules, position.turn), first_rows(rules, 1 - position.turn)
    advanced = popcount(own & ~own_side) - popcount(other & ~other_side)
    central = popcount(own_kings & rules.centre) - popcount(other_kings & rules.centre)
    guarding = back_row(position, rules, position.turn) - back_row(position, rules, 1 - position.turn)
    value = 5 * material_ahead * (most - material_total) + 20 * advanced + 20 * central + 10 * guarding
    return 3.0 + value


@inlined
def first_rows(rules: Rules, side: int) -> int:
    """The three rows on a side's own edge of the board."""
    rows, forward = rules.top if side == 1 else rules.bottom, forward_of(side)
    for _ in range(2):
        rows |= (step(rules, rows, forward) | step(rules, rows, forward + 1)) & rules.board
    return rows
