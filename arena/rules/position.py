"""Position: who stands where and who is to move, and how a board is laid out in the bits of one integer.

Two rows of h dark squares share 2h + 1 bits, the last of which is never set (the ghost), so that a step down is
a shift to the left by h or h + 1 on every row: square s, counted from 0 along the rows from the top, is bit
s + s // 2h. 8x8 takes 35 bits, 10x10 takes 54.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

WHITE, BLACK = 0, 1
COLOURS: tuple[Literal["white"], Literal["black"]] = ("white", "black")
"""Names of the colours, by the value of `Position.turn`."""


class Position(NamedTuple):
    """Holds both sides' pieces and all kings as bit boards, and the side to move. It is never changed.

    White's men move towards lower squares.
    """

    white: int
    black: int
    kings: int
    turn: int


def row_and_column(number: int, per_row: int) -> tuple[int, int]:
    """Row and column, from the top left, of bit `number` on a board with `per_row` dark squares a row."""
    square = number - number // (2 * per_row + 1)
    row = square // per_row
    return row, 2 * (square % per_row) + (row + 1) % 2


def single_bits(bits: int) -> Iterator[int]:
    """Yield each bit that is set, the lowest first."""
    while bits:
        yield bits & -bits
        bits &= bits - 1
