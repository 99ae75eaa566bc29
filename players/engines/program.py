"""A program that is run, with what it writes: lines for us, or only for the reader of its last words."""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from socket import socket
from typing import IO, Any, TypeAlias

from arena.base.process import memory_limit, processor_seconds, tell
from arena.base.wording import quoted
from arena.base.work import Announcement

PATIENCE = 10.0  # seconds without an answer after which a line says what a program that is not ready wrote
LONGEST_LINE = 1 << 16
"""Bytes that a program may write without ending a line, and that are read at once: all that a pipe holds."""
_LAST_SECONDS = 0.3  # seconds that a program has to end by itself
_LAST_CHARACTERS = 150  # of a program's last words, at most: an error of Python's with a path
_LACKS_MEMORY = re.compile("memory|alloc|enough space", re.IGNORECASE)
"""What the last words of a program have that was given no more memory, in C, C++, Rust, Java and Python."""


program_is_slow = Announcement()
"""Announces, by a line, that a program of this process or of another one is long in answering."""


def wrote(text: str) -> str:
    """The end of a message, `; it wrote 'no weights'`: the last line of a program's; nothing if it has none."""
    lines = [line.strip() for line in text.splitlines() if not line.startswith(_SENT)]
    last = next(filter(None, reversed(lines)), "")
    return f"; it wrote {quoted(last, _LAST_CHARACTERS)}" if last else ""


_SENT = "> "  # what stands before a line to a program where both sides are kept


def tell_sent(*lines: str) -> None:
    """Print lines that are sent to a program, beside those that it writes."""
    tell("".join(f"{_SENT}{line}\n" for line in lines))


class ProgramError(Exception):
    """A program that cannot answer any more; the message follows its name, as in `has ended`."""


class Program:
    """A running program. In a process whose parent keeps what it prints, all output is printed."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        """Start the command in a folder. Raises OSError."""
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True
        )
        pipes: tuple[Any, ...] = self._process.stdin, self._process.stdout, self._process.stderr
        self._input, self._output, self._errors = pipes
        self._open = selectors.DefaultSelector()
        self._written: dict[IO[bytes], bytes] = {self._errors: b"", self._output: b""}  # the end of each
        for each in self._written:
            self._open.register(each, selectors.EVENT_READ)
        self._begun = b""  # a line of its output that has no end yet
        self._lines: deque[str] = deque()

    @property
    def wrote(self) -> str:
        """Its last line on standard error, or on standard output if there is none there, as `wrote` words it."""
        each = (text.decode("utf-8", "backslashreplace") for text in self._written.values())
        return next(filter(None, map(wrote, each)), "")

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def say(self, *lines: str) -> None:
        """Write lines to the program. Raises ProgramError if it does not read them any more."""
        tell_sent(*lines)
        rest = "".join(f"{line}\n" for line in lines).encode()
        try:
            while rest:
                rest = rest[os.write(self._input.fileno(), rest) :]
        except OSError:
            raise ProgramError(self.ending("input")) from None

    def line(self, deadline: float | None = None) -> str | None:
        """Return the program's next line; None if none comes before `deadline`, a value of `time.perf_counter`.
        Raises ProgramError if the program has ended, or writes without end of line."""
        while not self._lines:
            if self._output not in self._open.get_map():
                raise ProgramError(self.ending("output"))
            if len(self._begun) > LONGEST_LINE:
                raise ProgramError(f"wrote {LONGEST_LINE} bytes without an end of line")
            if not self._read(deadline):
                return None
        return self._lines.popleft()

    def wait(self, connection: socket, deadline: float | None = None) -> bool:
        """Wait until a connection can be read, and pass over what the program writes; false at the deadline."""
        self._open.register(connection, selectors.EVENT_READ)
        try:
            while ready := self._read(deadline):
                self._lines.clear()
                if connection in ready:
                    return True
        finally:
            self._open.unregister(connection)
        return False

    def forget(self) -> None:
        """Pass over all that it has written so far."""
        self._read(0.0)
        self._lines.clear()

    def cpu_seconds(self) -> float:
        """Processor time of the program's process so far; nan if unknown, or after its end."""
        return processor_seconds(self._process.pid)

    def close(self, *farewell: str) -> None:
        """Say the last lines, if any, and end the program, which has a moment to end by itself."""
        with suppress(ProgramError):
            self.say(*farewell)
        self._open.close()
        for pipe in (self._input, self._output, self._errors):
            pipe.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LAST_SECONDS)
        self._process.kill()
        self._process.wait()

    def ending(self, closed: str) -> str:
        """Describe how it ended; if it runs on, what it `closed`, such as its output."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LAST_SECONDS)
        self._read(0.0)
        code = self._process.returncode
        if code is None:
            return f"closed its {closed}"
        how = f"exit code {code}" if code >= 0 else _signal_name(-code)
        most = memory_limit() if _LACKS_MEMORY.search(self.wrote) else None
        bound = "" if most is None else f" with {most} MB of memory at most (process: {{memory: ...}})"
        return f"ended ({how}){bound}"

    def _read(self, deadline: float | None) -> list[object]:
        """Read what can be read by a deadline, of each pipe once; the pipes, none if there was nothing."""
        left = None if deadline is None else max(deadline - time.perf_counter(), 0.0)
        ready: list[object] = [key.fileobj for key, _ in self._open.select(left)]
        for pipe in [pipe for pipe in self._written if pipe in ready]:
            part = os.read(pipe.fileno(), LONGEST_LINE)
            if not part:
                self._open.unregister(pipe)
            tell(part.decode("utf-8", "backslashreplace"))
            self._written[pipe] = (self._written[pipe] + part)[-LONGEST_LINE:]
            if pipe is self._output:
                *whole, self._begun = (self._begun[-LONGEST_LINE - 1 :] + part).split(b"\n")
                self._lines += [line.decode("utf-8", "backslashreplace").strip() for line in whole]
        return ready


Starter: TypeAlias = Callable[[Sequence[str]], Program]  # starts a program by the words of its command


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
