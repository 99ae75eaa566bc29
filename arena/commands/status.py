"""The command about a run, also while it is played: status."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from arena.base.errors import ArenaError
from arena.commands.options import json_option
from arena.commands.output import STOPPED, echo, say, show_table
from arena.watch.display import follow
from arena.watch.status import COLUMNS, StatusReader, cells, lines


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("-f", "--follow", "is_followed", is_flag=True, help="Show the run until it is complete.")
@json_option
def status_command(folder: Path, is_followed: bool, as_json: bool) -> None:
    """Say how far the run in DIR is, how long it will take, who leads, and what went wrong.

    The run is not disturbed, whoever plays it. --follow waits for it if it is not there yet; without a terminal it
    prints a line after 10 seconds, then ever more rarely. Ctrl-C ends --follow, not the run.
    """
    if is_followed and as_json:
        raise ArenaError("give one of --follow and --json")
    if is_followed:
        try:
            follow(folder, say)
        except KeyboardInterrupt:
            sys.exit(STOPPED)
    status = StatusReader(folder).read()
    if as_json:
        click.echo(json.dumps({"folder": str(folder)} | status._asdict()))
        return
    for line in lines(status):
        echo(line)
    if status.standings:
        show_table(COLUMNS, map(cells, status.standings))
