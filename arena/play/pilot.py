"""Pilots: a few games of a tournament, on as many workers as it will have, and what the machine made of them."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import NamedTuple, TypeVar

from arena.experiment.formats.base import Pairing
from arena.hosting.held import PlayerFailure
from arena.hosting.player_process import hold
from arena.ledger.record import SEARCH_COLUMNS, GameRecord
from arena.play.executor import run
from arena.play.plan import Plan
from arena.play.probe import answers, measure
from arena.play.tournament import RunPaused, probe_tasks, questions, work_of
from arena.rules.result import NO_RESULT
from players.loading import PlayerError

SECONDS = 5.0
"""Seconds that the games of a pilot last where no number of games is given."""
PROBE_SECONDS = 3.0
"""Seconds that searches of a probe are made for, and answers to suites."""
_SPIN_SECONDS = 0.3
"""Seconds for which every worker is busy to see how much of a core it gets."""
_SECONDS = [name for name, _ in SEARCH_COLUMNS].index("seconds")


T = TypeVar("T")


class Pilot(NamedTuple):
    """A pilot's measurements, from at least one game; seconds are wall time."""

    workers: int
    records: list[GameRecord]
    searches: list[float]
    """Seconds of searches of the probe."""
    answers: list[float]
    """Seconds of answers to positions of suites."""
    start_seconds: float
    """Until every worker had begun and built every player."""
    busy: float
    """Share of the workers' time that went into games, 0 to 1: the rest went into handing out and storing them."""
    core: float
    """Share of a core that a busy worker gets, 0 to 1, of what it would get if no other program ran."""


def pilot(
    plan: Plan, workers: int, games: int | None = None, store: Callable[[GameRecord], object] = lambda _: None
) -> Pilot:
    """Play a number of games on `workers` processes, or for SECONDS; each is handed to `store`.

    They are spread over the pairings and openings at random: no pairing has a second game before all have one.
    Raises WorkerDied and EngineError as `arena.play.executor.run` does, and RunPaused for a player that is not
    reachable.
    """
    start = _started(plan, workers)
    before = _core(workers)
    searches, answered = _searches(plan, workers), _answers(plan, workers)
    records: list[GameRecord] = []
    began = time.perf_counter()
    late = lambda: games is None and time.perf_counter() - began > SECONDS  # noqa: E731
    last = began
    for record in run(work_of(plan, workers), islice(map(plan.task, sample(plan)), games), workers, late):
        if record.result == NO_RESULT:
            raise RunPaused(record.error)
        store(record)
        records.append(record)
        last = time.perf_counter()
    core = (before + _core(workers)) / 2
    return Pilot(workers, records, searches, answered, start, _busy(records, workers, last - began), core)


def sample(plan: Plan) -> Iterator[Pairing]:
    """Games of a pilot, in a random order that depends on the seed alone."""
    rng = random.Random(f"{plan.experiment.seed} pilot")
    openings = rng.sample(range(len(plan.openings)), len(plan.openings))
    ties = plan.experiment.format.ties(plan.names)
    game = 0
    for side in (0, 1):
        for number, opening in enumerate(openings, start=1):
            for tie in rng.sample(ties, len(ties)):
                game += 1
                white, black = tie[:: 1 if (sum(tie) + number + side) % 2 else -1]
                yield Pairing(game, game, number, white, black, opening)


def _started(plan: Plan, workers: int) -> float:
    """Start the workers and have each build all players; returns the seconds, none for this process."""
    if workers == 1:
        return 0.0
    began = time.perf_counter()
    list(run(partial(_build, plan), range(workers), workers, lambda: False))
    return time.perf_counter() - began


def _build(plan: Plan, number: int) -> None:
    experiment = plan.experiment
    for spec in plan.players:
        with suppress(PlayerError, PlayerFailure):
            hold(spec, plan.variant, plan.variant.start, f"pilot {number}", experiment.allowance)


def _core(workers: int) -> float:
    """See `Pilot.core`: seconds of processor that busy workers get in a second, each, as all of them are busy."""
    shares = list(run(_spin, range(workers), workers, lambda: False))
    return min(1.0, sum(shares) / workers * max(1.0, workers / (os.cpu_count() or 1)))


def _spin(_: int) -> float:
    began, used = time.perf_counter(), time.process_time()
    while (now := time.perf_counter()) - began < _SPIN_SECONDS:
        pass
    return (time.process_time() - used) / (now - began)


def _searches(plan: Plan, workers: int) -> list[float]:
    """Seconds of searches of the probe, of positions drawn at random, each by a player drawn at random."""
    searches = list(probe_tasks(plan, set()))
    if not searches:
        return []
    return [record.search[_SECONDS] for record in run(measure, _drawn(plan, searches), workers, _late())]


def _answers(plan: Plan, workers: int) -> list[float]:
    """Seconds of answers to positions of suites, drawn as those of the probe."""
    made = run(answers, _drawn(plan, [*questions(plan)]), workers, _late()) if plan.suites else ()
    return [answer.seconds for answered in made for answer in answered]


def _drawn(plan: Plan, tasks: Sequence[T]) -> list[T]:
    return random.Random(f"{plan.experiment.seed} pilot").sample(tasks, len(tasks))


def _late() -> Callable[[], bool]:
    """Return a function that says whether PROBE_SECONDS have gone."""
    began = time.perf_counter()
    return lambda: time.perf_counter() - began > PROBE_SECONDS


def _busy(records: list[GameRecord], workers: int, seconds: float) -> float:
    """See `Pilot.busy`: of `seconds` seconds, without the wait for the last games at their end."""
    used = sum(record.seconds for record in records)
    longest = max(record.seconds for record in records)
    waited = min((workers - 1) * longest / 2, workers * seconds / 2)
    return min(1.0, used / max(workers * seconds - waited, 1e-9))
