"""The command that writes reports, and the reports that `run` and `match` write: report."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

from arena.base.errors import ArenaError
from arena.base.wording import counted
from arena.commands.options import report_options
from arena.commands.output import echo, say, show_frame
from arena.commands.waiting import announcing_compilation
from arena.report.load import is_joint, load_run
from arena.report.page.standings import standings_grid
from arena.report.run import Run
from arena.report.sentences.answer import opening

FAULTY = 2
"""Exit code of a report that lacks a section."""


@click.command()
@click.argument("folders", metavar="DIR...", nargs=-1, required=True, type=click.Path(path_type=Path))
@report_options
def report_command(folders: tuple[Path, ...], **wanted: Any) -> None:
    """Write the tables, charts and the page of the run in each DIR again, also while it is being played.

    With --sheets the page of each player with code of the user's own is a file to hand out, in which the others
    are opponent 1, 2, ...
    """
    is_whole = True
    for folder in folders:
        if is_joint(folder):
            is_whole &= write_joint_report(folder, parts=True, **wanted)
        else:
            is_whole &= write_report(folder, **wanted)
    if not is_whole:
        sys.exit(FAULTY)


def write_joint_report(folder: Path, *, parts: bool = False, **wanted: Any) -> bool:
    """Write the page of several runs and print what they say together; with `parts` their reports first.

    Returns whether all sections of these could be made.
    """
    from arena.report.joint import joint_grid, load_joint, summary, write_joint

    joint = load_joint(folder)
    is_whole = True
    for name in joint.runs if parts else ():
        echo(f"{name}:")
        is_whole &= write_report(folder / name, **wanted)
    with _written_to(folder):
        page = write_joint(joint, _also(wanted))
    echo("all runs:")
    for sentence in summary(joint):
        echo(sentence)
    if joint.across is not None:
        show_frame(joint_grid(joint).texts())
    echo(f"report: {page}")
    return is_whole and not joint.faults.found


def write_report(folder: Path, **wanted: Any) -> bool:
    """Print the standings of a run, then write its report; `wanted` are the options of a report.

    Returns whether all of its sections could be made; those that could not are said on stderr.
    """
    run = load_run(folder)
    run.faults.attempt("The answer", partial(show_verdict, run), None)
    from arena.report.write import write  # with matplotlib, for which no verdict waits

    try:
        with announcing_compilation(), _written_to(folder):
            sheets = write(run, also=_also(wanted), **wanted)
    except KeyboardInterrupt:
        say(f"the report in {folder} is not written; this writes it:\narena report {folder}")
        raise
    echo(f"report: {folder / 'report.html'}")
    if sheets:
        echo(f"sheets: {counted(len(sheets), 'file')} in {sheets[0].parent}")
    for line in run.faults.found.values():
        say(line)
    return not run.faults.found


def show_verdict(run: Run) -> None:
    """Print what a run's games show, and its standings."""
    for line in opening(run).lines:
        echo(line)
    if not (table := standings_grid(run).texts()).empty:
        show_frame(table)


def _also(wanted: dict[str, Any]) -> list[str]:
    """Take from the options of a report those that add files to it."""
    return [name for name in ("sheets", "png", "pdf") if wanted.pop(name, False)]


@contextmanager
def _written_to(folder: Path) -> Iterator[None]:
    """Raise an error of the file system as one that names the folder."""
    try:
        yield
    except OSError as error:
        raise ArenaError(f"the report cannot be written to {folder}: {error.strerror or error}") from None
