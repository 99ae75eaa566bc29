"""The command that writes reports: report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.base.errors import ArenaError
from arena.commands.common import check_report_options, report_options
from arena.commands.output import echo, show_table
from arena.commands.reporting import write_joint_report, write_report
from arena.ledger.ledger import FILE
from arena.report.load import is_joint
from arena.report.runs.page import counts, write_index
from arena.watch.entry import entries

_COLUMNS = ("run", "began", "rules", "players", "games", "leader", "Elo", "state")


@click.command()
@click.argument("folders", metavar="[DIR]...", nargs=-1, type=click.Path(path_type=Path))
@report_options
def report(folders: tuple[Path, ...], **wanted: Any) -> None:
    """Write the tables, charts and the page of the run in each DIR again, also while it is being played.

    Of a folder of runs [reports] list all of them, and write DIR/index.html, which links their reports.

    With --anonymous persons and players with files of their own are numbered in every file, in an order drawn by
    chance; built-in players keep their names. Left out are what code wrote into error messages, absolute paths and
    names of machines. Who is who is in DIR/names.csv, which is not to be published. With --sheets the page of each
    player with code of the user's own is a file to hand out: the others are submission 1, 2, ... in it.
    """
    check_report_options(wanted)
    for folder in folders or (Path("reports"),):
        if (folder / FILE).exists():
            write_report(folder, **wanted)
        elif is_joint(folder):
            write_joint_report(folder, parts=True, **wanted)
        elif options := [name for name, value in wanted.items() if value is not None and value is not False]:
            raise ArenaError(f"{folder} has no run of its own: --{options[0]} takes the folder of one")
        else:
            _list_runs(folder)


def _list_runs(folder: Path) -> None:
    """List the runs below a folder, and write the page that links their reports."""
    if not folder.is_dir():
        raise ArenaError(f"{folder} is not a folder")
    runs = entries(folder)
    if not runs:
        raise ArenaError(f"there is no run in {folder} or below it")
    show_table(_COLUMNS, [tuple(map(run.cells().__getitem__, _COLUMNS)) for run in runs])
    echo(counts(runs))
    echo(f"index: {write_index(runs, folder)}")
