"""Workers: tasks are done by processes of this machine or a Dask cluster, and each record is handed on once made.

The processes end with the call of `run`, so that the next one loads the user's files as they are then. Within
`with kept_workers():` they are kept from call to call.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import takewhile
from typing import TypeAlias, TypeVar

from arena.play import cluster
from arena.play.processes import Pool, Queue, Work
from arena.watch.status import Observer
from players.loading import own_code
from players.player import PlayerSpec

Workers: TypeAlias = int | str
"""Processes of this machine, or the address of a Dask scheduler: `tcp://host:8786`."""
AnyTask = TypeVar("AnyTask")
AnyRecord = TypeVar("AnyRecord")


def is_here(workers: Workers, players: Iterable[PlayerSpec]) -> bool:
    """Whether players are asked in this process itself: by one worker, none of a user's code among them, or where
    no process may be started, as in those of multiprocessing.Pool.
    """
    is_daemonic = isinstance(workers, int) and multiprocessing.current_process().daemon
    return is_daemonic or (workers == 1 and not any(map(own_code, players)))


def run(
    work: Callable[[AnyTask], AnyRecord],
    tasks: Iterable[AnyTask],
    workers: Workers,
    stopping: Callable[[], bool],
    players: Iterable[PlayerSpec] | None = None,
) -> Iterator[AnyRecord]:
    """Do the tasks on the workers, and yield each record once made, in any order.

    `work` is a function of a module, `players` are those whom it asks: in this process itself if `is_here`. Other
    threads read `tasks`, one at a time, and ask `stopping`: no task is handed out once it is true; those under way
    are done.

    Raises the Pause that a task asks for, when those under way are done; EngineError, when all others are done,
    for tasks that have ended two workers alone, named by `str` of the first; at once, if the workers are lost; and
    at once what `work` raises: tasks under way are lost.
    """
    if players is not None and is_here(workers, players):
        yield from map(work, takewhile(lambda _: not stopping(), tasks))
        return
    queue = Queue(tasks, stopping)
    if isinstance(workers, str):
        yield from cluster.records(workers, work, queue)
    else:
        with _pool(workers) as pool:
            yield from pool.records(work, queue)
    queue.end()


def carry_through(
    what: str,
    work: Callable[[AnyTask], AnyRecord],
    tasks: Iterable[AnyTask],
    total: int,
    store: Callable[[AnyRecord], object],
    workers: Workers,
    observer: Observer,
    players: Iterable[PlayerSpec],
) -> bool:
    """Do `total` tasks as `run` does, watched, and store each record once made; whether nobody stopped it."""
    number = 0
    with observer.working(what, total) as stopping:
        for number, record in enumerate(run(work, tasks, workers, stopping, players), start=1):
            store(record)
            observer.done(number)
        return number == total and not stopping()


_kept: ContextVar[dict[int, Pool] | None] = ContextVar("kept", default=None)
"""Processes that wait for the next call of `run`, by their number."""


@contextmanager
def kept_workers() -> Iterator[None]:
    """Keep processes from call to call of `run`; they end with the outermost such block."""
    if _kept.get() is not None:
        yield
        return
    pools: dict[int, Pool] = {}
    _kept.set(pools)
    try:
        yield
    finally:
        _kept.set(None)
        for pool in pools.values():
            pool.close()


def start_workers(workers: Workers, count: int, work: Work) -> None:
    """Start so many of the processes that `kept_workers` keeps, which import what the work needs meanwhile."""
    kept = _kept.get()
    if kept is not None and isinstance(workers, int):
        kept[workers] = kept.get(workers) or Pool(workers)
        kept[workers].start(count, work)


@contextmanager
def _pool(count: int) -> Iterator[Pool]:
    """The processes of one call, kept or new; another call at the same time has others."""
    kept = _kept.get()
    pool = (kept.pop(count, None) if kept else None) or Pool(count)
    try:
        yield pool
    except BaseException:
        pool.close()
        raise
    if kept is not None and kept is _kept.get() and count not in kept:
        kept[count] = pool
    else:
        pool.close()
