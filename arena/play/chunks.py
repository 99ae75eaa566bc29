"""Chunks of tasks: what a worker is handed, what it makes of it, and which tasks come next."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from arena.base.errors import ArenaError
from players.player import Pause

CHUNK_SECONDS = 0.2
"""Seconds after which a worker begins no further task of its chunk."""
_CHUNK_TASKS = 1000
"""Tasks of a chunk, at most: they and their records are in memory."""
_DEATHS = 5
"""Workers that may end in a row, for each that there is, until a run gives up."""


class EngineError(ArenaError):
    """The workers cannot be reached, cannot begin, or cannot do the work."""


class Chunk(NamedTuple):
    """Tasks that a worker is handed at once: short ones together, long ones alone."""

    tasks: Sequence[Any]
    deaths: int = 0
    """How many workers the task has ended, if it is one alone."""


class Made(NamedTuple):
    """What a worker made of a chunk: the records of its first tasks, none if it was not begun, their seconds."""

    records: Sequence[Any] = ()
    seconds: float = 0.0
    paused: Pause | None = None
    """The pause that the next task asked for."""


Work: TypeAlias = Callable[[Any], Any]
"""A function of a module, which makes a task's record."""


def do(work: Work, tasks: Sequence[Any]) -> Made:
    """Do tasks, in a worker, until CHUNK_SECONDS are over or one asks for a pause."""
    records: list[Any] = []
    began, seconds = time.perf_counter(), 0.0
    for task in tasks:
        try:
            records.append(work(task))
        except Pause as pause:
            return Made(records, seconds, pause)
        seconds = time.perf_counter() - began
        if seconds > CHUNK_SECONDS:
            break
    return Made(records, seconds)


class Queue:
    """The tasks that are left, for threads that take chunks and say what became of them.

    The tasks of a chunk whose worker died are done again, each alone. One that ends a second worker is given up.
    """

    def __init__(self, tasks: Iterable[Any], stopping: Callable[[], bool]) -> None:
        """Once `stopping()` is true no chunk is left."""
        self._stopping = stopping
        self._new = iter(tasks)
        self._back: deque[Any] = deque()
        """Tasks that a worker had no time for."""
        self._suspects: deque[Chunk] = deque()
        self._size = 1
        """Tasks of the next chunk: as many as take CHUNK_SECONDS, by the last one."""
        self._deaths = 0
        """How many workers have ended since a record was made."""
        self._given_up: list[Any] = []
        self._paused: Pause | None = None
        self._lock = threading.Lock()

    def is_over(self) -> bool:
        """Whether no further task is to be begun."""
        return self._paused is not None or self._stopping()

    def next(self) -> Chunk | None:
        """The next chunk; None if there is none, though tasks may come back of those under way."""
        with self._lock:
            if self.is_over():
                return None
            if self._suspects:
                return self._suspects.popleft()
            tasks = [self._back.popleft() for _ in range(min(self._size, len(self._back)))]
            tasks += islice(self._new, self._size - len(tasks))
            return Chunk(tasks) if tasks else None

    def take(self, chunk: Chunk, made: Made | None, workers: int) -> Sequence[Any]:
        """The records of a chunk; None was made of it if its worker ended.

        Raises EngineError if workers, of which there are so many, end one after another.
        """
        with self._lock:
            if made is None:
                self._died(chunk, workers)
                return ()
            self._paused = self._paused or made.paused
            if made.records:
                in_time = int(CHUNK_SECONDS * len(made.records) / max(made.seconds, 1e-9))
                self._size = max(1, min(in_time, 2 * self._size, _CHUNK_TASKS))
                self._deaths = 0
            self._back.extend(chunk.tasks[len(made.records) :])
            return made.records

    def end(self) -> None:
        """Raise the pause that a task asked for; EngineError for tasks given up, unless the run was stopped."""
        if self._paused is not None:
            raise self._paused
        if self._given_up and not self._stopping():
            more = f" (and {len(self._given_up) - 1} more)" if len(self._given_up) > 1 else ""
            raise EngineError(f"{self._given_up[0]}{more} ended the process of a worker, twice")

    def _died(self, chunk: Chunk, workers: int) -> None:
        self._deaths += 1
        if self._deaths >= _DEATHS * max(workers, 1):
            raise EngineError("workers end one after another, whatever they do: have they memory (ulimit -v)?")
        deaths = chunk.deaths + (len(chunk.tasks) == 1)
        if deaths == 2:
            self._given_up.append(chunk.tasks[0])
        else:
            self._suspects.extend(Chunk([task], deaths) for task in chunk.tasks)
