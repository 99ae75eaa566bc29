"""Linear evaluation: a weighted sum over a vocabulary of features, with weights that may change to the ending.

Weights are held as `float64[2 * len(FEATURES)]`: each feature's weight with no piece left, then what each piece on
the board adds to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from arena.base.wording import unknown
from arena.rules.jit.bits import popcount
from arena.rules.position import Position
from arena.rules.rules import Rules
from players.evaluation.evaluator import Evaluator, evaluator
from players.evaluation.features import VOCABULARY
from players.loading import PlayerError

FEATURES = tuple(VOCABULARY)
"""The names, in the order of the weights."""
N = len(FEATURES)
ALL = (1 << N) - 1


def weighted(position: Position, rules: Rules, weights: Any, used: int) -> float:
    """The sum of weight times count, own minus other, over the features whose bits are set in `used`.

    A kernel with a constant `used` is compiled without the other features.
    """
    own, other = position.turn, 1 - position.turn
    left = popcount(position.white | position.black)
    value = 0.0
    for i, count in enumerate(VOCABULARY.values()):
        if used & 1 << i:
            weight = weights[i] + left * weights[N + i]
            value += weight * (count(position, rules, own) - count(position, rules, other))
    return value


@overload(weighted, jit_options={"nogil": True, "error_model": "numpy", "forceinline": True})
def _weighted(position, rules, weights, used):  # type: ignore[no-untyped-def]
    """The loop of `weighted` written out: numba takes none over functions of which each is inlined or left out."""
    source = [
        "def written_out(position, rules, weights, used):",
        "    own, other = position.turn, 1 - position.turn",
        "    left = popcount(position.white | position.black)",
        "    value = 0.0",
    ]
    for i, name in enumerate(FEATURES):
        source += [
            f"    if used & {1 << i}:",
            f"        weight = weights[{i}] + left * weights[{N + i}]",
            f"        value += weight * ({name}(position, rules, own) - {name}(position, rules, other))",
        ]
    found: dict[str, Any] = {"popcount": popcount, **VOCABULARY}
    exec("\n".join([*source, "    return value"]), found)
    return found["written_out"]


@evaluator
def linear(position: Position, rules: Rules, weights: NDArray[np.float64]) -> float:
    """The weighted sum of the features that the configuration names, own minus other."""
    return weighted(position, rules, weights, ALL)


def build_linear(given: Mapping[str, Any], pieces: int) -> tuple[Evaluator, NDArray[np.float64]]:
    """The evaluation with the weights of a mapping, compiled for the features in it, and its weights.

    A weight is a number or a pair `[opening, ending]`: the first with all `pieces` of the start on the board, the
    second with none, in between in proportion to their number. Raises PlayerError for what is neither, and for
    an unknown feature.
    """
    weights = linear_weights(given, pieces)
    return _over(used_features(weights)), weights


def linear_weights(given: Mapping[str, Any], pieces: int) -> NDArray[np.float64]:
    """The weights of a mapping from features to a number or a pair; see `build_linear`."""
    rows = np.zeros((2, N))
    for name, weight in given.items():
        if name not in FEATURES:
            raise PlayerError(unknown("feature", str(name), FEATURES), "evaluation", "linear", str(name))
        pair = weight if isinstance(weight, list | tuple) else (weight, weight)
        if len(pair) != 2 or not all(_is_number(number) for number in pair):
            raise PlayerError(
                f"the weight of {name} must be a number or a pair [opening, ending], not {weight!r}",
                "evaluation",
                "linear",
                name,
            )
        opening, ending = pair
        rows[:, FEATURES.index(name)] = ending, (opening - ending) / pieces
    return rows.ravel()


def used_features(weights: Sequence[float] | NDArray[np.float64]) -> int:
    """The bits of the features whose weight is not always 0."""
    return sum(1 << i for i in range(N) if weights[i] != 0 or weights[N + i] != 0)


class Share(NamedTuple):
    """What one feature adds to a position's value, from the side to move's view."""

    own: int
    other: int
    weight: float
    """With the pieces that are on the board."""
    value: float
    """The weight times own minus other."""


def shares(position: Position, rules: Rules, weights: Sequence[float] | NDArray[np.float64]) -> dict[str, Share]:
    """Each feature's counts for both sides and its share of the linear evaluation."""
    left = popcount(position.white | position.black)
    found = {}
    for i, (name, count) in enumerate(VOCABULARY.items()):
        own, other = count(position, rules, position.turn), count(position, rules, 1 - position.turn)
        weight = float(weights[i] + left * weights[N + i])
        found[name] = Share(own, other, weight, weight * (own - other) + 0.0)
    return found


@cache
def _over(used: int) -> Evaluator:
    """`linear` for some features only."""

    def linear(position: Position, rules: Rules, weights: NDArray[np.float64]) -> float:
        return weighted(position, rules, weights, used)

    return evaluator(linear)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
