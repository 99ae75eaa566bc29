"""The status of a run that is watched, and an observer that stops work."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.watch.status import Observer, Status, StatusReader


def read_status(folder: Path) -> Status:
    """The status of the run in a folder."""
    return StatusReader(folder).read()


def status_of(**changes: Any) -> Status:
    """30 of 60 games of a run that another machine may be playing, but for the changes."""
    session = {"began": "2026-11-22T03:44:05+00:00", "games": 10, "workers": 2, "host": "host", "process": 77}
    of: Any = "t: match, english", 30, 60, True, False, [], [], {}, None, session, None, None, None
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
