"""A chart of a report as a row: its name, caption and numbers, what draws it, and which runs have it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from matplotlib.axes import Axes

from arena.report.run import Run


class Chart(NamedTuple):
    """A chart of a run."""

    name: str
    """Of its files, without the suffix."""
    caption: str
    csv: str
    """The file of the report that holds its numbers."""
    draw: Callable[[Run], Axes]
    applies: Callable[[Run], bool] = lambda _: True
    """Whether a run has it."""
