"""Features: what an evaluation can count, one compiled function each, and the decorator for a user's own.

An evaluation is a function `(position, rules) -> float`: the value of a position from the side to move's view, in
a unit of its own choice. Every feature is a function `(position, rules, side) -> int`, `side` being WHITE (0) or
BLACK (1); `position.turn` is the side to move.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba.extending import overload

from arena.rules.jit import kernel, popcount
from arena.rules.position import Position
from arena.rules.rules import Rules

POSITION = types.NamedUniTuple(types.int64, 4, Position)
WEIGHTS = types.float64[::1]


class Evaluator:
    """An evaluation, callable from Python as it was written, and compiled for the rules that it is used under."""

    def __init__(self, function: Callable[..., float]) -> None:
        self.function = function
        self.weighted = len(inspect.signature(function).parameters) == 3
        """Whether the function takes weights."""
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._pointers: dict[Any, Any] = {}

    def pointer(self, rules: Rules) -> Any:
        """The native code under some rules, which kernels call through a function pointer.

        Raises numba's error, which names the line, if the function uses what numba cannot compile.
        """
        if rules not in self._pointers:
            arguments = (POSITION, numba.typeof(rules), WEIGHTS)[: 3 if self.weighted else 2]
            compiler = numba.cfunc(types.float64(*arguments), cache=True, error_model="numpy")
            self._pointers[rules] = compiler(self.function)
        return self._pointers[rules]

    def __call__(self, *arguments: Any) -> float:
        """The value of a position from the side to move's view."""
        return float(self.function(*arguments))


def evaluator(function: Callable[..., float]) -> Evaluator:
    """Decorator that makes an evaluation of a function `(position, rules)` or `(position, rules, weights)`."""
    return Evaluator(function)


def evaluate(pointer: Any, position: Position, rules: Rules, weights: Any) -> float:
    """Call an evaluation from a kernel, with the weights if it takes any."""
    raise NotImplementedError("for kernels only")


@overload(evaluate)
def _evaluate(pointer, position, rules, weights):  # type: ignore[no-untyped-def]
    if pointer.nargs == 3:

        def with_weights(pointer, position, rules, weights):  # type: ignore[no-untyped-def]
            return pointer(position, rules, weights)

        return with_weights

    def without_weights(pointer, position, rules, weights):  # type: ignore[no-untyped-def]
        return pointer(position, rules)

    return without_weights


@kernel
def pieces(position: Position, rules: Rules, side: int) -> int:
    """Men and kings."""
    if side == 0:
        return popcount(position.white)
    return popcount(position.black)


@kernel
def men(position: Position, rules: Rules, side: int) -> int:
    """Men."""
    return popcount(men_mask(position, side))


@kernel
def kings(position: Position, rules: Rules, side: int) -> int:
    """Kings."""
    return popcount(pieces_mask(position, side) & position.kings)


@kernel
def back_row(position: Position, rules: Rules, side: int) -> int:
    """Pieces on their own first row."""
    if side == 0:
        return popcount(position.white & rules.bottom)
    return popcount(position.black & rules.top)


@kernel
def far_row(position: Position, rules: Rules, side: int) -> int:
    """Pieces on the row where men of their side are crowned."""
    if side == 0:
        return popcount(position.white & rules.top)
    return popcount(position.black & rules.bottom)


@kernel
def far_half(position: Position, rules: Rules, side: int) -> int:
    """Pieces in the opponent's half, the far row included."""
    if side == 0:
        return popcount(position.white & rules.upper)
    return popcount(position.black & ~rules.upper)


@kernel
def edge(position: Position, rules: Rules, side: int) -> int:
    """Pieces on any edge of the board."""
    return popcount(pieces_mask(position, side) & rules.edge)


@kernel
def centre(position: Position, rules: Rules, side: int) -> int:
    """Pieces on the squares at least two rows and two columns from every edge."""
    return popcount(pieces_mask(position, side) & rules.centre)


@kernel
def advancement(position: Position, rules: Rules, side: int) -> int:
    """Rows that a side's men have advanced from their own first row, summed."""
    remaining = men_mask(position, side)
    row = (1 << rules.per_row) - 1
    total = 0
    for i in range(rules.rows):
        here = popcount(remaining & row)
        total += here * (rules.rows - 1 - i if side == 0 else i)
        row <<= rules.per_row + (i & 1)
    return total


@kernel
def pieces_mask(position: Position, side: int) -> int:
    """The bits of a side's men and kings."""
    if side == 0:
        return position.white
    return position.black


@kernel
def men_mask(position: Position, side: int) -> int:
    """The bits of a side's men."""
    return pieces_mask(position, side) & ~position.kings
