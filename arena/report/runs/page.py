"""The page that lists the runs in a folder: one HTML file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from urllib.parse import quote

from arena.base.files import REPORT, replace
from arena.base.writing import write_text
from arena.report.template import page
from arena.watch.entry import Entry

INDEX = "index.html"
"""Name of the page, in the folder that the runs are below."""


def write_index(runs: Sequence[Entry], root: Path) -> Path:
    """Write INDEX into the folder that the runs are below, a row for each run; returns its path."""
    text = page(
        "runs/index.html",
        title=f"Runs in {root.resolve().name}",
        counts=counts(runs),
        runs=[entry.cells() | {"link": _link(entry.folder / REPORT, root)} for entry in runs],
    )
    return replace(root / INDEX, partial(write_text, text))


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
