"""Worker processes of this machine: loky's, to which threads of joblib's hand chunks.

Each process is a loky executor of its own: joblib's own pool of loky processes ends as a whole when one of them
dies, and two runs at a time would share it.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from arena.base.files import ROOT
from arena.base.process import ON_LINUX, end_with
from arena.play.chunks import Chunk, EngineError, Made, Queue, Work, do

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


class Pool:
    """Worker processes, which start when they are needed, and again when they have died."""

    def __init__(self, count: int) -> None:
        warnings.filterwarnings("ignore", _REPLACED, UserWarning)
        self.count = count
        self._workers = [_executor() for _ in range(count)]
        self._idle: SimpleQueue[int] = SimpleQueue()
        for number in range(count):
            self._idle.put(number)
        # Linux ends a process with the thread that started it, and has it block the signals that this one blocks.
        blocked = signal.SIG_BLOCK, {signal.SIGINT}
        self._starter = ThreadPoolExecutor(1, initializer=signal.pthread_sigmask, initargs=blocked)

    def start(self, count: int, work: Work) -> None:
        """Start so many processes, at most all, which import what the work needs meanwhile."""
        for number in range(min(count, self.count)):
            self._submit(number, work, ())

    def records(self, work: Work, queue: Queue) -> Iterator[Any]:
        """Yield the records of a queue's tasks as they are made.

        Raises EngineError if no process can be started, or all die, and what the work raises.
        """
        from joblib import Parallel, delayed  # which takes half a second to import

        threads = Parallel(
            self.count, "threading", return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1
        )
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
            made = self._submit(number, work, chunk.tasks).result().result()
        except BrokenProcessPool:
            self._workers[number] = _executor()
        finally:
            self._idle.put(number)
        return queue.take(chunk, made, self.count)

    def _submit(self, number: int, work: Work, tasks: Sequence[Any]) -> Future[Future[Made]]:
        return self._starter.submit(_submitted, self._workers[number], work, tasks)


def _executor() -> Any:
    """A loky executor of one process."""
    from joblib.externals.loky import ProcessPoolExecutor

    before = {name: os.environ.get(name) for name in _AT_START}
    one_thread = {name: "1" for name in _THREADS if not os.environ.get(name)}
    return ProcessPoolExecutor(1, initializer=_begin, initargs=(os.getpid(), before), env=_AT_START | one_thread)


def _submitted(worker: Any, work: Work, tasks: Sequence[Any]) -> Future[Made]:
    """Hand a worker tasks. Raises EngineError if its process cannot be started."""
    try:
        future: Future[Made] = worker.submit(_do, work, tasks)
    except OSError as error:
        why = error.strerror or error
        raise EngineError(f"a worker process cannot be started ({why}): try fewer workers") from None
    return future


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
