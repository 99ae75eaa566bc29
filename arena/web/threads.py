"""Work beside the server's loop: in threads, so that the loop never waits, and in tasks."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from arena.rules.jit.kernel import compiling

_T = TypeVar("_T")
_COMPILING_SECONDS = 6.0
"""Seconds after the compiler has begun with a function in which it is at work."""


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


def is_compiling() -> bool:
    """Whether rules or a search are being compiled, for which people wait."""
    return time.monotonic() - compiling.at < _COMPILING_SECONDS
