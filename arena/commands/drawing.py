"""Boards on a terminal, in colours where it has them, else in characters."""

from __future__ import annotations

import sys
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.commands.output import put, wrapped
from arena.rules.board import (
    DARK,
    FIGURES,
    LABEL,
    LETTERS,
    LIGHT,
    WIDTHS,
    Board,
    board_text,
    rows_of,
    square_label,
    to_move,
)
from arena.rules.notation import piece_letter

_DISCS = {"w": "●", "W": "♛", "b": "●", "B": "♛", "": " "}
_INK = {"w": "#ffffff", "b": "#000000", "": "#000000"}
_MARKED = "#d98a7f"
"""The colour of a marked square, which has no room for a ring."""
_LAST = "#9c8f1f"
"""The colour of the squares of the last move, dark enough for a white piece."""
_GAP = 3
"""Characters between a board and what stands beside it."""
_EDGE = 3
"""Characters of the numbers of rows."""


def show_board(board: Board, beside: str = "", edges: bool = False) -> None:
    """Print a board: coloured on a terminal that has colours, in letters in a pipe, else with Unicode's pieces.

    The text `beside` it stands at its right on a terminal that is wide enough, else below; on a narrow one the
    squares are narrower, too. With `edges` its rows and columns are numbered there.
    """
    console = Console(highlight=False)
    if not console.is_terminal:
        put("\n\n".join(filter(None, (_plain(board, edges, WIDTHS[0]), beside))))
        return
    across = len(rows_of(board.variant)[0])
    fitting = (width for width in WIDTHS if across * width + _EDGE * edges <= console.width)
    width = next(fitting, WIDTHS[-1])
    is_coloured = console.color_system and not console.no_color and _can_write("●♛")
    drawn = _coloured(board, edges, width) if is_coloured else Text(_plain(board, edges, width), no_wrap=True)
    both = Table.grid(padding=(0, _GAP, 0, 0))
    both.add_row(drawn, Text(beside, no_wrap=True))
    if console.measure(both).maximum <= console.width:
        console.print(both if beside else drawn)
    else:
        console.print(drawn)
        console.print(wrapped(beside, console.width), markup=False)


def _plain(board: Board, edges: bool, width: int) -> str:
    """A board in characters: on a terminal with Unicode's pieces if it can show them, else in letters.

    `width` is that of a square.
    """
    pieces = FIGURES if sys.stdout.isatty() and _can_write("".join(FIGURES.values())) else LETTERS
    shown: dict[str, Any] = {"last": board.last, "marks": board.marks, "flip": board.flip, "labels": board.labels}
    text = board_text(board.variant, board.position, pieces=pieces, width=width, **shown)
    if not edges:
        return text
    rows, columns = _edges(board)
    lines = [*map("{:>2} {}".format, rows, text.splitlines()), text.splitlines()[-1]]
    return "\n".join([_column_line(columns, width), *lines])


def _coloured(board: Board, edges: bool, width: int) -> Text:
    """A board in colours, two lines a row, and who is to move below; `edges` numbers rows and columns."""
    last = () if board.last is None else board.last[:2]
    rows, columns = _edges(board)
    text = Text(f"{_column_line(columns, width)}\n" if edges else "", no_wrap=True)
    for place, row in zip(rows, rows_of(board.variant, board.flip), strict=True):
        for upper in (True, False):
            if edges:
                text.append(" " * _EDGE if upper else f"{place:>2} ")
            for number in row:
                if not number:
                    text.append(" " * width, f"on {LIGHT}")
                    continue
                piece = piece_letter(board.position, board.variant.bits[number - 1])
                ground = _MARKED if number in board.marks else _LAST if number in last else DARK
                label = square_label(board.variant, number, board.labels)
                shown = f"{label:<{width}}" if upper else _DISCS[piece].center(width)
                text.append(shown, f"{LABEL if upper else f'bold {_INK[piece.lower()]}'} on {ground}")
            text.append("\n")
    return text.append(to_move(board.position), "bold")


def _edges(board: Board) -> tuple[list[int], list[int]]:
    """The numbers of rows and columns as they are drawn, from 0 at the top left as White sees the board."""
    rules = board.variant.rules
    rows, columns = list(range(rules.rows)), list(range(2 * rules.per_row))
    return (rows[::-1], columns[::-1]) if board.flip else (rows, columns)


def _column_line(columns: list[int], width: int) -> str:
    return " " * _EDGE + "".join(str(column).center(width) for column in columns).rstrip()


def _can_write(characters: str) -> bool:
    try:
        characters.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
