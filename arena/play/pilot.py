"""Pilots: a few games of a tournament, and what to expect of the whole after them."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from arena.formats.base import Pairing
from arena.play.match import play
from arena.play.plan import Plan
from arena.play.tournament import tasks
from arena.ratings.match import games_needed, resolution
from arena.record import GameRecord
from arena.result import points_of

SECONDS = 5.0
"""Seconds that a pilot lasts where no number of games is given."""
TARGETS = (10, 20, 50)
"""Half widths in Elo for which `Expectation` has the games needed."""


class Expectation(NamedTuple):
    """What to expect after a pilot; seconds are wall time, differences in Elo half widths of 95 % intervals."""

    most_games: int
    pilot_games: int
    draw_rate: float
    """(draws + 1/2) / (games + 1) of the pilot: neither 0 nor 1, however few games it has."""
    seconds_per_game: float
    seconds_per_game_error: float
    """Standard error of the mean, 0 for a single game."""
    seconds: float
    """Of all games on the workers asked for, without the probe and the report."""
    games_per_pairing: int
    pairing_elo: float
    """What the games of one pairing resolve of the difference between players of equal strength."""
    joint_elo: float | None
    """What the joint rating of all games resolves of the difference between the two players it knows least about.

    None where the results decide who meets whom; for Swiss as if everyone met everyone equally often.
    """
    games_needed: dict[int, int]
    """Games of one pairing that resolve so many Elo."""


def pilot(plan: Plan, games: int | None = None) -> list[GameRecord]:
    """Play a number of games in this process, or for SECONDS, at least one; none are kept.

    They are spread over the pairings and openings at random: no pairing has a second game before all have one.
    """
    records: list[GameRecord] = []
    began = time.perf_counter()
    for task in tasks(plan, sample(plan)):
        if len(records) == games or (games is None and records and time.perf_counter() - began > SECONDS):
            break
        records.append(play(task))
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


def expectation(plan: Plan, records: list[GameRecord], workers: int) -> Expectation:
    """What to expect of the whole tournament on so many processes, after the games of a pilot: at least one."""
    seconds = np.array([record.seconds for record in records])
    draws = sum(points_of(record.result) == 0.5 for record in records)
    draw_rate = (draws + 0.5) / (len(records) + 1)
    each = 2 * plan.experiment.format.pairs_of_tie(len(plan.openings))
    return Expectation(
        most_games=plan.games,
        pilot_games=len(records),
        draw_rate=draw_rate,
        seconds_per_game=float(seconds.mean()),
        seconds_per_game_error=float(seconds.std(ddof=1) / np.sqrt(len(seconds))) if len(seconds) > 1 else 0.0,
        seconds=float(seconds.mean()) * plan.games / workers,
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


def _joint(plan: Plan, draw_rate: float) -> float | None:
    if not plan.experiment.format.even:
        return None
    ties = plan.experiment.format.ties(plan.names)
    meetings = np.zeros((len(plan.players), len(plan.players)))
    for one, other in ties:
        meetings[one, other] = meetings[other, one] = plan.games / len(ties)
    return resolution(independent_games(meetings), draw_rate)
