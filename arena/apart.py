"""Work done apart: in a process of its own, which can neither end nor hold up the one that asked for it."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

START_SECONDS = 60.0
"""Seconds that the process may take to begin."""
MEMORY = 4 * 2**30
"""Bytes of data that the work may have beyond what its process has at the start (on Linux)."""
_PRELOADED = ["players.ready", "arena.play.trial"]
"""What the server imports that the processes are forked from, so that they begin within milliseconds."""
_END_SECONDS = 2.0
"""Seconds that a process may take to end after its pipe is closed."""


class Stage(NamedTuple):
    """What work does next, said before it is begun."""

    doing: str
    """As in `while being loaded`: what follows `while`."""
    seconds: float
    """How long it may take until the work yields again."""


class Lost(Exception):
    """Work that did not come to its end: the message says in one line how it ended and what it was doing."""


class _End(NamedTuple):
    """That work is at its end, and how it came to it if it was not its own."""

    how: str = ""


def apart(work: Callable[..., Iterator[Any]], *arguments: Any, memory: int = MEMORY) -> Generator[Any, None, None]:
    """What a generator function yields, called in a process of its own, but for its stages.

    `work` is a function of a module; its arguments and what it yields can be pickled. It yields a `Stage` before
    whatever may take long. Its output is thrown away, and its process is killed, with all that it began, when the
    iterator is closed, and when the process that asked for it ends.

    Raises Lost when a stage takes too long, or the process ends by a signal, by `sys.exit` or by an exception.
    """
    context: Any = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(there, work, arguments, memory))
    process.start()
    there.close()
    stage = Stage("starting", START_SECONDS)
    try:
        while True:
            if not here.poll(stage.seconds):
                raise Lost(f"did not end within {stage.seconds:g} s while {stage.doing}")
            try:
                message = here.recv()
            except EOFError:
                process.join(_END_SECONDS)
                raise Lost(f"{_ended(process.exitcode)} while {stage.doing}") from None
            if isinstance(message, Stage):
                stage = message
            elif isinstance(message, _End):
                if message.how:
                    raise Lost(f"{message.how} while {stage.doing}")
                return
            else:
                yield message
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.join(_END_SECONDS)
        here.close()


def _serve(there: Connection, work: Callable[..., Iterator[Any]], arguments: tuple[Any, ...], memory: int) -> None:
    """Do the work in this process, which is its own, and send what it yields."""
    os.setsid()
    _end_with_the_parent()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (_data() + memory, most))
    try:
        for message in work(*arguments):
            there.send(message)
        there.send(_End())
    except SystemExit:
        there.send(_End("called sys.exit"))
    except BaseException as error:
        there.send(_End(f"raised {type(error).__name__}"))
    finally:
        os._exit(0)


def _end_with_the_parent() -> None:
    """Have the system end this process and its children, whatever they do, when the one that asked for it ends."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(parent.sentinel, fcntl.F_SETOWN, -os.getpgrp())
    flags = fcntl.fcntl(parent.sentinel, fcntl.F_GETFL)
    fcntl.fcntl(parent.sentinel, fcntl.F_SETFL, flags | os.O_ASYNC)


def _data() -> int:
    """Bytes that this process could write to: what it has reserved, or mapped of files, is not counted."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[5]) * resource.getpagesize()


def _ended(code: int | None) -> str:
    """How a process ended."""
    if code is None:
        return "closed its pipe"
    if code >= 0:
        return f"ended its process (exit code {code})"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
