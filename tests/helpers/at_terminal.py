"""`arena ...` in a pseudo-terminal, and what a person at it sees and types."""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
from pathlib import Path

PROMPT = r"(?:(?:White|Black)(?: [0-9:.]+)?|over|paused)> "
"""What stands before a line that is waited for."""
_SECONDS = 60
"""Seconds for an answer, the compilation of a rule set among them."""
_LISTED = r"(?:legal moves|you must capture|the only move)(?:, by number or squares)?: ?([-0-9x,)\s]+|pass)"


class Terminal:
    """A command of the arena with a terminal of its own, of 100 columns unless it is given others."""

    def __init__(self, *arguments: object, columns: int = 100, **environment: str) -> None:
        self.output = ""
        self._read = 0
        self._process, self._terminal = pty.fork()
        if not self._process:
            os.environ.update(environment, TERM="xterm-256color")
            # Not execv: readline, which pytest loads, has set COLUMNS behind the back of os.environ.
            os.execve(sys.executable, [sys.executable, "-m", "arena", *map(str, arguments)], os.environ)
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Wait until it shows something that it has not been waited for before."""
        ends = time.monotonic() + _SECONDS
        while not (found := re.search(pattern, self.output[self._read :])):
            ready = select.select([self._terminal], [], [], max(ends - time.monotonic(), 0))[0]
            assert ready and self._fill(), f"no {pattern!r} in {self.output[self._read :][-2000:]!r}"
        self._read += found.end()
        return found

    def type(self, line: str) -> str:
        """Type a line; what is shown until the next one is waited for."""
        self.press(f"{line}\n".encode())
        return self.prompted()

    def prompted(self) -> str:
        """What is shown until a line is waited for."""
        begins = self._read
        self.wait_for(PROMPT)
        return self.output[begins : self._read]

    def press(self, keys: bytes) -> None:
        """Type keys, such as b"\\x03" for Ctrl-C."""
        if keys == b"\x03":
            self._rest()
        os.write(self._terminal, keys)

    def end(self) -> int:
        """Wait for the end; the exit code."""
        while self._fill():
            pass
        os.close(self._terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])

    def _rest(self) -> None:
        """Wait until it does nothing, a second at most: before it waits, a Ctrl-C is not seen."""
        spent, looks = -1, 10
        while looks and (now := self._ticks()) != spent:
            spent, looks = now, looks - 1
            time.sleep(0.1)

    def _ticks(self) -> int:
        """Processor time that it has taken."""
        fields = Path(f"/proc/{self._process}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def _fill(self) -> bool:
        try:
            part = os.read(self._terminal, 1 << 16)
        except OSError:
            return False
        self.output += part.decode("utf-8", "replace")
        return bool(part)


def listed_moves(shown: str) -> list[str]:
    """The legal moves that a text lists."""
    found = re.search(_LISTED, shown)
    assert found, shown
    return re.findall(r"[0-9]+[x-][0-9x]+|pass", found[1])
