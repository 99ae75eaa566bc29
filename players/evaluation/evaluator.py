"""The decorator that makes an evaluation of a function, and its call from kernels.

An evaluation is a function `(position, rules) -> float`: the value of a position from the side to move's view, in
a unit of its own choice.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numba
from numba import types

from arena.rules.jit.kernel import callback, inlined, is_compiling
from arena.rules.jit.native import call_at
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
        self._compiled: dict[Any, Any] = {}

    def address(self, rules: Rules) -> Any:
        """The address of the native code for `rules`, for `evaluate`; this itself if kernels are not compiled.

        Raises numba's error, which names the line, if the function uses what numba cannot compile.
        """
        if not is_compiling():
            return self
        if rules not in self._compiled:
            arguments = (POSITION, numba.typeof(rules), WEIGHTS)[: 3 if self.weighted else 2]
            self._compiled[rules] = callback(self.function, types.float64(*arguments))
        return self._compiled[rules].address

    def __call__(self, *arguments: Any) -> float:
        """The value of a position from the side to move's view."""
        return float(self.function(*arguments))


def evaluator(function: Callable[..., float]) -> Evaluator:
    """Decorator that makes an evaluation of a function `(position, rules)` or `(position, rules, weights)`."""
    return Evaluator(function)


@inlined
def evaluate(address: Any, position: Position, rules: Rules, weights: Any) -> float:
    """Call the evaluation at an address: with its weights, or without if there are none."""
    if weights.size:
        return call_at(address, position, rules, weights)
    return call_at(address, position, rules)
