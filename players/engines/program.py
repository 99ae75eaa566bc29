"""A program that exchanges lines through its standard input and output."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from arena.base.supervisor import processor_seconds, tell

LONGEST_LINE = 1 << 16
"""Bytes that a program may write without ending a line."""
_READ_BYTES = 1 << 14
_LAST_SECONDS = 0.3
"""Seconds that a program has to end by itself."""


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
            raise ProgramError(self._ending("input")) from None

    def line(self, deadline: float | None = None) -> str | None:
        """The next line that it writes; None if there is none by the deadline, of `time.perf_counter`.

        Raises ProgramError if it has ended, or writes without end of line.
        """
        while not self._lines:
            left = None if deadline is None else max(1000 * (deadline - time.perf_counter()), 0)
            ready = {descriptor for descriptor, _ in self._waiting.poll(left)}
            if not ready:
                return None
            if self._errors in ready and not self._hear_errors():
                self._waiting.unregister(self._errors)
            if self._output in ready:
                self._hear()
        return self._lines.popleft()

    def forget(self) -> None:
        """Pass over all that it has written so far. Raises ProgramError."""
        self._lines.clear()
        while self.line(0.0) is not None:
            pass

    def cpu_seconds(self) -> float:
        """Processor time of the program's process so far; nan if unknown, or after its end."""
        return processor_seconds(self._process.pid)

    def close(self, farewell: str) -> None:
        """Say a last line and end the program, which has a moment to end by itself."""
        with suppress(ProgramError):
            self.say(farewell)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LAST_SECONDS)
        self._process.kill()
        self._process.wait()

    def _hear(self) -> None:
        part = os.read(self._output, _READ_BYTES)
        if not part:
            raise ProgramError(self._ending("output"))
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

    def _ending(self, closed: str) -> str:
        """Describe how it ended; if it runs on, which of its pipes it `closed`."""
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
