"""Worker processes: tasks are done on this machine or on a Dask cluster, and each record is handed on once made.

`run(work, tasks, 4, stopping)` yields the record of each task, in any order. The thread that iterates reads
tasks, asks whether to stop, and hands out. Each worker of this machine is an executor of joblib with one process,
so that none dies for another, and the task to blame is known. (`joblib.Parallel` reads tasks ahead, in a thread
where no ledger can be asked, and has one set of processes for the whole program.)

- Short tasks are handed out in batches, of which a worker begins no further task after BATCH_SECONDS; while all
  are short, the next batch waits at the worker. Long tasks are handed out one by one: Ctrl-C waits for no queue.
- The tasks of a batch whose worker died are done again, each alone. One that ends a second worker is given up.
- The processes end with the call, so that the next one loads the user's files as they are then. Within
  `with kept_workers():` they are kept from call to call.
- With ARENA_IN_PROCESS=1 in the environment one worker is this process itself, for a debugger. There a task that
  ends its process ends everything.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import re
import signal
import sys
import threading
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias, TypeVar

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import BrokenProcessPool

from arena.base.files import ROOT
from arena.base.supervisor import are_supported, end_with
from arena.play.cluster import Batch, Cluster
from arena.play.cluster import EngineError as EngineError  # noqa: PLC0414  workers' users know it from here
from arena.watch.observer import Observer

Workers: TypeAlias = int | str
"""Processes of this machine, or the address of a Dask scheduler: `tcp://host:8786`."""
Made: TypeAlias = tuple[list[Any], float]
"""The records of the first tasks of a batch, none if the worker has not begun it, and their seconds."""
Function: TypeAlias = Callable[[Batch], Made]
AnyTask = TypeVar("AnyTask")
AnyRecord = TypeVar("AnyRecord")

BATCH_SECONDS = 0.1
"""Seconds after which a worker begins no further task of its batch."""
BATCH_TASKS = 1000
"""Tasks of a batch, at most: they and their records are in memory."""
_AHEAD = 2
"""Batches that a worker is handed, the one under way among them, while all tasks are short."""
_DEATHS = 5
"""Deaths for each worker, with no record made between them, after which no task is handed out any more."""
STARTS = 3
"""Processes in a row that may die while they begin until a run ends."""
_POLL_SECONDS = 0.5
"""Seconds after which a wish to stop is noticed, at most."""
IN_PROCESS = "ARENA_IN_PROCESS"
"""The environment's variable that has one worker be this process itself."""
_THREADS = [f"{library}_NUM_THREADS" for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR")]
"""Variables of the threads of a worker's libraries: one, unless they say otherwise."""
_SAFE_PATH, _WARNINGS = "PYTHONSAFEPATH", "PYTHONWARNINGS"
"""Variables by which Python does not import from the working folder, and does not warn."""
_NO_WARNING = "ignore:resource_tracker:UserWarning"
"""Keeps joblib's helper process from warning about files that it removes after a run that was stopped at once."""
_ORPHAN_SECONDS = 0.5
"""Seconds between two looks whether the parent is alive, where the system does not see to that."""


class Stopped(BaseException):
    """The whole process is to end at once; raised in the main thread, anywhere, even in a player's code.

    Code that catches BaseException raises it again: no player is to blame.
    """

    def __init__(self, code: int) -> None:
        super().__init__(f"exit code {code}")
        self.code = code


def run(
    work: Callable[[AnyTask], AnyRecord],
    tasks: Iterable[AnyTask],
    workers: Workers,
    stopping: Callable[[], bool],
    crashed: Callable[[AnyTask, str], AnyRecord | None] = lambda *_: None,
) -> Iterator[AnyRecord]:
    """Do the tasks on the workers and yield each record once made, in any order.

    `work` is a function of a module. No task is handed out once `stopping()` is true; those under way are done.
    A task that ends two workers alone has the record that `crashed` makes of it, if any, and of how the second
    worker ended, as in `exit code 3`.

    Raises EngineError, when all others are done, for such tasks without a record, named by `str` of the first; at
    once, if the workers are lost; and at once what `work` raises: tasks under way are lost.
    """
    queue = _Queue(tasks, stopping, crashed)
    if _is_in_process(workers):
        while batch := queue.next(1):
            record = work(batch[0][1])
            queue.stopping()  # it raises if the task was ended by a signal and its player has swallowed that
            yield record
        return
    with _pool(workers) as pool:
        yield from _records(pool, work, queue)
    if queue.given_up and not queue.stopping():
        first, *others = sorted(queue.given_up.items())
        more = f" (and {len(others)} more)" if others else ""
        raise EngineError(f"{first[1]}{more} ended the process of a worker, twice")


def _is_in_process(workers: Workers) -> bool:
    return workers == 1 and bool(os.environ.get(IN_PROCESS))


def carry_through(
    what: str,
    work: Callable[[AnyTask], AnyRecord],
    tasks: Iterable[AnyTask],
    total: int,
    store: Callable[[AnyRecord], object],
    workers: Workers,
    observer: Observer,
) -> bool:
    """Do `total` tasks as `run` does, watched, and store each record once made; whether nobody stopped it."""
    number = 0
    with observer.working(what, total) as stopping:
        for number, record in enumerate(run(work, tasks, workers, stopping), start=1):
            store(record)
            observer.done(number)
        return number == total and not stopping()


def _records(pool: _Processes | Cluster, work: Callable[[Any], AnyRecord], queue: _Queue) -> Iterator[AnyRecord]:
    under_way, size, ahead = 0, 1, 1
    while True:
        most = max(1, pool.count()) * (1 if queue.suspects else ahead)
        while under_way < most and (batch := queue.next(size)):
            pool.submit(partial(_do, work), batch)
            under_way += 1
        if not under_way:
            return
        if (ended := pool.ended(_POLL_SECONDS)) is not None:
            under_way -= 1
            batch, made = ended
            if isinstance(made, str):
                yield from queue.died(batch, made, pool.count())
                continue
            records, seconds = made
            queue.done(batch, len(records))
            if records:
                size = max(1, min(int(BATCH_SECONDS * len(records) / max(seconds, 1e-9)), 2 * size, BATCH_TASKS))
                ahead = _AHEAD if size > 1 and seconds < 2 * BATCH_SECONDS else 1
            yield from records
        if queue.stopping():
            under_way -= pool.withdraw()


def _do(work: Callable[[Any], Any], batch: Batch) -> Made:
    """Do the tasks of a batch, in a worker, until BATCH_SECONDS are over."""
    records: list[Any] = []
    began, seconds = time.perf_counter(), 0.0
    while len(records) < len(batch) and seconds < BATCH_SECONDS:
        records.append(work(batch[len(records)][1]))
        seconds = time.perf_counter() - began
    return records, seconds


class _Queue:
    """The tasks still to be done: new ones, those handed back, and suspects, each of which is done alone."""

    def __init__(
        self, tasks: Iterable[Any], stopping: Callable[[], bool], crashed: Callable[[Any, str], Any]
    ) -> None:
        self.stopping, self._crashed = stopping, crashed
        self._new = enumerate(tasks)
        self._back: deque[tuple[int, Any]] = deque()
        self._alone: deque[tuple[int, Any]] = deque()
        self._deaths: Counter[int] = Counter()
        """How many workers each task has ended alone."""
        self._in_a_row = 0
        self.suspects: set[int] = set()
        """Numbers of the tasks of batches whose worker died, until they are done or given up."""
        self.given_up: dict[int, Any] = {}
        """Tasks without a record, by their numbers."""

    def next(self, size: int) -> Batch:
        """The next tasks, `size` at most; none when no more are to be begun."""
        if self.stopping():
            return []
        if self._alone:
            return [self._alone.popleft()]
        back = [self._back.popleft() for _ in range(min(size, len(self._back)))]
        return back + list(islice(self._new, size - len(back)))

    def done(self, batch: Batch, count: int) -> None:
        """The first `count` tasks of a batch are done; the others were not begun."""
        self._in_a_row *= count == 0
        self.suspects.difference_update(number for number, _ in batch[:count])
        self._back.extend(batch[count:])

    def died(self, batch: Batch, how: str, workers: int) -> list[Any]:
        """One of these tasks, or the machine, has ended the worker. The record of one that is given up, if any."""
        self._in_a_row += 1
        number, task = batch[0]
        self._deaths[number] += len(batch) == 1
        if self._deaths[number] > 1:
            self.suspects.discard(number)
            if (record := self._crashed(task, how)) is not None:
                self._in_a_row = 0
                return [record]
            self.given_up[number] = task
        else:
            self.suspects.update(number for number, _ in batch)
            self._alone.extend(batch)
        if self._in_a_row >= _DEATHS * workers:
            self.given_up |= dict(self._alone)
            self._alone.clear()
            self._back.clear()
            self._new = enumerate(())
        return []


class _Processes:
    """Worker processes of this machine, which start when they are needed, and again when they have died."""

    def __init__(self, count: int) -> None:
        if multiprocessing.current_process().daemon:
            who = "a daemonic process, as those of multiprocessing.Pool are,"
            raise EngineError(
                f"{who} cannot start workers: use concurrent.futures, or one worker with {IN_PROCESS}=1"
            )
        # of joblib, where a worker ended between two tasks: another one does what is left
        warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
        self._all = [_Process() for _ in range(count)]
        self._ended: SimpleQueue[tuple[_Process, ProcessPoolExecutor, Batch, Future[Made]]] = SimpleQueue()

    def count(self) -> int:
        return len(self._all)

    def start(self, count: int, function: Function) -> None:
        """Start so many processes, at most all, which import what a function needs."""
        for process in self._all[:count]:
            process.start(function)

    def submit(self, function: Function, batch: Batch) -> None:
        """Hand a batch to the process that has the fewest."""
        process = min(self._all, key=lambda process: process.batches)
        executor, future = process.submit(function, batch)
        process.batches += 1
        future.add_done_callback(lambda future: self._ended.put((process, executor, batch, future)))

    def ended(self, seconds: float) -> tuple[Batch, Made | str] | None:
        """Wait so long for a batch to end: what was made of it, or how its worker ended, if it may have ended it.

        Raises EngineError for a process that has ended STARTS times before it could do anything, and what the
        function raised.
        """
        try:
            process, executor, batch, future = self._ended.get(timeout=seconds)
        except Empty:
            if any(process.is_stuck() for process in self._all) and self._ended.empty():
                raise EngineError("no thread for a worker can be started (ulimit -v): try fewer workers") from None
            return None
        process.batches -= 1
        error = future.exception()
        if not isinstance(error, BrokenProcessPool):
            return batch, future.result()
        if executor is not process.executor:  # an executor fails its calls in their order: this one had not begun
            return batch, ([], 0.0)
        return batch, _ending(error) if process.lost() else ([], 0.0)

    def withdraw(self) -> int:
        """Take back no batch: none waits here for a long task."""
        return 0

    def close(self) -> None:
        for process in self._all:
            process.close()


class _Process:
    """A worker process of this machine: an executor of joblib's with one process."""

    def __init__(self) -> None:
        self.batches = 0
        """Batches that it was handed and has not ended."""
        self.executor: ProcessPoolExecutor | None = None
        self._lost_at_start = 0
        """How many processes in a row have died while they began."""

    def submit(self, function: Function, batch: Batch) -> tuple[ProcessPoolExecutor, Future[Made]]:
        """Hand it a batch, and start it if it has ended; its executor, and the future of what is made."""
        while True:
            executor = self.start(function)
            try:
                return executor, executor.submit(function, batch)
            except BrokenProcessPool:
                self.lost()

    def lost(self) -> bool:
        """Its process has died; whether it could do anything before. Raises EngineError if STARTS did not."""
        self.executor = None
        error = self._begun.exception()
        self._lost_at_start = 0 if error is None else self._lost_at_start + 1
        if error is not None and self._lost_at_start == STARTS:
            how = f" ({_ending(error)})" if _ending(error) else ""
            raise EngineError(f"a worker process ended while it began{how}: has it enough memory (ulimit -v)?")
        return error is None

    def is_stuck(self) -> bool:
        """Whether joblib's thread for the process has ended, so that no future of it ever does."""
        if self.executor is None or not self.batches:
            return False
        return not self.executor._executor_manager_thread.is_alive()

    def close(self) -> None:
        """End the process, if there is one."""
        executor, self.executor = self.executor, None
        if executor is not None:
            executor.shutdown(kill_workers=True)
            _end(executor)

    def start(self, function: Function) -> ProcessPoolExecutor:
        """Start it, unless it runs already, and have it import what a function needs."""
        if self.executor is not None:
            return self.executor
        environment = {name: os.environ.get(name, "1") for name in _THREADS}
        with _starting() as before:
            beginning = os.getpid(), before
            executor = ProcessPoolExecutor(1, initializer=_begin, initargs=beginning, env=environment)
            try:
                with _ctrl_c_held_back():
                    self._begun = executor.submit(_imported, function)
            except BaseException:
                _end(executor)
                raise
        self.executor = executor
        return executor


def _ending(error: BaseException) -> str:
    """How a worker ended, as `exit code 3` or `SIGKILL`; "" where joblib does not say it."""
    ending = re.search(r"\{(\w+)\((-?\d+)\)", str(error))
    return "" if ending is None else f"exit code {ending[2]}" if ending[1] == "EXIT" else ending[1]


def _end(executor: ProcessPoolExecutor) -> None:
    """End the processes that joblib has left, where its thread could not be started."""
    for process in list(executor._processes.values()):
        process.terminate()


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


@contextmanager
def _starting() -> Iterator[Mapping[str, str | None]]:
    """Have Python processes that start here look last in the working folder, which may have a `random.py`.

    Yields the variables that are others meanwhile, as they were.
    """
    before, path, here = {name: os.environ.get(name) for name in (_SAFE_PATH, _WARNINGS)}, sys.path[:], Path.cwd()
    first = [place for place in path if here != ROOT and (not place or Path(place) == here)]
    _set({_SAFE_PATH: "1", _WARNINGS: before[_WARNINGS] or _NO_WARNING})
    sys.path[:] = [place for place in path if place not in first] + first
    try:
        yield before
    finally:
        sys.path[:] = path
        _set(before)


def _set(variables: Mapping[str, str | None]) -> None:
    """Set variables of the environment; those of None are removed."""
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _begin(parent: int, variables: Mapping[str, str | None]) -> None:
    """Have a worker process leave Ctrl-C to the parent, and end with it; programs that it starts are as usual."""
    gc.disable()  # next to nothing that an import makes is garbage
    _set(variables)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if are_supported():
        end_with(parent)
    else:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _imported(_function: Function) -> None:
    """End the imports of a worker: it has received a function, with all that this needs."""
    gc.freeze()
    gc.enable()


def _follow(parent: int) -> None:
    from arena.watch.live import lives

    while os.getppid() == parent and lives(parent):  # on Windows the former never changes
        time.sleep(_ORPHAN_SECONDS)
    os._exit(1)


_kept: ContextVar[dict[Workers, _Processes | Cluster] | None] = ContextVar("kept", default=None)
"""Workers that wait for the next call of `run`."""


@contextmanager
def kept_workers() -> Iterator[None]:
    """Keep workers from call to call of `run`; they end with the outermost such block."""
    if _kept.get() is not None:
        yield
        return
    pools: dict[Workers, _Processes | Cluster] = {}
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
    if kept is None or isinstance(workers, str) or _is_in_process(workers):
        return
    pool = kept[workers] = kept.get(workers) or _Processes(workers)
    assert isinstance(pool, _Processes)
    pool.start(count, function)


@contextmanager
def _pool(workers: Workers) -> Iterator[_Processes | Cluster]:
    """The workers of one call, kept or new; another call at the same time has others."""
    kept = _kept.get()
    pool = kept.pop(workers, None) if kept else None
    pool = pool or (Cluster(workers) if isinstance(workers, str) else _Processes(workers))
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
