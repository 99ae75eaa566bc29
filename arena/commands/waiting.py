"""Waiting so that Ctrl-C works: for the games of a run, for items of another thread, for a person's line."""

from __future__ import annotations

import multiprocessing
import os
import queue
import select
import signal
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from arena.base import ArenaError
from arena.base.process import importing
from arena.commands.output import say
from arena.play.processes import EngineError
from arena.watch.display import Display
from arena.watch.status import announcing
from players.player import Pause

GRACE_SECONDS = 1.0
"""Seconds that a process has to end by itself after the second Ctrl-C."""
_END = b"\0"
"""The byte that ends the thread that watches signals; no signal has that number."""
_LOOK_SECONDS = 0.1
"""Seconds between two looks at a queue, as Python heeds no signal while it waits."""

_T = TypeVar("_T")


class Stopped(BaseException):
    """The whole process is to end at once; raised in the main thread, anywhere, even in a player's code."""

    def __init__(self, code: int) -> None:
        super().__init__(f"exit code {code}")
        self.code = code


announcing_compilation = partial(announcing, say)
"""Say so if anything has to be compiled, or an outside program is long in answering."""


@contextmanager
def resumable(folder: Path) -> Iterator[None]:
    """Raise ArenaError if workers are lost, one dies of its work, or a player pauses the run.

    It says that `folder` keeps what is finished.
    """
    try:
        yield
    except (EngineError, Pause) as error:
        kept = f"; all that is finished is kept in {folder}; rerun the same command to resume"
        raise ArenaError(f"{error}{kept if folder.exists() else ''}") from None


class Terminal(Display):
    """Shows a run on stderr, and stops it after Ctrl-C as `interruptible` does.

    `module` is imported while others work: the report's libraries take as long as a short run.
    """

    def __init__(self, module: str | None = None) -> None:
        super().__init__()
        self._module = module

    def write(self, line: str) -> None:
        say(line)

    @contextmanager
    def working(self, what: str, total: int, folder: Path | None = None) -> Iterator[Callable[[], bool]]:
        if self._module is not None:
            importing.acquire()  # before the thread runs, so that no process begins beside it
            threading.Thread(target=_imported, args=(self._module,), daemon=True).start()
        with super().working(what, total, folder), interruptible(self.say) as stopping:
            yield stopping


def _imported(module: str) -> None:
    """Import a module and release `importing`; a failure is the next import's to raise."""
    try:
        with suppress(Exception):
            import_module(module)
    finally:
        importing.release()


@contextmanager
def interruptible(say: Callable[[str], None]) -> Iterator[Callable[[], bool]]:
    """Finish current games after the first Ctrl-C; end the process after the second, SIGTERM or SIGHUP.

    Yields a function: whether to begin nothing more. `say` prints a line, from another thread. The process ends by
    the exception Stopped in the main thread, with exit code 130 for Ctrl-C, 143 and 129 for the others, or without
    it after GRACE_SECONDS, if native code holds it up.
    """
    received: list[int] = []

    def handle(number: int, _frame: Any) -> None:
        received.append(number)
        if (code := _exit_code(received)) is not None:
            raise Stopped(code)

    before = {number: signal.signal(number, handle) for number in _signals()}
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    outer = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reader, list(before), say), daemon=True).start()
    try:
        yield lambda: bool(received)
    except Stopped as stopped:
        say("stopped at once; rerun the same command to resume")
        sys.exit(stopped.code)
    finally:
        signal.set_wakeup_fd(outer)
        for number, handler in before.items():
            signal.signal(number, handler)
        if _exit_code(received) is None:
            os.write(writer, _END)
        os.close(writer)


def _watch(reader: int, signals: Sequence[int], say: Callable[[str], None]) -> None:
    """Say what the first Ctrl-C does, and end a process that does not end by itself.

    It reads the numbers of signals that Python's C code writes when they arrive, whatever the main thread does.
    """
    received: list[int] = []
    while byte := os.read(reader, 1):
        if byte == _END:
            break
        if byte[0] not in signals:
            continue
        received.append(byte[0])
        if (code := _exit_code(received)) is not None:
            time.sleep(GRACE_SECONDS)
            for child in multiprocessing.active_children():
                child.kill()
            os._exit(code)
        if received == [signal.SIGINT]:
            say("finishing current games; press Ctrl-C again to stop now")
    os.close(reader)


def _signals() -> list[int]:
    """The signals to watch: not SIGHUP, where `nohup` has it ignored."""
    hangup = [] if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else [signal.SIGHUP]
    return [signal.SIGINT, signal.SIGTERM, *hangup]


def _exit_code(received: Sequence[int]) -> int | None:
    """The exit code after those signals, None while current games may finish."""
    if len(received) > 1:
        return 128 + received[-1]
    return None if received in ([], [signal.SIGINT]) else 128 + received[0]


def watched(
    items: Iterable[_T], stop: Callable[[], None], end: BaseException | None = None
) -> Iterator[_T | None]:
    """The items, drawn by another thread, as they come, and None now and then where none came.

    The first Ctrl-C calls `stop`, the second raises `end`, KeyboardInterrupt unless one is given, and leaves the
    thread behind. What drawing the items raises is raised here.
    """
    # A Queue: CPython's SimpleQueue waits for ever if its time is over when a handler of a signal returns.
    drawn: queue.Queue[tuple[_T | None, BaseException | None, bool]] = queue.Queue()
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


def line_of(prompt: str, seconds: float | None = None) -> str | None:
    """The next line of the standard input, None if there is none; without a limit with editing on a terminal.

    Where it is no terminal, nothing is prompted. Raises KeyboardInterrupt, and on a terminal TimeoutError when
    `seconds` are over; what was typed by then is forgotten.
    """
    if sys.stdin.isatty() and seconds is None:
        with suppress(ImportError):
            import readline  # noqa: F401  input() edits lines once it is imported
        try:
            return input(prompt).strip()
        except EOFError:
            print()
            return None
    if sys.stdin.isatty():
        print(prompt, end="", flush=True)
        if not select.select([sys.stdin], [], [], seconds)[0]:
            termios.tcflush(sys.stdin, termios.TCIFLUSH)
            raise TimeoutError
    line = sys.stdin.readline()
    return line.strip() if line else None
