"""Commands about a run while it is played: status and watch."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.commands.output import echo, fail, say, show_table

if TYPE_CHECKING:
    from arena.watch.elo import EloEstimate
    from arena.watch.live import Forfeits, Moment
    from arena.watch.window import RunView

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
    from arena.ledger.store import StoreError
    from arena.watch.elo import PROVISIONAL, so_far
    from arena.watch.live import Watcher
    from arena.watch.window import COLUMNS, ranked, row_of, test_line

    try:
        moment = Watcher(folder).read()
    except StoreError as error:
        fail(str(error))
    elo, provisional = so_far(folder, moment.results, moment.scale)
    if as_json:
        click.echo(json.dumps({"folder": str(folder)} | moment.as_dict(elo) | {"provisional": provisional}))
        return
    for line in (_title(moment), _line(moment), _state(moment), *map(_incident, moment.incidents)):
        echo(line)
    if moment.sprt is not None:
        echo(test_line(moment.sprt, moment.sprt_pairs))
    if moment.standings:
        rows = [(it.player, *row_of(it, elo.get(it.player)).values()) for it in ranked(moment.standings, elo)]
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
    from arena.ledger.store import StoreError

    try:
        if sys.stdout.isatty():
            _watch_on_terminal(folder)
        else:
            _watch_in_lines(folder)
    except StoreError as error:
        fail(str(error))
    except KeyboardInterrupt:
        sys.exit(130)


def scene_of(moment: Moment, elo: Mapping[str, EloEstimate]) -> RunView:
    """What a window shows of a run."""
    from arena.base.wording import listed
    from arena.watch.elo import PROVISIONAL
    from arena.watch.window import RunView, ranked, test_line

    test = [test_line(moment.sprt, moment.sprt_pairs)] if moment.sprt is not None else []
    annulled = [f"annulled: all games of {listed(moment.annulled)}"] if moment.annulled else []
    return RunView(
        ranked(moment.standings, elo),
        elo,
        moment.games,
        moment.planned,
        above=[_title(moment)],
        incidents=[_incident(it) for it in moment.incidents],
        below=[*test, *annulled, *([PROVISIONAL] if elo else []), _line(moment), _state(moment)],
    )


def _watch_on_terminal(folder: Path) -> None:
    """Redraw the run on standard output until it is complete. Raises StoreError."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from arena.watch.elo import Refits
    from arena.watch.window import view

    console = Console()
    refits = Refits()
    with Live(Text(_waiting(folder)), console=console, auto_refresh=False) as live:
        for moment in _moments(folder):
            if moment is None:
                continue
            scene = scene_of(moment, refits.of(moment.results, moment.scale, last=moment.complete))
            live.update(view(scene, console), refresh=True)


def _watch_in_lines(folder: Path) -> None:
    """Print a line when the run has changed, as `arena.watch.progress.Ticker` says, until it is complete.

    Raises StoreError.
    """
    from arena.watch.progress import Ticker

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
                echo(_incident(incident))
        if moment.complete or ticker.due() or not last:
            line = _line(moment) + ("" if moment.playing is not False else f"; {_state(moment)}")
            if line != last:
                echo(line)
                last = line


def _moments(folder: Path) -> Iterator[Moment | None]:
    """The run every SECONDS, the last one complete; None while there is none.

    Raises StoreError for a run that cannot be read for PATIENCE, or that there is no more.
    """
    from arena.ledger.ledger import FILE
    from arena.ledger.store import StoreError
    from arena.watch.live import Watcher

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
    from arena.watch.progress import games_line

    if moment.searches < moment.searches_planned and not moment.games:
        return f"{moment.searches}/{moment.searches_planned} searches to a fixed depth"
    leader = (moment.standings[0].player, moment.standings[0].score) if moment.standings else None
    return games_line(moment.games, moment.planned, moment.exact, moment.rate, moment.seconds_left, leader)


def _state(moment: Moment) -> str:
    """Whether somebody plays the run, and when its last game was stored."""
    from arena.watch.progress import duration

    stored = ""
    if moment.stored is not None:
        stored = f", last game stored {duration(max(moment.now - moment.stored, 0))} ago"
    session = moment.session
    if moment.complete:
        return f"complete{stored}"
    if moment.playing is False:
        return f"no process is playing it{stored}"
    if session is None:
        return f"nothing is known of who plays it{stored}"
    began = datetime.fromisoformat(session.began).astimezone(UTC)
    by = f"{'' if moment.playing else 'perhaps '}being played by process {session.process} on {session.host}"
    return f"{by} since {began:%Y-%m-%d %H:%M} UTC{stored}"


def _incident(incident: Forfeits) -> str:
    """`own lost 2 games by error, first game 3: own raised ValueError at ply 5: no`."""
    lost = f"{incident.player} lost {incident.games} game{'s' * (incident.games > 1)} by {incident.termination}"
    return f"{lost}, first game {incident.first}" + (f": {incident.error}" if incident.error else "")
