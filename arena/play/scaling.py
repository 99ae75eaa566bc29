"""Time limits scaled by the speed of the machine that plays, so that unlike machines give equal thought."""

from __future__ import annotations

import os
import platform
import random
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from statistics import fmean

from arena.base.number import quantity
from arena.ledger.record import GameRecord, SuiteAnswer, Task
from arena.play.engine import EngineError
from arena.play.executor import Workers
from arena.play.match import play
from arena.play.probe import Question, answers
from arena.rules.game import Game
from arena.rules.variants import Variant
from arena.watch.underway import UnderwayPlace
from players.player import Limit, PlayerSpec
from players.table import build_player

MOST = 8.0
"""The greatest factor, and the least is 1 / MOST: beyond, a measurement is wrong or a machine is of no use."""
NODES = 2_000_000
"""Nodes of the search that is timed, a twentieth of a second of a processor of 2021."""
RUNS = 5
"""How often it is timed; the best counts."""
_SEARCH = PlayerSpec(
    "rate", "negamax", Limit(nodes=NODES), {"evaluation": "simple", "preset": "alphabeta", "iterative": True}
)


def machine_rate(variant: Variant, workers: Workers = 1) -> float:
    """Nodes of a fixed search per second of processor time, with as many searches at once as workers here.

    With a worker on each core for those of a scheduler. What other programs take of the processor does not
    count: it comes and goes, and the speed of a machine stays.
    """
    cores = os.cpu_count() or 1
    at_once = cores if isinstance(workers, str) else min(workers, cores)
    _searched(variant, Limit(nodes=1))  # compiled before it is timed
    with ThreadPoolExecutor(at_once) as threads:
        rates = threads.map(lambda _: max(_searched(variant, _SEARCH.limit) for _ in range(RUNS)), range(at_once))
        return fmean(rates)


def time_factor(variant: Variant, reference: float) -> float:
    """By what this process multiplies time limits, if `reference` is the `machine_rate` that they are meant for.

    The rate is measured once in each process. Raises EngineError for a factor beyond MOST.
    """
    rate = _own_rate(variant)
    factor = reference / rate
    if not 1 / MOST <= factor <= MOST:
        raise EngineError(
            f"{platform.node()} searches {quantity(rate)} nodes/s, where the machine that began the run has "
            f"{quantity(reference)}: 'scale_time' multiplies time limits by {1 / MOST:g} to {MOST:g}, "
            f"not by {factor:.3g}"
        )
    return factor


def scaled(spec: PlayerSpec, factor: float) -> PlayerSpec:
    """A player with `factor` times its seconds, clock and increment."""
    times = {name: getattr(spec.limit, name) for name in ("seconds", "clock", "increment")}
    limit = spec.limit._replace(**{name: factor * value for name, value in times.items() if value is not None})
    return replace(spec, limit=limit)


def play_scaled(task: Task, reference: float, place: UnderwayPlace | None = None) -> GameRecord:
    """Play a game as `arena.play.match.play` does, with time limits for this machine: see `time_factor`."""
    factor = time_factor(task.variant, reference)
    task = task._replace(white=scaled(task.white, factor), black=scaled(task.black, factor))
    return play(task, place)._replace(time_factor=factor)


def answers_scaled(question: Question, reference: float) -> list[SuiteAnswer]:
    """Answer a question as `arena.play.probe.answers` does, with time limits for this machine."""
    spec = scaled(question.player, time_factor(question.variant, reference))
    return answers(question._replace(player=spec, limits=(spec.limit,)))


@cache
def _own_rate(variant: Variant) -> float:
    return machine_rate(variant)


def _searched(variant: Variant, limit: Limit) -> float:
    """Nodes per second of processor time of the fixed search from the start, ended by a limit."""
    player = build_player(_SEARCH, variant)
    began = time.thread_time()
    nodes = player.choose(Game(variant), limit, random.Random(0)).nodes
    return nodes / max(time.thread_time() - began, 1e-9)
