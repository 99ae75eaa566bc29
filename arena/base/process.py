"""A process for a user's code, seen from its parent: a fork, with a supervisor that leaves nothing of it behind.

The parent forks a supervisor, and the supervisor the worker, which runs a user's code in a process group of its
own. The supervisor waits for the end of the worker or of the parent, or for too many processes or too much shared
memory, kills all that descends from the worker, and reports how that ended. A supervisor that the worker stops is
continued or killed. A fork has everything imported and compiled that the parent has. What goes through its pipes
are frames: bytes with their length before them. Linux only.
"""

from __future__ import annotations

import math
import os
import select
import signal
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from arena.base.supervisor import (
    KILL_NOW,
    LAST_SECONDS,
    SUPERVISOR_SECONDS,
    Serve,
    end_after,
    kill_descendants,
    send,
    statuses,
    supervise,
)

_PIPE_BYTES = 1 << 16
"""The least that a pipe holds."""
_SIGNAL_SECONDS = 0.1
"""Seconds between two signals to a supervisor to continue."""
_FRAME_BYTES = 1 << 20
"""Bytes of a frame, at most."""
importing = threading.Lock()
"""Held while another thread imports modules: in a process that began then they would stay half imported."""
_LENGTH = struct.Struct("<I")
_DRAIN_SECONDS = 0.01
"""Seconds after which a worker's output is read while a frame is waited for; a pipe holds it till then."""
_READ_BYTES = 1 << 14
"""Read at once, at most: room for more takes longer to make than to read."""


class Process(NamedTuple):
    """The supervisor's number, and the parent's file descriptors."""

    supervisor: int
    life: int
    """Closing it ends the process, which has LAST_SECONDS for it."""
    requests: int
    answers: int
    output: int
    """The worker's output, read without blocking."""
    ending: int
    """The pipe to which the supervisor writes how the worker ended."""


def start(serve: Serve, megabytes: int, processes: int) -> Process:
    """Begin `serve` in a process of its own, which may take so much more memory than it begins with.

    It is ended when it has more than `processes` processes, itself included, or shares more memory than that.
    """
    with importing:
        pass  # a fork that held it could begin no process itself
    life, requests, answers, output, ending = (os.pipe() for _ in range(5))
    supervisor = os.fork()
    if supervisor == 0:
        keep = (megabytes, processes, life[0], requests[0], answers[1], output[1], ending[1])
        end_after(lambda: supervise(serve, *keep))
    for descriptor in (life[0], requests[0], answers[1], output[1], ending[1]):
        os.close(descriptor)
    os.set_blocking(output[0], False)
    return Process(supervisor, life[1], requests[1], answers[0], output[0], ending[0])


def end(process: Process, *, closed: bool = False) -> str:
    """End a process with all that descends from it; how the worker ended if it did: "ended its process (SIGKILL)".

    Where its pipes are `closed` it is ending, most likely, and is given the time to do so.
    """
    if closed:
        wake_supervisor(process)
        select.select([process.ending], [], [], LAST_SECONDS)
    with suppress(BrokenPipeError):
        os.write(process.life, KILL_NOW)
    return _after_life(process)


def finish(process: Process) -> None:
    """End an idle process; it has LAST_SECONDS to end by itself before it is killed."""
    os.close(process.requests)
    _after_life(process._replace(requests=-1))


def wake_supervisor(process: Process) -> None:
    """Have the supervisor continue if the worker has stopped it."""
    os.kill(process.supervisor, signal.SIGCONT)


def _after_life(process: Process) -> str:
    """Close all pipes to a process, which ends it; how the worker ended if it did."""
    os.close(process.life)
    ending = b""
    deadline = time.monotonic() + SUPERVISOR_SECONDS
    while time.monotonic() < deadline:
        wake_supervisor(process)
        if select.select([process.ending], [], [], _SIGNAL_SECONDS)[0]:
            if not (part := os.read(process.ending, 1000)):
                break
            ending += part
    else:
        kill_descendants(process.supervisor)
        os.kill(process.supervisor, signal.SIGKILL)
    if os.WIFSIGNALED(os.waitpid(process.supervisor, 0)[1]):
        session = [number for number, status in statuses().items() if status.session == process.supervisor]
        send(signal.SIGKILL, session)
    for descriptor in (process.requests, process.answers, process.output, process.ending):
        if descriptor >= 0:
            os.close(descriptor)
    return ending.decode()


def printed(process: Process) -> bytes | None:
    """The output since the last call, as much as a pipe holds; None if no more can come."""
    try:
        return os.read(process.output, _PIPE_BYTES) or None
    except BlockingIOError:
        return b""


class FrameError(Exception):
    """The bytes read are not a frame."""


def write_frame(descriptor: int, content: bytes) -> None:
    """Write a frame. Raises BrokenPipeError where nobody reads any more, and OSError."""
    frame = _LENGTH.pack(len(content)) + content
    while frame:
        frame = frame[os.write(descriptor, frame) :]


class FrameReader:
    """The frames that come through a pipe."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._read = b""
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)

    def wait(self, seconds: float, drain: Callable[[], object]) -> bytes | None:
        """The next frame, None if it has not come within so many seconds; `drain` is called meanwhile.

        Raises EOFError at the end of the pipe, and FrameError as `frame`.
        """
        deadline = time.perf_counter() + seconds
        while (frame := self.frame()) is None:
            left = deadline - time.perf_counter()
            if left <= 0:
                return None
            if not self._poll.poll(math.ceil(1000 * min(left, _DRAIN_SECONDS))):
                drain()
            elif not self.fill():
                raise EOFError
        return frame

    def frame(self) -> bytes | None:
        """The next frame if all of it was read. Raises FrameError if it would be longer than _FRAME_BYTES."""
        if len(self._read) < _LENGTH.size:
            return None
        end = _LENGTH.size + _LENGTH.unpack_from(self._read)[0]
        if end > _FRAME_BYTES:
            raise FrameError
        if len(self._read) < end:
            return None
        content, self._read = self._read[_LENGTH.size : end], self._read[end:]
        return content

    def fill(self) -> bool:
        """Wait for more and read it; false at the end of the pipe."""
        part = os.read(self._descriptor, _READ_BYTES)
        self._read += part
        return bool(part)
