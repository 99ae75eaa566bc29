"""What a tournament will take and resolve, as far as a few of its games say."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import t

from arena.ledger.record import GameRecord
from arena.play.match import play
from arena.play.prepare import Tournament
from arena.play.workers import Workers, is_here, run
from arena.ratings.match import detectable, resolution
from arena.rules.result import points_of

_SECONDS, _MOST_SECONDS = 5.0, 60.0
"""Seconds after which a pilot begins no further game where no number of games is given: since a process has begun
its second game, and in all."""


class Expectation(NamedTuple):
    """What a pilot says of a tournament."""

    games: int
    """The most games of the tournament."""
    pilot_games: int
    draw_rate: float
    """(draws + 1/2) / (games + 1) of the pilot: neither 0 nor 1, however few games it has."""
    seconds_per_game: float
    """Mean wall time of a game, for the worker that plays it, without what it loads before its first one."""
    seconds_per_game_error: float | None
    """Half width of its 95 % interval; None where it is known of fewer than two games."""
    loading: float | None
    """Seconds by which a worker's first game took longer, in which it loads what it needs; None where each worker
    of the pilot has played one game, so that the seconds of a game contain it.
    """
    seconds: float
    """Wall time of all games on the workers asked for, and of loading."""
    games_per_pairing: int
    pairing_elo: float
    """The difference between two players of about equal strength that their games show with a chance of 80 %."""


def pilot(tournament: Tournament, workers: Workers, games: int | None = None) -> list[GameRecord]:
    """Play games of the first batch, drawn at random: a number of them, or as many as begin within _SECONDS.

    `workers` are processes or the address of a Dask scheduler.

    Raises what `arena.play.workers.run` raises.
    """
    chosen = list(tournament.schedule({}).games())
    random.Random(f"{tournament.experiment.seed} pilot").shuffle(chosen)
    tasks = map(tournament.task, chosen[:games])
    records: list[GameRecord] = []
    first = end = time.perf_counter() + _MOST_SECONDS

    def stopping() -> bool:
        return games is None and time.perf_counter() > end

    for record in run(play, tasks, workers, stopping, here=is_here(workers, tournament.players)):
        if end == first and any(record.worker == other.worker for other in records):
            end = min(first, time.perf_counter() + _SECONDS)
        records.append(record)
    return records


def expectation(tournament: Tournament, pilot: Sequence[GameRecord], workers: int) -> Expectation:
    """The expectation for the whole tournament on a number of workers after the games of a pilot."""
    firsts, others = _seconds(pilot)
    seconds = np.array(others or firsts)
    mean, error = float(seconds.mean()), None
    loading = max(float(np.mean(firsts)) - mean, 0.0) if others else None
    if len(others) > 1:
        error = float(t.ppf(0.975, len(others) - 1) * seconds.std(ddof=1)) / math.sqrt(len(others))
    draws = sum(points_of(record.result) == 0.5 for record in pilot)
    draw_rate = (draws + 0.5) / (len(pilot) + 1)
    games_per_pairing = 2 * tournament.experiment.format.pairs_of_pairing(len(tournament.openings.openings))
    return Expectation(
        games=tournament.info.games,
        pilot_games=len(pilot),
        draw_rate=draw_rate,
        seconds_per_game=mean,
        seconds_per_game_error=error,
        loading=loading,
        seconds=mean * tournament.info.games / workers + (loading or 0.0),
        games_per_pairing=games_per_pairing,
        pairing_elo=detectable(resolution(games_per_pairing, draw_rate)),
    )


def _seconds(records: Sequence[GameRecord]) -> tuple[list[float], list[float]]:
    """The seconds of the first game of each process, which loads what it needs in it, and those of the others."""
    seen: set[int | None] = set()
    firsts: list[float] = []
    others: list[float] = []
    for record in records:
        (others if record.worker in seen else firsts).append(record.seconds)
        seen.add(record.worker)
    return firsts, others
