"""A program that is run, with what it writes: lines for us, or only for the reader of its last words."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.base.supervisor import processor_seconds, tell

LONGEST_LINE = 1 << 16
"""Bytes that a program may write without ending a line."""
_READ_BYTES = 1 << 14
_LAST_SECONDS = 0.3
"""Seconds that a program has to end by itself."""


_announcing: list[Callable[[str], object]] = []


@contextmanager
def waiting_announced(announce: Callable[[str], object]) -> Iterator[None]:
    """Call `announce` with a line where a program that was started is long in answering."""
    _announcing.append(announce)
    try:
        yield
    finally:
        _announcing.remove(announce)


def announce_waiting(line: str) -> None:
    """Let the innermost `waiting_announced` know of such a program, of this process or of another one."""
    for announce in _announcing[-1:]:
        announce(line)


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
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._input = self._process.stdin.fileno()
        self._output = self._process.stdout.fileno()
        self._errors = self._process.stderr.fileno()
        self._waiting = select.poll()
        self._waiting.register(self._output, select.POLLIN)
        self._waiting.register(self._errors, select.POLLIN)
        self._lines: deque[str] = deque()
        self._begun = b""
        self.last_words = ""
        """Its last output on standard error, or on standard output if there was none there."""
        self._complained = False

    def say(self, *lines: str) -> None:
        """Write lines to the program. Raises ProgramError if it does not read them any more."""
        text = "".join(f"{line}\n" for line in lines)
        tell("".join(f"> {line}\n" for line in lines))
        rest = text.encode()
        try:
            while rest:
                rest = rest[os.write(self._input, rest) :]
        except OSError:
            raise ProgramError(self.ending("input")) from None

    def line(self, deadline: float | None = None) -> str | None:
        """Return the program's next line; None if none comes before `deadline`, a value of `time.perf_counter`.

        Raises ProgramError if the program has ended, or writes without end of line.
        """
        while not self._lines:
            ready = self._ready(deadline)
            if not ready:
                return None
            self._hear_all(ready)
        return self._lines.popleft()

    def wait(self, descriptor: int, deadline: float | None = None) -> bool:
        """Wait until a descriptor can be read, skipping what the program writes; false at the deadline.

        Raises ProgramError if it has ended.
        """
        self._waiting.register(descriptor, select.POLLIN)
        try:
            while descriptor not in (ready := self._ready(deadline)):
                if not ready:
                    return False
                self._hear_all(ready)
                self._lines.clear()
        finally:
            self._waiting.unregister(descriptor)
        return True

    def pass_over(self, seconds: float) -> None:
        """Pass over what it writes for some time. Raises ProgramError if it has ended."""
        deadline = time.perf_counter() + seconds
        while self.line(deadline) is not None:
            pass

    def forget(self) -> None:
        """Pass over all that it has written so far. Raises ProgramError."""
        self._lines.clear()
        self.pass_over(0.0)

    def cpu_seconds(self) -> float:
        """Processor time of the program's process so far; nan if unknown, or after its end."""
        return processor_seconds(self._process.pid)

    def close(self, *farewell: str) -> None:
        """Say the last lines, if any, and end the program, which has a moment to end by itself."""
        with suppress(ProgramError):
            self.say(*farewell)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LAST_SECONDS)
        self._process.kill()
        self._process.wait()

    def ending(self, closed: str) -> str:
        """Describe how it ended; if it runs on, what it `closed`, such as its output."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LAST_SECONDS)
        while select.select([self._errors], [], [], 0)[0] and self._hear_errors():
            pass
        code = self._process.returncode
        if code is None:
            return f"closed its {closed}"
        if code >= 0:
            return f"ended (exit code {code})"
        try:
            return f"ended ({signal.Signals(-code).name})"
        except ValueError:
            return f"ended (signal {-code})"

    def _ready(self, deadline: float | None) -> set[int]:
        left = None if deadline is None else max(1000 * (deadline - time.perf_counter()), 0)
        return {descriptor for descriptor, _ in self._waiting.poll(left)}

    def _hear_all(self, ready: set[int]) -> None:
        if self._errors in ready and not self._hear_errors():
            self._waiting.unregister(self._errors)
        if self._output in ready:
            self._hear()

    def _hear(self) -> None:
        part = os.read(self._output, _READ_BYTES)
        if not part:
            raise ProgramError(self.ending("output"))
        *whole, self._begun = (self._begun + part).split(b"\n")
        for line in whole:
            text = line.decode("utf-8", "backslashreplace").strip()
            tell(f"{text}\n")
            if not self._complained:
                self.last_words = text or self.last_words
            self._lines.append(text)
        if len(self._begun) > LONGEST_LINE:
            tell(f"{self._begun[:LONGEST_LINE].decode('utf-8', 'backslashreplace')}\n")
            raise ProgramError(f"wrote {LONGEST_LINE} bytes without an end of line")

    def _hear_errors(self) -> bool:
        part = os.read(self._errors, _READ_BYTES)
        if not part:
            return False
        text = part.decode("utf-8", "backslashreplace")
        tell(text)
        self._complained = True
        self.last_words = next((line.strip() for line in text.splitlines()[::-1] if line.strip()), self.last_words)
        return True
