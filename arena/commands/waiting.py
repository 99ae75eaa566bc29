"""Waiting for a line, for items of another thread so that Ctrl-C works, or for items that are counted."""

from __future__ import annotations

import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import click

from arena.commands.output import replaces_lines, say
from arena.watch.display import Ticker
from arena.watch.words import duration

_LOOK_SECONDS = 0.1
"""Seconds between two looks, as Python heeds no signal while it waits."""

_SHOW_SECONDS = 0.2
"""Seconds between two counts on a terminal."""

T = TypeVar("T")


def line_of(prompt: str, seconds: float | None = None) -> str | None:
    """The next line of the standard input, with editing and history on a terminal; None if there is none.

    Where it is no terminal, nothing is prompted. Raises KeyboardInterrupt, and on a terminal, where the system has
    alarms, TimeoutError when `seconds` are over.
    """
    if not sys.stdin.isatty():
        line = sys.stdin.readline()
        return line.strip() if line else None
    with suppress(ImportError):
        import readline  # noqa: F401  input() edits lines once it is imported
    try:
        with _alarm(seconds):
            return input(prompt).strip()
    except EOFError:
        print()
        return None


@contextmanager
def _alarm(seconds: float | None) -> Iterator[None]:
    """Raise TimeoutError after some seconds; it ends the wait for a line as Ctrl-C does."""
    if seconds is None or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(_number: int, _frame: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def watched(items: Iterable[T], stop: Callable[[], None], end: BaseException | None = None) -> Iterator[T | None]:
    """The items, drawn by another thread, as they come, and None now and then where none came.

    The first Ctrl-C calls `stop`, the second raises `end`, KeyboardInterrupt unless one is given, and leaves the
    thread behind. What drawing the items raises is raised here.
    """
    # A Queue: CPython's SimpleQueue waits for ever if its time is over when a handler of a signal returns.
    found: queue.Queue[tuple[T | None, BaseException | None, bool]] = queue.Queue()
    interrupts: list[int] = []

    def draw() -> None:
        try:
            for item in items:
                found.put((item, None, False))
            found.put((None, None, True))
        except BaseException as error:
            found.put((None, error, True))

    def interrupted(number: int, _frame: Any) -> None:
        interrupts.append(number)
        if len(interrupts) > 1:
            raise end or KeyboardInterrupt()
        stop()

    before = signal.signal(signal.SIGINT, interrupted)
    threading.Thread(target=draw, daemon=True).start()
    try:
        while True:
            try:
                item, error, is_last = found.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                yield None
                continue
            if error is not None:
                raise error
            if is_last:
                return
            yield item
    finally:
        signal.signal(signal.SIGINT, before)


class ProgressLine:
    """How far some work is, on stderr: a terminal's line is replaced; elsewhere lines come ever more rarely."""

    def __init__(self, ending: str = "") -> None:
        """`ending` is what the line of a terminal ends with."""
        self._ending = ending
        self._replaces, self._ticker = replaces_lines(sys.stderr), Ticker()
        self._shown = time.monotonic()

    def show(self, line: str) -> None:
        """Show a line if it is time for one."""
        now = time.monotonic()
        if not self._replaces:
            if self._ticker.due():
                say(line)
        elif now - self._shown >= _SHOW_SECONDS:
            click.echo(f"\r\x1b[K{line}{self._ending}", nl=False, err=True)
            self._shown = now

    def end(self) -> None:
        """Leave the line of a terminal."""
        if self._replaces:
            click.echo("\r\x1b[K", nl=False, err=True)


def counted_up(items: Iterable[T], total: int, what: str) -> Iterator[T]:
    """The items as they come, with how many of `total` there are and the time left as a ProgressLine."""
    progress, began = ProgressLine("; Ctrl-C stops"), time.monotonic()
    try:
        for number, item in enumerate(items, start=1):
            yield item
            now = time.monotonic()
            if number == 1:  # it was waited for while processes began and kernels were compiled
                progress, began = ProgressLine("; Ctrl-C stops"), now
                continue
            left = duration((now - began) / (number - 1) * (total - number))
            progress.show(f"{number:,} of {total:,} {what}, {left} left")
    finally:
        progress.end()
