"""Draws: when a game is drawn by itself, as data."""

from __future__ import annotations

from typing import NamedTuple

from arena.rules.position import Position, bit_of, column_of
from arena.rules.rules import Rules


class Ending(NamedTuple):
    """An endgame that is drawn when its balance of pieces has lasted `plies` plies; both sides have a king."""

    plies: int
    """The move that brings the balance about is not counted."""
    least: int
    most: int
    """Pieces on the board, of both sides."""
    lone_king: bool = True
    """One side has a single king and nothing else."""
    kings: int = 1
    """The least number of kings of the side that has more, or of each side where there is no lone king."""
    long_diagonal: bool = False
    """The lone king stands on the long diagonal."""
    restarts: bool = False
    """A capture starts the count again."""


class Draws(NamedTuple):
    """A variant's draw rules; 0 and the empty tuple switch a rule off."""

    repetition: int = 0
    """Occurrences of a position with the same side to move."""
    no_progress: int = 0
    """Plies in a row without a capture or a man's move."""
    no_capture: int = 0
    """Plies in a row without a capture."""
    endings: tuple[Ending, ...] = ()


def in_balance(ending: Ending, rules: Rules, position: Position) -> bool:
    """Whether a position has the balance of pieces of an ending."""
    total = (position.white | position.black).bit_count()
    if not ending.least <= total <= ending.most:
        return False
    sides = sorted((position.white, position.black), key=int.bit_count)
    kings = [(side & position.kings).bit_count() for side in sides]
    if min(kings) == 0 or kings[1] < ending.kings:
        return False
    if not ending.lone_king:
        return kings[0] >= ending.kings
    lone = sides[0].bit_count() == 1
    return lone and (not ending.long_diagonal or bool(sides[0] & long_diagonal(rules)))


def long_diagonal(rules: Rules) -> int:
    """The diagonal from the bottom left to the top right corner."""
    return sum(
        bit_of(row * rules.per_row + index, rules.per_row)
        for row in range(rules.rows)
        for index in range(rules.per_row)
        if row + column_of(row, index) == rules.rows - 1
    )
