"""Positions to search: of play, endings, and small ones with what exhaustive search finds in them."""

import random
from functools import cache

import numpy as np

from arena.rules.movegen import apply, has_move, legal_moves
from arena.rules.position import Position
from arena.rules.rules import NEVER, Rules, board_rules
from arena.rules.variants import Variant
from players.negamax.score import decided_value
from tests.helpers.rule_sets import by_values, share

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


def open_positions(variant: Variant, played: list[Position], number: int) -> list[Position]:
    """Positions of play in which there is a move; of rule sets that run as values fewer, see `share`."""
    moving = [position for position in played if has_move(variant.rules, position)]
    number = share(variant, number)
    return moving[:: len(moving) // number][:number]


def ending(variant: Variant, rng: random.Random, most: int) -> Position:
    """A random position of 2 to `most` pieces, two thirds of them kings, no man where it is crowned."""
    rules, bits = variant.rules, list(variant.bits)
    while True:
        pieces = rng.sample(bits, rng.randint(2, most))
        white = sum(bit for bit in pieces[1:] if rng.random() < 1 / 2) | pieces[0]
        kings = sum(bit for bit in pieces if rng.random() < 2 / 3)
        black = sum(pieces) & ~white
        if black and not (white & ~kings & rules.top or black & ~kings & rules.bottom):
            return Position(white, black, kings, rng.randint(0, 1))
