"""Boards on a terminal, in colours where it has them, else in letters."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.text import Text

from arena.commands.output import put
from arena.rules.board import DARK, LABEL, LIGHT, WIDTHS, Board, board_text, rows_of, square_label, to_move
from arena.rules.notation import piece_letter

_DISCS = {"w": "●", "W": "♛", "b": "●", "B": "♛", "": " "}
_INK = {"w": "#ffffff", "b": "#000000", "": "#000000"}
_MARKED = "#d98a7f"
"""The colour of a marked square, which has no room for a ring."""
_LAST = "#9c8f1f"
"""The colour of the squares of the last move, dark enough for a white piece."""
_EDGE = 3
"""Characters of the numbers of rows."""


def show_board(board: Board, edges: bool = False) -> None:
    """Print a board, coloured on a terminal that has colours, whose squares are narrower on a narrow one.

    With `edges` its rows and columns are numbered, from 0 at the top left as White sees the board.
    """
    console = Console(highlight=False)
    across = len(rows_of(board.variant)[0])
    fitting = (width for width in WIDTHS if across * width + _EDGE * edges <= console.width)
    width = next(fitting, WIDTHS[-1]) if console.is_terminal else WIDTHS[0]
    rows, columns = list(range(board.variant.rules.rows)), list(range(across))
    if board.flip:
        rows, columns = rows[::-1], columns[::-1]
    if edges:
        put(" " * _EDGE + "".join(str(column).center(width) for column in columns).rstrip())
    if console.is_terminal and console.color_system and not console.no_color and _can_write("●♛"):
        console.print(_coloured(board, rows if edges else [], width))
        return
    text = board_text(
        board.variant,
        board.position,
        width=width,
        last=board.last,
        marks=board.marks,
        flip=board.flip,
        labels=board.labels,
    )
    lines = text.splitlines()
    put("\n".join([*map("{:>2} {}".format, rows, lines), lines[-1]]) if edges else text)


def _coloured(board: Board, edges: list[int], width: int) -> Text:
    """A board in colours, two lines a row, and who is to move below; `edges` are numbers of rows, if any."""
    last = () if board.last is None else board.last[:2]
    text = Text(no_wrap=True)
    for place, row in enumerate(rows_of(board.variant, board.flip)):
        for upper in (True, False):
            if edges:
                text.append(" " * _EDGE if upper else f"{edges[place]:>2} ")
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


def _can_write(characters: str) -> bool:
    try:
        characters.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
