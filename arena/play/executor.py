"""Tasks over supervised processes: each record is handed on as soon as it is made."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky.process_executor import BrokenProcessPool

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
    with parallel_config(backend="loky", initializer=_start_worker):
        pool = Parallel(n_jobs=workers, return_as="generator_unordered", batch_size="auto")
        for number, record in pool(delayed(_numbered)(work, number, task) for number, task in tasks):
            begun.pop(number, None)
            yield record


def _numbered(work: Callable[[Task], Record], number: int, task: Task) -> tuple[int, Record]:
    return number, work(task)


def _start_worker() -> None:
    """Leave Ctrl-C to the parent, and end with it where the system can see to that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
