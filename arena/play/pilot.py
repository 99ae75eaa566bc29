"""What a tournament will take and resolve, as far as a few of its games say."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arena.ledger.record import GameRecord
from arena.play.match import play
from arena.play.prepare import Tournament
from arena.play.schedule import game_of
from arena.play.tournament import Unreachable
from arena.play.workers import run
from arena.ratings.interval import Z95
from arena.ratings.match import resolution
from arena.rules.result import NO_RESULT, points_of

SECONDS = 5.0
"""Seconds after which a pilot begins no further game where no number of games is given."""


class Expectation(NamedTuple):
    """What a pilot says of a tournament; differences in Elo are half widths of 95 % intervals."""

    games: int
    """The most games of the tournament."""
    pilot_games: int
    draw_rate: float
    """(draws + 1/2) / (games + 1) of the pilot: neither 0 nor 1, however few games it has."""
    seconds_per_game: float
    """Mean wall time of a game, for the worker that plays it."""
    seconds_per_game_error: float | None
    """Half width of its 95 % interval; None after one game."""
    seconds: float
    """Wall time of all games on the workers asked for."""
    games_per_pairing: int
    pairing_elo: float
    """The smallest difference that the games of one pairing detect between players of equal strength."""


def pilot(tournament: Tournament, workers: int, games: int | None = None) -> list[GameRecord]:
    """Play games of the first batch, drawn at random: a number of them, or as many as begin within SECONDS.

    Raises what `arena.play.workers.run` raises, and Unreachable for a player that is not reachable.
    """
    batch = next(tournament.batches())
    rng = random.Random(f"{tournament.experiment.seed} pilot")
    numbers = rng.sample(range(1, 2 * len(batch) + 1), 2 * len(batch))
    tasks = (tournament.task(game_of(batch, number)) for number in numbers[:games])
    end = time.perf_counter() + (SECONDS if games is None else math.inf)
    records: list[GameRecord] = []
    for record in run(play, tasks, workers, lambda: time.perf_counter() > end):
        if record.result == NO_RESULT:
            raise Unreachable(record.error)
        records.append(record)
    return records


def expectation(tournament: Tournament, pilot: Sequence[GameRecord], workers: int) -> Expectation:
    """The expectation for the whole tournament on a number of workers after the games of a pilot."""
    seconds = _seconds(pilot)
    mean, error = float(seconds.mean()), None
    if len(seconds) > 1:
        error = Z95 * float(seconds.std(ddof=1)) / math.sqrt(len(seconds))
    draws = sum(points_of(record.result) == 0.5 for record in pilot)
    draw_rate = (draws + 0.5) / (len(pilot) + 1)
    games_per_pairing = 2 * tournament.experiment.format.pairs_of_pairing(len(tournament.openings))
    return Expectation(
        games=tournament.games,
        pilot_games=len(pilot),
        draw_rate=draw_rate,
        seconds_per_game=mean,
        seconds_per_game_error=error,
        seconds=mean * tournament.games / workers,
        games_per_pairing=games_per_pairing,
        pairing_elo=resolution(games_per_pairing, draw_rate),
    )


def _seconds(records: Sequence[GameRecord]) -> np.ndarray:
    """The seconds of games but for the first of each process, which prepares itself in it, if there are others."""
    seen: set[int | None] = set()
    seconds = []
    for record in records:
        if record.worker in seen:
            seconds.append(record.seconds)
        seen.add(record.worker)
    return np.array(seconds or [record.seconds for record in records])
