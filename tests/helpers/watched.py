"""A run that is watched, and an observer that stops work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from arena.watch.observer import Observer

NAMES = ("<b>bold</b>", "plain")

DOCUMENT = {
    "name": "watched",
    "variant": "english",
    "seed": 3,
    "openings": {"random_plies": 3, "count": 2},
    "max_plies": 60,
    "players": [{"name": NAMES[0], "type": "negamax", "depth": 2}, {"name": NAMES[1], "type": "random"}],
}


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
