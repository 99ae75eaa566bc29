"""Timing: how work is repeated, timed and put in figures; how well a player keeps to a time limit."""

from __future__ import annotations

import math
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from multiprocessing.synchronize import Barrier
from typing import NamedTuple, TypeAlias

import numpy as np

from arena.experiment.formats.base import Pairing
from arena.ledger.record import Task
from arena.play.match import play
from arena.rules.game import Termination
from arena.rules.variants import Variant
from players.player import Limit, PlayerSpec

Work: TypeAlias = Callable[[int], int]
"""A piece of work to time: from a depth in plies to a number of nodes."""


class Row(NamedTuple):
    """One measurement; a missing one has zeros, an empty `rate` and the reason as `note`."""

    what: str
    variant: str
    depth: int | None
    """Plies; None for whole games."""
    nodes: int
    """Lines counted by a perft, positions entered by a search, plies of games."""
    seconds: float
    """Wall time that `nodes` took."""
    rate: str
    """With its unit: million nodes, or games, per second, or the share of moves in time."""
    note: str


def first_depth(work: Work, seconds: float) -> int:
    """The first depth at which `work` takes at least `seconds`; a first run that may compile is not timed."""
    work(1)
    return next(depth for depth in count(1) if timed(work, depth)[1] >= seconds)


def best_runs(depth: int, repeat: int, *works: Work) -> list[tuple[int, float]]:
    """(nodes, seconds) of the fastest of `repeat` runs of each, taken in turn: a slow spell meets all alike."""
    runs = [[timed(work, depth) for work in works] for _ in range(repeat)]
    return [min(of_one, key=lambda run: run[1]) for of_one in zip(*runs, strict=True)]


def timed(work: Work, depth: int) -> tuple[int, float]:
    """(nodes, seconds) of one run; seconds are wall time."""
    began = time.perf_counter()
    nodes = work(depth)
    return nodes, time.perf_counter() - began


def spell(work: Callable[[], int], seconds: float) -> tuple[int, float]:
    """Units and wall time of work that is repeated for some seconds, at least once."""
    began, units = time.perf_counter(), work()
    while (elapsed := time.perf_counter() - began) < seconds:
        units += work()
    return units, elapsed


def millions(nodes: int, seconds: float) -> str:
    """A rate in million nodes per second."""
    return f"{three_figures(nodes / seconds / 1e6)} M nodes/s"


def three_figures(number: float) -> str:
    """A number of at least 0 to three significant figures, all digits before the point kept, without exponent."""
    decimals = 2 - math.floor(math.log10(number)) if number else 0
    return f"{number:,.{max(decimals, 0)}f}"


TOLERANCE = 0.01
"""Seconds within which a move is counted as in time."""


def kept_time(
    variant: Variant,
    player: str = "negamax",
    seconds: float = 0.02,
    moves: int = 1000,
    busy: int | None = None,
    max_plies: int = 150,
) -> Row:
    """At least `moves` moves of `seconds` each by a player against itself, as in a tournament.

    Meanwhile `busy` other processes, one a core if None, do nothing but count. The row's nodes and seconds are
    those of all moves, its rate the share of them at most TOLERANCE over the limit. Raises RuntimeError if the
    player fails, as one that needs another limit does.
    """
    spec = PlayerSpec(player, player, Limit(seconds=seconds))
    tables: list[np.ndarray] = []
    late = games = 0
    with _busy(os.cpu_count() or 1 if busy is None else busy):
        while sum(map(len, tables)) < moves:
            games += 1
            pairing = Pairing(games, pair=games, round=1, white=0, black=1, opening=0)
            record = play(Task(pairing, variant, variant.start, spec, spec, seed=games, max_plies=max_plies))
            if record.error and record.termination != Termination.TIME:
                raise RuntimeError(record.error)
            tables.append(record.table())
            late += record.termination == Termination.TIME
    overrun = np.concatenate([table["overrun"] for table in tables])
    share, worst = (overrun <= TOLERANCE).mean(), overrun.max()
    return Row(
        f"{player}, {1000 * seconds:g} ms",
        variant.name,
        None,
        int(sum(table["nodes"].sum() for table in tables)),
        float(sum(table["seconds"].sum() for table in tables)),
        f"{100 * share:.1f} % in time",
        f"{len(overrun):,} moves, within {1000 * TOLERANCE:g} ms; worst {1000 * worst:.1f} ms over; "
        f"{late} losses on time",
    )


@contextmanager
def _busy(processes: int) -> Iterator[None]:
    """Keep a number of processes counting; they end when this one does, however it ends."""
    context = multiprocessing.get_context("spawn")
    begun = context.Barrier(processes + 1)
    counting = [context.Process(target=_count, args=(os.getpid(), begun), daemon=True) for _ in range(processes)]
    for process in counting:
        process.start()
    try:
        begun.wait()
        yield
    finally:
        for process in counting:
            process.kill()
            process.join()


def _count(parent: int, begun: Barrier) -> None:
    begun.wait()
    while os.getppid() == parent:
        for _ in range(100_000):
            pass
