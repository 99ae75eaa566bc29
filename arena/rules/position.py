"""Position: who stands where and who is to move, and how a board is laid out in the bits of one integer.

Two rows of h dark squares share 2h + 1 bits, the last of which is never set (the ghost), so that a step down is
a shift to the left by h or h + 1 on every row: square s, counted from 0 along the rows from the top, is bit
s + s // 2h. 8x8 takes 35 bits, 10x10 takes 54.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

WHITE, BLACK = 0, 1
COLOURS: tuple[Literal["white"], Literal["black"]] = ("white", "black")
"""Names of the colours, by the value of `Position.turn`."""


class Position(NamedTuple):
    """Bit boards of the two sides and of the kings of both, and the side to move; a value, never changed.

    White's men move to lower squares.
    """

    white: int
    black: int
    kings: int
    turn: int


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


def column_of(row: int, index: int) -> int:
    """The column, from the left, of the dark square with an index from 0 in a row; row 0 is at the top."""
    return 2 * index + (row + 1) % 2
