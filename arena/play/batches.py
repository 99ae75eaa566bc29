"""Batches of tasks: what a worker is handed, what comes back of it, and which tasks come next."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from arena.base.errors import ArenaError
from players.player import Pause

Batch: TypeAlias = list[tuple[int, Any]]
"""Tasks with their numbers, which a worker is handed at once: short ones together, long ones alone."""

BATCH_SECONDS = 0.2
"""Seconds after which a worker begins no further task of its batch."""
BATCH_TASKS = 1000
"""Tasks of a batch, at most: they and their records are in memory."""
_DEATHS = 5
"""Deaths for each worker, with no record made between them, after which no task is handed out any more."""


class EngineError(ArenaError):
    """The workers cannot be reached, cannot begin, or cannot do the work."""


class Made(NamedTuple):
    """What was made of a batch: the records of its first tasks, none if it was not begun, and their seconds."""

    records: Sequence[Any] = ()
    seconds: float = 0.0
    paused: Pause | None = None
    """The pause that the next task asked for."""


class Died(NamedTuple):
    """A worker ended while it did a batch, perhaps by one of its tasks."""


Function: TypeAlias = Callable[[Batch], Made]


def do(work: Callable[[Any], Any], batch: Batch) -> Made:
    """Do the tasks of a batch, in a worker, until BATCH_SECONDS are over or one asks for a pause."""
    records: list[Any] = []
    began, seconds = time.perf_counter(), 0.0
    while len(records) < len(batch) and seconds < BATCH_SECONDS:
        try:
            records.append(work(batch[len(records)][1]))
        except Pause as pause:
            return Made(records, seconds, pause)
        seconds = time.perf_counter() - began
    return Made(records, seconds)


class Queue:
    """The tasks that are left: new ones, some that a worker did not begin, and suspects, each to be done alone.

    The tasks of a batch whose worker died are suspects. One that ends a second worker, alone, is given up.
    """

    def __init__(self, tasks: Iterable[Any], stopping: Callable[[], bool]) -> None:
        """Once `stopping()` is true no task is left."""
        self._stopping = stopping
        self._new = enumerate(tasks)
        self._back: deque[tuple[int, Any]] = deque()
        self._alone: deque[tuple[int, Any]] = deque()
        self._size = 1
        """Tasks of the next batch: as many as take BATCH_SECONDS, by the last one."""
        self._deaths: Counter[int] = Counter()
        """How many workers each task has ended alone."""
        self._in_a_row = 0
        """Deaths since a record was made."""
        self.given_up: dict[int, Any] = {}
        """Tasks that have ended two workers, by their numbers."""
        self.paused: Pause | None = None
        """The first pause that a task asked for."""

    def stopping(self) -> bool:
        """Whether no further task is to be begun."""
        return self.paused is not None or self._stopping()

    def next(self) -> Batch:
        """The next tasks; none when no more are to be begun."""
        if self.stopping():
            return []
        if self._alone:
            return [self._alone.popleft()]
        back = [self._back.popleft() for _ in range(min(self._size, len(self._back)))]
        return back + list(islice(self._new, self._size - len(back)))

    def done(self, batch: Batch, made: Made) -> Sequence[Any]:
        """Take in what was made of a batch; returns its records."""
        records, seconds, paused = made
        self.paused = self.paused or paused
        if records:
            in_time = int(BATCH_SECONDS * len(records) / max(seconds, 1e-9))
            self._size = max(1, min(in_time, 2 * self._size, BATCH_TASKS))
            self._in_a_row = 0
        self._back.extend(batch[len(records) :])
        return records

    def died(self, batch: Batch, workers: int) -> None:
        """One of these tasks, or the machine, has ended a worker."""
        self._in_a_row += 1
        number, task = batch[0]
        self._deaths[number] += len(batch) == 1
        if self._deaths[number] < 2:
            self._alone.extend(batch)
        else:
            self.given_up[number] = task
        if self._in_a_row >= _DEATHS * workers:
            self.given_up |= dict(self._alone)
            self._alone.clear()
            self._back.clear()
            self._new = enumerate(())
