"""Text and tables that fit a terminal: lines wrap between words, tables between cells; in a pipe neither does."""

from __future__ import annotations

import codecs
import io
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Any

import click

STOPPED = 130
"""The exit code of a command that Ctrl-C ended."""
_PLAIN = {"−": "-", "–": "-", "±": "+/-", "µ": "u", "½": "1/2", "×": "x", "→": "->", "…": "...", "·": "."}
"""What stands for a character that an encoding lacks, where an escape would be hard to read."""
_IN_PLAIN = "in plain letters"
_GAP = 2
"""Columns of the terminal between those of a table."""
_PROSE = 20
"""Columns of the terminal that a cell of several words needs at least."""
_UNITS = r"((?<![^\s(±<>])[-+−]?[\d.,]*\d) (?=[^\W\d_]|%)"
"""A number and the space before its unit."""
_NO_BREAK = "\xa0"


def write_whatever_comes() -> None:
    """Let streams write what their encoding lacks in plain letters or as an escape, and replace closed ones."""
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


def unbroken(text: str) -> str:
    """Text whose numbers are not parted from their units by what wraps it; `broken` gives its spaces back."""
    return re.sub(_UNITS, rf"\1{_NO_BREAK}", text)


def broken(text: str) -> str:
    """The text that was `unbroken`."""
    return text.replace(_NO_BREAK, " ")


def show_table(header: Sequence[str], rows: Iterable[Sequence[str]], title: str = "") -> None:
    """Print a table; without a terminal its title and each row are one line.

    On a terminal that is too narrow, the last columns follow in a block of their own below the first ones.
    """
    lines = [tuple(header), *rows]
    width = width_of(sys.stdout)
    if width is not None and (sum(_widths(lines)) + 2 * len(header) + 2 > width or not sys.stdout.isatty()):
        click.echo("\n".join([*([title] if title else []), *_narrow(lines, width, _left)]))
    elif sys.stdout.isatty():
        _draw(lines[0], lines[1:], title)
    else:
        if title:
            click.echo(f"{title}:")
        for line in lines:
            cells = (cell.ljust(size) for cell, size in zip(line, _widths(lines), strict=True))
            click.echo("  ".join(cells).rstrip())


def show_frame(table: Any) -> None:
    """Print a DataFrame of texts, its figures right-justified; on a narrow terminal as `show_table` does."""
    lines = [tuple(map(str, table.columns)), *(tuple(map(str, row)) for row in table.itertuples(index=False))]
    width = width_of(sys.stdout)
    if width is None or sum(_widths(lines)) + len(table.columns) <= width:
        click.echo(table.to_string(index=False))
    else:
        click.echo("\n".join(_narrow(lines, width, _right)))


def _wrapped_line(line: str, width: int) -> str:
    if len(line) <= width or line.startswith("arena "):
        return line
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    parts = textwrap.wrap(
        unbroken(line), width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return broken("\n".join(parts))


def _narrow(lines: Sequence[Sequence[str]], width: int, justify: Callable[[str, int], str]) -> list[str]:
    """A table in blocks of columns that fit, each with the first column; long cells wrap between words."""
    sizes = _widths(lines)
    sizes[0] = min(sizes[0], max(width // 2, 1))
    blocks: list[list[int]] = [[]]
    room = width - sizes[0]
    for column in range(1, len(sizes)):
        is_prose = any(" " in line[column].strip() for line in lines) and sizes[column] > _PROSE
        needed = (_PROSE if is_prose else sizes[column]) + _GAP
        if needed > room and blocks[-1]:
            blocks.append([])
            room = width - sizes[0]
        sizes[column] = max(min(sizes[column], room - _GAP), 1)
        room -= sizes[column] + _GAP
        blocks[-1].append(column)
    shown: list[str] = []
    for block in blocks:
        shown += [""] * bool(shown)
        for line in lines:
            cells: list[tuple[Callable[[str, int], str], int, list[str]]]
            cells = [(_left, sizes[0], _folded(line[0], sizes[0]))]
            cells += [(justify, sizes[column], _folded(line[column], sizes[column])) for column in block]
            for parts in zip_longest(*(parts for _, _, parts in cells), fillvalue=""):
                texts = (side(part, size) for (side, size, _), part in zip(cells, parts, strict=True))
                shown.append((" " * _GAP).join(texts).rstrip())
    return shown


def _folded(cell: str, size: int) -> list[str]:
    return [broken(part) for part in textwrap.wrap(unbroken(cell), size, break_on_hyphens=False)] or [""]


def _left(cell: str, size: int) -> str:
    return cell.ljust(size)


def _right(cell: str, size: int) -> str:
    return cell.rjust(size)


def _widths(lines: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*lines, strict=True)]


def _draw(header: Sequence[str], rows: Iterable[Sequence[str]], title: str) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD)
    for column, name in enumerate(header):
        table.add_column(name, no_wrap=column == 0, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)
