"""Text and tables that fit a terminal: lines wrap between words, tables between columns; in a pipe neither."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import click

from arena.base.number import unbroken

STOPPED = 130
"""The exit code of a command that Ctrl-C ended."""
_GAP = 2
"""Columns of the terminal between those of a table."""
_ENDLESS = 1 << 20
"""Columns of a pipe."""
_FIGURE = re.compile(r"[-+−±<>≥≤(]*\d.{0,18}$")
"""A cell that is a figure, and short, so that it is not wrapped."""


def write_whatever_comes() -> None:
    """Have standard streams write letters that their encoding lacks as escapes; open closed ones."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:  # else the next file, such as a ledger, would get its number
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


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
    lines = []
    for line in text.split("\n"):
        if len(line) <= width or line.startswith("arena "):
            lines.append(line)
            continue
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        keeps: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
        parts = textwrap.wrap(unbroken(line), width, subsequent_indent=indent, **keeps)
        lines += [part.replace("\N{NO-BREAK SPACE}", " ") for part in parts]
    return "\n".join(lines)


def show_frame(table: Any) -> None:
    """Print a DataFrame of texts as `show_table` does."""
    show_table([*map(str, table.columns)], table.astype(str).itertuples(index=False))


def show_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table, figures right-justified; in a pipe each row is one line, on a terminal cells are wrapped."""
    put("\n".join(table_lines(header, rows, width_of(sys.stdout))))


def table_lines(header: Sequence[str], rows: Iterable[Sequence[str]], width: int | None = None) -> list[str]:
    """The lines of a table that is at most `width` columns wide."""
    from rich.console import Console, JustifyMethod  # takes as long as the rest of `arena --help`
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False)
    rows = list(rows)
    for name, *cells in zip(header, *rows, strict=True):
        is_figure = all(map(_FIGURE.match, filter(None, cells)))
        just: JustifyMethod = "right" if is_figure else "left"
        table.add_column(Text(name), justify=just, no_wrap=is_figure, overflow="fold", min_width=len(name))
    for row in rows:
        table.add_row(*map(Text, row))
    console = Console(width=width or _ENDLESS, color_system=None, file=io.StringIO())
    with console.capture() as printed:
        console.print(table)
    return [line.rstrip() for line in printed.get().splitlines()]
