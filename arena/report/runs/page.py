"""The page that lists the runs in a folder: one HTML file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

from arena.base.errors import ArenaError
from arena.base.files import REPORT, replace
from arena.base.writing import write_text
from arena.report.page import is_page, page_of
from arena.report.page.blocks import Block, Heading, Section, Table, Text, text_cell
from arena.report.tables.table import Cell
from arena.watch.entry import Entry

INDEX = "index.html"
"""Name of the page, in the folder that the runs are below."""
_COLUMNS = {
    "run": "name", "began": "word", "rules": "word wide", "format": "word wide", "players": "n wide", "games": "n",
    "leader": "word", "Elo": "n", "state": "word", "machine": "word wide",
}  # fmt: skip
"""The columns, by the names of `Entry.cells`."""


def write_index(runs: Sequence[Entry], root: Path) -> Path:
    """Write INDEX into the folder that the runs are below, a row for each run; returns its path.

    Raises ArenaError if the folder has such a file that the arena did not write.
    """
    if (root / INDEX).exists() and not is_page(root / INDEX):
        raise ArenaError(f"{root / INDEX} is no page of the arena: it stays; the list needs a folder without one")
    head = [*(Heading(name.capitalize(), kind) for name, kind in _COLUMNS.items())]
    rows = [
        [_cell(entry.cells(), name, _link(entry.folder / REPORT, root)) for name in _COLUMNS] for entry in runs
    ]
    note = (
        "Elo is that of a run's report, or, where that is older than the last game, of the results so far; 0 is "
        "the mean of its players, its anchor, or one player of two."
    )
    opening: list[Block] = [Text(counts(runs), "facts"), Table(head, rows, "runs"), Text(note, "note")]
    text = page_of([Section("top", f"Runs in {root.resolve().name}", opening)])
    return replace(root / INDEX, partial(write_text, text))


def _cell(cells: Mapping[str, str], name: str, link: str) -> Cell:
    cell = text_cell(cells[name])
    return (
        cell._replace(drawn=Markup('<a href="{}">{}</a>').format(link, cell.text))
        if link and name == "run"
        else cell
    )


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
