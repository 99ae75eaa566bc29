"""The engine of an executor, and how its work can end: TaskEngine, Died, NotBegun, EngineError, Stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any, Protocol


class Died(Exception):
    """The worker that had begun a call died."""


class NotBegun(Exception):
    """A call's worker died before it began it."""


class EngineError(Exception):
    """The workers cannot be reached, or cannot do the work; the message is one line."""


class Stopped(BaseException):
    """The whole process is to end at once; raised in the main thread, anywhere, even in a player's code.

    Code that catches BaseException raises it again: no player is to blame.
    """

    def __init__(self, code: int) -> None:
        super().__init__(f"exit code {code}")
        self.code = code


class TaskEngine(Protocol):
    """Workers, each of which does one call at a time."""

    def workers(self) -> int:
        """How many there are now."""

    def submit(self, function: Callable[..., Any], tasks: list[tuple[int, Any]]) -> Future[Any]:
        """Have a worker call `function(tasks)`; the calls that a worker is handed are done in their order.

        The future raises Died or NotBegun for a call whose worker died, EngineError if all workers are lost, and
        what the function raises.
        """

    def withdraw(self, futures: Iterable[Future[Any]]) -> None:
        """Cancel the calls that no worker has."""

    def close(self) -> None:
        """End at once, with whatever is under way."""
