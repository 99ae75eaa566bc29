"""The strongest evaluation here: `linear` with weights by kind of king and board, in hundredths of a man.

The weights were set by hand from a logistic fit to self-play at 5 and 6 plies, and kept where matches at equal
depth bore them out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena.rules.position import Position
from arena.rules.rules import NEVER, Rules
from players.evaluation.evaluator import evaluator
from players.evaluation.linear import linear_weights, used_features, weighted

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

_SHORT = tuple(linear_weights(SHORT, 24).tolist())
_FLYING = tuple(linear_weights(FLYING, 24).tolist())
_FLYING_10 = tuple(linear_weights(FLYING_10, 40).tolist())
_UNCROWNED = tuple(linear_weights(UNCROWNED, 24).tolist())
_USED_SHORT, _USED_FLYING = used_features(_SHORT), used_features(_FLYING)
_USED_FLYING_10, _USED_UNCROWNED = used_features(_FLYING_10), used_features(_UNCROWNED)


@evaluator
def strong(position: Position, rules: Rules) -> float:
    """For real play: weights by kind of king and board, a man being 100; see `players.evaluation.strong`."""
    if rules.promotion == NEVER:
        value = weighted(position, rules, _UNCROWNED, _USED_UNCROWNED)
    elif not rules.flying:
        value = weighted(position, rules, _SHORT, _USED_SHORT)
    elif rules.rows <= 8:
        value = weighted(position, rules, _FLYING, _USED_FLYING)
    else:
        value = weighted(position, rules, _FLYING_10, _USED_FLYING_10)
    return -value if rules.losing_wins else value


def strong_weights(rules: Rules) -> NDArray[np.float64]:
    """The weights that `strong` has under some rules, as `players.evaluation.linear` holds them."""
    if rules.promotion == NEVER:
        weights = _UNCROWNED
    elif not rules.flying:
        weights = _SHORT
    else:
        weights = _FLYING if rules.rows <= 8 else _FLYING_10
    return np.array(weights) * (-1.0 if rules.losing_wins else 1.0)
