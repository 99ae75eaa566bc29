"""Moves: how a move is one integer, what can be read off it, and a step in a direction, as shifts of bits.

A move is bit(origin) | bit(target) | captured, decoded against its position: a pass is 0, a capture by two paths
one move. A list of moves is a stretch of an int64 buffer, so that a search keeps those of all its plies end to
end; the room behind it is the generator's to work in.

Directions are numbered: 0 and 1 go down diagonally (to higher squares, black's way), 2 and 3 up; d and d ^ 2 are
opposite. 4 to 7 go straight to the next dark square: right, down, left, up; that is two columns or rows away.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from arena.rules.jit.kernel import inlined, instructions_of
from arena.rules.jit.native import WORDS, lowest_square, popcount, reversed_bits
from arena.rules.position import WHITE, Position, row_and_column
from arena.rules.rules import Rules

Moves = NDArray[np.int64]

CROWNED = 1 << 62  # flag of a capture whose man touched the last row, where that crowns it although it goes on
UNFINISHED = 1 << 61  # flag, within the generator only, of a capture that may go on but not end there
VACATED = 54
"""Shift of the number, from 1, of the bit where a capture ends if it took a piece there, which is removed at
once."""
ORDER_SHIFT = 40
HOP_ORDER = ((1 << 20) - 1) << ORDER_SHIFT
"""Bits, within the generator only, of the jumps that took a king, the first jump highest."""
FIRST_HOP = 1 << (ORDER_SHIFT + 19)
ROOM = 512  # entries that must be free behind a list before it is written to; no position has as many steps
BUFFER = 1 << 15  # moves in a buffer: room for a search 100 plies deep and for the widest known capture

inlined(row_and_column)


def new_buffer() -> Moves:
    """An empty move buffer, `int64[BUFFER]`."""
    return np.empty(BUFFER, dtype=np.int64)


def capacity(moves: Moves) -> int:
    """How many moves a buffer has room for: BUFFER where a kernel has only its address."""
    return moves.size


@instructions_of(capacity)
def _capacity(_context: Any, moves: types.Type) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        if moves == WORDS:
            return context.get_constant(types.intp, BUFFER)
        return context.make_array(moves)(context, builder, value=values[0]).nitems

    return types.intp(moves), generate


@inlined
def sides(position: Position) -> tuple[int, int]:
    """The pieces of the side to move and of the other side."""
    if position.turn == 0:
        return position.white, position.black
    return position.black, position.white


@inlined
def as_white(rules: Rules, position: Position) -> Position:
    """A position as the side to move sees it: White to move."""
    if position.turn == WHITE:
        return position
    return turned(rules, position)


@inlined
def turned(rules: Rules, position: Position) -> Position:
    """A position with the board turned and colours exchanged, the side to move, too."""
    width = rules.rows * rules.per_row + rules.rows // 2 - 1
    white, black = reversed_bits(position.black, width), reversed_bits(position.white, width)
    return Position(white, black, reversed_bits(position.kings, width), 1 - position.turn)


@inlined
def points(rules: Rules, position: Position) -> tuple[int, int]:
    """White's and Black's points where points decide: 2 for a piece on its far row, 1 for any other."""
    white = popcount(position.white) + popcount(position.white & rules.top)
    return white, popcount(position.black) + popcount(position.black & rules.bottom)


@inlined
def target_of(rules: Rules, own: int, other: int, move: int) -> int:
    """The square, as a bit, where a move ends, or a capture begun stands."""
    if rules.removed_at_once:
        vacated = (move >> VACATED) & 63
        if vacated != 0:
            return 1 << (vacated - 1)
    target = move & rules.board & ~(own | other)
    if target == 0:
        return move & own
    return target


@inlined
def land(rules: Rules, entry: int, square: int) -> int:
    """A capture begun, `entry`, with its piece on `square`."""
    if rules.removed_at_once and entry & square != 0:
        return entry | ((lowest_square(square) + 1) << VACATED)
    return entry | square


@inlined
def promotion_row(rules: Rules, turn: int) -> int:
    """The row on which men of a side are crowned."""
    if turn == 0:
        return rules.top
    return rules.bottom


@inlined
def step(rules: Rules, bits: int, direction: int) -> int:
    """All `bits` moved to the next square in a direction; what falls on a ghost must be masked by the caller."""
    if direction == 0:
        return bits << rules.per_row
    if direction == 1:
        return bits << (rules.per_row + 1)
    if direction == 2:
        return bits >> rules.per_row
    if direction == 3:
        return bits >> (rules.per_row + 1)
    if direction == 4:
        return (bits & ~rules.rightmost) << 1
    if direction == 5:
        return bits << (2 * rules.per_row + 1)
    if direction == 6:
        return (bits & ~rules.leftmost) >> 1
    return bits >> (2 * rules.per_row + 1)
