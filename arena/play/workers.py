"""Workers: tasks are done by processes of this machine or a Dask cluster, and each record is handed on once made.

`run(work, tasks, 4, stopping)` yields the record of each task, in any order. The thread that iterates reads
tasks, asks whether to stop, and hands out. (`joblib.Parallel` reads tasks ahead, in a thread where no ledger can
be asked; the README says why it does not do plain lists either.)

- Short tasks are handed out in batches, long ones one by one (`arena.play.batches`): Ctrl-C waits for no queue.
- The tasks of a batch whose worker died are done again, each alone. One that ends a second worker is given up.
- The processes end with the call, so that the next one loads the user's files as they are then. Within
  `with kept_workers():` they are kept from call to call.
- One worker is this process itself, unless a user's code is among the players (`is_here`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeAlias, TypeVar

from arena.play.batches import Died, EngineError, Function, Queue, do
from arena.play.cluster import Cluster
from arena.play.processes import Processes
from arena.watch.observer import Observer
from players.loading import own_code
from players.player import PlayerSpec

Workers: TypeAlias = int | str
"""Processes of this machine, or the address of a Dask scheduler: `tcp://host:8786`."""
AnyTask = TypeVar("AnyTask")
AnyRecord = TypeVar("AnyRecord")

_POLL_SECONDS = 0.5
"""Seconds after which a wish to stop is noticed, at most."""


class Stopped(BaseException):
    """The whole process is to end at once; raised in the main thread, anywhere, even in a player's code.

    Code that catches BaseException raises it again: no player is to blame.
    """

    def __init__(self, code: int) -> None:
        super().__init__(f"exit code {code}")
        self.code = code


def is_here(workers: Workers, players: Iterable[PlayerSpec]) -> bool:
    """Whether players are asked in this process itself: by one worker, none of a user's code among them."""
    return workers == 1 and not any(map(own_code, players))


def run(
    work: Callable[[AnyTask], AnyRecord],
    tasks: Iterable[AnyTask],
    workers: Workers,
    stopping: Callable[[], bool],
    *,
    here: bool = False,
) -> Iterator[AnyRecord]:
    """Do the tasks on the workers, or `here`, in this process, and yield each record once made, in any order.

    `work` is a function of a module. No task is handed out once `stopping()` is true; those under way are done.

    Raises the Pause that a task asks for, when those under way are done; EngineError, when all others are done,
    for tasks that have ended two workers alone, named by `str` of the first; at once, if the workers are lost; and
    at once what `work` raises: tasks under way are lost.
    """
    queue = Queue(tasks, stopping)
    if here:
        while batch := queue.next():
            yield work(batch[0][1])
        return
    with _pool(workers) as pool:
        yield from _records(pool, partial(do, work), queue)
    if queue.paused is not None:
        raise queue.paused
    if queue.given_up and not queue.stopping():
        first, *others = sorted(queue.given_up.items())
        more = f" (and {len(others)} more)" if others else ""
        raise EngineError(f"{first[1]}{more} ended the process of a worker, twice")


def carry_through(
    what: str,
    work: Callable[[AnyTask], AnyRecord],
    tasks: Iterable[AnyTask],
    total: int,
    store: Callable[[AnyRecord], object],
    workers: Workers,
    observer: Observer,
    *,
    here: bool = False,
) -> bool:
    """Do `total` tasks as `run` does, watched, and store each record once made; whether nobody stopped it."""
    number = 0
    with observer.working(what, total) as stopping:
        for number, record in enumerate(run(work, tasks, workers, stopping, here=here), start=1):
            store(record)
            observer.done(number)
        return number == total and not stopping()


def _records(pool: Processes | Cluster, function: Function, queue: Queue) -> Iterator[Any]:
    """Hand each worker a batch of the queue whenever it has none, and yield the records of what is done."""
    under_way = 0
    while True:
        while under_way < max(1, pool.count()) and (batch := queue.next()):
            pool.submit(function, batch)
            under_way += 1
        if not under_way:
            return
        if (ended := pool.ended(_POLL_SECONDS)) is not None:
            under_way -= 1
            batch, made = ended
            if isinstance(made, Died):
                queue.died(batch, pool.count())
            else:
                yield from queue.done(batch, made)
        if queue.stopping() and isinstance(pool, Cluster):
            under_way -= pool.withdraw()


_kept: ContextVar[dict[Workers, Processes | Cluster] | None] = ContextVar("kept", default=None)
"""Workers that wait for the next call of `run`."""


@contextmanager
def kept_workers() -> Iterator[None]:
    """Keep workers from call to call of `run`; they end with the outermost such block."""
    if _kept.get() is not None:
        yield
        return
    pools: dict[Workers, Processes | Cluster] = {}
    _kept.set(pools)
    try:
        yield
    finally:
        _kept.set(None)
        for pool in pools.values():
            pool.close()


def start_workers(workers: Workers, count: int, function: Callable[..., Any]) -> None:
    """Start so many of the processes that `kept_workers` keeps, which import what a function needs meanwhile."""
    kept = _kept.get()
    if kept is None or isinstance(workers, str):
        return
    pool = kept[workers] = kept.get(workers) or Processes(workers)
    assert isinstance(pool, Processes)
    pool.start(count, function)


@contextmanager
def _pool(workers: Workers) -> Iterator[Processes | Cluster]:
    """The workers of one call, kept or new; another call at the same time has others."""
    kept = _kept.get()
    pool = kept.pop(workers, None) if kept else None
    pool = pool or (Cluster(workers) if isinstance(workers, str) else Processes(workers))
    try:
        yield pool
    except BaseException:
        pool.close()
        raise
    if kept is not None and kept is _kept.get() and workers not in kept:
        kept[workers] = pool
    else:
        pool.close()


def worker_count(workers: Workers) -> int:
    """How many workers there are now; raises EngineError if they cannot be reached."""
    with _pool(workers) as pool:
        return pool.count()
