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
from numba.extending import overload

from arena.rules.jit.kernel import callback, is_compiling
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
        if not is_compiling():
            return self
        if rules not in self._pointers:
            arguments = (POSITION, numba.typeof(rules), WEIGHTS)[: 3 if self.weighted else 2]
            self._pointers[rules] = callback(self.function, types.float64(*arguments))
        return self._pointers[rules]

    def __call__(self, *arguments: Any) -> float:
        """The value of a position from the side to move's view."""
        return float(self.function(*arguments))


def evaluator(function: Callable[..., float]) -> Evaluator:
    """Decorator that makes an evaluation of a function `(position, rules)` or `(position, rules, weights)`."""
    return Evaluator(function)


def evaluate(pointer: Any, position: Position, rules: Rules, weights: Any) -> float:
    """Call an evaluation by its pointer, with the weights if it takes any."""
    return float(pointer(position, rules, weights) if pointer.weighted else pointer(position, rules))


@overload(evaluate)
def _evaluate(pointer, position, rules, weights):  # type: ignore[no-untyped-def]
    if pointer.nargs == 3:

        def with_weights(pointer, position, rules, weights):  # type: ignore[no-untyped-def]
            return pointer(position, rules, weights)

        return with_weights

    def without_weights(pointer, position, rules, weights):  # type: ignore[no-untyped-def]
        return pointer(position, rules)

    return without_weights
