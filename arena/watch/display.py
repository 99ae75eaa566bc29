"""A run shown while it is played: a window on a terminal, elsewhere a line ever more rarely."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TextIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.ledger.store import StoreError
from arena.ratings.interval import Interval
from arena.watch.elo import Refits
from arena.watch.live import Moment, Standing, Watcher
from arena.watch.words import COLUMNS, RunView, row_of, run_view, status_line

PLAIN_SECONDS = 10.0
"""Seconds to the first plain line."""
MAX_SECONDS = 320.0
"""Seconds between two plain lines, at most."""
REFRESHES = 1
"""How often in a second a terminal's window is drawn."""
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


class Display:
    """Shows the run in `folder`, which this process plays, on `stream`; a context manager around its games.

    It reads the run as anybody else does: while it cannot be read, what was read last stays.
    """

    def __init__(self, folder: Path, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._watcher, self._refits = Watcher(folder, began=time.time()), Refits(folder)
        self._moment: Moment | None = None
        self._ticker = Ticker()
        self._live: Live | None = None

    def tick(self) -> None:
        """Print a line if it is time to, and this is no terminal, whose window is drawn by itself."""
        if self._live is None and self._ticker.due():
            self._print_line()

    def say(self, text: str) -> None:
        """Print a line without disturbing the window."""
        if self._live is not None:
            self._live.console.print(text, highlight=False, markup=False)
        else:
            print(text, file=self._stream, flush=True)

    def __enter__(self) -> Display:
        if self._stream.isatty():
            console = Console(file=self._stream)
            self._live = Live(
                get_renderable=lambda: self._window(console),
                console=console,
                refresh_per_second=REFRESHES,
                transient=True,
            )
            self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.__exit__(kind, error, trace)
            self._live = None
        self._print_line()

    def _print_line(self) -> None:
        if moment := self._read():
            print(status_line(moment), file=self._stream, flush=True)

    def _window(self, console: Console) -> RenderableType:
        if (moment := self._read()) is None:
            return Text()
        return view(run_view(moment, self._refits.of(moment.results, moment.scale, last=moment.complete)), console)

    def _read(self) -> Moment | None:
        with suppress(StoreError):
            self._moment = self._watcher.read()
        return self._moment


def view(scene: RunView, console: Console) -> RenderableType:
    """The scene in at most a line less than the height of the window; no line is wrapped."""

    def line(text: str, style: str = "") -> Text:
        return Text(text, style, no_wrap=True, overflow="ellipsis")

    most = min(len(scene.incidents), console.height // 6)
    incidents = [line(text, "red") for text in scene.incidents[:most]]
    if len(scene.incidents) > most > 0:
        incidents.append(line(f"and {len(scene.incidents) - most} more; arena status has all", "red"))
    room = max(console.height - len(scene.above) - len(incidents) - len(scene.below) - 3, 1)
    bar = Table.grid(expand=True)
    bar.add_row(ProgressBar(total=max(scene.planned, 1), completed=scene.games))
    parts: list[RenderableType] = [line(text, "bold") for text in scene.above]
    if scene.standings:
        shown = scene.standings[: room if len(scene.standings) <= room else max(room - 1, 1)]
        header, *rows = _table(shown, scene.elo, console.width)
        parts += [line(header, "bold"), Text("\n".join(rows), no_wrap=True, overflow="crop")]
        if len(shown) < len(scene.standings) and room > 1:
            parts.append(line(f"and {len(scene.standings) - len(shown)} more", "dim"))
    return Group(*parts, *incidents, *([bar] if scene.planned else []), *map(line, scene.below))


def _table(standings: Sequence[Standing], elo: Mapping[str, Interval], width: int) -> list[str]:
    """A header and a line for each player; names are cut off and columns left out until they fit the width.

    It is text as it stands, as a rich.table.Table takes ten times as long and the window is drawn while games are
    played.
    """
    rows = [row_of(it, elo.get(it.player)) for it in standings]
    cells = {name: max(len(name), *(len(row[name]) for row in rows)) for name in COLUMNS if elo or name != "Elo"}
    longest = max(len("player"), *(cell_len(it.player) for it in standings))
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
    return [header, *(line(it.player, row) for it, row in zip(standings, rows, strict=True))]
