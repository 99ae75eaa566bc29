"""Work shown while it goes on: in a window on a terminal, elsewhere in a line ever more rarely."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TextIO

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.base.files import replaces_lines
from arena.base.number import duration
from arena.ledger.ledger import FILE, StoreError, run_in
from arena.watch.status import COLUMNS, Observer, Status, StatusReader, cells, lines, status_line

PLAIN_SECONDS = 10.0, 320.0
"""Seconds to the first plain line, and between two lines at most."""
FRAME_SECONDS = 1.0
"""Seconds between two drawings of a window, and between two looks at a run that is followed."""
_FAULTS, _PLAYERS, _COLUMNS = 5, 100, 4
"""How many failures and withdrawn players, players, and columns of the standings a window shows at most."""


class Display(Observer):
    """Shows runs and other work of this process."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._console = Console(file=self._stream)
        self._live = Live(console=self._console)
        self._work: _Games | _Count | None = None

    def say(self, line: str) -> None:
        """Print a line without disturbing what is shown."""
        if self._live.is_started:
            self._console.print(line, highlight=False, markup=False)
        else:
            self.write(line)

    def write(self, line: str) -> None:
        """Print a line."""
        print(line, file=self._stream, flush=True)

    @contextmanager
    def working(self, what: str, total: int, folder: Path | None = None) -> Iterator[Callable[[], bool]]:
        """Show games, whose last line stays, or count other pieces of work."""
        work = _Count(what, total) if folder is None else _Games(folder)
        try:
            with self.showing(work):
                yield lambda: False
        finally:
            if folder is not None:
                self.write(work.line())

    @contextmanager
    def showing(self, work: _Games | _Count) -> Iterator[None]:
        """Show work in a window, if the stream is a terminal; else `done` prints lines."""
        self._work, self._pause, self._last = work, PLAIN_SECONDS[0], time.monotonic()
        self._live = Live(
            # nothing is read before it starts, and the last frame, which rich does not cut, is empty
            get_renderable=lambda: work.get_renderable() if self._live.is_started else "",
            console=self._console,
            refresh_per_second=1 / FRAME_SECONDS,
            transient=True,
        )
        with self._live if replaces_lines(self._stream) else nullcontext():
            yield

    def done(self, pieces: int) -> None:
        """Take note of how many pieces are done, and print a line, where there is no window, if it is time to."""
        work, now = self._work, time.monotonic()
        if isinstance(work, _Count):
            work.update(work.task_ids[0], completed=pieces)
        if work is not None and not self._live.is_started and now - self._last >= self._pause:
            self.write(work.line())
            self._pause, self._last = min(2 * self._pause, PLAIN_SECONDS[1]), now


def follow(folder: Path, say: Callable[[str], None]) -> None:
    """Show the run in a folder on standard output until it is complete; if there is none yet, wait for it.

    Raises StoreError for a run that cannot be read, or that was deleted.
    """
    if not (folder / FILE).exists():
        say(f"waiting for a run in {folder}")
        while run_in(folder) is None:
            time.sleep(FRAME_SECONDS)
    display, games = Display(sys.stdout), _Games(folder)
    with display.showing(games):
        while not (status := games.look()).complete:
            display.done(status.games)
            time.sleep(FRAME_SECONDS)


class _Games(StatusReader):
    """The games of a run."""

    def line(self) -> str:
        """`status_line`, or why the run cannot be read."""
        try:
            return status_line(self.read())
        except StoreError as error:
            return str(error)

    def get_renderable(self) -> RenderableType:
        """The same for a window."""
        try:
            return window(self.look())
        except StoreError as error:
            return Text(str(error))


class _Count(Progress):
    """How many pieces of work are done, of how many, and the time left by those of an hour, but the first."""

    def __init__(self, what: str, total: int) -> None:
        text = "{task.completed:,} of {task.total:,} {task.description}"
        columns = TextColumn(text, markup=False), BarColumn(), TimeRemainingColumn()
        super().__init__(*columns, get_time=time.monotonic, speed_estimate_period=3600.0)
        self.add_task(what, total=total)

    def line(self) -> str:
        """`1,000 of 5,000 answers, 14 s left`."""
        [task] = self.tasks
        left = f", {duration(task.time_remaining)} left" if task.time_remaining else ""
        return f"{task.completed:,} of {task.total:,} {task.description}{left}"


def window(status: Status) -> RenderableType:
    """A run with the most important first: what a terminal has no lines for is left out."""
    title, *others = lines(status, _FAULTS)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(COLUMNS[0])
    for name in COLUMNS[1:_COLUMNS]:
        table.add_column(name, justify="right", no_wrap=True)
    for standing in status.standings[:_PLAYERS]:
        player, *figures = cells(standing)[:_COLUMNS]
        table.add_row(Text(player, no_wrap=True, overflow="ellipsis"), *figures)
    bar = Padding(ProgressBar(max(status.planned, 1), status.games), 0)
    return Group(Text(title, "bold"), bar, *map(Text, others), table)
