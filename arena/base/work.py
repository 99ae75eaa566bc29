"""Work in other processes: a generator whose stages have a time each, a function in the background; the cores."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, TypeVar

from arena.base import process
from arena.base.supervisor import are_supported, end_after, end_with

_T = TypeVar("_T")

_MEMORY = 4096
"""Megabytes that work may have beyond what its process has at the start."""
_PROCESSES = 256
"""Processes that work may be at once: room for a player in a process of its own within it."""
_START_SECONDS = 60.0
"""Seconds that the process may take to begin."""


def cores() -> int:
    """How many processors this process may use at once: those of the machine, as far as its affinity, its cgroup
    and LOKY_MAX_CPU_COUNT let it.
    """
    from joblib import cpu_count  # which takes half a second to import

    return int(cpu_count())


class Stage(NamedTuple):
    """The next stage of work, announced before it starts: `Stage("being loaded", 10.0)`."""

    doing: str
    seconds: float
    """How long it may take until the work yields again."""


class Lost(Exception):
    """Work that was not finished: `did not end within 10 s while being loaded`."""


class _End(NamedTuple):
    """Work has ended, with the reason unless it ended by itself."""

    how: str = ""


def run_in_subprocess(work: Callable[..., Iterator[Any]], *arguments: Any) -> Generator[Any, None, None]:
    """Yield what a generator function yields in its own process, except its stages.

    What it yields can be pickled. It yields a `Stage` before whatever may take long. Its output is thrown away,
    and its process is ended, with all that it began, when the iterator is closed, and when the process that asked
    for it ends. Where there are no such processes, it is called in this one.

    Raises Lost when a stage takes too long, or the process ends by a signal, by `sys.exit` or by an exception.
    """
    if not are_supported():
        yield from (message for message in work(*arguments) if not isinstance(message, Stage))
        return
    begun = process.start(lambda _, answers: _do(work, arguments, answers), _MEMORY, _PROCESSES)
    reader = process.FrameReader(begun.answers)
    stage, ended = Stage("starting", _START_SECONDS), None
    try:
        while True:
            try:
                frame = reader.wait(stage.seconds, lambda: process.printed(begun))
            except EOFError:
                ended = process.end(begun, closed=True)
                raise Lost(f"{ended or 'closed its pipe'} while {stage.doing}") from None
            if frame is None:
                raise Lost(f"did not end within {stage.seconds:g} s while {stage.doing}")
            message = pickle.loads(frame)
            if isinstance(message, Stage):
                stage = message
            elif isinstance(message, _End):
                if message.how:
                    raise Lost(f"{message.how} while {stage.doing}")
                return
            else:
                yield message
    finally:
        if ended is None:
            process.end(begun)


@contextmanager
def in_background(work: Callable[[], _T]) -> Iterator[Callable[[], _T]]:
    """Begin `work` in a fork of this process, and yield what waits for its result, which can be pickled.

    A fork is worth it where there is a second core, and safe where no other thread may hold a lock. Elsewhere, and
    if the fork ends without a result, `work` is called in this process when its result is asked for; so its errors
    are raised here. A fork whose result is not asked for is interrupted.
    """
    if not are_supported() or len(os.sched_getaffinity(0)) < 2 or threading.active_count() > 1:
        yield work
        return
    parent = os.getpid()
    results, answers = os.pipe()
    fork = os.fork()
    if fork == 0:
        os.close(results)
        end_after(partial(_answer, work, parent, answers))
    os.close(answers)
    with os.fdopen(results, "rb") as pipe:
        try:
            yield lambda: _result(work, pipe.read())
        except BaseException:
            os.kill(fork, signal.SIGINT)
            raise
        finally:
            pipe.close()
            os.waitpid(fork, 0)


def _answer(work: Callable[[], object], parent: int, answers: int) -> None:
    end_with(parent)
    with os.fdopen(answers, "wb") as pipe:
        pipe.write(pickle.dumps(work()))


def _result(work: Callable[[], _T], answer: bytes) -> _T:
    try:
        result: _T = pickle.loads(answer)
    except (EOFError, pickle.UnpicklingError):
        return work()
    return result


def _do(work: Callable[..., Iterator[Any]], arguments: tuple[Any, ...], answers: int) -> None:
    try:
        for message in work(*arguments):
            process.write_frame(answers, pickle.dumps(message))
        end = _End()
    except SystemExit:
        end = _End("called sys.exit")
    except BaseException as error:
        end = _End(f"raised {type(error).__name__}")
    process.write_frame(answers, pickle.dumps(end))
