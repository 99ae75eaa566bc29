"""Threads for what takes long, in lanes: no work in one lane waits for work in another."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from players.loading import own_code
from players.player import Limit, PlayerSpec, default_limit
from players.table import PLAYERS

SHORT_SECONDS = 0.1
"""An answer that takes no longer is short."""
SHORT_DEPTH = 6
"""Plies that a search takes no longer for, as a rule."""
SHORT_NODES = 20_000
"""Positions that a search takes no longer for, as a rule."""
MOST_ANALYSES = 8
"""Analyses and hints at a time."""
_OWN = 100
"""Searches of players with a user's code at a time: one that never ends delays no other player."""
_OTHERS = 4
"""Other work at a time: games begun, positions looked at."""

T = TypeVar("T")


class Lane:
    """So many threads at a time; who comes later waits for a place."""

    def __init__(self, places: int) -> None:
        self._free = asyncio.Semaphore(places)

    async def run(self, work: Callable[[], T]) -> T:
        """Run `work` in its own thread; return or raise what it does.

        If the caller is cancelled while waiting, the thread keeps its place until it ends.
        """
        await self._free.acquire()
        loop = asyncio.get_running_loop()
        done: asyncio.Future[tuple[T | None, BaseException | None]] = loop.create_future()

        def end(result: T | None, error: BaseException | None) -> None:
            self._free.release()
            if not done.done():
                done.set_result((result, error))

        def body() -> None:
            result, error = None, None
            try:
                result = work()
            except BaseException as raised:
                error = raised
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(end, result, error)

        threading.Thread(target=body, daemon=True).start()
        result, error = await done
        if error is not None:
            raise error
        return result  # type: ignore[return-value]


class Lanes:
    """The lanes of a server: `of` says which one a player's search takes."""

    def __init__(self) -> None:
        cores = os.cpu_count() or 1
        self.short = Lane(2 * cores)
        self.long = Lane(max(1, cores - 1))  # a core is left for the loop and for short searches
        self.own = Lane(_OWN)
        self.analysis = Lane(MOST_ANALYSES)
        self.others = Lane(_OTHERS)

    def of(self, spec: PlayerSpec, last_seconds: float | None) -> Lane:
        """The lane of a player's next search; `last_seconds` are those of its last one in the game, if any."""
        if own_code(spec):
            return self.own
        if last_seconds is not None:
            return self.short if last_seconds <= SHORT_SECONDS else self.long
        return self.short if _is_short(spec) else self.long


def background(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """A task for itself; what it raises goes to the loop's exception handler at once."""
    task = asyncio.get_running_loop().create_task(work)
    task.add_done_callback(_tell_failure)
    return task


def _tell_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        task.get_loop().call_exception_handler({"message": "a task failed", "exception": error, "task": task})


def _is_short(spec: PlayerSpec) -> bool:
    """Whether a player that has not searched yet answers soon, as its limits say."""
    limit = spec.limit
    if limit == Limit():
        limit = default_limit(PLAYERS[spec.type])
    if limit.seconds is not None and limit.seconds <= SHORT_SECONDS:
        return True
    if limit.depth is not None and limit.depth <= SHORT_DEPTH:
        return True
    return limit.longest is None and limit.depth is None and (limit.nodes or 0) <= SHORT_NODES
