"""Tasks handed out in chunks, and the worker processes of this machine: loky's, which threads of joblib's feed.

Short tasks are handed out together, long ones one by one, so that Ctrl-C waits for no queue.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeAlias

from arena.base import ArenaError
from arena.base.files import ROOT
from arena.base.process import ON_LINUX, end_with
from players.player import Pause

CHUNK_SECONDS = 0.2
"""Seconds after which a worker begins no further task of its chunk."""
_CHUNK_TASKS = 1000
"""Tasks of a chunk, at most: they and their records are in memory."""
_DEATHS = 5
"""Workers that may end in a row, for each that there is, until a run gives up."""
_THREADS = [f"{library}_NUM_THREADS" for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR")]
"""Variables of the threads of a worker's libraries: one, unless they say otherwise."""
_AT_START = {"PYTHONSAFEPATH": "1", "PYTHONFAULTHANDLER": ""}
"""Variables with which a worker begins: it imports nothing from the working folder, and loky adds no traceback to
what a player prints that crashes.
"""
_MOST_BYTES = 250 << 20
"""Bytes by which a worker may grow before it closes its players: loky begins another one for it at 300 MB."""
_REPLACED = "A worker stopped while some jobs were given to the executor"
"""The warning by which loky says so."""
_ORPHAN_SECONDS = 0.5
"""Seconds between two looks whether the parent is alive, where the system does not see to that."""

Work: TypeAlias = Callable[[Any], Any]
"""A function of a module, which makes a task's record."""


class EngineError(ArenaError):
    """The workers cannot be reached, cannot begin, or cannot do the work."""


class Chunk(NamedTuple):
    """Tasks that a worker is handed at once, and how many workers the task has ended, if it is one alone."""

    tasks: Sequence[Any]
    deaths: int = 0


class Made(NamedTuple):
    """What a worker made of a chunk: the records of its first tasks, and the seconds that these took."""

    records: Sequence[Any] = ()
    seconds: float = 0.0
    paused: Pause | None = None
    """The pause that the next task asked for."""


def do(work: Work, tasks: Sequence[Any]) -> Made:
    """Do tasks, in a worker, until CHUNK_SECONDS are over or one asks for a pause."""
    records: list[Any] = []
    began, seconds = time.perf_counter(), 0.0
    for task in tasks:
        try:
            records.append(work(task))
        except Pause as pause:
            return Made(records, seconds, pause)
        seconds = time.perf_counter() - began
        if seconds > CHUNK_SECONDS:
            break
    return Made(records, seconds)


class Queue:
    """The tasks that are left, for threads that take chunks and say what became of them.

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
        self._lock = threading.Lock()

    def is_over(self) -> bool:
        """Whether no further task is to be begun."""
        return self._paused is not None or self._stopping()

    def next(self) -> Chunk | None:
        """The next chunk; None if there is none, though tasks may come back of those under way."""
        with self._lock:
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
        with self._lock:
            if made is None:
                self._died(chunk, workers)
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

    def _died(self, chunk: Chunk, workers: int) -> None:
        self._deaths += 1
        if self._deaths >= _DEATHS * max(workers, 1):
            raise EngineError("workers end one after another, whatever they do: have they memory (ulimit -v)?")
        deaths = chunk.deaths + (len(chunk.tasks) == 1)
        if deaths == 2:
            self._given_up.append(chunk.tasks[0])
        else:
            self._suspects.extend(Chunk([task], deaths) for task in chunk.tasks)


class Pool:
    """Worker processes, which start when they are needed, and again when they have died.

    Each is a loky executor of its own: joblib's pool of loky processes ends as a whole when one of them dies, and
    two runs at a time would share it.
    """

    def __init__(self, count: int) -> None:
        warnings.filterwarnings("ignore", _REPLACED, UserWarning)
        self._workers = [_executor() for _ in range(count)]
        self._idle: SimpleQueue[int] = SimpleQueue()
        for number in range(count):
            self._idle.put(number)
        # Linux ends a process with the thread that started it, and has it block the signals that this one blocks.
        blocked = signal.SIG_BLOCK, {signal.SIGINT}
        self._starter = ThreadPoolExecutor(1, initializer=signal.pthread_sigmask, initargs=blocked)

    def start(self, count: int, work: Work) -> None:
        """Start so many processes, at most all, which import what the work needs meanwhile."""
        for worker in self._workers[:count]:
            self._starter.submit(worker.submit, _do, work, ())

    def records(self, work: Work, queue: Queue) -> Iterator[Any]:
        """Yield the records of a queue's tasks as they are made.

        Raises EngineError if no process can be started, or all die, and what the work raises.
        """
        from joblib import Parallel, delayed  # which takes half a second to import

        count, settings = len(self._workers), {"pre_dispatch": "n_jobs", "batch_size": 1}
        threads = Parallel(count, "threading", return_as="generator_unordered", **settings)
        while first := queue.next():
            chunks = chain([first], iter(queue.next, None))
            results = threads(delayed(self._records)(work, chunk, queue) for chunk in chunks)
            try:
                for records in results:
                    yield from records
            finally:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # joblib's, of results that nobody waits for
                    results.close()

    def close(self) -> None:
        """End the processes at once."""
        for worker in self._workers:
            worker.shutdown(kill_workers=True)
        self._starter.shutdown()

    def _records(self, work: Work, chunk: Chunk, queue: Queue) -> Sequence[Any]:
        """In a thread of joblib's: have an idle worker do a chunk."""
        from joblib.externals.loky import BrokenProcessPool

        if queue.is_over():  # joblib takes some chunks before their turn
            return ()
        number, made = self._idle.get(), None
        try:
            made = self._handed(number, work, chunk.tasks).result()
        except BrokenProcessPool:
            self._workers[number] = _executor()
        finally:
            self._idle.put(number)
        return queue.take(chunk, made, len(self._workers))

    def _handed(self, number: int, work: Work, tasks: Sequence[Any]) -> Future[Made]:
        try:
            doing: Future[Future[Made]] = self._starter.submit(self._workers[number].submit, _do, work, tasks)
            return doing.result()
        except OSError as error:
            why = error.strerror or error
            raise EngineError(f"a worker process cannot be started ({why}): try fewer workers") from None


def _executor() -> Any:
    """A loky executor of one process."""
    from joblib.externals.loky import ProcessPoolExecutor

    before = {name: os.environ.get(name) for name in _AT_START}
    one_thread = {name: "1" for name in _THREADS if not os.environ.get(name)}
    return ProcessPoolExecutor(1, initializer=_begin, initargs=(os.getpid(), before), env=_AT_START | one_thread)


def _begin(parent: int, variables: Mapping[str, str | None]) -> None:
    """Begin a worker process, which ends with its parent, leaves Ctrl-C to it, and looks for modules last in the
    working folder, which may have a `random.py`. Programs that it starts have the parent's variables.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name, value in variables.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    here = Path.cwd()
    first = [place for place in sys.path if here != ROOT and (not place or Path(place) == here)]
    sys.path[:] = [place for place in sys.path if place not in first] + first
    if ON_LINUX:
        end_with(parent)
    else:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_ORPHAN_SECONDS)
    os._exit(1)


_sizes: list[int] = []
"""The bytes of this process when it had done its first call."""


def _do(work: Work, tasks: Sequence[Any]) -> Made:
    """In a worker: do tasks, and close the players that are kept if they take much memory by now."""
    from psutil import Process  # which loky needs, too, in place of `pgrep`

    made = do(work, tasks)
    size = Process().memory_info().rss
    if not _sizes:
        gc.freeze()  # next to nothing that the imports made is garbage
        _sizes.append(size)
    elif size - _sizes[0] > _MOST_BYTES:
        from arena.hosting.player_process import close_players  # with all that a game needs

        close_players()
    return made
