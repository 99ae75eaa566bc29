"""Commands about a run while it is played: status and watch."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Console
from rich.live import Live
from rich.text import Text

from arena.commands.output import STOPPED, echo, say, show_table
from arena.ledger.ledger import FILE
from arena.ledger.store import StoreError
from arena.watch.display import Ticker, view
from arena.watch.elo import PROVISIONAL, Refits
from arena.watch.live import Moment, Watcher
from arena.watch.words import COLUMNS, incident, ranked, row_of, state, status_line, test_line, title

SECONDS = 1.0
"""Seconds between two readings of a run that is watched."""
PATIENCE = 5.0
"""Seconds for which a ledger that is there may not be readable, as while it is being made."""


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def status(folder: Path, as_json: bool) -> None:
    """Say how far the run in DIR is, at what rate, who leads, and what went wrong.

    The run is not disturbed by it, whoever plays it.
    """
    moment = Watcher(folder).read()
    elo, provisional = Refits(folder).of(moment, last=True)
    if as_json:
        click.echo(json.dumps({"folder": str(folder)} | moment.as_dict(elo) | {"provisional": provisional}))
        return
    for line in (title(moment), status_line(moment), state(moment), *map(incident, moment.incidents)):
        echo(line)
    if test := test_line(moment):
        echo(test)
    if moment.standings:
        rows = [
            (standing.player, *row_of(standing, elo.get(standing.player)).values())
            for standing in ranked(moment.standings, elo)
        ]
        show_table(("player", *COLUMNS), rows)
    if provisional:
        echo(PROVISIONAL)


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def watch(folder: Path) -> None:
    """Show the run in DIR while it is played, until it is complete; Ctrl-C ends the watch, not the run.

    Waits for a run that is not there yet. Without a terminal it prints a line after 10 seconds, then ever more
    rarely.
    """
    try:
        if sys.stdout.isatty():
            _watch_on_terminal(folder)
        else:
            _watch_in_lines(folder)
    except KeyboardInterrupt:
        sys.exit(STOPPED)


def _watch_on_terminal(folder: Path) -> None:
    console = Console()
    refits = Refits(folder)
    with Live(Text(_waiting(folder)), console=console, auto_refresh=False) as live:
        for moment in moments(folder):
            if moment is None:
                continue
            live.update(view(moment, refits.of(moment, last=moment.complete), console), refresh=True)


def _watch_in_lines(folder: Path) -> None:
    """Print a line when the run has changed, as `arena.watch.display.Ticker` says, until it is complete.

    Raises StoreError.
    """
    ticker = Ticker()
    last = ""
    shown: set[tuple[str, str]] = set()
    for moment in moments(folder):
        if moment is None:
            if not last:
                last = _waiting(folder)
                say(last)
            continue
        for forfeits in moment.incidents:
            if forfeits[:2] not in shown:
                shown.add(forfeits[:2])
                echo(incident(forfeits))
        if moment.complete or ticker.due() or not last:
            line = status_line(moment) + ("" if moment.playing is not False else f"; {state(moment)}")
            if line != last:
                echo(line)
                last = line


def moments(folder: Path) -> Iterator[Moment | None]:
    """The run every SECONDS, the last one complete; None while there is none.

    Raises StoreError for a run that cannot be read for PATIENCE, or one that was deleted.
    """
    watcher = Watcher(folder)
    read = time.monotonic()
    seen = False
    while True:
        try:
            moment = watcher.read()
        except StoreError:
            if not seen and not (folder / FILE).exists():
                read = time.monotonic()
            elif time.monotonic() - read > PATIENCE:
                raise
            yield None
        else:
            seen, read = True, time.monotonic()
            yield moment
            if moment.complete:
                return
        time.sleep(SECONDS)


def _waiting(folder: Path) -> str:
    return f"waiting for a run in {folder}"
