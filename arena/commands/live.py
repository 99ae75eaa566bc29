"""Commands about a run while it is played: status and watch."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.commands.common import fail, say
from arena.commands.table import show_table

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from arena.store.live import Forfeits, Moment, Standing

SECONDS = 1.0
"""Seconds between two readings of a run that is watched."""
PATIENCE = 5.0
"""Seconds for which a ledger that is there may not be readable, as while it is being made."""
MAX_INCIDENTS = 4
"""Lines of incidents on a terminal."""
_HEADER = ("player", "score", "games", "won", "drawn", "lost")


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def status(folder: Path, as_json: bool) -> None:
    """Say how far the run in DIR is, at what rate, who leads, and what went wrong.

    The run is not disturbed by it, whoever plays it.
    """
    from arena.store.live import Watcher
    from arena.store.store import StoreError

    try:
        moment = Watcher(folder).read()
    except StoreError as error:
        fail(str(error))
    if as_json:
        click.echo(json.dumps({"folder": str(folder)} | moment.as_dict()))
        return
    for line in (_title(moment), _line(moment), _state(moment), *map(_incident, moment.incidents)):
        click.echo(line)
    if moment.standings:
        show_table(_HEADER, map(_row, moment.standings))


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def watch(folder: Path) -> None:
    """Show the run in DIR while it is played, until it is complete; Ctrl-C ends the watch, not the run.

    Waits for a run that is not there yet. Without a terminal it prints a line every few seconds.
    """
    from arena.store.store import StoreError

    try:
        if sys.stdout.isatty():
            _watch_on_terminal(folder)
        else:
            _watch_in_lines(folder)
    except StoreError as error:
        fail(str(error))
    except KeyboardInterrupt:
        sys.exit(130)


def view(moment: Moment, console: Console) -> RenderableType:
    """What a terminal shows of a run, at most a line less than the height of its window and as wide as that."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    def line(text: str, style: str = "") -> Text:
        return Text(text, style, no_wrap=True, overflow="ellipsis")

    most = min(MAX_INCIDENTS, console.height // 6)
    incidents = [line(_incident(it), "red") for it in moment.incidents[:most]]
    if len(moment.incidents) > most:
        incidents.append(line(f"and {len(moment.incidents) - most} more; arena status has all", "red"))
    rows = [_row(it) for it in moment.standings[: max(console.height - len(incidents) - 6, 1)]]
    widths = [max(map(len, column)) for column in zip(_HEADER, *rows, strict=True)]
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for number, name in enumerate(_HEADER):
        table.add_column(name, justify="right" if number else "left", no_wrap=True, overflow="ellipsis")
    for player, *numbers in rows:
        shortened = Text(player)
        shortened.truncate(max(console.width - sum(widths[1:]) - 2 * len(_HEADER), 8), overflow="ellipsis")
        table.add_row(shortened, *numbers)
    bar = Table.grid(expand=True)
    bar.add_row(ProgressBar(total=max(moment.planned, 1), completed=moment.games))
    return Group(line(_title(moment), "bold"), table, *incidents, bar, line(_line(moment)), line(_state(moment)))


def _watch_on_terminal(folder: Path) -> None:
    """Redraw the run on standard output until it is complete. Raises StoreError."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console()
    with Live(Text(_waiting(folder)), console=console, auto_refresh=False) as live:
        for moment in _moments(folder):
            if moment is not None:
                live.update(view(moment, console), refresh=True)


def _watch_in_lines(folder: Path) -> None:
    """Print a line when the run has changed, every few seconds, until it is complete. Raises StoreError."""
    from arena.progress import Ticker

    ticker = Ticker()
    last = ""
    told: set[tuple[str, str]] = set()
    for moment in _moments(folder):
        if moment is None:
            if not last:
                last = _waiting(folder)
                say(last)
            continue
        for incident in moment.incidents:
            if incident[:2] not in told:
                told.add(incident[:2])
                click.echo(_incident(incident))
        if moment.complete or ticker.due() or not last:
            line = _line(moment) + ("" if moment.playing is not False else f"; {_state(moment)}")
            if line != last:
                click.echo(line)
                last = line


def _moments(folder: Path) -> Iterator[Moment | None]:
    """The run every SECONDS, the last one complete; None while there is none.

    Raises StoreError for a run that cannot be read for PATIENCE, or that there is no more.
    """
    from arena.store.ledger import FILE
    from arena.store.live import Watcher
    from arena.store.store import StoreError

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


def _title(moment: Moment) -> str:
    return f"{moment.name}: {moment.format}, {moment.variant}"


def _line(moment: Moment) -> str:
    from arena.progress import games_line

    if moment.searches < moment.searches_planned and not moment.games:
        return f"{moment.searches}/{moment.searches_planned} searches to a fixed depth"
    leader = (moment.standings[0].player, moment.standings[0].score) if moment.standings else None
    return games_line(moment.games, moment.planned, moment.exact, moment.rate, moment.seconds_left, leader)


def _state(moment: Moment) -> str:
    """Whether somebody plays the run, and when its last game was stored."""
    from arena.progress import duration

    stored = ""
    if moment.stored is not None:
        stored = f", last game stored {duration(max(moment.now - moment.stored, 0))} ago"
    session = moment.session
    if moment.complete:
        return f"complete{stored}"
    if moment.playing is False:
        return f"nobody is playing it{stored}"
    if session is None:
        return f"nothing is known of who plays it{stored}"
    began = datetime.fromisoformat(session.began).astimezone(UTC)
    by = f"{'' if moment.playing else 'perhaps '}being played by process {session.process} on {session.host}"
    return f"{by} since {began:%Y-%m-%d %H:%M} UTC{stored}"


def _incident(incident: Forfeits) -> str:
    """`own lost 2 games by error, first game 3: own raised ValueError at ply 5: no`."""
    lost = f"{incident.player} lost {incident.games} game{'s' * (incident.games > 1)} by {incident.termination}"
    return f"{lost}, first game {incident.first}" + (f": {incident.error}" if incident.error else "")


def _row(standing: Standing) -> tuple[str, ...]:
    counts: tuple[Any, ...] = (standing.games, standing.wins, standing.draws, standing.losses)
    return (standing.player, f"{100 * standing.score:.1f} %", *map(str, counts))
