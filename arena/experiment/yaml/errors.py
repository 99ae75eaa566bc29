"""Problems in a configuration: before their places are looked up, and with these."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Self

from arena.base.errors import ArenaError

Keys = tuple[str | int, ...]
"""The way to a value: `("players", 2, "depth")`, entries of a list counted from 0."""
Problem = tuple[Keys, str]
"""The keys of what is wrong, and why."""


class Refusal(ValueError):
    """Says what is wrong in a part of a configuration: `problems`, whose keys lead from there to each fault."""

    def __init__(self, message: str, *keys: str | int) -> None:
        super().__init__(message)
        self.problems: list[Problem] = [(keys, message)]

    @classmethod
    def of(cls, problems: Iterable[Problem]) -> Self:
        """Several problems at once."""
        refusal = cls("")
        refusal.problems = list(problems)
        return refusal


class Mistake(NamedTuple):
    """Something wrong in a configuration."""

    file: str
    line: int
    """From 1; 0 for a value outside a file."""
    column: int
    message: str
    keys: Keys = ()
    """The way to what is wrong, as far as it is known, in the configuration with its sweeps written out."""

    def in_line(self, place: str = "") -> str:
        """The problem in one line, with another name of its place, if one is given."""
        place = place or (f"{self.file}:{self.line}:{self.column}" if self.line else self.file)
        return f"{place}: {self.message}".replace("\n", "\\n")


class ConfigError(ArenaError):
    """All that is wrong with a configuration: `problems` by position, as text one line of each.

    What is said twice of one line is said once: of each value of a sweep, say, that its key is unknown.
    """

    def __init__(self, problems: Iterable[Mistake]) -> None:
        first: dict[tuple[str, int, str], Mistake] = {}
        for problem in sorted(problems, key=lambda problem: problem[:4]):
            first.setdefault((problem.file, problem.line, problem.message), problem)
        self.problems = list(first.values())
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(problem.in_line() for problem in self.problems)
