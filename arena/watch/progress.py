"""Progress of a run: a live table on a terminal, a plain line elsewhere, ever more rarely."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

from arena.experiment.formats.sequential import SequentialTest
from arena.rules.result import points_of
from arena.watch.elo import PROVISIONAL, EloScale, Refits
from arena.watch.live import Standing, by_score

if TYPE_CHECKING:
    from arena.experiment.formats.sprt import Sprt
    from arena.watch.window import RunView

PLAIN_SECONDS = 10.0
"""Seconds to the first plain line."""
MAX_SECONDS = 320.0
"""Seconds between two plain lines, at most."""
REFRESHES = 1
"""How often in a second a terminal's window is drawn."""


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


class Progress:
    """Counts finished games and shows them on `stream`; a context manager around the run.

    `planned` is the number of games, or the most that there may be if not `exact`. `scale` is that of the
    Elo shown, and `sprt` the run's sequential test.
    """

    def __init__(
        self,
        planned: int,
        stream: TextIO | None = None,
        *,
        exact: bool = True,
        scale: EloScale = EloScale(),  # noqa: B008  a value
        sprt: Sprt | None = None,
    ) -> None:
        self._planned = planned
        self._exact = exact
        self._stream = stream or sys.stderr
        self._results: dict[tuple[str, str, str], int] = {}
        self._won: dict[str, dict[float, int]] = {}
        """Of each player, how many games it has of 1, 1/2 and 0 points."""
        self._points: dict[int, float] | None = None if sprt is None else {}
        """White's points by number of the game, for the test."""
        self._test = SequentialTest(sprt)
        self._scale, self._refits = scale, Refits()
        self._left_out: frozenset[str] = frozenset()
        self._done = self._before = 0
        self._began = time.monotonic()
        self._ticker = Ticker()
        self._live: Any = None

    def resume(self, results: Mapping[tuple[str, str, str], int], by_game: Iterable[tuple[int, str]] = ()) -> None:
        """Count games that were played before: how many of each white, black, result. The rate leaves them out.

        `by_game` has the number and the result of each, for a sequential test.
        """
        self._count_all(results)
        self._before = self._done
        if self._points is not None:
            self._points.update((game, points_of(result)) for game, result in by_game)
            self._test.advance(self._points)

    def add(self, white: str, black: str, result: str, game: int | None = None) -> None:
        """Count a game that just ended, and show it when it is time. Raises ValueError for what is no result.

        `game` is its number, for a sequential test.
        """
        self._count(white, black, result)
        if self._points is not None and game is not None:
            self._points[game] = points_of(result)
            self._test.advance(self._points)
        if self._live is None and self._ticker.due():
            print(self.line(), file=self._stream, flush=True)

    def leave_out(self, players: Iterable[str]) -> None:
        """Have no game of these players count in standings and Elo."""
        if (left_out := frozenset(players)) == self._left_out:
            return
        self._left_out, done, before = left_out, self._done, dict(self._results)
        self._results.clear()
        self._won.clear()
        self._count_all(before)
        self._done = done

    def end(self, results: Mapping[tuple[str, str, str], int], complete: bool) -> None:
        """Count again the games that the run has kept; if `complete`, no more are planned."""
        self._results.clear()
        self._won.clear()
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
        """`120/600 games (20 %), 35 games/s, 14 s left, leader simple-d6 75.0 %`, and a sequential test's LLR."""
        rate = self._rate()
        left = (self._planned - self._done) / rate if rate > 0 else None
        standings = self._standings()
        leader = (standings[0].player, standings[0].score) if standings else None
        text = games_line(self._done, self._planned, self._exact, rate, left, leader)
        return text + ("" if self._test.state is None else f", LLR {self._test.state.llr:.2f}".replace("-", "−"))

    def __enter__(self) -> Progress:
        if self._stream.isatty():
            from rich.console import Console
            from rich.live import Live

            from arena.watch.window import view

            console = Console(file=self._stream)
            self._live = Live(
                get_renderable=lambda: view(self.scene(), console),
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
        print(self.line(), file=self._stream, flush=True)

    def scene(self) -> RunView:
        """What a terminal's window shows."""
        from arena.watch.window import RunView, ranked, test_line

        elo = self._refits.of(dict(self._results), self._scale)
        state = self._test.state
        test = [] if state is None else [test_line(state, self._test.games // 2)]
        standings = ranked(self._standings(), elo)
        below = [*test, *([PROVISIONAL] if elo else []), self.line()]
        return RunView(standings, elo, self._done, self._planned, below=below)

    def _count_all(self, results: Mapping[tuple[str, str, str], int]) -> None:
        for result, games in results.items():
            self._count(*result, games)

    def _count(self, white: str, black: str, result: str, games: int = 1) -> None:
        self._done += games
        if white in self._left_out or black in self._left_out:
            return
        points = points_of(result)
        for name, won in ((white, points), (black, 1 - points)):
            counts = self._won.get(name) or {1: 0, 0.5: 0, 0: 0}
            counts[won] += games
            self._won[name] = counts
        key = white, black, result
        self._results[key] = self._results.get(key, 0) + games

    def _rate(self) -> float:
        """Games per second."""
        return (self._done - self._before) / max(time.monotonic() - self._began, 1e-9)

    def _standings(self) -> list[Standing]:
        return by_score(Standing(name, it[1], it[0.5], it[0]) for name, it in list(self._won.items()))


def games_line(
    done: int,
    planned: int,
    exact: bool,
    rate: float | None,
    seconds_left: float | None,
    leader: tuple[str, float] | None,
) -> str:
    """`120/600 games (20 %), 35 games/s, 14 s left, leader simple-d6 75.0 %`, without what is not known.

    `planned` games are the most that there may be if not `exact`; 0 if games come as they are played, of which
    neither rate nor end can be told. The leader has a score of 0 to 1.
    """
    lead = f", leader {leader[0]} {100 * leader[1]:.1f} %" if leader else ""
    if not planned:
        return f"{done} game{'' if done == 1 else 's'}{lead}"
    share = 100 * done / planned
    most = "" if exact else "at most "
    text = f"{done}/{most}{planned} games ({share:.0f} %)"
    if rate:
        text += f", {rate:.3g} games/s"
    if seconds_left is not None:
        text += f", {most}{duration(seconds_left)} left"
    return text + lead


def duration(seconds: float) -> str:
    """`14 s`, `3 min 05 s`, `2 h 10 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"
