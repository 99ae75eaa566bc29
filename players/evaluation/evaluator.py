"""The decorator that makes an evaluation of a function, and its calls from kernels and from Python.

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

from arena.rules.jit.kernel import callback, is_compiling, kernel
from arena.rules.jit.native import call_at, view
from arena.rules.position import Position
from arena.rules.rules import Rules

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
