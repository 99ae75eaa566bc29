"""Games of a tuning: their openings, how a worker plays one, and what is read off their results."""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import players
from arena.formats.base import Pairing
from arena.openings.balance import is_even
from arena.openings.sources import OpeningsError, random_openings
from arena.play.match import adjudicate, play
from arena.player import Choice, PlayerSpec
from arena.record import Task, move_dtype
from arena.rules.game import Game
from arena.rules.move_text import move_text
from arena.rules.moves import sides
from arena.rules.notation import fen
from arena.rules.position import WHITE, Position
from arena.rules.variants import Variant
from arena.rules.zobrist import key
from arena.tuning.config import RandomOpenings
from arena.tuning.store import SCORED, Played
from players.negamax.score import LIMIT

_TRIES = 200
"""Openings drawn in vain, one after the other, before giving up."""
RANDOM_MOVES = 0.01
"""Share of the moves of `play_scored` that are drawn at random, so that its games see unequal positions."""


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
    record = play(Task(pairing, job.variant, opening, job.white, job.black, job.seed, job.max_plies))
    if record.error:
        return Failed(f"{job.stage}, game {job.game}: {record.error}")
    table = np.frombuffer(record.moves, dtype=move_dtype(int(record.dtype)))
    positions = np.zeros((0, 4), dtype=np.int64)
    if job.positions:
        quiet = quiet_positions(job.variant, opening, table["move"].astype(str).tolist())
        rng = random.Random(f"{job.seed} {job.stage} {job.game} positions")
        chosen = sorted(rng.sample(range(len(quiet)), min(job.positions, len(quiet))))
        positions = np.array([quiet[i] for i in chosen], dtype=np.int64).reshape(-1, 4)
    text = fen(job.variant, opening)
    return Played(job.stage, job.game, record.result, text, len(table), positions.tobytes())


def play_scored(job: Job) -> Played | Failed:
    """Play a game of `job.white` with itself, and take the quiet positions that it searched, with their scores.

    The opening is half of `random_plies` to all of them long. A forced move is not searched, one in a hundred
    is random, and a game that is certain to be won is left. Nothing is raised.
    """
    rng = random.Random(f"{job.seed} {job.stage} {job.game}")
    longest = job.openings.random_plies
    settings = job.openings.model_copy(update={"random_plies": rng.randint((longest + 1) // 2, longest)})
    try:
        opening = draw_opening(job.variant, settings, f"{job.seed} {job.stage} {job.pair}")
        game, found, result = _scored_game(job, opening, rng)
    except OpeningsError as error:
        return Failed(str(error))
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        return Failed(f"{job.stage}, game {job.game}: {job.white.name} raised {type(error).__name__}: {reason}")
    text, taken = fen(job.variant, opening), np.array(found, dtype=SCORED)
    return Played(job.stage, job.game, result, text, len(game.moves), taken.tobytes())


def quiet_positions(variant: Variant, opening: Position, moves: list[str]) -> list[Position]:
    """The positions of a game, from its opening to before its last move, in which nothing can be captured."""
    game, found = Game(variant, opening), []
    for text in moves:
        position, legal = game.position, game.legal_moves
        if _is_quiet(game):
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
    """Counts of pairs as `arena.ratings.match` takes them, worst first: `int64[5]`."""
    return np.bincount(np.rint(2 * points).astype(np.int64), minlength=5)


def _scored_game(
    job: Job, opening: Position, rng: random.Random
) -> tuple[Game, list[tuple[Position, float]], str]:
    """The game of `play_scored`, its quiet positions with scores from White's view, and its result."""
    player = players.build_player(job.white, job.variant)
    game = Game(job.variant, opening)
    found: list[tuple[Position, float]] = []
    while (outcome := adjudicate(game, job.max_plies)) is None:
        if len(game.legal_moves) == 1:
            game.push(game.legal_moves[0])
            continue
        choice = player.choose(game, job.white.limit, rng)
        score = _white_score(game, choice)
        if _is_quiet(game):
            found.append((game.position, score))
        if abs(score) > LIMIT:
            return game, found, "1-0" if score > 0 else "0-1"
        game.push(rng.choice(game.legal_moves) if rng.random() < RANDOM_MOVES else choice.move)
    return game, found, outcome.result


def _white_score(game: Game, choice: Choice) -> float:
    if choice.score is None:
        raise ValueError("the search gave no score; raise its limit")
    return choice.score if game.position.turn == WHITE else -choice.score


def _is_quiet(game: Game) -> bool:
    """Whether nothing can be captured."""
    _, other = sides(game.position)
    return not any(move & other for move in game.legal_moves)


def _random_opening(
    variant: Variant, settings: RandomOpenings, rng: random.Random, check: bool
) -> Position | None:
    """A random opening, None if it is of the wrong kind: those with an odd Zobrist key are kept for checks."""
    drawn = random_openings(variant, settings.random_plies, 1, rng.getrandbits(62), balanced=False)[0].position
    if key(drawn) & 1 != check or (settings.balanced and not is_even(variant, drawn)):
        return None
    return drawn
