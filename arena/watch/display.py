"""A run shown while it is played: a window on a terminal, elsewhere a line ever more rarely."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.base.wording import listed
from arena.base.writing import replaces_lines
from arena.ledger.store import StoreError
from arena.ratings.interval import Interval
from arena.watch.elo import PROVISIONAL, EloSoFar, Refits
from arena.watch.live import Moment, Standing, Watcher
from arena.watch.observer import Observer
from arena.watch.words import COLUMNS, duration, incident, ranked, row_of, state, status_line, test_line, title

PLAIN_SECONDS = 10.0
"""Seconds to the first plain line."""
MAX_SECONDS = 320.0
"""Seconds between two plain lines, at most."""
REFRESHES = 1
"""How often in a second a terminal's window is drawn."""
_SHOW_SECONDS = 0.2
"""Seconds between two counts on a terminal."""
NAME_CELLS = 16
"""Cells that a player's name has before further columns are shown."""
_GAP = 2
"""Cells between columns."""
_LEFT_OUT = ("won", "lost", "games", "drawn", "score", "Elo")
"""Columns in the order in which a narrow window leaves them out."""


class Ticker:
    """Whether it is time for a line: after PLAIN_SECONDS, then twice as many, and so on up to MAX_SECONDS."""

    def __init__(self) -> None:
        self._seconds = PLAIN_SECONDS
        self._last = time.monotonic()

    def due(self) -> bool:
        """Whether the seconds have passed; if so, they begin again."""
        now = time.monotonic()
        if now - self._last < self._seconds:
            return False
        self._last = now
        self._seconds = min(2 * self._seconds, MAX_SECONDS)
        return True


class Count:
    """How many pieces of work are done, of how many, and the time left: on a terminal one line, elsewhere few."""

    def __init__(self, what: str, total: int, stream: TextIO) -> None:
        self._what, self._total, self._stream = what, total, stream
        self._replaces, self._ticker = replaces_lines(stream), Ticker()
        self._began = self._shown = 0.0
        self._before = -1

    def show(self, pieces: int) -> None:
        """Show that so many are done; the first of them were waited for while processes began."""
        now = time.monotonic()
        if self._before < 0:
            self._before, self._began, self._shown, self._ticker = pieces, now, now, Ticker()
            return
        new = pieces - self._before
        left = f", {duration((now - self._began) / new * (self._total - pieces))} left" if new else ""
        line = f"{pieces:,} of {self._total:,} {self._what}{left}"
        if not self._replaces:
            if self._ticker.due():
                print(line, file=self._stream, flush=True)
        elif now - self._shown >= _SHOW_SECONDS:
            print(f"\r\x1b[K{line}; Ctrl-C stops", end="", file=self._stream, flush=True)
            self._shown = now

    def end(self) -> None:
        """Leave the line of a terminal."""
        if self._replaces:
            print("\r\x1b[K", end="", file=self._stream, flush=True)


class Games:
    """The games of a run: on a terminal a window that is drawn by itself, elsewhere a line now and then."""

    def __init__(self, folder: Path, stream: TextIO) -> None:
        self._stream, self._ticker = stream, Ticker()
        self._watcher, self._refits = Watcher(folder), Refits(folder)
        self._moment: Moment | None = None
        self._console = Console(file=stream)
        self.live = Live(
            get_renderable=self._window, console=self._console, refresh_per_second=REFRESHES, transient=True
        )
        if stream.isatty():
            self.live.start()

    def show(self, _pieces: int) -> None:
        """Print a line if it is time to, and there is no window."""
        if not self.live.is_started and self._ticker.due():
            self._print_line()

    def end(self) -> None:
        """Leave the last line alone."""
        self.live.stop()
        self._print_line()

    def _print_line(self) -> None:
        if moment := self._read():
            print(status_line(moment), file=self._stream, flush=True)

    def _window(self) -> RenderableType:
        moment = self._read()
        return view(moment, self._refits.of(moment, last=moment.complete), self._console) if moment else Text()

    def _read(self) -> Moment | None:
        with suppress(StoreError):
            self._moment = self._watcher.read()
        return self._moment


class Display(Observer):
    """Shows runs that this process plays: games in a window on a terminal, else in lines; other work as a Count.

    It reads a run as anybody else does: while that cannot be read, what was read last stays.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._shown: Games | Count | None = None

    def say(self, line: str) -> None:
        """Print a line without disturbing what is shown."""
        if isinstance(self._shown, Games) and self._shown.live.is_started:
            self._shown.live.console.print(line, highlight=False, markup=False)
            return
        if isinstance(self._shown, Count):
            self._shown.end()
        self.write(line)

    def write(self, line: str) -> None:
        """Print a line."""
        print(line, file=self._stream, flush=True)

    @contextmanager
    def working(
        self, what: str, total: int, folder: Path | None = None, *, at_once: bool = False
    ) -> Iterator[Callable[[], bool]]:
        """Show games, or count other pieces of work."""
        self._shown = Count(what, total, self._stream) if folder is None else Games(folder, self._stream)
        try:
            yield lambda: False
        finally:
            self._shown.end()
            self._shown = None

    def done(self, pieces: int) -> None:
        """Show how many pieces are done, if it is time to."""
        if self._shown is not None:
            self._shown.show(pieces)


def view(moment: Moment, elo_so_far: EloSoFar, console: Console) -> RenderableType:
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
    bar = Table.grid(expand=True)
    bar.add_row(ProgressBar(total=max(moment.planned, 1), completed=moment.games))
    parts: list[RenderableType] = [line(title(moment), "bold")]
    if standings := ranked(moment.standings, elo):
        room = max(console.height - len(incidents) - len(lines) - 4, 1)
        shown = standings[: room if len(standings) <= room else max(room - 1, 1)]
        header, *rows = _table(shown, elo, console.width)
        parts += [line(header, "bold"), Text("\n".join(rows), no_wrap=True, overflow="crop")]
        if len(shown) < len(standings) and room > 1:
            parts.append(line(f"and {len(standings) - len(shown)} more", "dim"))
    return Group(*parts, *incidents, *([bar] if moment.planned else []), *lines)


def _table(standings: Sequence[Standing], elo: Mapping[str, Interval], width: int) -> list[str]:
    """A header and a line for each player; names are cut off and columns left out until they fit the width.

    It is text as it stands, as a rich.table.Table takes ten times as long and the window is drawn while games are
    played.
    """
    rows = [row_of(standing, elo.get(standing.player)) for standing in standings]
    cells = {name: max(len(name), *(len(row[name]) for row in rows)) for name in COLUMNS if elo or name != "Elo"}
    longest = max(len("player"), *(cell_len(standing.player) for standing in standings))
    for name in _LEFT_OUT:
        if width - sum(cells.values()) - _GAP * len(cells) >= min(longest, NAME_CELLS):
            break
        cells.pop(name, None)
    room = max(min(longest, width - sum(cells.values()) - _GAP * len(cells)), 1)

    def line(name: str, values: Mapping[str, str]) -> str:
        shortened = Text(name)
        shortened.truncate(room, overflow="ellipsis")
        figures = (" " * _GAP + values[column].rjust(size) for column, size in cells.items())
        return set_cell_size(shortened.plain, room) + "".join(figures)

    header = line("player", dict(zip(COLUMNS, COLUMNS, strict=True)))
    return [header, *(line(standing.player, row) for standing, row in zip(standings, rows, strict=True))]
