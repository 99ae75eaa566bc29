"""Games of a tuning: how a worker plays one, which positions are taken from it, and what pairs are worth."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arena.base.wording import cut
from arena.experiment.formats.base import Pairing
from arena.experiment.openings.sources import OpeningsError
from arena.hosting.handle import failure_of
from arena.hosting.player_process import begin_game
from arena.learning.store import SCORED, Played, packed
from arena.learning.terms import RandomOpenings, draw_opening
from arena.play.match import REASON_CHARACTERS, Task, adjudicate, play
from arena.rules.game import Game
from arena.rules.move_text import move_text
from arena.rules.moves import sides
from arena.rules.notation import fen
from arena.rules.position import WHITE, Position
from arena.rules.result import pair_points
from arena.rules.variants import Variant
from players.loading import located
from players.negamax.score import LIMIT
from players.player import Allowance, Choice, PlayerSpec

RANDOM_MOVES = 0.01
"""Share of the moves of `play_scored` that are drawn at random, so that its games see unequal positions; a job may
ask for another."""


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
    random_moves: float = RANDOM_MOVES
    """Share of the moves of `play_scored` that are drawn at random."""


class Failed(NamedTuple):
    """A game that could not be played."""

    reason: str


def play_job(job: Job) -> Played | Failed:
    """Play one game and take quiet positions from it; Failed for a fault of its openings or players."""
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
    table = record.table()
    positions = np.zeros((0, 4), dtype=np.int64)
    if job.positions:
        quiet = quiet_positions(job.variant, opening, table["move"].astype(str).tolist())
        rng = random.Random(f"{job.seed} {job.stage} {job.game} positions")
        chosen = sorted(rng.sample(range(len(quiet)), min(job.positions, len(quiet))))
        positions = np.array([quiet[i] for i in chosen], dtype=np.int64).reshape(-1, 4)
    text = fen(job.variant, opening)
    return Played(job.stage, job.game, record.result, text, len(table), packed(positions))


def play_scored(job: Job) -> Played | Failed:
    """Play a game of `job.white` with itself, and take the quiet positions that it searched, with their scores.

    The opening is half of `random_plies` to all of them long. A forced move is not searched, of the others a share
    `random_moves` is random, and a game whose score shows a win ends with that result. Failed for a fault of its
    openings or player.
    """
    rng = random.Random(f"{job.seed} {job.stage} {job.game}")
    longest = job.openings.random_plies
    settings = job.openings.model_copy(update={"random_plies": rng.randint((longest + 1) // 2, longest)})
    try:
        opening = draw_opening(job.variant, settings, f"{job.seed} {job.stage} {job.pair}")
        game, found, result = _scored_game(job, opening, rng)
    except (OpeningsError, _Fault) as error:
        return Failed(str(error))
    text, taken = fen(job.variant, opening), np.array(found, dtype=SCORED)
    return Played(job.stage, job.game, result, text, len(game.moves), packed(taken))


def quiet_positions(variant: Variant, opening: Position, moves: list[str]) -> list[Position]:
    """The positions of a game, from its opening to before its last move, in which nothing can be captured."""
    game, found = Game(variant, opening), []
    for text in moves:
        position, legal = game.position, game.legal_moves
        if is_quiet(game):
            found.append(position)
        game.push(next(move for move in legal if move_text(variant, position, move, legal) == text))
    return found


def is_quiet(game: Game) -> bool:
    """Whether nothing can be captured."""
    _, other = sides(game.position)
    return not any(move & other for move in game.legal_moves)


def points_of_pairs(games: Sequence[Played]) -> list[float]:
    """The first player's points, 0 to 2, in each pair; it is White in the odd game. `games` are whole pairs."""
    white = [game.white_points() for game in games]
    return [pair_points(first, second) for first, second in zip(white[::2], white[1::2], strict=True)]


def _scored_game(
    job: Job, opening: Position, rng: random.Random
) -> tuple[Game, list[tuple[Position, float]], str]:
    """The game of `play_scored`, its quiet positions with scores from White's view, and its result.

    Raises _Fault.
    """
    with _blamed(job):
        seed = f"{job.seed} {job.stage} {job.game}"
        player = begin_game(job.white, job.variant, opening, seed, Allowance())
    game = Game(job.variant, opening)
    found: list[tuple[Position, float]] = []
    while (outcome := adjudicate(game, job.max_plies)) is None:
        if len(game.legal_moves) == 1:
            game.push(game.legal_moves[0])
            continue
        with _blamed(job):
            choice = player.choose(game, job.white.limit, rng).choice
            score = _white_score(game, choice)
        if is_quiet(game):
            found.append((game.position, score))
        if abs(score) > LIMIT:
            return game, found, "white" if score > 0 else "black"
        game.push(rng.choice(game.legal_moves) if rng.random() < job.random_moves else choice.move)
    return game, found, outcome.result


class _Fault(Exception):
    """A player cannot be built, or fails to answer; the message is one line."""


@contextmanager
def _blamed(job: Job) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        reason = cut(str(failure_of(error)), REASON_CHARACTERS)
        raise _Fault(f"{job.stage}, game {job.game}: {job.white.name} {reason}") from error


def _white_score(game: Game, choice: Choice) -> float:
    if choice.score is None:
        raise ValueError("the search gave no score; raise its limit")
    return choice.score if game.position.turn == WHITE else -choice.score


class Terms(NamedTuple):
    """On what terms all games of a tuning are played."""

    variant: Variant
    spec: PlayerSpec
    """The configured player."""
    openings: RandomOpenings
    seed: int
    max_plies: int
    folder: Path
    """The configuration's, which names of files are relative to."""

    def entry(self, name: str, options: Mapping[str, Any]) -> PlayerSpec:
        """The configured player with other options, files named as the configuration names them."""
        return replace(self.spec, name=name, options={**self.spec.options, **options})

    def player(self, name: str, **options: Any) -> PlayerSpec:
        """The configured player with other options, ready to be built."""
        return located(self.entry(name, options), self.folder)

    def job(
        self, stage: str, game: int, white: PlayerSpec, black: PlayerSpec, pair: int, positions: int = 0
    ) -> Job:
        """A game of a stage, whose opening the stage and the pair decide."""
        rules = (self.openings, self.seed, self.max_plies)
        return Job(stage, game, pair, self.variant, white, black, *rules, positions)
