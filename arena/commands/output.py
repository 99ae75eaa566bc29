"""Text and tables that fit a terminal: lines wrap between words, tables between columns; in a pipe neither."""

from __future__ import annotations

import codecs
import io
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import click

from arena.base.number import unbroken

STOPPED = 130
"""The exit code of a command that Ctrl-C ended."""
_PLAIN = {"−": "-", "–": "-", "±": "+/-", "µ": "u", "½": "1/2", "×": "x", "→": "->", "…": "...", "·": "."}
"""What stands for a character that an encoding lacks, where an escape would be hard to read."""
_IN_PLAIN = "in plain letters"
_GAP = 2
"""Columns of the terminal between those of a table."""
_PROSE = 20
"""Columns of the terminal up to which a cell is not wrapped."""
_FIGURE = re.compile(r"[-+−±<>≥≤(]*\d")
"""The beginning of a cell that is a figure."""


def write_whatever_comes() -> None:
    """Have standard streams write letters that their encoding lacks as plain ones or escapes; open closed ones."""
    codecs.register_error(_IN_PLAIN, _in_plain)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:  # its number would be that of the next file, a ledger say
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_IN_PLAIN)


def _in_plain(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    letters = error.object[error.start : error.end]
    escaped = (letter.encode("ascii", "backslashreplace").decode() for letter in letters)
    return "".join(map(_PLAIN.get, letters, escaped)), error.end


def width_of(stream: object) -> int | None:
    """The columns of a terminal, or those that COLUMNS names; None for another stream, whose lines may be long."""
    if "COLUMNS" in os.environ or getattr(stream, "isatty", bool)():
        return shutil.get_terminal_size().columns
    return None


def echo(text: str, err: bool = False) -> None:
    """Print lines, wrapped to a terminal's width."""
    width = width_of(sys.stderr if err else sys.stdout)
    click.echo(text if width is None else wrapped(text, width), err=err)


def say(text: str) -> None:
    """Print a line beside the command's output."""
    echo(text, err=True)


def wrapped(text: str, width: int) -> str:
    """Lines of at most `width` columns, their continuations indented; numbers stay beside their units.

    A longer word, such as a FEN or a path, stands alone in its line, whole; so does a command to copy, a line that
    begins with `arena`.
    """
    return "\n".join(_wrapped_line(line, width) for line in text.split("\n"))


def show_frame(table: Any) -> None:
    """Print a DataFrame of texts as `show_table` does."""
    show_table([*map(str, table.columns)], table.astype(str).itertuples(index=False))


def show_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table, figures right-justified; in a pipe each row is one line.

    On a terminal that is too narrow, the last columns follow in a block of their own below the first ones.
    """
    columns = list(zip(header, *rows, strict=True))
    sizes = [max(map(len, column)) for column in columns]
    are_figures = [all(map(_FIGURE.match, filter(None, column[1:]))) for column in columns]
    width = width_of(sys.stdout)
    if width is None:
        for line in zip(*columns, strict=True):
            cells = zip(line, sizes, are_figures, strict=True)
            texts = (text.rjust(size) if is_figure else text.ljust(size) for text, size, is_figure in cells)
            click.echo((" " * _GAP).join(texts).rstrip())
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=width, highlight=False)
    for block in _blocks(sizes, width):
        is_room = sum(min(sizes[column], _PROSE) + _GAP for column in block) - _GAP <= width
        table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
        for column in block:
            justify: Literal["left", "right"] = "right" if are_figures[column] else "left"
            is_short = is_room and sizes[column] <= _PROSE
            table.add_column(Text(header[column]), justify=justify, no_wrap=is_short, overflow="fold")
        for row in zip(*(columns[column][1:] for column in block), strict=True):
            table.add_row(*map(Text, row))
        console.print(table)


def _blocks(sizes: Sequence[int], width: int) -> list[list[int]]:
    """The columns in blocks that fit a width, each with the first column; those of long cells are wrapped."""
    needed = [min(size, _PROSE) + _GAP for size in sizes]
    blocks = [[0]]
    for column in range(1, len(sizes)):
        if len(blocks[-1]) > 1 and sum(needed[other] for other in [*blocks[-1], column]) - _GAP > width:
            blocks.append([0])
        blocks[-1].append(column)
    return blocks


def _wrapped_line(line: str, width: int) -> str:
    if len(line) <= width or line.startswith("arena "):
        return line
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    parts = textwrap.wrap(
        unbroken(line), width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(parts).replace("\N{NO-BREAK SPACE}", " ")
