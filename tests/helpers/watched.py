"""The status of a run that is watched, and an observer that stops work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from arena.ledger.info import RunInfo, Session
from arena.watch.observer import Observer
from arena.watch.status import Status
from tests.helpers import made_up


def status_of(seconds: float | None, **changes: Any) -> Status:
    """30 of 60 games, 10 of them played before the last session, whose first move was so many seconds ago."""
    info = RunInfo(session=Session("", 10, 2, "host", 77))
    of: Any = made_up.experiment("random"), info, 30, 60, True, False, [], [], {}, True, seconds, 995.0, None, 0
    return Status(*of)._replace(**changes)


class Stopper(Observer):
    """Stops work after so many pieces, which it counts; as a terminal's, the wish is forgotten when work ends."""

    def __init__(self, after: int) -> None:
        self.after, self.count = after, 0
        self.is_wished = after == 0

    @contextmanager
    def working(self, *_: Any, **more: Any) -> Iterator[Callable[[], bool]]:
        yield lambda: self.is_wished
        self.is_wished = False

    def done(self, pieces: int) -> None:
        self.count += 1
        self.is_wished |= self.count == self.after
