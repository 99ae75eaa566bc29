"""Sections of a page that cannot be made: each says so in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from arena.base.errors import ArenaError
from arena.base.wording import message_of

_T = TypeVar("_T")
U = TypeVar("U")


class Faults:
    """The faults of one run's page."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}
        """A line for the page and the terminal, by section."""

    def attempt(self, section: str, make: Callable[[], _T], otherwise: U) -> _T | U:
        """What `make` returns; `otherwise`, with the fault kept, if it raises an error that nobody foresaw.

        Damage, files that cannot be written and want of memory end the report: they are raised.
        """
        try:
            return make()
        except (ArenaError, OSError, MemoryError):
            raise
        except Exception as error:
            line = f"{section} could not be made: {type(error).__name__}: {message_of(error)}"
            self.found.setdefault(section, line)
            return otherwise
