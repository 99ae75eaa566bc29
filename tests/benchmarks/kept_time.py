"""How well negamax keeps to a limit of 20 ms per move while every core is busy."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Barrier

import numpy as np

from arena.bench.rates import Rate
from arena.experiment.formats.base import ScheduledGame
from arena.play.match import Task, play
from arena.rules.game import Termination
from arena.rules.variants import VARIANTS
from players.player import Limit, PlayerSpec

TOLERANCE = 0.01
"""Seconds within which a move is counted as in time."""
MOVES, SECONDS, MAX_PLIES = 1000, 0.02, 150


def kept_time(name: str) -> Rate:
    """At least MOVES moves of negamax against itself, as in a tournament, beside a busy process for each core.

    The row's nodes and seconds are those of all moves, its rate the share of them at most TOLERANCE over the
    limit. Raises RuntimeError if the player fails otherwise.
    """
    variant, spec = VARIANTS[name], PlayerSpec("negamax", "negamax", Limit(seconds=SECONDS))
    tables: list[np.ndarray] = []
    late = games = 0
    with _busy(os.cpu_count() or 1):
        while sum(map(len, tables)) < MOVES:
            games += 1
            scheduled = ScheduledGame(games, pair=games, round=1, white=0, black=1, opening=0)
            record = play(Task(scheduled, variant, variant.start, spec, spec, seed=games, max_plies=MAX_PLIES))
            if record.error and record.termination != Termination.TIME:
                raise RuntimeError(record.error)
            tables.append(record.table())
            late += record.termination == Termination.TIME
    moves = np.concatenate(tables)
    share, worst = (moves["overrun"] <= TOLERANCE).mean(), moves["overrun"].max()
    note = f"{len(moves):,} moves, within {1000 * TOLERANCE:g} ms; worst {1000 * worst:.1f} ms over; {late} lost"
    return Rate(
        f"negamax, {1000 * SECONDS:g} ms",
        name,
        None,
        int(moves["nodes"].sum()),
        float(moves["seconds"].sum()),
        f"{100 * share:.1f} % in time",
        note,
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
