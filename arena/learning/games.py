"""Games of a learning run: how a worker plays one, its quiet positions, and the store of games and steps."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import ArenaError
from arena.base.wording import cut
from arena.experiment.formats.base import ScheduledGame
from arena.hosting.handle import failure_of
from arena.hosting.player_process import begin_game
from arena.learning.terms import LearningError, RandomOpenings, Terms
from arena.ledger.store import FILES, Store
from arena.ledger.table import Table
from arena.play.match import REASON_CHARACTERS, Task, adjudicate, play
from arena.rules.game import Game
from arena.rules.move_text import parse_move
from arena.rules.moves import sides
from arena.rules.notation import fen
from arena.rules.position import WHITE, Position
from arena.rules.result import RESULTS, pair_points, points_of
from arena.rules.variants import Variant
from players.negamax.score import LIMIT
from players.player import Allowance, Choice, PlayerSpec

SCORED = np.dtype([("position", np.int64, 4), ("score", np.float64)])
"""A position (white, black, kings, turn) and the score of a search of it, from White's view, or 0."""
Scored = list[tuple[tuple[int, ...], float]]


class Played(NamedTuple):
    """A finished game; its fields are the columns of the table `games`."""

    stage: str
    """Its purpose: `round 1`, `step 7`, `start` or `against`."""
    game: int
    """Its number within the stage, from 1."""
    result: str
    """One of `arena.rules.result.RESULTS`."""
    opening: str
    """FEN of the position that it began from."""
    positions: bytes
    """The quiet positions taken from it, SCORED, compressed."""

    def scored(self) -> NDArray[np.void]:
        """The positions with their scores, SCORED[n]."""
        return np.frombuffer(zlib.decompress(self.positions), dtype=SCORED)


def packed_moves(scored: Scored) -> bytes:
    """A game's positions as the store keeps them, by zlib: some 11 bytes each in place of 40."""
    return zlib.compress(np.array(scored, SCORED).tobytes())


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
    random_moves: float | None = None
    """White plays with itself, this share of its moves drawn at random; None: an ordinary game."""

    def __str__(self) -> str:
        return f"{self.stage}, game {self.game}"


def job_of(
    terms: Terms, stage: str, game: int, pair: int, white: PlayerSpec, black: PlayerSpec, **more: Any
) -> Job:
    """A game of a stage on the terms of a learning run; `more` are further fields."""
    rules = (terms.openings, terms.seed, terms.max_plies)
    return Job(stage, game, pair, terms.rule_set, white, black, *rules, **more)


def play_job(job: Job) -> Played:
    """Play one game and take quiet positions from it.

    Raises OpeningsError without an opening, LearningError for a player that cannot be built or fails.
    """
    return _ordinary(job) if job.random_moves is None else _self_play(job, job.random_moves)


def attempted(job: Job) -> Played | ArenaError:
    """Play one game, or return why it cannot be played, so that a worker's other games are not lost with it."""
    try:
        return play_job(job)
    except ArenaError as error:
        return error


def _ordinary(job: Job) -> Played:
    """A game of White against Black, and some of its quiet positions, without scores."""
    opening = job.opening or job.openings.draw(job.variant, f"{job.seed} {job.stage} {job.pair}")
    scheduled = ScheduledGame(job.game, job.pair, 1, 0, 1, 0)
    record = play(Task(scheduled, job.variant, opening, job.white, job.black, job.seed, job.max_plies))
    if record.error:
        raise LearningError(f"{job}: {record.error}")
    moves = record.table()["move"].astype(str).tolist()
    scored: Scored = []
    if job.positions:
        quiet = _quiet_positions(job.variant, opening, moves)
        rng = random.Random(f"{job.seed} {job.stage} {job.game} positions")
        chosen = sorted(rng.sample(range(len(quiet)), min(job.positions, len(quiet))))
        scored = [(quiet[i], 0.0) for i in chosen]
    return Played(job.stage, job.game, record.result, fen(job.variant, opening), packed_moves(scored))


def _quiet_positions(variant: Variant, opening: Position, moves: list[str]) -> list[Position]:
    """The positions of a game, from its opening to before its last move, in which nothing can be captured."""
    game, quiet = Game(variant, opening), []
    for text in moves:
        if is_quiet(game):
            quiet.append(game.position)
        game.push(parse_move(variant, game.position, text))
    return quiet


def is_quiet(game: Game) -> bool:
    """Whether nothing can be captured."""
    _, other = sides(game.position)
    return not any(move & other for move in game.legal_moves)


def _self_play(job: Job, random_moves: float) -> Played:
    """A game of White with itself, and the quiet positions that it searched, with their scores.

    The opening is half of `random_plies` to all of them long. A forced move is not searched, of the others a share
    is random, and a game whose score shows a win ends with that result.
    """
    rng = random.Random(f"{job.seed} {job.stage} {job.game}")
    longest = job.openings.random_plies
    openings = job.openings.model_copy(update={"random_plies": rng.randint((longest + 1) // 2, longest)})
    opening = openings.draw(job.variant, f"{job.seed} {job.stage} {job.pair}")
    with _blamed(job):
        seed = f"{job.seed} {job.stage} {job.game}"
        player = begin_game(job.white, job.variant, opening, seed, Allowance())
    game, scored, result = Game(job.variant, opening), Scored(), ""
    while not result:
        if (outcome := adjudicate(game, job.max_plies)) is not None:
            result = outcome.result
        elif len(game.legal_moves) == 1:
            game.push(game.legal_moves[0])
        else:
            with _blamed(job):
                choice = player.choose(game, job.white.limit, rng).choice
                score = _white_score(game, choice)
            if is_quiet(game):
                scored.append((game.position, score))
            if abs(score) > LIMIT:
                result = "white" if score > 0 else "black"
            else:
                game.push(rng.choice(game.legal_moves) if rng.random() < random_moves else choice.move)
    return Played(job.stage, job.game, result, fen(job.variant, opening), packed_moves(scored))


@contextmanager
def _blamed(job: Job) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        reason = cut(str(failure_of(error)), REASON_CHARACTERS)
        raise LearningError(f"{job}: {job.white.name} {reason}") from error


def _white_score(game: Game, choice: Choice) -> float:
    if choice.score is None:
        raise ValueError("the search gave no score; raise its limit")
    return choice.score if game.position.turn == WHITE else -choice.score


def points_of_pairs(games: Sequence[Played]) -> list[float]:
    """The first player's points, 0 to 2, in each pair; it is White in the odd game. `games` are whole pairs."""
    white = [points_of(game.result) for game in games]
    return [pair_points(first, second) for first, second in zip(white[::2], white[1::2], strict=True)]


LEARNING_GAMES = Table(
    "games",
    {
        "stage": "TEXT",
        "game": "INTEGER",
        "result": "TEXT",
        "opening": "TEXT",
        "positions": "BLOB",
    },
    ["stage", "game"],
)
_STEPS = Table("steps", {"step": "INTEGER", "document": "TEXT"}, ["step"])
STORE_FILE = "learning.sqlite"
"""The store of a learning run."""


class GameStore(Store):
    """Games with positions taken from them, by stage and number, and steps made from them, open for writing."""

    def __init__(self, folder: Path, description: Mapping[str, Any], terms: type[Terms] | None = None) -> None:
        """Open the store in `folder`, or make one for the learning run described.

        A key of `terms` that an earlier version did not have counts with its default. If something was damaged,
        see `repaired`, the steps are forgotten, to be made again from the games. Raises StoreError if the folder
        cannot be written to, is in use, or holds another learning run.
        """
        parts, columns = {"learning": description}, [*SCORED.descr, RESULTS]
        filled_in, noun = partial(_filled_in, terms or Terms), "learning run"
        super().__init__(
            folder / STORE_FILE, (LEARNING_GAMES, _STEPS), parts, columns=columns, noun=noun, filled_in=filled_in
        )
        if self.repaired:
            self.delete(_STEPS, "TRUE")
        self.folder = folder

    def add(self, played: Played) -> None:
        """Store a finished game, for good."""
        self.insert(LEARNING_GAMES, played._asdict())

    def games(self, stage: str) -> list[Played]:
        """A stage's stored games, by number."""
        query = f"SELECT {', '.join(LEARNING_GAMES.columns)} FROM games WHERE stage = ? ORDER BY game"
        return [Played(*row) for row in self.rows(query, (stage,))]

    def finished(self, stage: str) -> set[int]:
        """The numbers of a stage's stored games."""
        return {row[0] for row in self.rows("SELECT game FROM games WHERE stage = ?", (stage,))}

    def add_step(self, number: int, document: Mapping[str, Any]) -> None:
        """Store what a step found, JSON types, for good, in place of an earlier one of that number."""
        self.insert(_STEPS, {"step": number, "document": json.dumps(document)}, replace=True)

    def steps(self) -> list[dict[str, Any]]:
        """The findings of the steps, in their order."""
        rows = self.rows("SELECT document FROM steps ORDER BY step")
        return [json.loads(row[0]) for row in rows]


def _filled_in(terms: type[Terms], stored: dict[str, Any]) -> dict[str, Any]:
    """The documents with the defaults of the keys that an earlier version's terms did not have."""
    with suppress(ValueError, TypeError, KeyError):
        keys = {key: value for key, value in stored["learning"].items() if key != FILES}
        return stored | {"learning": {**stored["learning"], **terms.model_validate(keys).as_dict()}}
    return stored
