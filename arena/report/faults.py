"""Parts of a report that cannot be made: each says so in one line, and all others are written."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import NamedTuple, TypeVar

from arena.base.errors import ArenaError
from arena.base.wording import message_of, traceback_of

_T = TypeVar("_T")
U = TypeVar("U")


class Place(Enum):
    """Says where a reader would look for a part of a report."""

    OPENING = auto()
    SECTION = auto()
    CHART = auto()
    FILE = auto()


class Fault(NamedTuple):
    """A part that could not be made, by an error of the arena."""

    part: str
    error: str
    traceback: str

    @property
    def line(self) -> str:
        """One line for the page and the terminal."""
        return f"{self.part} could not be made: {self.error}"


class Faults:
    """The faults of one run's report."""

    def __init__(self) -> None:
        self.found: dict[tuple[Place, str], Fault] = {}

    def attempt(self, place: Place, part: str, make: Callable[[], _T], otherwise: U) -> _T | U:
        """What `make` returns; `otherwise`, with the fault kept, if it raises an error that nobody foresaw.

        Damage, files that cannot be written and want of memory end the report: they are raised.
        """
        try:
            return make()
        except (ArenaError, OSError, MemoryError):
            raise
        except Exception as error:
            fault = Fault(part, f"{type(error).__name__}: {message_of(error)}", traceback_of(error))
            self.found.setdefault((place, part), fault)
            return otherwise

    def line_of(self, place: Place, part: str) -> str:
        """The line of a part that could not be made, "" of another one."""
        fault = self.found.get((place, part))
        return fault.line if fault else ""

    def lines(self, place: Place | None = None) -> list[str]:
        """The lines of all faults, or of those of one place."""
        return [fault.line for (where, _), fault in self.found.items() if place in (None, where)]

    @property
    def text(self) -> str:
        """All faults with their tracebacks."""
        return "\n".join(f"{fault.line}\n{fault.traceback}" for fault in self.found.values())
