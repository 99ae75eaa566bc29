"""How well a player keeps to a time limit while other programs keep every core busy."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Barrier

import numpy as np

from arena.bench.timing import Row
from arena.experiment.formats.base import Pairing
from arena.ledger.record import Task
from arena.play.match import play
from arena.rules.game import Termination
from arena.rules.variants import Variant
from players.player import Limit, PlayerSpec

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
