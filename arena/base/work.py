"""Work that takes long: announced, in how many processes, and a generator in one of its own, with time limits."""

from __future__ import annotations

import math
import pickle
import socket
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from arena.base.process import ON_LINUX, Ended, Process

_MEMORY = 4096
"""Megabytes that work may have beyond what its process has at the start."""
_PROCESSES = 256
"""Processes that work may be at once: room for a player in a process of its own within it."""


def cores() -> int:
    """How many processors this process may use at once: those of the machine, as far as its affinity, its cgroup
    and LOKY_MAX_CPU_COUNT let it.
    """
    from joblib import cpu_count  # which takes half a second to import

    return int(cpu_count())


class Announcement:
    """Announces what takes long to whoever waits for it: a call of it calls the innermost listener."""

    def __init__(self) -> None:
        self._listeners: list[Callable[..., object]] = []
        self.at = -math.inf
        """The reading of `time.monotonic` at the last call."""

    @contextmanager
    def heard_by(self, listener: Callable[..., object]) -> Iterator[None]:
        """Call `listener` in the block, with what the announcement says."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    def __call__(self, *facts: Any) -> None:
        self.at = time.monotonic()
        for listener in self._listeners[-1:]:
            listener(*facts)


class Stage(NamedTuple):
    """The next stage of work, announced before it starts: `Stage("being loaded", 10.0)`."""

    doing: str
    seconds: float
    """How long it may take until the work yields again."""


class Lost(Exception):
    """Work that was not finished: `did not end within 10 s while being loaded`."""


def run_in_subprocess(work: Callable[..., Iterator[Any]], *arguments: Any) -> Generator[Any, None, None]:
    """Yield what a generator function yields in its own process, except its stages; off Linux in this one.

    What it yields can be pickled. It yields a `Stage` before whatever may take long. Its output is thrown away,
    and its process is ended, with all that it began, when the iterator is closed, and when the process that asked
    for it ends. Raises Lost when a stage takes too long, or the process ends by a signal, by `sys.exit` or by an
    exception.
    """
    if not ON_LINUX:
        yield from (message for message in work(*arguments) if not isinstance(message, Stage))
        return
    process = Process(lambda connection: _do(work, arguments, connection), _MEMORY, _PROCESSES)
    stage, message = Stage("starting", 60.0), object()
    try:
        while message is not None:
            try:
                message = pickle.loads(b64decode(process.answer(time.perf_counter() + stage.seconds)))
            except Ended as ended:
                message = Lost(str(ended))
            except TimeoutError:
                message = Lost(f"did not end within {stage.seconds:g} s")
            if isinstance(message, Lost):
                raise Lost(f"{message} while {stage.doing}")
            if isinstance(message, Stage):
                stage = message
            elif message is not None:
                yield message
    finally:
        process.kill()


def _do(work: Callable[..., Iterator[Any]], arguments: tuple[Any, ...], connection: socket.socket) -> None:
    def say(message: Any) -> None:
        connection.sendall(b64encode(pickle.dumps(message)) + b"\n")

    try:
        for message in work(*arguments):
            say(message)
        say(None)
    except SystemExit:
        say(Lost("called sys.exit"))
    except BaseException as error:
        say(Lost(f"raised {type(error).__name__}"))
