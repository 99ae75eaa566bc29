"""Linear evaluation: a weighted sum over a vocabulary of features, with weights that may change to the ending.

Weights are held as `float64[2 * len(FEATURES)]`: each feature's weight with no piece left, then what each piece on
the board adds to it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.base.wording import unknown
from arena.rules.jit.native import popcount
from arena.rules.position import Position
from arena.rules.rules import NEVER, Rules
from players.evaluation.evaluator import Evaluation, Evaluator
from players.evaluation.features import VOCABULARY
from players.loading import PlayerError

FEATURES = tuple(VOCABULARY)  # the names, in the order of the weights
_N = len(FEATURES)


@cache
def linear_over(names: tuple[str, ...]) -> Evaluator:
    """The weighted sum of some features, own minus other.

    Its code is written out, as numba takes no loop over functions; by its name numba's cache tells it from that of
    other features, whose bytecode may be equal.
    """
    name = "linear_" + "_".join(str(FEATURES.index(feature)) for feature in names)
    source = [
        f"def {name}(position, rules, weights):",
        "    own, other = position.turn, 1 - position.turn",
        "    left = popcount(position.white | position.black)",
        "    value = 0.0",
    ]
    for feature in names:
        i = FEATURES.index(feature)
        source += [
            f"    weight = weights[{i}] + left * weights[{_N + i}]",
            f"    value += weight * ({feature}(position, rules, own) - {feature}(position, rules, other))",
        ]
    namespace: dict[str, Any] = {"__name__": __name__, "popcount": popcount, **VOCABULARY}
    exec(compile("\n".join([*source, "    return value"]), __file__, "exec"), namespace)
    return Evaluator(namespace[name])


linear, strong = linear_over(FEATURES), Evaluator(linear_over(FEATURES).function)
linear.__doc__ = "The weighted sum of the features that the configuration names, own minus other."
strong.__doc__ = "For real play: weights by kind of king and board, a man being 100."


def linear_evaluation(weights: NDArray[np.float64], rules: Rules) -> Evaluation:
    """`linear` with these weights, compiled for the features that they use."""
    used = tuple(name for i, name in enumerate(FEATURES) if weights[i] != 0 or weights[_N + i] != 0)
    return linear_over(used).compiled(rules, weights)


def weights_by_phase(
    weights: Mapping[str, Any], pieces: int, names: tuple[str, ...] = FEATURES
) -> NDArray[np.float64]:
    """The weights, in the order of `linear`, of a mapping from names to a number or a pair: one for all `pieces`
    of the start on the board, one for none; in between a weight changes in proportion to their number."""
    rows = np.zeros((2, len(names)))
    for name, weight in weights.items():
        opening, ending = _pair(weight)
        rows[:, names.index(name)] = ending, (opening - ending) / pieces
    return rows.ravel()


def check_weights(weights: Mapping[str, Any], names: Collection[str], noun: str, key: str) -> None:
    """Raise PlayerError, at `key` of the evaluation, for an unknown name, or a value that is no weight."""
    for name, weight in weights.items():
        if name not in names:
            raise PlayerError(unknown(noun, str(name), names), "evaluation", key, str(name))
        pair = _pair(weight)
        if len(pair) != 2 or not all(map(_is_number, pair)):
            message = f"the weight of {name} must be a number or a pair [opening, ending], not {weight!r}"
            raise PlayerError(message, "evaluation", key, name)


def _pair(weight: Any) -> Sequence[Any]:
    return weight if isinstance(weight, list | tuple) else (weight, weight)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


class Share(NamedTuple):
    """The share of one feature in a position's value, from the side to move's view."""

    own: int
    other: int
    weight: float  # with the pieces that are on the board
    value: float  # the weight times own minus other


def shares(position: Position, rules: Rules, weights: NDArray[np.float64]) -> dict[str, Share]:
    """Each feature's counts for both sides and its share of the linear evaluation."""
    left = popcount(position.white | position.black)
    by_feature = {}
    for i, (name, count) in enumerate(VOCABULARY.items()):
        own, other = count(position, rules, position.turn), count(position, rules, 1 - position.turn)
        weight = float(weights[i] + left * weights[_N + i])
        by_feature[name] = Share(own, other, weight, weight * (own - other) + 0.0)
    return by_feature


# Weights of `strong`, in hundredths of a man: set by hand from a logistic fit to self-play at 5 and 6 plies, and
# kept where matches at equal depth bore them out.
SHORT = {
    "man": 100,
    "king": 135,
    "back_row": [22, 8],
    "advancement": [-2, 4],
    "mobility": [3, 6],
    "connected": 5,
    "guard": 15,
    "distance": -1.5,
    "double_corner": 15,
}
"""Kings that step one square."""
FLYING = {
    "man": 100,
    "king": [300, 220],
    "back_row": [16, 8],
    "advancement": [1, 5],
    "mobility": 3,
    "connected": 6,
    "guard": 20,
    "runaway": 10,
    "long_diagonal": 12,
}
"""Flying kings on 8x8."""
FLYING_10 = {
    "man": 100,
    "king": [350, 250],
    "back_row": [6, 8],
    "centre": [3, 0],
    "advancement": [1, 4],
    "mobility": 1,
    "connected": 5,
    "protected": 4,
    "runaway": 20,
    "long_diagonal": 15,
}
"""Flying kings on larger boards."""
UNCROWNED = {"man": 100, "advancement": [-8, -3], "mobility": [4, 8], "connected": 5}
"""Men that are never crowned, where points decide: the side with moves in hand wins."""


def strong_weights(rules: Rules) -> NDArray[np.float64]:
    """The weights of `strong` by kind of king and board; the opposite ones where losing wins."""
    if rules.promotion == NEVER:
        weights = weights_by_phase(UNCROWNED, 24)
    elif not rules.flying:
        weights = weights_by_phase(SHORT, 24)
    else:
        weights = weights_by_phase(FLYING, 24) if rules.rows <= 8 else weights_by_phase(FLYING_10, 40)
    return -weights if rules.losing_wins else weights
