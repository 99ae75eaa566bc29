"""Features: what an evaluation can count, one compiled function each, and their table VOCABULARY.

Every feature is a function `(position, rules, side) -> int`, `side` being WHITE (0) or BLACK (1); `position.turn`
is the side to move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.rules.jit.kernel import inlined, kernel
from arena.rules.jit.native import lowest_square, popcount
from arena.rules.movegen import count_steps
from arena.rules.moves import step
from arena.rules.position import Position, row_and_column
from arena.rules.rules import Rules

ENDING = 8  # pieces on the board up to which `distance` counts


@kernel
def pieces(position: Position, rules: Rules, side: int) -> int:
    """Men and kings."""
    if side == 0:
        return popcount(position.white)
    return popcount(position.black)


@kernel
def men(position: Position, rules: Rules, side: int) -> int:
    """Men."""
    return popcount(men_mask(position, side))


@kernel
def kings(position: Position, rules: Rules, side: int) -> int:
    """Kings."""
    return popcount(pieces_mask(position, side) & position.kings)


@kernel
def back_row(position: Position, rules: Rules, side: int) -> int:
    """Pieces on their own first row."""
    if side == 0:
        return popcount(position.white & rules.bottom)
    return popcount(position.black & rules.top)


@kernel
def far_row(position: Position, rules: Rules, side: int) -> int:
    """Pieces on the row where men of their side are crowned."""
    if side == 0:
        return popcount(position.white & rules.top)
    return popcount(position.black & rules.bottom)


@kernel
def far_half(position: Position, rules: Rules, side: int) -> int:
    """Pieces in the opponent's half, the far row included."""
    if side == 0:
        return popcount(position.white & rules.upper)
    return popcount(position.black & ~rules.upper)


@kernel
def edge(position: Position, rules: Rules, side: int) -> int:
    """Pieces on any edge of the board."""
    return popcount(pieces_mask(position, side) & rules.edge)


@kernel
def centre(position: Position, rules: Rules, side: int) -> int:
    """Pieces on the squares at least two rows and two columns from every edge."""
    return popcount(pieces_mask(position, side) & rules.centre)


@kernel
def advancement(position: Position, rules: Rules, side: int) -> int:
    """Rows that a side's men have advanced from their own first row, summed."""
    remaining = men_mask(position, side)
    row = (1 << rules.per_row) - 1
    total = 0
    for i in range(rules.rows):
        here = popcount(remaining & row)
        total += here * (rules.rows - 1 - i if side == 0 else i)
        row <<= rules.per_row + (i & 1)
    return total


@kernel
def tempo(position: Position, rules: Rules, side: int) -> int:
    """1 for the side to move."""
    return int(side == position.turn)


@kernel
def mobility(position: Position, rules: Rules, side: int) -> int:
    """Moves that capture nothing, were it the side's turn and no capture compulsory."""
    return count_steps(rules, Position(position.white, position.black, position.kings, side))


@kernel
def connected(position: Position, rules: Rules, side: int) -> int:
    """Men with a piece of their side diagonally behind them."""
    own, forward = pieces_mask(position, side), forward_of(side)
    return popcount(men_mask(position, side) & (step(rules, own, forward) | step(rules, own, forward + 1)))


@kernel
def protected(position: Position, rules: Rules, side: int) -> int:
    """Men on an edge, or with pieces of their side on both squares diagonally behind them."""
    own, forward = pieces_mask(position, side), forward_of(side)
    both = step(rules, own, forward) & step(rules, own, forward + 1)
    return popcount(men_mask(position, side) & (rules.edge | both))


@kernel
def guard(position: Position, rules: Rules, side: int) -> int:
    """1 if every other square of the own first row, from the double corner on, is held by a piece: in English
    1 and 3 (Black) or 32 and 30 (White), on 10x10 1, 3 and 5 or 50, 48 and 46."""
    squares = 0x5555 & rules.top
    if side == 0:
        squares = (squares << (1 - rules.per_row % 2)) * (rules.bottom & -rules.bottom)
    return int(pieces_mask(position, side) & squares == squares)


@kernel
def runaway(position: Position, rules: Rules, side: int) -> int:
    """Men with no opposing piece on the squares ahead that steps could take them to."""
    behind = forward_of(side) ^ 2
    stopped = pieces_mask(position, 1 - side)
    for _ in range(rules.rows - 1):
        stopped |= (step(rules, stopped, behind) | step(rules, stopped, behind + 1)) & rules.board
    return popcount(men_mask(position, side) & ~stopped)


@kernel
def trapped(position: Position, rules: Rules, side: int) -> int:
    """Kings that are captured by a piece beside their new square wherever they step, or cannot step at all; own
    kings give no shelter."""
    own_kings = pieces_mask(position, side) & position.kings
    if own_kings == 0:
        return 0
    other = pieces_mask(position, 1 - side)
    empty = rules.board & ~(position.white | position.black)
    safe = empty
    for direction in range(4):
        forward = direction & 2 == forward_of(1 - side)
        takers = other if forward or rules.men_capture_backward else other & position.kings
        if not rules.men_capture_kings:
            takers &= position.kings
        safe &= ~(step(rules, takers, direction) & step(rules, empty | own_kings, direction ^ 2))
    beside = 0
    for direction in range(4):
        beside |= step(rules, safe, direction)
    return popcount(own_kings & ~beside)


@kernel
def distance(position: Position, rules: Rules, side: int) -> int:
    """Rows and columns between a side's kings and the opposing pieces, summed over all pairs, if the side has
    more pieces and no more than 8 (ENDING) are left; else 0. A negative weight draws the stronger side near."""
    own, other = pieces_mask(position, side), pieces_mask(position, 1 - side)
    if popcount(own | other) > ENDING or popcount(own) <= popcount(other):
        return 0
    return apart(rules, own & position.kings, other)


@kernel
def double_corner(position: Position, rules: Rules, side: int) -> int:
    """Kings on the two squares of either double corner: in English 1, 5, 28 and 32."""
    return popcount(pieces_mask(position, side) & position.kings & double_corners(rules))


@kernel
def long_diagonal(position: Position, rules: Rules, side: int) -> int:
    """Kings on the diagonal that joins the two single corners, the main road."""
    squares = 0
    for row in range(rules.rows):
        squares |= 1 << (rules.per_row * (row + 1) - 1)
    return popcount(pieces_mask(position, side) & position.kings & squares)


@kernel
def pieces_mask(position: Position, side: int) -> int:
    """The bits of a side's men and kings."""
    if side == 0:
        return position.white
    return position.black


@kernel
def men_mask(position: Position, side: int) -> int:
    """The bits of a side's men."""
    return pieces_mask(position, side) & ~position.kings


@kernel
def by_square(rules: Rules, bits: int, side: int, table: Sequence[float]) -> float:
    """The values that a side's piece-square table has for its pieces on some squares, as `men_mask` gives them.

    `table` has a number for each square, as the board lies before that side: its far row first, from the left. For
    White that is PDN's order, square 1 first.
    """
    total = 0.0
    while bits != 0:
        number = lowest_square(bits)
        bits &= bits - 1
        square = number - number // (2 * rules.per_row + 1)
        total += table[square] if side == 0 else table[len(table) - 1 - square]
    return total


@inlined
def forward_of(side: int) -> int:
    """The first of the two directions in which men of a side step; see `arena.rules.moves`."""
    return 2 if side == 0 else 0


@inlined
def double_corners(rules: Rules) -> int:
    """The squares where two edges meet without a corner square, two in each of two corners."""
    first_row, last_row = 1 | 1 << rules.per_row, rules.bottom & rules.rightmost
    return first_row | last_row | last_row >> rules.per_row


@kernel
def apart(rules: Rules, some: int, others: int) -> int:
    """Rows plus columns between two squares, summed over all pairs of a square of `some` and one of `others`."""
    total = 0
    while some != 0:
        row, column = row_and_column(lowest_square(some), rules.per_row)
        some &= some - 1
        rest = others
        while rest != 0:
            other_row, other_column = row_and_column(lowest_square(rest), rules.per_row)
            rest &= rest - 1
            total += abs(row - other_row) + abs(column - other_column)
    return total


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
"""The features that `linear` weighs, by name, in the order of the weights."""
