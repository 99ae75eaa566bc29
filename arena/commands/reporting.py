"""A report written, and its answer printed, by the commands that play and the one that reports."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from arena.base.errors import ArenaError
from arena.base.files import replace
from arena.base.wording import counted
from arena.base.writing import write_csv
from arena.commands.common import announcing_compilation
from arena.commands.output import echo, show_frame
from arena.report.load import listed_runs
from arena.report.load import load as load_run
from arena.report.page.standings import standings
from arena.report.run import Run
from arena.report.runs.joint import (
    joint_text,
    load_joint,
    summary,
    write_joint,
)
from arena.report.sentences.answer import summary_lines
from arena.report.sheets import write_sheets
from arena.report.write import write

ANONYMOUS, NAMES = "anonymous", "names.csv"
"""In a run's folder, where its report without names is written, and who is who in it."""


def write_joint_report(folder: Path, *, parts: bool = False, **wanted: Any) -> None:
    """Write the page of several runs and print what they say together; with `parts` their reports first."""
    try:
        if wanted.get("anonymous"):
            raise ArenaError(
                f"{folder} has several runs: --anonymous takes one, such as {folder / listed_runs(folder)[1][0]}"
            )
        found = load_joint(folder)
        for name in found.runs if parts else ():
            echo(f"{name}:")
            write_report(folder / name, **wanted)
        page = write_joint(found, png=bool(wanted.get("png")))
    except OSError as error:
        raise ArenaError(f"the report cannot be written to {folder}: {error.strerror or error}") from None
    echo("all runs:")
    for sentence in summary(found):
        echo(sentence)
    if found.across is not None:
        show_frame(joint_text(found))
    echo(f"report: {page}")


def write_report(folder: Path, *, anonymous: bool = False, sheets: bool = False, **wanted: Any) -> None:
    """Write the report of a run and print its standings; `wanted` is as `arena.report.write` takes it."""
    target = folder / ANONYMOUS if anonymous else folder
    finished = load_run(folder, anonymous=anonymous)
    try:
        with announcing_compilation():
            write(finished, target, **wanted)
    except OSError as error:
        _print_standings(finished)
        raise ArenaError(f"the report cannot be written to {target}: {error.strerror or error}") from None
    _print_standings(finished)
    echo(f"report: {target / 'report.html'}")
    if sheets:
        try:
            written = write_sheets(finished)
        except OSError as error:
            raise ArenaError(f"the sheets cannot be written to {folder}: {error.strerror or error}") from None
        echo(f"sheets: {counted(len(written), 'file')} in {written[0].parent}")
    if anonymous:
        _write_names(finished)


def _write_names(run: Run) -> None:
    """Write who is who into the run's own folder."""
    rows = [(other, name, file) for name, (other, file) in (run.data.published or {}).items()]
    table = pd.DataFrame(rows, columns=["published", "player", "file"])
    replace(run.folder / NAMES, partial(write_csv, table))
    echo(f"names: {run.folder / NAMES} (not to be published)")


def _print_standings(finished: Run) -> None:
    for line in summary_lines(finished):
        echo(line)
    show_frame(standings(finished).frame())
