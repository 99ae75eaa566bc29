"""Workers: tasks are done by processes of this machine or a Dask cluster, and each record is handed on once made.

The processes end with the call of `run`, so that the next one loads the user's files as they are then. Within
`with kept_workers():` they are kept from call to call.
"""

from __future__ import annotations

import multiprocessing
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice, takewhile
from typing import Any, NamedTuple, TypeAlias, TypeVar

from arena.play import cluster
from arena.play.processes import CHUNK_SECONDS, EngineError, Made, Pool, Work
from arena.watch.observer import Observer
from players.loading import own_code
from players.player import Pause, PlayerSpec

Workers: TypeAlias = int | str
"""Processes of this machine, or the address of a Dask scheduler: `tcp://host:8786`."""
AnyTask = TypeVar("AnyTask")
AnyRecord = TypeVar("AnyRecord")
_CHUNK_TASKS = 1000
"""Tasks that a worker is handed at once, at most: they and their records are in memory."""
_DEATHS = 5
"""Workers that may end in a row, for each that there is, until a run gives up."""
_LOOK_SECONDS = 0.5
"""Seconds between two looks which workers there are."""


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

    `work` is a function of a module, `players` are those whom it asks: in this process itself if `is_here`. No
    task is handed out once `stopping()` is true; those under way are done.

    Raises the Pause that a task asks for, when those under way are done; EngineError, when all others are done,
    for tasks that have ended two workers alone, named by `str` of the first; at once, if the workers are lost; and
    at once what `work` raises: tasks under way are lost.
    """
    if players is not None and is_here(workers, players):
        yield from map(work, takewhile(lambda _: not stopping(), tasks))
        return
    with cluster.connected(workers) if isinstance(workers, str) else _pool(workers) as crew:
        yield from Queue(tasks, stopping).records(work, crew)


class Chunk(NamedTuple):
    """Tasks that a worker is handed at once, and how many workers the task has ended, if it is one alone."""

    tasks: Sequence[Any]
    deaths: int = 0


class Queue:
    """The tasks that are left: short ones are handed out together, long ones alone, so that Ctrl-C waits for few.

    The tasks of a chunk whose worker died are done again, each alone. One that ends a second worker is given up.
    """

    def __init__(self, tasks: Iterable[Any], stopping: Callable[[], bool]) -> None:
        """Once `stopping()` is true no chunk is left."""
        self._stopping, self._new = stopping, iter(tasks)
        self._back: deque[Any] = deque()
        """Tasks that a worker had no time for."""
        self._suspects: deque[Chunk] = deque()
        self._size = 1
        """Tasks of the next chunk: as many as take CHUNK_SECONDS, by the last one."""
        self._deaths = 0
        """How many workers have ended since a record was made."""
        self._given_up: list[Any] = []
        self._paused: Pause | None = None

    def records(self, work: Work, crew: Pool | cluster.Cluster) -> Iterator[Any]:
        """Yield the records as they are made, by workers that may come and go; each does one chunk at a time."""
        under_way: dict[Future[Made], tuple[Any, Chunk]] = {}
        made: list[Any] = []
        while True:
            workers: set[Any] = {*crew.workers()}
            for begun in [begun for begun, (worker, _) in under_way.items() if worker not in workers]:
                begun.cancel()
                self.take(under_way.pop(begun)[1], None, len(workers))
            chunk = None
            for worker in workers.difference(worker for worker, _ in under_way.values()):
                if (chunk := self.next()) is None:
                    break
                under_way[crew.begin(worker, work, chunk.tasks)] = worker, chunk
            yield from made  # while the next ones are made
            if not under_way and (self.is_over() or (workers and chunk is None)):
                break
            made = []
            for begun in wait(under_way, _LOOK_SECONDS, FIRST_COMPLETED).done:
                worker, chunk = under_way.pop(begun)
                made += self.take(chunk, crew.made(worker, begun), len(workers))
            if not workers:
                time.sleep(_LOOK_SECONDS)
        self.end()

    def is_over(self) -> bool:
        """Whether no further task is to be begun."""
        return self._paused is not None or self._stopping()

    def next(self) -> Chunk | None:
        """The next chunk; None if there is none, though tasks may come back of those under way."""
        if self.is_over():
            return None
        if self._suspects:
            return self._suspects.popleft()
        tasks = [self._back.popleft() for _ in range(min(self._size, len(self._back)))]
        tasks += islice(self._new, self._size - len(tasks))
        return Chunk(tasks) if tasks else None

    def take(self, chunk: Chunk, made: Made | None, workers: int) -> Sequence[Any]:
        """The records of a chunk; None was made of it if its worker, one of so many, ended.

        Raises EngineError if workers end one after another.
        """
        if made is None:
            self._deaths += 1
            if self._deaths >= _DEATHS * max(workers, 1):
                raise EngineError("workers end one after another, whatever they do: have they memory (ulimit -v)?")
            deaths = chunk.deaths + (len(chunk.tasks) == 1)
            if deaths == 2:
                self._given_up.append(chunk.tasks[0])
            else:
                self._suspects.extend(Chunk([task], deaths) for task in chunk.tasks)
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
        pool = kept[workers] = kept.get(workers) or Pool(workers)
        for worker in range(min(count, workers)):
            pool.begin(worker, work, ())


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
