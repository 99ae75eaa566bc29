"""Progress of a run: a live table on a terminal, a plain line every few seconds elsewhere."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Mapping
from types import TracebackType
from typing import Any, TextIO

from arena.result import points_of

PLAIN_SECONDS = 5.0
"""Seconds between two plain lines."""
MAX_PLAYERS = 12
"""Players shown in the live table."""


class Ticker:
    """Whether some seconds have passed: since it was made, or since they had passed the last time."""

    def __init__(self, seconds: float = PLAIN_SECONDS) -> None:
        self._seconds = seconds
        self._last = time.monotonic()

    def due(self) -> bool:
        """Whether the seconds have passed; if so, they begin anew."""
        now = time.monotonic()
        if now - self._last < self._seconds:
            return False
        self._last = now
        return True


class Progress:
    """Counts finished games and shows them on `stream`; a context manager around the run.

    `planned` is the number of games, or the most that there may be if not `exact`.
    """

    def __init__(self, planned: int, stream: TextIO | None = None, *, exact: bool = True) -> None:
        self._planned = planned
        self._exact = exact
        self._stream = stream or sys.stderr
        self._points: dict[str, float] = defaultdict(float)
        self._games: dict[str, int] = defaultdict(int)
        self._done = self._before = 0
        self._began = time.monotonic()
        self._ticker = Ticker()
        self._live: Any = None

    def resume(self, results: Mapping[tuple[str, str, str], int]) -> None:
        """Count games that were played before: how many of each white, black, result. The rate leaves them out."""
        self._count_all(results)
        self._before = self._done

    def add(self, white: str, black: str, result: str) -> None:
        """Count a game that just ended, and show it when it is time. Raises ValueError for what is no result."""
        self._count(white, black, result)
        if self._live is None and self._ticker.due():
            print(self.line(), file=self._stream, flush=True)

    def end(self, results: Mapping[tuple[str, str, str], int], complete: bool) -> None:
        """Count anew the games that the run has kept; if `complete`, no more are planned."""
        self._points.clear()
        self._games.clear()
        self._done = 0
        self._count_all(results)
        if complete:
            self._planned, self._exact = self._done, True

    def say(self, text: str) -> None:
        """Print a line without disturbing the display."""
        if self._live is not None:
            self._live.console.print(text, highlight=False, markup=False)
        else:
            print(text, file=self._stream, flush=True)

    def line(self) -> str:
        """`120/600 games (20 %), 35 games/s, 14 s left, leader simple-d6 75.0 %`."""
        rate = self._rate()
        left = (self._planned - self._done) / rate if rate > 0 else None
        leader = self._ranked()[0] if self._games else None
        return games_line(self._done, self._planned, self._exact, rate, left, leader)

    def __enter__(self) -> Progress:
        if self._stream.isatty():
            from rich.console import Console
            from rich.live import Live

            console = Console(file=self._stream)
            self._live = Live(get_renderable=self._table, console=console, refresh_per_second=4, transient=True)
            self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.__exit__(kind, error, trace)
            self._live = None
        print(self.line(), file=self._stream, flush=True)

    def _count_all(self, results: Mapping[tuple[str, str, str], int]) -> None:
        for result, games in results.items():
            self._count(*result, games)

    def _count(self, white: str, black: str, result: str, games: int = 1) -> None:
        points = points_of(result)
        for name, won in ((white, points), (black, 1 - points)):
            self._points[name] += games * won
            self._games[name] += games
        self._done += games

    def _rate(self) -> float:
        """Games per second."""
        return (self._done - self._before) / max(time.monotonic() - self._began, 1e-9)

    def _ranked(self) -> list[tuple[str, float]]:
        """Players with their scores, best first, equal ones by name."""
        scores = [(name, self._points[name] / games) for name, games in list(self._games.items())]
        return sorted(scores, key=lambda item: (-item[1], item[0]))

    def _table(self) -> Any:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, padding=(0, 2))
        for header, side in (("player", "left"), ("score", "right"), ("games", "right")):
            table.add_column(header, justify=side)  # type: ignore[arg-type]
        for name, score in self._ranked()[:MAX_PLAYERS]:
            table.add_row(Text(name), f"{100 * score:.1f} %", str(self._games[name]))
        bar = ProgressBar(total=max(self._planned, 1), completed=self._done, width=60)
        rows = Table.grid()
        rows.add_row(bar)
        rows.add_row(Text(self.line()))
        return Group(table, rows)


def games_line(
    done: int,
    planned: int,
    exact: bool,
    rate: float | None,
    seconds_left: float | None,
    leader: tuple[str, float] | None,
) -> str:
    """`120/600 games (20 %), 35 games/s, 14 s left, leader simple-d6 75.0 %`, without what is not known.

    `planned` games are the most that there may be if not `exact`; the leader has a score of 0 to 1.
    """
    share = 100 * done / planned if planned else 100
    most = "" if exact else "at most "
    text = f"{done}/{most}{planned} games ({share:.0f} %)"
    if rate:
        text += f", {rate:.3g} games/s"
    if seconds_left is not None:
        text += f", {most}{duration(seconds_left)} left"
    return text + (f", leader {leader[0]} {100 * leader[1]:.1f} %" if leader else "")


def duration(seconds: float) -> str:
    """`14 s`, `3 min 05 s`, `2 h 10 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"
