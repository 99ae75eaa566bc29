"""Formation values, kept by the men of both sides: an entry is the white men, the black men and the value."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.rules.jit.kernel import inlined
from arena.rules.jit.native import floats_at, words_at
from arena.rules.position import Position
from arena.rules.rules import Rules
from players.evaluation.mix import material_ahead, safety_ahead, white_formation

_ENTRIES = 1 << 15
_WIDTH = 4
"""Words of an entry."""


def new_formations() -> NDArray[np.int64]:
    """Room for formation values, empty: no men have the value 0."""
    return np.zeros(_ENTRIES * _WIDTH, dtype=np.int64)


@inlined
def kept_mix(rules: Rules, state: Any, shallow: Any, position: Position) -> float:
    """What `players.evaluation.mix.mix` says, its formation values kept in the state's."""
    weights = floats_at(shallow.weights, shallow.weight_count)
    value = weights[0] * material_ahead(position, rules)
    if weights[1] != 0.0:
        white = kept_formation(rules, state, position.white & ~position.kings, position.black & ~position.kings)
        value += weights[1] * (white if position.turn == 0 else -white)
    if weights[2] != 0.0:
        value += weights[2] * safety_ahead(position, rules)
    return value


@inlined
def kept_formation(rules: Rules, state: Any, white_men: int, black_men: int) -> int:
    """`white_formation`, computed only if the men are not those of its entry."""
    table = words_at(state.formations)
    mixed = white_men ^ (black_men << 3) ^ (black_men >> 19)
    mixed ^= mixed >> 29
    mixed ^= mixed >> 13
    entry = (mixed & (_ENTRIES - 1)) * _WIDTH
    state.tt_probes += 1
    if table[entry] == white_men and table[entry + 1] == black_men:
        state.tt_hits += 1
    else:
        table[entry], table[entry + 1] = white_men, black_men
        table[entry + 2] = white_formation(rules, white_men, black_men)
    return table[entry + 2]
