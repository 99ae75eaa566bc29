"""A table of texts: drawn on a terminal, aligned columns of plain text in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

import click


def show_table(header: Sequence[str], rows: Iterable[Sequence[str]], title: str = "") -> None:
    """Print a table; without a terminal its title and each row are one line."""
    if sys.stdout.isatty():
        _draw(header, rows, title)
        return
    if title:
        click.echo(f"{title}:")
    lines = [tuple(header), *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    for line in lines:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


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
