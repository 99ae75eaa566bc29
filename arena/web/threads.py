"""Work beside the server's loop: in threads, so that the loop never waits, and in tasks."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, TypeVar

from arena.rules.jit.kernel import compilation_announced

_T = TypeVar("_T")
_COMPILING_SECONDS = 6.0
"""Seconds after an announcement of the compiler, which makes one every four, in which it is at work."""

_heard: deque[float] = deque([-math.inf], maxlen=1)
"""When the compiler was last heard of."""


def in_thread(work: Callable[[], _T]) -> asyncio.Future[_T]:
    """Run `work` in a thread of its own; the future of what it returns or raises.

    There is no bound on threads, so that players that never answer hold up no other one. They are daemons, so that
    the server can still end.
    """
    future: Future[_T] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return asyncio.wrap_future(future)


def background(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Begin a task of its own; what it raises goes to the loop's exception handler at once."""
    task = asyncio.get_running_loop().create_task(work)
    task.add_done_callback(_tell_failure)
    return task


def _tell_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        task.get_loop().call_exception_handler({"message": "a task failed", "exception": error, "task": task})


@contextmanager
def heeding_compilation() -> Iterator[None]:
    """Let `is_compiling` know."""

    with compilation_announced(lambda _: _heard.append(time.monotonic())):
        yield


def is_compiling() -> bool:
    """Whether rules or a search are being compiled, for which people wait."""
    return time.monotonic() - _heard[0] < _COMPILING_SECONDS
