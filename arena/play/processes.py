"""Processes of this machine as an engine: joblib's loky, a pool for each, so that none dies for another."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cache
from typing import Any

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import BrokenProcessPool

from arena.base.supervisor import are_supported, end_with
from arena.play.engine import Died, NotBegun
from arena.watch.live import lives

NUMBER = "ARENA_WORKER"
"""The environment's variable with the number, from 0, of a worker process of this machine."""


def pin() -> None:
    """Keep this thread, and what it starts, to a core: another one for each worker as long as there are.

    A process without a number is the first one. Nothing happens where the system cannot do it.
    """
    if hasattr(os, "sched_setaffinity"):
        cores = _cores()
        os.sched_setaffinity(0, {cores[int(os.environ.get(NUMBER, "0")) % len(cores)]})


@cache
def _cores() -> list[int]:
    """The cores of this process before it is kept to some."""
    return sorted(os.sched_getaffinity(0))


_IDLE_SECONDS = 300
"""Seconds after which a process without tasks ends."""
_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
"""Variables of the threads of a process's libraries: one, unless they say otherwise."""
_ORPHAN_SECONDS = 0.5
"""Seconds between two looks whether the parent is alive, where the system does not see to that."""
_NO_WARNING = "ignore:resource_tracker:UserWarning"
"""Keeps loky's helper process from warning of what it cleans up after a run that was stopped at once."""


class Processes:
    """An engine of `count` processes. They are started when they are needed, and again when they have died."""

    def __init__(self, count: int) -> None:
        os.environ.setdefault("PYTHONWARNINGS", _NO_WARNING)
        self._all = [_Process(number) for number in range(count)]

    def workers(self) -> int:
        return len(self._all)

    def submit(self, function: Callable[..., Any], tasks: list[tuple[int, Any]]) -> Future[Any]:
        return min(self._all, key=lambda one: one.load).submit(function, tasks)

    def withdraw(self, futures: Iterable[Future[Any]]) -> None:
        pass

    def close(self) -> None:
        for one in self._all:
            one.kill()


class _Process:
    def __init__(self, number: int) -> None:
        self._number = number
        self.load = 0
        """Calls that it was handed and has not finished."""
        self._pool: ProcessPoolExecutor | None = None
        self._lock = threading.Lock()

    def submit(self, function: Callable[..., Any], tasks: list[tuple[int, Any]]) -> Future[Any]:
        outer: Future[Any] = Future()
        with self._lock:
            self.load += 1
        while True:
            if self._pool is None:
                environment = {name: os.environ.get(name, "1") for name in _THREADS} | {NUMBER: str(self._number)}
                self._pool = ProcessPoolExecutor(
                    1, timeout=_IDLE_SECONDS, initializer=_start, initargs=(os.getpid(),), env=environment
                )
            try:
                with _ctrl_c_held_back():
                    inner = self._pool.submit(function, tasks)
            except BrokenProcessPool:
                self._pool = None
                continue
            inner.add_done_callback(lambda done, pool=self._pool: self._relay(pool, done, outer))
            return outer

    def kill(self) -> None:
        """End the process, if there is one."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(kill_workers=True)

    def _relay(self, pool: Any, inner: Future[Any], outer: Future[Any]) -> None:
        """Hand on how a call ended. A pool that breaks fails its calls in the order in which it was given them."""
        error = inner.exception()
        with self._lock:
            self.load -= 1
            if isinstance(error, BrokenProcessPool):
                first = not getattr(pool, "blamed", False)
                pool.blamed = True
                error = Died() if first else NotBegun()
        if error is not None:
            outer.set_exception(error)
        else:
            outer.set_result(inner.result())


@contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    """Processes that are started here do not receive Ctrl-C, from their first moment on."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(parent: int) -> None:
    """Leave Ctrl-C to the parent, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if are_supported():
        end_with(parent)
    else:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: int) -> None:
    while os.getppid() == parent and lives(parent):  # on Windows the former never changes
        time.sleep(_ORPHAN_SECONDS)
    os._exit(1)
