"""Games a second by who plays them: this process, processes beside it, workers of a Dask scheduler."""

from __future__ import annotations

import time
from collections.abc import Iterator

from arena.bench.timing import Row, three_figures
from arena.experiment.formats.base import Pairing
from arena.experiment.openings.sources import random_openings
from arena.ledger.record import Task
from arena.play.executor import Workers, close, run
from arena.play.match import play
from arena.rules.variants import VARIANTS
from players.player import Limit, PlayerSpec

VARIANT = "english"
GAMES, WARM_GAMES = 400, 20
"""Games that are timed, and those before them that are not, in which the workers begin."""
DEPTH = 4
_WORKERS = 2


def engines(games: int = GAMES) -> Iterator[Row]:
    """Rows for one process, two, and two Dask workers on this machine, where Dask is installed.

    A row's nodes are plies; alpha-beta plays itself.
    """
    yield _row("one process", 1, games)
    yield _row(f"{_WORKERS} processes", _WORKERS, games)
    try:
        from distributed import LocalCluster
    except ImportError:
        yield Row(
            f"{_WORKERS} Dask workers", VARIANT, None, 0, 0.0, "", "not measured: distributed is not installed"
        )
        return
    with LocalCluster(n_workers=_WORKERS, threads_per_worker=1, dashboard_address=None) as cluster:
        yield _row(f"{_WORKERS} Dask workers", cluster.scheduler_address, games)
        close()


def _row(what: str, workers: Workers, games: int) -> Row:
    variant = VARIANTS[VARIANT]
    spec = PlayerSpec("alphabeta", "negamax", Limit(depth=DEPTH), {"preset": "alphabeta"})
    openings = [it.position for it in random_openings(variant, 6, WARM_GAMES, seed=0, balanced=False)]
    tasks = [
        Task(Pairing(n, n, 1, 0, 1, 0), variant, openings[n % WARM_GAMES], spec, spec, seed=1, max_plies=200)
        for n in range(games)
    ]
    for _ in run(play, tasks[:WARM_GAMES], workers, lambda: False):
        pass
    began = time.perf_counter()
    plies = sum(record.plies for record in run(play, tasks, workers, lambda: False))
    seconds = time.perf_counter() - began
    rate = f"{three_figures(games / seconds)} games/s"
    return Row(what, VARIANT, DEPTH, plies, seconds, rate, f"{games:,} games of alpha-beta against itself")
