"""Small positions and what exhaustive search finds in them."""

from __future__ import annotations

import random
from functools import cache

import numpy as np

from arena.rules.movegen import apply, legal_moves
from arena.rules.position import Position
from arena.rules.rules import NEVER, Rules, board_rules
from arena.rules.variants import Variant
from players.negamax.score import decided_value
from tests.helpers.rule_sets import by_values

SIX = board_rules(6, 3)

SMALL = {
    "men alone": by_values(Variant("men alone", SIX.but(promotion=NEVER), men=6, first=0)),
    "points": by_values(
        Variant("points", SIX.but(promotion=NEVER, passes=True, score_decides=True), men=6, first=0)
    ),
    "losing wins": by_values(Variant("losing wins", SIX.but(promotion=NEVER, losing_wins=True), men=6, first=0)),
}
"""Games on 36 squares without kings, so that all of them end: searched to their ends by `outcome_of`."""


@cache
def outcome_of(rules: Rules, position: Position) -> int:
    """What a game without kings is worth to the side to move, by exhaustive minimax: 1, 0 or -1."""
    moves = legal_moves(rules, position)
    if not moves:
        return int(np.sign(decided_value(rules, position, 0)))
    return max(-outcome_of(rules, apply(rules, position, move)) for move in moves)


def small_positions(variant: Variant, count: int) -> list[Position]:
    """Positions of 2 to 4 men a side in which there is a choice."""
    rng, positions = random.Random(7), list[Position]()
    while len(positions) < count:
        squares = rng.sample(variant.bits, 2 * rng.randint(2, 4))
        half = len(squares) // 2
        position = Position(sum(squares[:half]), sum(squares[half:]), 0, rng.randint(0, 1))
        if len(legal_moves(variant.rules, position)) > 1:
            positions.append(position)
    return positions
