"""The mix: material, formation and safety, weighed, as the published program `casual-10x10` values leaves."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.wording import unknown
from arena.rules.captures import men_capture_towards
from arena.rules.jit.bits import popcount
from arena.rules.jit.kernel import inlined, kernel
from arena.rules.moves import step
from arena.rules.position import Position
from arena.rules.rules import Rules
from players.evaluation.evaluator import evaluator
from players.evaluation.features import back_row, connected, kings, men, pieces_mask
from players.loading import PlayerError

WEIGHTS: Mapping[str, float] = MappingProxyType({"material": 100.0, "formation": 4.0, "safety": 20.0})
"""The parts of the mix, in the order of its weights, and what they weigh if not given: a man is 1 of material, a
king 1.5, or 3 if it flies."""


@evaluator
def mix(position: Position, rules: Rules, weights: NDArray[np.float64]) -> float:
    """Material, formation (connected men, men on the back row) and safety (pieces that can be taken), weighed."""
    value = weights[0] * material_ahead(position, rules)
    if weights[1] != 0.0:
        value += weights[1] * formation_ahead(position, rules)
    if weights[2] != 0.0:
        value += weights[2] * safety_ahead(position, rules)
    return value


def mix_weights(given: Mapping[str, Any]) -> NDArray[np.float64]:
    """The weights of a mapping from parts of the mix to numbers; raises PlayerError for any other value."""
    for name, weight in given.items():
        if name not in WEIGHTS:
            raise PlayerError(unknown("part of the mix", str(name), WEIGHTS), "evaluation", "mix", str(name))
        if not isinstance(weight, int | float) or isinstance(weight, bool):
            raise PlayerError(f"the weight of {name} must be a number, not {weight!r}", "evaluation", "mix", name)
    return np.array([float(given.get(name, weight)) for name, weight in WEIGHTS.items()])


@inlined
def material_ahead(position: Position, rules: Rules) -> float:
    """Own material minus the other side's."""
    own, other = position.turn, 1 - position.turn
    king = 3.0 if rules.flying else 1.5
    ahead = men(position, rules, own) - men(position, rules, other)
    return ahead + king * (kings(position, rules, own) - kings(position, rules, other))


@inlined
def formation_ahead(position: Position, rules: Rules) -> int:
    """Own formation minus the other side's."""
    white = white_formation(rules, position.white & ~position.kings, position.black & ~position.kings)
    return white if position.turn == 0 else -white


@kernel
def white_formation(rules: Rules, white_men: int, black_men: int) -> int:
    """White's men that have a man diagonally behind them, and those on the back row, minus Black's."""
    alone = Position(white_men, black_men, 0, 0)
    connected_men = connected(alone, rules, 0) - connected(alone, rules, 1)
    return connected_men + back_row(alone, rules, 0) - back_row(alone, rules, 1)


@inlined
def safety_ahead(position: Position, rules: Rules) -> int:
    """The other side's pieces that can be taken minus the own ones."""
    own, other = position.turn, 1 - position.turn
    return takeable(position, rules, other) - takeable(position, rules, own)


@kernel
def takeable(position: Position, rules: Rules, side: int) -> int:
    """How many pieces of a side the first jump of a capture could take, were it the other side's turn."""
    takers = Position(position.white, position.black, position.kings, 1 - side)
    taken = 0
    for direction in range(4):
        taken |= taken_towards(rules, takers, direction)
    if rules.straight_captures:
        for direction in range(4, 8):
            taken |= taken_towards(rules, takers, direction)
    return popcount(taken)


@inlined
def taken_towards(rules: Rules, position: Position, direction: int) -> int:
    """The pieces that the side to move can take by a first jump in one direction."""
    own, other = pieces_mask(position, position.turn), pieces_mask(position, 1 - position.turn)
    empty = rules.board & ~(own | other)
    before_empty = step(rules, empty, direction ^ 2)
    prey = other if rules.men_capture_kings else other & ~position.kings
    taken = 0
    if men_capture_towards(rules, position, direction):
        taken = step(rules, own & ~position.kings, direction) & prey & before_empty
    reached = own & position.kings
    if rules.flying:
        fill = step(rules, reached, direction) & empty
        while fill != 0:
            reached |= fill
            fill = step(rules, fill, direction) & empty
    return taken | (step(rules, reached, direction) & other & before_empty)


PARTS = {"material": material_ahead, "formation": formation_ahead, "safety": safety_ahead}
"""The parts of the mix by their names."""
