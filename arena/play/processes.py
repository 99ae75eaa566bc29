"""Worker processes of this machine: Python's own, each for itself, so that none dies for another."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from arena.base.files import ROOT
from arena.base.supervisor import are_supported, end_with
from arena.play.batches import Batch, Died, EngineError, Function, Made

STARTS = 3
"""Processes in a row that may die while they begin until a run ends."""
_THREADS = [f"{library}_NUM_THREADS" for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR")]
"""Variables of the threads of a worker's libraries: one, unless they say otherwise."""
_SAFE_PATH = "PYTHONSAFEPATH"
"""The variable by which Python does not import from the working folder."""
_ORPHAN_SECONDS = 0.5
"""Seconds between two looks whether the parent is alive, where the system does not see to that."""
_SPAWN = multiprocessing.get_context("spawn")


class _Raised(NamedTuple):
    """What a call raised in a worker, and where."""

    error: BaseException
    place: str


class Processes:
    """Worker processes, which start when they are needed, and again when they have died."""

    def __init__(self, count: int) -> None:
        if multiprocessing.current_process().daemon:
            who = "a daemonic process, as those of multiprocessing.Pool are,"
            raise EngineError(f"{who} cannot start workers: use concurrent.futures")
        self._all = [_Worker() for _ in range(count)]

    def count(self) -> int:
        return len(self._all)

    def start(self, count: int, function: Function) -> None:
        """Start so many processes, at most all, which import what a function needs."""
        for worker in self._all[:count]:
            worker.start(function)

    def submit(self, function: Function, batch: Batch) -> None:
        """Hand a batch to a worker that has none. Raises EngineError if no process can be started."""
        next(worker for worker in self._all if worker.batch is None).submit(function, batch)

    def ended(self, seconds: float) -> tuple[Batch, Made | Died] | None:
        """Wait so long for a batch to end: what was made of it, or how its worker died, if it may be to blame.

        Raises EngineError for a worker of which STARTS processes died before they could do anything, and what the
        function raised.
        """
        busy: dict[Any, _Worker] = {one.connection: one for one in self._all if one.batch is not None}
        if answered := wait(busy, seconds):
            return busy[answered[0]].answer()
        # what a dead process has started may hold its connection open
        dead = next((worker for worker in busy.values() if not worker.is_alive()), None)
        return None if dead is None else dead.answer()

    def close(self) -> None:
        """End the processes at once."""
        for worker in self._all:
            worker.close()


class _Worker:
    """A worker: a process, and the next one where it has died."""

    connection: Connection
    """To its process."""

    def __init__(self) -> None:
        self.batch: Batch | None = None
        """The batch that it was handed and that has not ended."""
        self._call = b""
        """What its process is to do."""
        self._process: SpawnProcess | None = None
        self._has_begun = False
        """Whether its process has imported what it needs."""
        self._lost_at_start = 0
        """How many processes in a row have died while they began."""

    def is_alive(self) -> bool:
        """Whether its process lives."""
        return self._process is not None and self._process.is_alive()

    def start(self, function: Function) -> None:
        """Start its process, unless it runs already, and have it import what a function needs."""
        if self.is_alive():
            return
        self.close()
        self.connection, theirs = multiprocessing.Pipe()
        with theirs, _starting() as before:
            process = _SPAWN.Process(target=_serve, args=(theirs, os.getpid(), before))
            try:
                process.start()
            except OSError as error:
                why = error.strerror or error
                raise EngineError(f"a worker process cannot be started ({why}): try fewer workers") from None
        self._process, self._has_begun = process, False
        self._end = weakref.finalize(self, _end, process, os.getpid())
        self._send(pickle.dumps((_imported, function)))

    def submit(self, function: Function, batch: Batch) -> None:
        """Hand its process a batch, once it has begun."""
        self.start(function)
        self.batch, self._call = batch, pickle.dumps((function, batch))
        if self._has_begun:
            self._send(self._call)

    def answer(self) -> tuple[Batch, Made | Died] | None:
        """What its process has sent, or has died of; None if it has only begun."""
        assert self.batch is not None
        try:
            answer = pickle.loads(self.connection.recv_bytes()) if self.connection.poll() else self._death()
        except (EOFError, OSError):
            answer = self._death()
        if answer is None:
            self._has_begun, self._lost_at_start = True, 0
            self._send(self._call)
            return None
        batch, self.batch = self.batch, None
        if isinstance(answer, _Raised):
            raise answer.error from RuntimeError(f"in a worker:\n{answer.place}")
        return batch, answer

    def close(self) -> None:
        """End its process, if there is one."""
        if self._process is not None:
            self._end()
            self.connection.close()
            self._process = None

    def _send(self, call: bytes) -> None:
        with suppress(OSError):  # it is found later that the process has died
            self.connection.send_bytes(call)

    def _death(self) -> Made | Died:
        """How its process died, or that it made nothing if it had not begun. Raises EngineError as `ended`."""
        assert self._process is not None
        self._process.join()
        code = self._process.exitcode or 0
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        if self._has_begun:
            return Died()
        self._lost_at_start += 1
        if self._lost_at_start == STARTS:
            raise EngineError(f"a worker process ended while it began ({how}): has it enough memory (ulimit -v)?")
        return Made()


def _end(process: SpawnProcess, starter: int) -> None:
    """End a process, but not from a fork of the one that started it."""
    if os.getpid() == starter:
        process.kill()
        process.join()


@contextmanager
def _starting() -> Iterator[Mapping[str, str | None]]:
    """Have Python processes that start here begin without the script of this one, not receive Ctrl-C, have one
    thread for each library, and look last in the working folder, which may have a `random.py`.

    Yields those variables, but for the threads, that are others meanwhile, as they were.
    """
    before, path, here = {_SAFE_PATH: os.environ.get(_SAFE_PATH)}, sys.path[:], Path.cwd()
    threads = {name: os.environ.get(name) for name in _THREADS}
    script = sys.modules["__main__"]
    first = [place for place in path if here != ROOT and (not place or Path(place) == here)]
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    _set({_SAFE_PATH: "1", **{name: number or "1" for name, number in threads.items()}})
    sys.path[:] = [place for place in path if place not in first] + first
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield before
    finally:
        sys.modules["__main__"] = script
        sys.path[:] = path
        _set({**before, **threads})
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _set(variables: Mapping[str, str | None]) -> None:
    """Set variables of the environment; those of None are removed."""
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _serve(connection: Connection, parent: int, variables: Mapping[str, str | None]) -> None:
    """A worker process: it answers calls until its parent has ended, and leaves Ctrl-C to that.

    Programs that it starts have the variables of its parent.
    """
    gc.disable()  # next to nothing that an import makes is garbage
    _set(variables)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if are_supported():
        end_with(parent)
    else:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()
    while True:
        try:
            function, argument = connection.recv()
        except EOFError:
            return
        connection.send_bytes(_answer(function, argument))


def _answer(function: Callable[[Any], Any], argument: Any) -> bytes:
    try:
        return pickle.dumps(function(argument))
    except BaseException as error:
        return pickle.dumps(_Raised(error, traceback.format_exc()))


def _imported(_function: Function) -> None:
    """End the imports of a worker: it has received a function, with all that this needs."""
    gc.freeze()
    gc.enable()


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_ORPHAN_SECONDS)
    os._exit(1)
