"""The worker processes of this machine, loky's, and what each of them does with tasks."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from arena.base.errors import ArenaError
from arena.base.files import ROOT
from arena.base.process import ON_LINUX, end_with
from players.player import Pause

CHUNK_SECONDS = 0.2
"""Seconds after which a worker begins no further task of those that it was handed."""
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


class Made(NamedTuple):
    """What a worker made of tasks: the records of the first of them, and the seconds that these took."""

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


class Pool:
    """Worker processes, which start when they are needed, and again when they have died.

    Each is a loky executor of its own: a pool of several ends as a whole when one of them dies.
    """

    def __init__(self, count: int) -> None:
        warnings.filterwarnings("ignore", _REPLACED, UserWarning)
        self._executors = [_executor() for _ in range(count)]

    def workers(self) -> set[int]:
        """The numbers of the processes."""
        return {*range(len(self._executors))}

    def begin(self, worker: int, work: Work, tasks: Sequence[Any]) -> Future[Made]:
        """Hand tasks to a worker, which is started unless it was. Raises EngineError if it cannot be."""
        from joblib.externals.loky import BrokenProcessPool

        # A process that starts has blocked the signals that this thread blocks.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            begun: Future[Made] = self._executors[worker].submit(_do, work, tasks)
        except BrokenProcessPool as error:  # it died while it was idle
            begun = Future()
            begun.set_exception(error)
        except OSError as error:
            why = error.strerror or error
            raise EngineError(f"a worker process cannot be started ({why}): try fewer workers") from None
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return begun

    def made(self, worker: int, begun: Future[Made]) -> Made | None:
        """What a worker made of tasks; None if it died. Raises what the work raises."""
        from joblib.externals.loky import BrokenProcessPool

        try:
            return begun.result()
        except BrokenProcessPool:
            self._executors[worker] = _executor()
            return None

    def close(self) -> None:
        """End the processes at once."""
        for executor in self._executors:
            executor.shutdown(kill_workers=True)


def _executor() -> Any:
    """A loky executor of one process."""
    from joblib.externals.loky import ProcessPoolExecutor  # which takes half a second to import

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
