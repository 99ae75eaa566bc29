"""Timing: how work is repeated, timed and put in figures."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from itertools import count
from typing import NamedTuple, TypeAlias

Work: TypeAlias = Callable[[int], int]
"""A piece of work to time: from a depth in plies, or a number of units, to a number of nodes."""


class Row(NamedTuple):
    """One measurement."""

    what: str
    variant: str
    depth: int | None
    """Plies; None for whole games."""
    nodes: int
    """Lines counted by a perft, positions entered by a search, plies of games."""
    seconds: float
    """Wall time that `nodes` took."""
    rate: str
    """With its unit."""
    note: str


def first_depth(work: Work, seconds: float) -> int:
    """The first depth at which `work` takes at least `seconds`; a first run that may compile is not timed."""
    work(1)
    return next(depth for depth in count(1) if best_run(work, depth)[1] >= seconds)


def best_run(work: Work, units: int, repeat: int = 1) -> tuple[int, float]:
    """Nodes and wall time of the fastest of `repeat` runs."""

    def run() -> tuple[int, float]:
        began = time.perf_counter()
        nodes = work(units)
        return nodes, time.perf_counter() - began

    return min((run() for _ in range(repeat)), key=lambda timed: timed[1])


def spell(work: Callable[[], int], seconds: float) -> tuple[int, float]:
    """Units and wall time of work that is repeated for some seconds, at least once."""
    began, units = time.perf_counter(), work()
    while (elapsed := time.perf_counter() - began) < seconds:
        units += work()
    return units, elapsed


def three_figures(number: float) -> str:
    """A number of at least 0 to three significant figures, all digits before the point kept, without exponent."""
    decimals = 2 - math.floor(math.log10(number)) if number else 0
    return f"{number:,.{max(decimals, 0)}f}"
