"""The command about many runs: reports."""

from __future__ import annotations

from pathlib import Path

import click

from arena.commands.output import echo, fail, show_table
from arena.report.runs.page import counts, write_index
from arena.watch.entry import entries

_HEADER = ("run", "began", "rules", "players", "games", "leader", "Elo", "state", "commit")


@click.command()
@click.argument("folder", metavar="[DIR]", default="reports", type=click.Path(path_type=Path))
def reports(folder: Path) -> None:
    """List the runs in DIR and below it [reports], and write DIR/index.html.

    The page sorts them, links their reports, and shows the players that several runs share, from run to run. Runs
    that are damaged or not complete are listed as such.
    """
    if not folder.is_dir():
        fail(f"{folder} is not a folder")

    found = entries(folder)
    if not found:
        fail(f"there is no run in {folder} or below it")
    rows = [
        (
            entry.name,
            entry.date,
            entry.variant,
            str(entry.players) if entry.readable else "",
            str(entry.games) if entry.readable else "",
            entry.leader,
            entry.leader_elo,
            entry.state,
            entry.commit,
        )
        for entry in found
    ]
    show_table(_HEADER, rows)
    echo(counts(found))
    echo(f"index: {write_index(found, folder)}")
