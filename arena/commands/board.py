"""Boards on a terminal: in colours where it has them, else in characters."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from arena.commands.common import fail, say

if TYPE_CHECKING:
    from pathlib import Path

    from rich.text import Text

    from arena.commands.position import Scene
    from arena.rules.board.board import Board

_DISCS = {"w": "●", "W": "♛", "b": "●", "B": "♛", "": " "}
_INK = {"w": "#ffffff", "b": "#000000", "": "#000000"}
_MARKED = "#d98a7f"
"""The colour of a marked square, which has no room for a ring."""
_WIDTH = 5
"""Characters across a square."""


def show_board(board: Board) -> None:
    """Print a board: coloured on a terminal that has colours, in letters in a pipe, else with Unicode's pieces."""
    from rich.console import Console

    console = Console(highlight=False)
    if console.is_terminal and console.color_system and not console.no_color and _can_write("●♛"):
        console.print(coloured(board))
    else:
        click.echo(plain(board))


def show_scene(found: Scene, board: Board) -> None:
    """Print what a position is of, its board and its FEN."""
    for text in filter(None, (found.heading, found.place)):
        click.echo(text)
    show_board(board)
    click.echo(found.fen)


def save(board: Board, path: Path) -> None:
    """Write a board into a file, and say so; exits for a name that is not that of an SVG or a text."""
    try:
        board.save(path)
    except ValueError as error:
        fail(f"--svg {error}")
    say(f"wrote {path}")


def plain(board: Board) -> str:
    """A board in characters: on a terminal with Unicode's pieces if it can show them, else in letters."""
    from arena.rules.board.text import FIGURES, LETTERS, board_text

    pieces = FIGURES if sys.stdout.isatty() and _can_write("".join(FIGURES.values())) else LETTERS
    return board_text(
        board.variant, board.position, last=board.last, marks=board.marks, flip=board.flip, pieces=pieces
    )


def coloured(board: Board) -> Text:
    """A board in colours, two lines a row, and who is to move below."""
    from rich.text import Text

    from arena.rules.board.svg import DARK, LABEL, LAST, LIGHT
    from arena.rules.board.text import rows_of, to_move
    from arena.rules.notation import piece_letter

    last = () if board.last is None else board.last[:2]
    text = Text(no_wrap=True)
    for row in rows_of(board.variant, board.flip):
        for upper in (True, False):
            for number in row:
                if not number:
                    text.append(" " * _WIDTH, f"on {LIGHT}")
                    continue
                piece = piece_letter(board.position, board.variant.bits[number - 1])
                ground = _MARKED if number in board.marks else LAST if number in last else DARK
                shown = f"{number:<{_WIDTH}}" if upper else _DISCS[piece].center(_WIDTH)
                ink = LABEL if upper else f"bold {_INK[piece.lower()]}"
                text.append(shown, f"{ink} on {ground}")
            text.append("\n")
    text.append(to_move(board.position), "bold")
    return text


def _can_write(characters: str) -> bool:
    try:
        characters.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
