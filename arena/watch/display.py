"""Work shown while it goes on: in a window on a terminal, elsewhere in a line ever more rarely."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.base.wording import listed
from arena.base.writing import replaces_lines
from arena.ledger.ledger import FILE
from arena.ledger.store import StoreError
from arena.ratings.interval import Interval
from arena.watch.elo import PROVISIONAL, EloSoFar, RunReader
from arena.watch.live import Moment, Standing, read_moment
from arena.watch.observer import Observer
from arena.watch.words import COLUMNS, duration, figures_of, incident, ranked, state, status_line, test_line, title

PLAIN_SECONDS = 10.0
"""Seconds to the first plain line."""
MAX_SECONDS = 320.0
"""Seconds between two plain lines, at most."""
FRAME_SECONDS = 1.0
"""Seconds between two readings of a run that is followed, and between two drawings of a window."""
PATIENCE = 5.0
"""Seconds for which the ledger of a run that is followed may not be readable, as while it is being made."""
NAME_CELLS = 16
"""Cells that a player's name has before further columns are shown."""
_GAP = 2
"""Cells between columns."""
_LEFT_OUT = ("won", "lost", "games", "drawn", "score", "Elo")
"""Columns in the order in which a narrow window leaves them out."""


class _Count:
    """How many pieces of work are done, of how many, and the time left."""

    def __init__(self, what: str, total: int) -> None:
        self._what, self._total, self._done = what, total, 0
        self._first = 0, 0.0
        """Pieces and time when the first were done: they were waited for while processes began."""

    def add(self, done: int) -> bool:
        """So many pieces are done by now; whether they are the first."""
        is_first = not self._done
        if is_first:
            self._first = done, time.monotonic()
        self._done = done
        return is_first

    def line(self) -> str:
        """`1,000 of 5,000 answers, 14 s left`."""
        if not self._done:
            return ""
        pieces, began = self._first
        text = f"{self._done:,} of {self._total:,} {self._what}"
        if self._done == pieces:
            return text
        seconds = (time.monotonic() - began) / (self._done - pieces) * (self._total - self._done)
        return f"{text}, {duration(seconds)} left"

    def window(self, console: Console) -> RenderableType:
        """A bar, and the line."""
        return Group(_bar(self._total, self._done), Text(self.line()), Text("Ctrl-C stops", "dim"))


class _Games:
    """The games of a run: while it cannot be read, what was read last stays."""

    def __init__(self, folder: Path, *, is_followed: bool = False) -> None:
        self._folder, self._reader = folder, RunReader(folder)
        self._is_followed = is_followed
        """Whether another process plays the run, or none any more."""
        self._line = ""
        self._window: RenderableType = Text()

    def line(self) -> str:
        """`120/600 games (20 %), 35 games/s, 14 s left, leader simple-d6 75.0 %`; whether nobody plays on."""
        with suppress(StoreError):
            moment = read_moment(self._folder)
            is_left = self._is_followed and moment.playing is False
            self._line = status_line(moment) + (f"; {state(moment)}" if is_left else "")
        return self._line

    def window(self, console: Console) -> RenderableType:
        """Standings with Elo so far, a bar and the time left."""
        with suppress(StoreError):
            self._window = run_view(*self._reader.look(), console)
        return self._window


class Progress:
    """Shows a source on a stream: in a window that is drawn by itself, or in lines when it is time to."""

    def __init__(self, source: _Count | _Games, stream: TextIO) -> None:
        self._source, self._stream = source, stream
        self._seconds, self._last = PLAIN_SECONDS, time.monotonic()
        console = Console(file=stream)
        self.live = Live(
            get_renderable=lambda: source.window(console),
            console=console,
            refresh_per_second=1 / max(FRAME_SECONDS, 0.01),
            transient=True,
        )
        if replaces_lines(stream):
            self.live.start()

    def restart(self) -> None:
        """Count the seconds to the next line from now on."""
        self._last = time.monotonic()

    def tell(self) -> None:
        """Print a line, where there is no window, after PLAIN_SECONDS, then twice as many, up to MAX_SECONDS."""
        now = time.monotonic()
        if not self.live.is_started and now - self._last >= self._seconds and self.print_line():
            self._seconds, self._last = min(2 * self._seconds, MAX_SECONDS), now

    def print_line(self) -> bool:
        """Print a line, if there is anything to tell."""
        line = self._source.line()
        if line:
            print(line, file=self._stream, flush=True)
        return bool(line)


class Display(Observer):
    """Shows runs and other work of this process."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._count: _Count | None = None
        self._progress: Progress | None = None

    def say(self, line: str) -> None:
        """Print a line without disturbing what is shown."""
        if self._progress is not None and self._progress.live.is_started:
            self._progress.live.console.print(line, highlight=False, markup=False)
        else:
            self.write(line)

    def write(self, line: str) -> None:
        """Print a line."""
        print(line, file=self._stream, flush=True)

    @contextmanager
    def working(self, what: str, total: int, folder: Path | None = None) -> Iterator[Callable[[], bool]]:
        """Show games, whose last line stays, or count other pieces of work."""
        self._count = _Count(what, total) if folder is None else None
        self._progress = Progress(self._count or _Games(folder or Path()), self._stream)
        try:
            yield lambda: False
        finally:
            self._progress.live.stop()
            if folder is not None:
                self._progress.print_line()
            self._progress = None

    def done(self, pieces: int) -> None:
        """Show how many pieces are done, if it is time to."""
        if self._progress is not None:
            if self._count is not None and self._count.add(pieces):
                self._progress.restart()
            self._progress.tell()


def follow(folder: Path, say: Callable[[str], None]) -> None:
    """Show the run in a folder on standard output until it is complete; if there is none yet, wait for it.

    Raises StoreError for a run that cannot be read for PATIENCE, or one that was deleted.
    """
    is_there = (folder / FILE).exists()
    if not is_there:
        say(f"waiting for a run in {folder}")
    progress = Progress(_Games(folder, is_followed=True), sys.stdout)
    read = time.monotonic()
    told: set[tuple[str, str]] = set()
    try:
        while True:
            try:
                moment = read_moment(folder)
                if moment.complete:
                    return
                for forfeits in () if progress.live.is_started else moment.incidents:
                    if (kind := (forfeits.player, forfeits.termination)) not in told:
                        told.add(kind)
                        print(incident(forfeits), flush=True)
                is_there, read = True, time.monotonic()
                progress.tell()
            except StoreError:
                if not is_there and not (folder / FILE).exists():
                    read = time.monotonic()
                elif time.monotonic() - read > PATIENCE:
                    raise
            time.sleep(FRAME_SECONDS)
    finally:
        progress.live.stop()


def run_view(moment: Moment, elo_so_far: EloSoFar, console: Console) -> RenderableType:
    """A run in at most a line less than the height of the window; no line is wrapped."""

    def line(text: str, style: str = "") -> Text:
        return Text(text, style, no_wrap=True, overflow="ellipsis")

    elo, provisional = elo_so_far
    most = min(len(moment.incidents), console.height // 6)
    incidents = [line(incident(forfeits), "red") for forfeits in moment.incidents[:most]]
    if len(moment.incidents) > most > 0:
        incidents.append(line(f"and {len(moment.incidents) - most} more; arena status has all", "red"))
    void = f"void: all games of {listed(moment.disqualified)}" if moment.disqualified else ""
    below = (test_line(moment), void, PROVISIONAL * provisional, status_line(moment), state(moment))
    lines = [line(text) for text in below if text]
    parts: list[RenderableType] = [line(title(moment), "bold")]
    if standings := ranked(moment.standings, elo):
        room = max(console.height - len(incidents) - len(lines) - 4, 1)
        shown = standings[: room if len(standings) <= room else max(room - 1, 1)]
        parts.append(_table(shown, elo, console.width))
        if len(shown) < len(standings) and room > 1:
            parts.append(line(f"and {len(standings) - len(shown)} more", "dim"))
    bar = [_bar(moment.planned, moment.games)] if moment.planned else []
    return Group(*parts, *incidents, *bar, *lines)


def _bar(total: int, completed: int) -> RenderableType:
    """A bar in a line of its own, which a ProgressBar does not end."""
    bar = Table.grid(expand=True)
    bar.add_row(ProgressBar(max(total, 1), completed))
    return bar


def _table(standings: Sequence[Standing], elo: Mapping[str, Interval], width: int) -> Table:
    """A row for each player; names are cut off and columns left out until they fit the width."""
    rows = [figures_of(standing, elo.get(standing.player)) for standing in standings]
    cells = {name: _GAP + max(len(name), *(len(row[name]) for row in rows)) for name in COLUMNS}
    if not elo:
        del cells["Elo"]
    longest = max(len("player"), *(cell_len(standing.player) for standing in standings))
    for name in _LEFT_OUT:
        if width - sum(cells.values()) >= min(longest, NAME_CELLS):
            break
        cells.pop(name, None)
    table = Table(box=None, padding=(0, 0, 0, _GAP), pad_edge=False)
    room = max(min(longest, width - sum(cells.values())), 1)
    table.add_column("player", width=room, no_wrap=True, overflow="ellipsis")
    for name in cells:
        table.add_column(name, justify="right", no_wrap=True)
    for standing, row in zip(standings, rows, strict=True):
        table.add_row(Text(standing.player), *map(row.__getitem__, cells))
    return table
