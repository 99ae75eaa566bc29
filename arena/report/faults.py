"""Parts of a report that cannot be made: each says so in one line, and all others are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from arena.base.errors import ArenaError
from arena.base.wording import message_of, traceback_of

_T = TypeVar("_T")
U = TypeVar("U")


class Fault(NamedTuple):
    """A part that could not be made, by an error of the arena."""

    line: str
    """One line for the page and the terminal."""
    traceback: str


class Faults:
    """The faults of one run's report."""

    def __init__(self) -> None:
        self.found: dict[str, Fault] = {}
        """By part: a section, a chart or a file."""

    def attempt(self, part: str, make: Callable[[], _T], otherwise: U) -> _T | U:
        """What `make` returns; `otherwise`, with the fault kept, if it raises an error that nobody foresaw.

        Damage, files that cannot be written and want of memory end the report: they are raised.
        """
        try:
            return make()
        except (ArenaError, OSError, MemoryError):
            raise
        except Exception as error:
            line = f"{part} could not be made: {type(error).__name__}: {message_of(error)}"
            self.found.setdefault(part, Fault(line, traceback_of(error)))
            return otherwise

    def line_of(self, part: str) -> str:
        """The line of a part that could not be made, "" of another one."""
        return self.found[part].line if part in self.found else ""

    def lines(self) -> list[str]:
        """The lines of all faults."""
        return [fault.line for fault in self.found.values()]

    @property
    def text(self) -> str:
        """All faults with their tracebacks."""
        return "\n".join(f"{fault.line}\n{fault.traceback}" for fault in self.found.values())
