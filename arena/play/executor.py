"""Tasks over supervised workers: each record is handed on as soon as it is made."""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypeAlias, TypeVar

from arena.play.engine import Died, NotBegun, TaskEngine

Workers: TypeAlias = int | str
"""Processes of this machine, or the address of a Dask scheduler: `tcp://host:8786`."""
AnyTask = TypeVar("AnyTask")
AnyRecord = TypeVar("AnyRecord")

BATCH_SECONDS = 0.1
"""Seconds after which a worker begins no further task of those that it was handed at once."""
BATCH_TASKS = 1000
"""Tasks that a worker is handed at once, at most: they and their records are in memory."""
_AHEAD = 2
"""Batches that are handed out for each worker, so that none waits for the next, while all tasks are short."""
_DEATHS = 5
"""Deaths for each worker, with no record made between them, after which no task is handed out any more."""
_POLL_SECONDS = 0.5
"""Seconds after which a lost or new worker, or the wish to stop, is noticed, at most."""

_engines: dict[Workers, TaskEngine] = {}
"""Engines that are kept for the next tasks."""
_one_at_a_time = threading.Lock()
"""Held by the batch that is being done: a player may use all of its process, which Dask gives several threads."""


class WorkerDied(Exception):
    """Tasks ended their worker's process, each of them twice and alone; the message names the first."""

    def __init__(self, tasks: Sequence[Any], name: Callable[[Any], str]) -> None:
        more = f" (and {len(tasks) - 1} more)" if len(tasks) > 1 else ""
        super().__init__(name(tasks[0]) + more)
        self.tasks = tuple(tasks)


def run(
    work: Callable[[AnyTask], AnyRecord],
    tasks: Iterable[AnyTask],
    workers: Workers,
    stopping: Callable[[], bool],
    name: Callable[[AnyTask], str] = str,
) -> Iterator[AnyRecord]:
    """Do the tasks on the workers, in this process if that is 1; yield each record once made, in any order.

    `work` is a function of a module. No task is handed out once `stopping()` is true; those under way are
    finished. When a worker dies, the tasks that it had begun are done again, each alone.

    Raises, when all others are done, WorkerDied for tasks that end two workers alone, under the `name` of the
    first; at once EngineError, if the workers are lost, and what `work` raises: tasks under way are lost.
    """
    if workers == 1:
        for task in tasks:
            if stopping():
                return
            record = work(task)
            last = stopping()  # it raises if the task was ended by a signal and its player has swallowed that
            yield record
            if last:
                return
        return
    todo = _Todo(tasks, stopping)
    engine = _engine(workers)
    finished = False
    try:
        yield from _parallel(engine, work, todo)
        finished = True
    finally:
        if not finished:
            _engines.pop(workers, None)
            engine.close()
    if todo.failed and not stopping():
        raise WorkerDied([task for _, task in sorted(todo.failed.items())], name)


class _Todo:
    def __init__(self, tasks: Iterable[Any], stopping: Callable[[], bool]) -> None:
        self._new = enumerate(tasks)
        self._back: deque[tuple[int, Any]] = deque()
        self._alone: deque[tuple[int, Any]] = deque()
        self._deaths: Counter[int] = Counter()
        self._in_a_row = 0
        self.suspects: set[int] = set()
        """Numbers of tasks that a worker died of, perhaps, until they are done alone."""
        self.failed: dict[int, Any] = {}
        """Tasks that ended two workers, by number."""
        self.stopping = stopping

    def batch(self, size: int) -> list[tuple[int, Any]]:
        """The next tasks, `size` at most; none when no more are to be begun."""
        if self.stopping():
            return []
        if self._alone:
            return [self._alone.popleft()]
        back = [self._back.popleft() for _ in range(min(size, len(self._back)))]
        return back + list(islice(self._new, size - len(back)))

    def done(self, batch: Sequence[tuple[int, Any]], count: int) -> None:
        """The first `count` tasks of a batch are done; the others were not begun."""
        self._in_a_row = 0
        self.suspects.difference_update(number for number, _ in batch[:count])
        self._back.extend(batch[count:])

    def died(self, batch: Sequence[tuple[int, Any]], workers: int) -> None:
        """Tasks of which one, or the machine, has ended its worker."""
        self._in_a_row += 1
        for number, task in batch:
            self._deaths[number] += len(batch) == 1
            self.suspects.add(number)
            if self._deaths[number] > 1:
                self.suspects.remove(number)
                self.failed[number] = task
            else:
                self._alone.append((number, task))
        if self._in_a_row >= _DEATHS * workers:
            self.failed |= dict(self._alone)
            self._alone.clear()
            self._back.clear()
            self._new = iter(())  # type: ignore[assignment]


class _Batch(NamedTuple):
    seconds: float
    longest: float
    """Seconds of the task that took longest."""
    records: list[Any]
    """Of the first tasks of the batch, at least one."""


def _parallel(engine: TaskEngine, work: Callable[[AnyTask], AnyRecord], todo: _Todo) -> Iterator[AnyRecord]:
    handed: dict[Future[_Batch], list[tuple[int, Any]]] = {}
    size = ahead = 1
    while True:
        workers = max(1, engine.workers())
        room = workers * (1 if todo.suspects else ahead)  # Dask suspects whatever a lost worker had
        while len(handed) < room and (batch := todo.batch(size)):
            handed[engine.submit(partial(_do, work), batch)] = batch
        if not handed:
            return
        done, _ = wait(handed, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
        for future in done:
            batch = handed.pop(future)
            try:
                made = future.result()
            except CancelledError:
                continue
            except NotBegun:
                todo.done(batch, 0)
                continue
            except Died:
                todo.died(batch, workers)
                continue
            todo.done(batch, len(made.records))
            each = made.seconds / len(made.records)
            size = max(1, min(int(BATCH_SECONDS / max(each, 1e-9)), 2 * size, BATCH_TASKS))
            ahead = _AHEAD if made.longest < BATCH_SECONDS else 1
            yield from made.records
        if todo.stopping():
            engine.withdraw(handed)


def _do(work: Callable[[Any], Any], batch: Sequence[tuple[int, Any]]) -> _Batch:
    records: list[Any] = []
    longest = 0.0
    with _one_at_a_time:
        began = before = time.perf_counter()
        for _, task in batch:
            records.append(work(task))
            now = time.perf_counter()
            longest, before = max(longest, now - before), now
            if now - began >= BATCH_SECONDS:
                break
    return _Batch(now - began, longest, records)


@atexit.register
def close() -> None:
    """Close the engines that are kept; at exit before Python takes apart the modules that they need for it."""
    for workers in list(_engines):
        _engines.pop(workers).close()


def usual_workers() -> int:
    """How many processes play games where nobody says it: one for each core."""
    return os.cpu_count() or 1


def worker_count(workers: Workers) -> int:
    """How many workers there are now; raises EngineError if they cannot be reached."""
    return _engine(workers).workers()


def _engine(workers: Workers) -> TaskEngine:
    if workers not in _engines:
        if isinstance(workers, str):
            from arena.play.cluster import Cluster

            _engines[workers] = Cluster(workers)
        else:
            from arena.play.processes import Processes

            _engines[workers] = Processes(workers)
    return _engines[workers]
