"""Two pools of threads, for players that think and for analyses, so that the server's loop never waits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

from arena.base.work import cores

_T = TypeVar("_T")


class Pool:
    """Threads that are begun when work comes, at most so many.

    They are daemons: a user's player that never answers keeps its thread, and the server can still end.
    """

    def __init__(self, most: int) -> None:
        self._most, self._threads = most, 0
        self._work: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()

    async def run(self, work: Callable[[], _T]) -> _T:
        """Run `work` in a thread; return or raise what it does. Cancelled before it begins, it is not run."""
        future: Future[_T] = Future()
        self._work.put((future, work))
        if self._threads < self._most:
            self._threads += 1
            threading.Thread(target=self._serve, daemon=True).start()
        return await asyncio.wrap_future(future)

    def _serve(self) -> None:
        while True:
            self._run(*self._work.get())

    def _run(self, future: Future[Any], work: Callable[[], Any]) -> None:
        """Run work in this thread, which keeps nothing of it afterwards."""
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)


THINKING = Pool(2 * (cores()) + 4)
"""For players that are built and asked, and for hints."""
ANALYSIS = Pool((cores()) + 2)
"""For analyses, which take as long as they are let."""


def background(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Begin a task of its own; what it raises goes to the loop's exception handler at once."""
    task = asyncio.get_running_loop().create_task(work)
    task.add_done_callback(_tell_failure)
    return task


def _tell_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        task.get_loop().call_exception_handler({"message": "a task failed", "exception": error, "task": task})
