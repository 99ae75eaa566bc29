"""Linear evaluation: a weighted sum over a vocabulary of features, with weights that may change to the ending.

Weights are held as `float64[2 * len(FEATURES)]`: each feature's weight with no piece left, then what each piece on
the board adds to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.rules.jit.bits import popcount
from arena.rules.jit.kernel import inlined
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.wording import unknown
from players.evaluation.evaluator import Evaluator, evaluator
from players.evaluation.features import (
    advancement,
    back_row,
    centre,
    connected,
    distance,
    double_corner,
    edge,
    far_half,
    far_row,
    guard,
    kings,
    long_diagonal,
    men,
    mobility,
    protected,
    runaway,
    tempo,
    trapped,
)
from players.loading import PlayerError

VOCABULARY: dict[str, Callable[[Position, Rules, int], int]] = {
    "man": men,
    "king": kings,
    "back_row": back_row,
    "far_row": far_row,
    "far_half": far_half,
    "edge": edge,
    "centre": centre,
    "advancement": advancement,
    "tempo": tempo,
    "mobility": mobility,
    "connected": connected,
    "protected": protected,
    "guard": guard,
    "runaway": runaway,
    "trapped": trapped,
    "distance": distance,
    "double_corner": double_corner,
    "long_diagonal": long_diagonal,
}
"""The features that `linear` weighs, by name; their docstrings say what they count."""
FEATURES = tuple(VOCABULARY)
"""The names, in the order of the weights."""
N = len(FEATURES)
ALL = (1 << N) - 1


@inlined
def weighted(position: Position, rules: Rules, weights: Any, used: int) -> float:
    """The sum of weight times count, own minus other, over the features whose bits are set in `used`.

    A caller with a constant `used` is compiled without the other features.
    """
    # written out, as numba takes no loop over functions of which each is inlined or left out
    own, other = position.turn, 1 - position.turn
    left = popcount(position.white | position.black)
    value = 0.0
    if used & 1 << 0:
        weight = weights[0] + left * weights[N + 0]
        value += weight * (men(position, rules, own) - men(position, rules, other))
    if used & 1 << 1:
        weight = weights[1] + left * weights[N + 1]
        value += weight * (kings(position, rules, own) - kings(position, rules, other))
    if used & 1 << 2:
        weight = weights[2] + left * weights[N + 2]
        value += weight * (back_row(position, rules, own) - back_row(position, rules, other))
    if used & 1 << 3:
        weight = weights[3] + left * weights[N + 3]
        value += weight * (far_row(position, rules, own) - far_row(position, rules, other))
    if used & 1 << 4:
        weight = weights[4] + left * weights[N + 4]
        value += weight * (far_half(position, rules, own) - far_half(position, rules, other))
    if used & 1 << 5:
        weight = weights[5] + left * weights[N + 5]
        value += weight * (edge(position, rules, own) - edge(position, rules, other))
    if used & 1 << 6:
        weight = weights[6] + left * weights[N + 6]
        value += weight * (centre(position, rules, own) - centre(position, rules, other))
    if used & 1 << 7:
        weight = weights[7] + left * weights[N + 7]
        value += weight * (advancement(position, rules, own) - advancement(position, rules, other))
    if used & 1 << 8:
        weight = weights[8] + left * weights[N + 8]
        value += weight * (tempo(position, rules, own) - tempo(position, rules, other))
    if used & 1 << 9:
        weight = weights[9] + left * weights[N + 9]
        value += weight * (mobility(position, rules, own) - mobility(position, rules, other))
    if used & 1 << 10:
        weight = weights[10] + left * weights[N + 10]
        value += weight * (connected(position, rules, own) - connected(position, rules, other))
    if used & 1 << 11:
        weight = weights[11] + left * weights[N + 11]
        value += weight * (protected(position, rules, own) - protected(position, rules, other))
    if used & 1 << 12:
        weight = weights[12] + left * weights[N + 12]
        value += weight * (guard(position, rules, own) - guard(position, rules, other))
    if used & 1 << 13:
        weight = weights[13] + left * weights[N + 13]
        value += weight * (runaway(position, rules, own) - runaway(position, rules, other))
    if used & 1 << 14:
        weight = weights[14] + left * weights[N + 14]
        value += weight * (trapped(position, rules, own) - trapped(position, rules, other))
    if used & 1 << 15:
        weight = weights[15] + left * weights[N + 15]
        value += weight * (distance(position, rules, own) - distance(position, rules, other))
    if used & 1 << 16:
        weight = weights[16] + left * weights[N + 16]
        value += weight * (double_corner(position, rules, own) - double_corner(position, rules, other))
    if used & 1 << 17:
        weight = weights[17] + left * weights[N + 17]
        value += weight * (long_diagonal(position, rules, own) - long_diagonal(position, rules, other))
    return value


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
