"""Games over processes: supervised, each result handed on as soon as it is there."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable, Iterable, Iterator

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky.process_executor import BrokenProcessPool

from arena.match import GameRecord, Task, play

_PR_SET_PDEATHSIG = 1
_QUIET = "ignore:resource_tracker:UserWarning"
"""Keeps the pool's helper process from warning of what it cleans up after a run that was stopped at once."""


class WorkerDied(Exception):
    """A game ended its worker's process, twice, the second time alone; `task` is that game."""

    def __init__(self, task: Task) -> None:
        super().__init__(f"game {task.pairing.game} ({task.white.name} against {task.black.name})")
        self.task = task


def run(tasks: Iterable[Task], workers: int, stopping: Callable[[], bool]) -> Iterator[GameRecord]:
    """Play the games on `workers` processes, in this one if that is 1; yield each as it ends, in any order.

    No game is begun once `stopping()` is true; those begun are played out. When a worker dies, the games that
    were under way are played again, each alone. Raises WorkerDied for one that ends its worker then, too.
    """
    waiting = iter(tasks)
    os.environ.setdefault("PYTHONWARNINGS", _QUIET)
    if workers == 1:
        for task in waiting:
            if stopping():
                return
            yield play(task)
        return
    while True:
        begun: dict[int, Task] = {}
        try:
            yield from _parallel(_recorded(waiting, begun, stopping), workers, begun)
            return
        except BrokenProcessPool:
            for task in list(begun.values()):
                alone: dict[int, Task] = {}
                try:
                    yield from _parallel(_recorded(iter([task]), alone, stopping), 2, alone)
                except BrokenProcessPool:
                    raise WorkerDied(task) from None


def _recorded(tasks: Iterator[Task], begun: dict[int, Task], stopping: Callable[[], bool]) -> Iterator[Task]:
    for task in tasks:
        if stopping():
            return
        begun[task.pairing.game] = task
        yield task


def _parallel(tasks: Iterator[Task], workers: int, begun: dict[int, Task]) -> Iterator[GameRecord]:
    with parallel_config(backend="loky", initializer=_start_worker):
        pool = Parallel(n_jobs=workers, return_as="generator_unordered", batch_size="auto")
        for record in pool(delayed(play)(task) for task in tasks):
            begun.pop(record.pairing.game, None)
            yield record


def _start_worker() -> None:
    """Leave Ctrl-C to the parent, and die with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "prctl"):
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
