"""A run that is watched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.rules.variants import VARIANTS
from arena.watch.underway import UnderwayFile, file_of, place

NAN = float("nan")

START = VARIANTS["english"].start

NAMES = ("<b>bold</b>", "plain")

DOCUMENT = {
    "name": "watched",
    "variant": "english",
    "seed": 3,
    "openings": {"random_plies": 3, "count": 2},
    "max_plies": 60,
    "players": [{"name": NAMES[0], "type": "negamax", "depth": 2}, {"name": NAMES[1], "type": "random"}],
}


@contextmanager
def worker_of(folder: Path) -> Iterator[UnderwayFile]:
    """What this process shows, as a worker of the run in a folder."""
    with place(folder) as at:
        assert at is not None
        shown = file_of(at)
        assert shown is not None
        yield shown
