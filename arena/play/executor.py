"""Tasks over supervised processes: each record is handed on as soon as it is made."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import islice
from typing import Any, TypeVar

from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import BrokenProcessPool

BATCH_SECONDS = 0.1
"""Seconds that the tasks that a worker is handed at once take, about; a longer task is handed out alone."""
BATCH_TASKS = 1000
"""Tasks that a worker is handed at once, at most: they and their records are in memory."""
_BATCHES = 3
"""Batches that are handed out for each worker, so that none waits for the next."""
_IDLE_SECONDS = 300
"""Seconds after which a worker without tasks ends."""
_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
"""Variables of the threads of a worker's libraries: one, unless they say otherwise."""

_PR_SET_PDEATHSIG = 1
"""Of Linux's `prctl`: the signal that a process receives when its parent ends."""
_NO_WARNING = "ignore:resource_tracker:UserWarning"
"""Keeps the pool's helper process from warning of what it cleans up after a run that was stopped at once."""

Task = TypeVar("Task")
Record = TypeVar("Record")


class WorkerDied(Exception):
    """A task ended its worker's process, twice, the second time alone; the message is the task's name."""

    def __init__(self, task: Any, name: str) -> None:
        super().__init__(name)
        self.task = task


def run(
    work: Callable[[Task], Record],
    tasks: Iterable[Task],
    workers: int,
    stopping: Callable[[], bool],
    name: Callable[[Task], str] = str,
) -> Iterator[Record]:
    """Do the tasks on `workers` processes, in this one if that is 1; yield each record once made, in any order.

    `work` is a function of a module. No task is begun once `stopping()` is true; those begun are finished. When a
    worker dies, the tasks that were under way are done again, each alone.

    Raises WorkerDied for a task that ends its worker then, too, under its `name`; and what `work` raises, after
    which tasks under way are lost.
    """
    waiting = iter(tasks)
    os.environ.setdefault("PYTHONWARNINGS", _NO_WARNING)
    if workers == 1:
        for task in waiting:
            if stopping():
                return
            yield work(task)
        return
    numbered = enumerate(waiting)
    while True:
        begun: dict[int, Task] = {}
        try:
            yield from _parallel(work, _recorded(numbered, begun, stopping), workers, begun)
            return
        except BrokenProcessPool:
            for number, task in list(begun.items()):
                alone: dict[int, Task] = {}
                try:
                    yield from _parallel(work, _recorded(iter([(number, task)]), alone, stopping), 2, alone)
                except BrokenProcessPool:
                    raise WorkerDied(task, name(task)) from None


def _recorded(
    tasks: Iterator[tuple[int, Task]], begun: dict[int, Task], stopping: Callable[[], bool]
) -> Iterator[tuple[int, Task]]:
    for number, task in tasks:
        if stopping():
            return
        begun[number] = task
        yield number, task


def _parallel(
    work: Callable[[Task], Record], tasks: Iterator[tuple[int, Task]], workers: int, begun: dict[int, Task]
) -> Iterator[Record]:
    threads = {name: os.environ.get(name, "1") for name in _THREADS}
    pool = get_reusable_executor(workers, timeout=_IDLE_SECONDS, initializer=_start_worker, env=threads)
    waiting: set[Future[tuple[float, list[tuple[int, Record]]]]] = set()
    size = 1
    finished = False
    try:
        while True:
            while len(waiting) < _BATCHES * workers and (batch := list(islice(tasks, size))):
                waiting.add(pool.submit(_batch, work, batch))
            if not waiting:
                break
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                seconds, records = future.result()
                each = seconds / len(records)
                size = max(1, min(int(BATCH_SECONDS / max(each, 1e-9)), 2 * size, BATCH_TASKS))
                for number, record in records:
                    begun.pop(number, None)
                    yield record
        finished = True
    finally:
        if not finished:
            pool.shutdown(kill_workers=True)


def _batch(
    work: Callable[[Task], Record], tasks: Sequence[tuple[int, Task]]
) -> tuple[float, list[tuple[int, Record]]]:
    """The seconds that the tasks take, and their records."""
    began = time.perf_counter()
    records = [(number, work(task)) for number, task in tasks]
    return time.perf_counter() - began, records


def _start_worker() -> None:
    """Leave Ctrl-C to the parent, and end with it where the system can see to that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
