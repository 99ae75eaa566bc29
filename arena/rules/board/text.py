"""A position as text, in characters that any file takes."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from arena.rules.move_text import MoveSquares
from arena.rules.notation import piece_letter, place
from arena.rules.position import COLOURS, Position
from arena.rules.variants import Variant

LETTERS = {"w": "w", "W": "W", "b": "b", "B": "B", "": "."}
"""Pieces by their letters, an empty square."""
FIGURES = {"w": "⛀", "W": "⛁", "b": "⛂", "B": "⛃", "": "·"}
"""Pieces as Unicode has them, an empty square."""

WIDTHS = (5, 4, 3)
"""Characters that a square can be across."""


def board_text(
    variant: Variant,
    position: Position,
    *,
    last: MoveSquares | None = None,
    marks: Collection[int] = (),
    flip: bool = False,
    pieces: Mapping[str, str] = LETTERS,
    width: int = WIDTHS[0],
) -> str:
    """The board in lines, each square with its number and what stands on it, then who is to move.

    White is below, or above with `flip`. The squares of the last move stand in [], `marks`, numbers of squares,
    in (). `pieces` is LETTERS or FIGURES, `width` one of WIDTHS: squares of 4 characters have the second bracket
    alone, those of 3 none.
    """
    lines = []
    for row in rows_of(variant, flip):
        cells = []
        for number in row:
            if not number:
                cells.append(" " * width)
                continue
            piece = pieces[piece_letter(position, variant.bits[number - 1])]
            opens, closes = "()" if number in marks else "[]" if number in _ends(last) else "  "
            cells.append(f"{opens}{number:>2}{piece}{closes}"[width < WIDTHS[0] :][:width])
        lines.append("".join(cells).rstrip())
    return "\n".join([*lines, to_move(position)])


def to_move(position: Position) -> str:
    """`White to move`."""
    return f"{COLOURS[position.turn].capitalize()} to move"


def rows_of(variant: Variant, flip: bool = False) -> list[list[int]]:
    """The numbers of the squares, row by row as they are drawn; 0 for a square that is not played on."""
    rows = [[0] * (2 * variant.rules.per_row) for _ in range(variant.rules.rows)]
    for number, bit in enumerate(variant.bits, start=1):
        column, row = place(variant, bit)
        rows[row][column] = number
    return [row[::-1] for row in rows[::-1]] if flip else rows


def _ends(last: MoveSquares | None) -> tuple[int, ...]:
    return () if last is None else last[:2]
