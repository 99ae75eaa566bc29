"""Waiting for a line, for items of another thread so that Ctrl-C works, or for items that are counted."""

from __future__ import annotations

import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from arena.commands.common import interruptible
from arena.commands.output import say
from arena.watch.display import Display

_LOOK_SECONDS = 0.1
"""Seconds between two looks, as Python heeds no signal while it waits."""

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
    drawn: queue.Queue[tuple[T | None, BaseException | None, bool]] = queue.Queue()
    interrupts: list[int] = []

    def draw() -> None:
        try:
            for item in items:
                drawn.put((item, None, False))
            drawn.put((None, None, True))
        except BaseException as error:
            drawn.put((None, error, True))

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
                item, error, is_last = drawn.get(timeout=_LOOK_SECONDS)
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


class Terminal(Display):
    """Shows a run on stderr, lines wrapped to its width, and stops it after Ctrl-C: see `interruptible`.

    `module` is imported while others work: the report's libraries take as long as a short run.
    """

    def __init__(self, module: str | None = None) -> None:
        super().__init__()
        self._module = module

    def write(self, line: str) -> None:
        say(line)

    @contextmanager
    def working(
        self, what: str, total: int, folder: Path | None = None, *, at_once: bool = False
    ) -> Iterator[Callable[[], bool]]:
        if self._module is not None:
            threading.Thread(target=_imported, args=(self._module,), daemon=True).start()
        with (
            super().working(what, total, folder) as never,
            nullcontext(never) if at_once else interruptible(self.say) as stopping,
        ):
            yield stopping


def _imported(module: str) -> None:
    """Import a module; a failure is the next import's to raise."""
    with suppress(Exception):
        import_module(module)
