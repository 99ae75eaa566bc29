"""What a tournament will take and resolve, as far as a few of its games say."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from arena.experiment.formats.base import Pairing
from arena.hosting.handle import PlayerFailure
from arena.hosting.player_process import begin_game
from arena.ledger.record import GameRecord
from arena.play.plan import Plan
from arena.play.tournament import RunPaused, work_of
from arena.play.workers import run
from arena.ratings.interval import Z95
from arena.ratings.match import games_needed, resolution
from arena.rules.result import NO_RESULT, points_of
from players.loading import PlayerError

SECONDS = 5.0
"""Seconds after which a pilot begins no further game where no number of games is given."""
TARGETS = (10, 20, 50)
"""Half widths in Elo for which `Expectation` has the games needed."""


class Expectation(NamedTuple):
    """What a pilot says of a tournament; differences in Elo are half widths of 95 % intervals."""

    games: int
    """The most games of the tournament."""
    pilot_games: int
    draw_rate: float
    """(draws + 1/2) / (games + 1) of the pilot: neither 0 nor 1, however few games it has."""
    seconds_per_game: float
    """Mean wall time of the pilot's games, for the worker that plays them."""
    seconds_per_game_error: float | None
    """Half width of its 95 % interval; None after one game."""
    seconds: float
    """Wall time of all games on the workers asked for."""
    games_per_pairing: int
    pairing_elo: float
    """The smallest difference that the games of one pairing detect between players of equal strength."""
    joint_elo: float | None
    """The same for the joint rating of all games, between the two players it knows least about.

    None where the results decide who meets whom; for Swiss as if everyone met everyone equally often.
    """
    games_needed: dict[int, int]
    """Games of one pairing that detect a difference of this many Elo."""


def pilot(plan: Plan, workers: int, games: int | None = None) -> list[GameRecord]:
    """Play a number of games on `workers` processes, or for SECONDS.

    They are spread over the pairings and openings at random: no pairing has a second game before all have one.
    Raises WorkerDied and EngineError as `arena.play.workers.run` does, and RunPaused for a player that is not
    reachable.
    """
    list(run(partial(_build, plan), range(workers), workers, lambda: False))
    records: list[GameRecord] = []
    began = time.perf_counter()
    late = lambda: games is None and time.perf_counter() - began > SECONDS  # noqa: E731
    for record in run(work_of(plan, workers), islice(map(plan.task, sample(plan)), games), workers, late):
        if record.result == NO_RESULT:
            raise RunPaused(record.error)
        records.append(record)
    return records


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


def expectation(plan: Plan, pilot: Sequence[GameRecord], workers: int) -> Expectation:
    """The expectation for the whole tournament on a number of workers after the games of a pilot."""
    seconds = np.array([record.seconds for record in pilot])
    mean, error = float(seconds.mean()), None
    if len(seconds) > 1:
        error = Z95 * float(seconds.std(ddof=1)) / math.sqrt(len(seconds))
    draws = sum(points_of(record.result) == 0.5 for record in pilot)
    draw_rate = (draws + 0.5) / (len(pilot) + 1)
    each = 2 * plan.experiment.format.pairs_of_tie(len(plan.openings))
    return Expectation(
        games=plan.games,
        pilot_games=len(pilot),
        draw_rate=draw_rate,
        seconds_per_game=mean,
        seconds_per_game_error=error,
        seconds=mean * plan.games / workers,
        games_per_pairing=each,
        pairing_elo=resolution(each, draw_rate),
        joint_elo=_joint(plan, draw_rate),
        games_needed={elo: games_needed(elo, draw_rate) for elo in TARGETS},
    )


def independent_games(meetings: np.ndarray) -> float:
    """Games of one pairing that are worth as much to its difference as all games are to the least known one.

    `meetings[i, j]` are the games between players i and j, who are of equal strength: `float[players, players]`,
    symmetric. Each game is a resistor of 1 between its players, and the variance of a difference in the joint fit
    is the resistance between the two. Raises ValueError if the games do not connect all players.
    """
    laplacian = np.diag(meetings.sum(axis=1)) - meetings
    if np.linalg.matrix_rank(laplacian) < len(meetings) - 1:
        raise ValueError("games must connect all players")
    inverse = np.linalg.pinv(laplacian)
    own = np.diag(inverse)
    return float(1 / (own[:, None] + own - 2 * inverse).max())


def _build(plan: Plan, number: int) -> None:
    """Build all players in a worker, so that its first game is as quick as the others."""
    for spec in plan.players:
        with suppress(PlayerError, PlayerFailure):
            begin_game(spec, plan.variant, plan.variant.start, f"pilot {number}", plan.experiment.allowance)


def _joint(plan: Plan, draw_rate: float) -> float | None:
    format, names = plan.experiment.format, plan.names
    if not format.exact:
        return None
    ties = format.ties(names)
    meetings = np.zeros((len(names), len(names)))
    for one, other in ties:
        meetings[one, other] = meetings[other, one] = format.most_games(names, len(plan.openings)) / len(ties)
    return resolution(independent_games(meetings), draw_rate)
