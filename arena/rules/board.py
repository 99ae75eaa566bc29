"""Squares and bits: how a board is laid out in one integer, and steps in a direction.

Two rows of h dark squares share 2h + 1 bits, the last of which is never set (the ghost), so that a step down is
a shift to the left by h or h + 1 on every row: square s, counted from 0 along the rows from the top, is bit
s + s // 2h. 8x8 takes 35 bits, 10x10 takes 54.

Directions are numbered: 0 and 1 go down diagonally (to higher squares, black's way), 2 and 3 up; d and d ^ 2 are
opposite. 4 to 7 go straight to the next dark square: right, down, left, up; that is two columns or rows away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.rules.jit import inlined

if TYPE_CHECKING:
    from arena.rules.rules import Rules


def bit_of(square: int, per_row: int) -> int:
    """The bit of a square counted from 0, on a board of `per_row` dark squares a row."""
    return 1 << (square + square // (2 * per_row))


def square_of(bit: int, per_row: int) -> int:
    """The square, counted from 0, of a single bit."""
    index = bit.bit_length() - 1
    return index - index // (2 * per_row + 1)


def row_mask(row: int, per_row: int) -> int:
    """All squares of a row; row 0 is at the top."""
    return sum(bit_of(square, per_row) for square in range(row * per_row, (row + 1) * per_row))


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
