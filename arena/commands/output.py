"""Text and tables that fit a terminal: lines wrap between words, tables between columns; in a pipe neither."""

from __future__ import annotations

import codecs
import io
import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

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


def put(text: str, err: bool = False) -> None:
    """Print lines as they are. When nobody reads them any more, as behind `| head`, the work goes on."""
    try:
        click.echo(text, err=err)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), (sys.stderr if err else sys.stdout).fileno())


def echo(text: str, err: bool = False) -> None:
    """Print lines, wrapped to a terminal's width."""
    width = width_of(sys.stderr if err else sys.stdout)
    put(text if width is None else wrapped(text, width), err=err)


def say(text: str) -> None:
    """Print a line beside the command's output."""
    echo(text, err=True)


def show_json(document: Any) -> None:
    """Print plain data as JSON."""
    put(json.dumps(document))


def wrapped(text: str, width: int) -> str:
    """Lines of at most `width` columns, their continuations indented; numbers stay beside their units.

    A longer word, such as a FEN or a path, stands alone in its line, whole; so does a command to copy, a line that
    begins with `arena`.
    """
    return "\n".join(_wrapped_line(line, width) for line in text.split("\n"))


def _wrapped_line(line: str, width: int) -> str:
    if len(line) <= width or line.startswith("arena "):
        return line
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    parts = textwrap.wrap(
        unbroken(line), width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(parts).replace("\N{NO-BREAK SPACE}", " ")


def show_frame(table: Any) -> None:
    """Print a DataFrame of texts as `show_table` does."""
    show_table([*map(str, table.columns)], table.astype(str).itertuples(index=False))


def show_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table, figures right-justified; in a pipe each row is one line.

    On a terminal that is too narrow, the last columns follow in a block of their own below the first ones.
    """
    put("\n".join(table_lines(header, rows, width_of(sys.stdout))))


def table_lines(header: Sequence[str], rows: Iterable[Sequence[str]], width: int | None = None) -> Iterator[str]:
    """Yield the lines of a table that is at most `width` columns wide, its long cells wrapped."""
    columns = list(zip(header, *rows, strict=True))
    sizes = [max(map(len, column)) for column in columns]
    whole = sum(sizes) + _GAP * (len(sizes) - 1)
    for block in [range(len(sizes))] if width is None or whole <= width else _blocks(sizes, width):
        room = (width or whole) - _GAP * (len(block) - 1) - sum(sizes[n] for n in block if sizes[n] <= _PROSE)
        long = sum(sizes[column] > _PROSE for column in block)
        most = max(room // max(long, 1), _PROSE)
        across = [sizes[column] if width is None else min(sizes[column], most) for column in block]
        are_figures = [all(map(_FIGURE.match, filter(None, columns[n][1:]))) for n in block]
        for row in zip(*(columns[column] for column in block), strict=True):
            cells = [textwrap.wrap(text, max(size, 1)) or [""] for text, size in zip(row, across, strict=True)]
            for number in range(max(map(len, cells))):
                line = [cell[number] if number < len(cell) else "" for cell in cells]
                just = (str.rjust if is_figure else str.ljust for is_figure in are_figures)
                texts = (do(text, size) for do, text, size in zip(just, line, across, strict=True))
                yield (" " * _GAP).join(texts).rstrip()


def _blocks(sizes: Sequence[int], width: int) -> list[list[int]]:
    """The columns in blocks that fit a width, each with the first column; those of long cells are wrapped."""
    needed = [min(size, _PROSE) + _GAP for size in sizes]
    blocks = [[0]]
    for column in range(1, len(sizes)):
        if len(blocks[-1]) > 1 and sum(needed[other] for other in [*blocks[-1], column]) - _GAP > width:
            blocks.append([0])
        blocks[-1].append(column)
    return blocks
