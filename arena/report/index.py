"""The page that lists the runs in a folder: one HTML file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

from arena.base.errors import ArenaError
from arena.base.files import REPORT, replace
from arena.base.writing import write_text
from arena.ratings.interval import Interval
from arena.report.page import is_page, page_of
from arena.report.page.blocks import Block, Section, Sortable, Text
from arena.report.tables.table import EMPTY, Cell, Grid, Heading, Style, words
from arena.watch.entry import Entry
from arena.watch.words import date

INDEX = "index.html"
"""Name of the page, in the folder that the runs are below."""


def write_index(runs: Sequence[Entry], root: Path) -> Path:
    """Write INDEX into the folder that the runs are below, a row for each run; returns its path.

    Raises ArenaError if the folder has such a file that the arena did not write.
    """
    if (root / INDEX).exists() and not is_page(root / INDEX):
        raise ArenaError(f"{root / INDEX} is no page of the arena: it stays; the list needs a folder without one")
    note = (
        "Elo is that of a run's report, or, where that is older than the last game, of the results so far; 0 is "
        "the mean of its players, its anchor, or one player of two."
    )
    opening: list[Block] = [
        Text(counts(runs), "facts"),
        Sortable(list_grid(runs, root), "runs"),
        Text(note, "note"),
    ]
    text = page_of([Section("top", f"Runs in {root.resolve().name}", opening)])
    return replace(root / INDEX, partial(write_text, text))


def list_grid(runs: Sequence[Entry], root: Path | None = None) -> Grid:
    """A row for each run; its name leads to its report if `root` is the folder of the page."""
    return Grid.of([
        (Heading("Run", Style.NAME), [_name(entry, root) for entry in runs]),
        (Heading("Began", Style.WORD), words(date(entry.began) for entry in runs)),
        (Heading("Rules", Style.WORD, is_wide=True), [_of_moment(entry, "variant") for entry in runs]),
        (Heading("Format", Style.WORD, is_wide=True), [_of_moment(entry, "format") for entry in runs]),
        (Heading("Players", is_wide=True), [_of_moment(entry, "players") for entry in runs]),
        (Heading("Games"), [_of_moment(entry, "games") for entry in runs]),
        (Heading("Leader", Style.WORD), words(next(iter(entry.elo), "") for entry in runs)),
        (Heading("Elo"), [next(map(_elo, entry.elo.values()), EMPTY) for entry in runs]),
        (Heading("State", Style.WORD), words(entry.state for entry in runs)),
        (Heading("Machine", Style.WORD, is_wide=True), words(entry.machine for entry in runs)),
    ])  # fmt: skip


def _elo(elo: Interval) -> Cell:
    return Cell(elo.value, str(elo))


def _of_moment(entry: Entry, name: str) -> Cell:
    value = getattr(entry.moment, name, None)
    return EMPTY if value is None else Cell(value, str(value))


def _name(entry: Entry, root: Path | None) -> Cell:
    link = _link(entry.folder / REPORT, root) if root else ""
    drawn = Markup('<a href="{}">{}</a>').format(link, entry.name) if link else None
    return Cell(entry.name, entry.name, drawn)


def counts(runs: Sequence[Entry]) -> str:
    """`13 runs: 10 complete, 2 not complete, 1 cannot be read.`"""
    complete = sum(entry.moment is not None and entry.moment.complete for entry in runs)
    unreadable = sum(entry.moment is None for entry in runs)
    parts = {
        "complete": complete,
        "not complete": len(runs) - complete - unreadable,
        "cannot be read": unreadable,
    }
    listed = ", ".join(f"{number} {what}" for what, number in parts.items() if number)
    return f"{len(runs)} run{'' if len(runs) == 1 else 's'}: {listed}."


def _link(file: Path, root: Path) -> str:
    return quote(os.fsencode(Path(os.path.relpath(file, root)).as_posix())) if file.is_file() else ""
