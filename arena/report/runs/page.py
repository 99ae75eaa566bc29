"""The page that lists runs: one self-contained HTML file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from arena.base.files import REPORT, replace
from arena.report.charts.picture import svg
from arena.report.charts.runs import plot_runs
from arena.report.page.page import Plot, plot_of
from arena.report.runs.overlay import Overlay, overlays
from arena.report.template import page
from arena.watch.entry import Entry

FILE = "index.html"


def write_index(runs: Sequence[Entry], root: Path) -> Path:
    """Write FILE into the folder that the runs are below; returns its path."""
    text = html(runs, root)
    return replace(root / FILE, lambda path: path.write_text(text, encoding="utf-8"))


def html(runs: Sequence[Entry], root: Path) -> str:
    """The page: a row for each run, and a chart for each rule set of which runs share players."""
    return page(
        "runs/index.html",
        title=f"Runs in {root.resolve().name}",
        counts=counts(runs),
        runs=runs,
        links={entry.name: _link(entry, root) for entry in runs},
        charts=[_plot(number, overlay) for number, overlay in enumerate(overlays(runs))],
    )


def counts(runs: Sequence[Entry]) -> str:
    """`13 runs: 10 complete, 1 at the board, 1 not complete, 1 cannot be read.`"""
    complete = sum(entry.state == "complete" for entry in runs)
    at_board = sum(entry.open for entry in runs)
    unreadable = sum(not entry.readable for entry in runs)
    parts = {
        "complete": complete,
        "at the board": at_board,
        "not complete": len(runs) - complete - at_board - unreadable,
        "cannot be read": unreadable,
    }
    listed = ", ".join(f"{number} {what}" for what, number in parts.items() if number)
    return f"{len(runs)} run{'' if len(runs) == 1 else 's'}: {listed}."


def _link(entry: Entry, root: Path) -> str:
    if not (entry.folder / REPORT).is_file():
        return ""
    return quote(Path(os.path.relpath(entry.folder / REPORT, root)).as_posix())


def _plot(number: int, overlay: Overlay) -> Plot:
    name = f"runs-{number}"
    drawn = svg(plot_runs(overlay.table, reference=overlay.reference))
    same = "which plays the same in all of them" if overlay.unchanged else "whose play is not known to be the same"
    caption = (
        f"{overlay.variant}: players that several runs share, relative to {overlay.reference}, {same}. "
        "Fitted from each run's results, without pairs and openings: a report may differ a little."
    )
    if overlay.left_out:
        caption += f" {overlay.left_out} more players share runs."
    return plot_of(name, caption, drawn)
