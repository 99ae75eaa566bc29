"""A position as text: in characters that any file takes, and as the coloured board of a terminal."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from arena.rules.board.svg import DARK, LABEL, LAST, LIGHT
from arena.rules.move_text import MoveSquares
from arena.rules.notation import piece_letter, place
from arena.rules.position import COLOURS, Position
from arena.rules.variants import Variant

if TYPE_CHECKING:
    from rich.text import Text

LETTERS = {"w": "w", "W": "W", "b": "b", "B": "B", "": "."}
"""Pieces by their letters, an empty square."""
FIGURES = {"w": "⛀", "W": "⛁", "b": "⛂", "B": "⛃", "": "·"}
"""Pieces as Unicode has them, an empty square."""

_DISCS = {"w": "●", "W": "♛", "b": "●", "B": "♛", "": " "}
_INK = {"w": "#ffffff", "b": "#000000", "": LABEL}
_WIDTH = 5
"""Characters across a square."""
_MARKED = "#d98a7f"
"""What a marked square's colour becomes on a terminal, which draws no ring."""


def board_text(
    variant: Variant,
    position: Position,
    *,
    last: MoveSquares | None = None,
    marks: Collection[int] = (),
    flip: bool = False,
    pieces: Mapping[str, str] = LETTERS,
) -> str:
    """The board in lines, each square with its number and what stands on it, then who is to move.

    White is below, or above with `flip`. The squares of the last move stand in [], `marks`, numbers of squares,
    in (). `pieces` is LETTERS or FIGURES.
    """
    lines = []
    for row in _rows(variant, flip):
        cells = []
        for number in row:
            if not number:
                cells.append(" " * _WIDTH)
                continue
            piece = pieces[piece_letter(position, variant.bits[number - 1])]
            opens, closes = "()" if number in marks else "[]" if number in _ends(last) else "  "
            cells.append(f"{opens}{number:>2}{piece}{closes}")
        lines.append("".join(cells).rstrip())
    return "\n".join([*lines, to_move(position)])


def coloured_board(
    variant: Variant,
    position: Position,
    *,
    last: MoveSquares | None = None,
    marks: Collection[int] = (),
    flip: bool = False,
) -> Text:
    """The board for a terminal with colours, two lines a row; who is to move stands below."""
    from rich.text import Text

    text = Text(no_wrap=True)
    for row in _rows(variant, flip):
        for upper in (True, False):
            for number in row:
                if not number:
                    text.append(" " * _WIDTH, f"on {LIGHT}")
                    continue
                piece = piece_letter(position, variant.bits[number - 1])
                ground = _MARKED if number in marks else LAST if number in _ends(last) else DARK
                shown = f"{number:<{_WIDTH}}" if upper else _DISCS[piece].center(_WIDTH)
                ink = LABEL if upper else f"bold {_INK[piece.lower()]}"
                text.append(shown, f"{ink} on {ground}")
            text.append("\n")
    text.append(to_move(position), "bold")
    return text


def to_move(position: Position) -> str:
    """`White to move`."""
    return f"{COLOURS[position.turn].capitalize()} to move"


def _rows(variant: Variant, flip: bool) -> list[list[int]]:
    """The numbers of the squares, row by row as they are drawn; 0 where nothing is played."""
    rows = [[0] * (2 * variant.rules.per_row) for _ in range(variant.rules.rows)]
    for number, bit in enumerate(variant.bits, start=1):
        column, row = place(variant, bit)
        rows[row][column] = number
    return [row[::-1] for row in rows[::-1]] if flip else rows


def _ends(last: MoveSquares | None) -> tuple[int, ...]:
    return () if last is None else last[:2]
