"""Games of a tuning: their openings, how a worker plays one, and what is read off their results."""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena import match
from arena.ballots import is_even
from arena.openings import OpeningsError, random_openings
from arena.player import PlayerSpec
from arena.rules.game import Game
from arena.rules.moves import sides
from arena.rules.notation import fen, move_text
from arena.rules.position import Position
from arena.rules.variants import Variant
from arena.rules.zobrist import key
from arena.schedule import Pairing
from arena.tuning_config import RandomOpenings
from arena.tuning_store import Played

_TRIES = 200
"""Openings drawn in vain, one after the other, before giving up."""


class Job(NamedTuple):
    """All that a worker needs to play a game of a stage: plain data."""

    stage: str
    game: int
    """Its number within the stage, from 1."""
    pair: int
    """Games of one pair begin from the same opening."""
    variant: Variant
    white: PlayerSpec
    black: PlayerSpec
    openings: RandomOpenings
    seed: int
    max_plies: int
    positions: int = 0
    """Quiet positions to take, at most."""
    opening: Position | None = None
    """None: the one that seed, stage and pair draw."""


class Failed(NamedTuple):
    """A game that could not be played."""

    reason: str


def check_openings(variant: Variant, settings: RandomOpenings, count: int, seed: int) -> list[Position]:
    """`count` distinct openings that no stage of tuning draws. Raises OpeningsError if there are not so many."""
    found: dict[Position, None] = {}
    rng, vain = random.Random(f"check {seed}"), 0
    while vain < _TRIES:
        position = _random_opening(variant, settings, rng, check=True)
        vain = 0 if position is not None and position not in found else vain + 1
        if position is not None:
            found[position] = None
        if len(found) == count:
            return list(found)
    raise OpeningsError(
        f"only {len(found)} openings of {settings.random_plies} random plies were found for the last matches, "
        f"{count} are wanted; raise random_plies or lower check"
    )


def draw_opening(variant: Variant, settings: RandomOpenings, seed: str) -> Position:
    """An opening for tuning, the same for the same seed. Raises OpeningsError if none is found."""
    rng = random.Random(seed)
    for _ in range(_TRIES):
        position = _random_opening(variant, settings, rng, check=False)
        if position is not None:
            return position
    raise OpeningsError(f"no opening of {settings.random_plies} random plies was found: raise random_plies")


def play_job(job: Job) -> Played | Failed:
    """Play one game and take quiet positions from it. Nothing is raised."""
    try:
        opening = job.opening
        if opening is None:
            opening = draw_opening(job.variant, job.openings, f"{job.seed} {job.stage} {job.pair}")
    except OpeningsError as error:
        return Failed(str(error))
    pairing = Pairing(job.game, job.pair, 1, 0, 1, 0)
    record = match.play(match.Task(pairing, job.variant, opening, job.white, job.black, job.seed, job.max_plies))
    if record.error:
        return Failed(f"{job.stage}, game {job.game}: {record.error}")
    table = np.frombuffer(record.moves, dtype=match.move_dtype(int(record.dtype)))
    positions = np.zeros((0, 4), dtype=np.int64)
    if job.positions:
        quiet = quiet_positions(job.variant, opening, table["move"].astype(str).tolist())
        rng = random.Random(f"{job.seed} {job.stage} {job.game} positions")
        chosen = sorted(rng.sample(range(len(quiet)), min(job.positions, len(quiet))))
        positions = np.array([quiet[i] for i in chosen], dtype=np.int64).reshape(-1, 4)
    text = fen(job.variant, opening)
    return Played(job.stage, job.game, record.result, text, len(table), positions.tobytes())


def quiet_positions(variant: Variant, opening: Position, moves: list[str]) -> list[Position]:
    """The positions of a game, from its opening to before its last move, in which nothing can be captured."""
    game, found = Game(variant, opening), []
    for text in moves:
        position, legal = game.position, game.legal_moves
        _, other = sides(position)
        if not any(move & other for move in legal):
            found.append(position)
        game.push(next(move for move in legal if move_text(variant, position, move, legal) == text))
    return found


def pair_points(games: list[Played]) -> NDArray[np.float64]:
    """The first player's points, 0 to 2, in each pair: `float64[pairs]`.

    It is White in the odd game of a pair. `games` are whole pairs in their order.
    """
    white = np.array([game.white_points() for game in games]).reshape(-1, 2)
    return white[:, 0] + 1 - white[:, 1]


def pentanomial(points: NDArray[np.float64]) -> NDArray[np.int64]:
    """Counts of pairs as `arena.stats` takes them, worst first: `int64[5]`."""
    return np.bincount(np.rint(2 * points).astype(np.int64), minlength=5)


def _random_opening(
    variant: Variant, settings: RandomOpenings, rng: random.Random, check: bool
) -> Position | None:
    """A random opening, None if it is of the wrong kind: those with an odd Zobrist key are kept for checks."""
    drawn = random_openings(variant, settings.random_plies, 1, rng.getrandbits(62), balanced=False)[0].position
    if key(drawn) & 1 != check or (settings.balanced and not is_even(variant, drawn)):
        return None
    return drawn
