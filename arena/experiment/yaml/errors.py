"""Problems in a configuration, with their places."""

from __future__ import annotations

from collections.abc import Iterable

from arena.base.errors import ArenaError

Keys = tuple[str | int, ...]
"""The way to a value: `("players", 2, "depth")`, entries of a list counted from 0."""
Problem = tuple[str, int, int, str]
"""File, line, column and message; line and column count from 1; both are 0 for a value outside a file."""


def problem_line(place: str, message: str) -> str:
    """A problem in one line, whatever its place is called."""
    return f"{place}: {message}".replace("\n", "\\n")


class ConfigError(ArenaError):
    """All that is wrong with a configuration: `problems` by position, as text one line of each.

    What is said twice of one line is said once: of each value of a sweep, say, that its key is unknown.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        first: dict[tuple[str, int, str], Problem] = {}
        for problem in sorted(set(problems)):
            file, line, _, message = problem
            first.setdefault((file, line, message), problem)
        self.problems = list(first.values())
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(
            problem_line(f"{file}:{line}:{column}" if line else file, message)
            for file, line, column, message in self.problems
        )
