"""Position: who stands where and who is to move."""

from __future__ import annotations

from typing import NamedTuple

WHITE, BLACK = 0, 1
COLOURS = ("white", "black")
"""Names of the colours, by the value of `Position.turn`."""


class Position(NamedTuple):
    """Bit boards of the two sides and of the kings of both, and the side to move; a value, never changed.

    Rows of dark squares share bits as `arena.rules.squares` says. White's men move to lower squares.
    """

    white: int
    black: int
    kings: int
    turn: int
