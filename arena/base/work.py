"""Work in another process: a generator whose stages have a time each; the cores."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterator
from typing import Any, NamedTuple

from arena.base import process
from arena.base.supervisor import are_supported

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
