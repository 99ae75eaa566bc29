"""Positions to learn from: what a fit makes of its own games, of runs and of PDN files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from arena.base.files import unreadable
from arena.base.wording import counted
from arena.learning.games import Played, Scored, is_quiet, packed_moves
from arena.learning.logistic import fit_weights
from arena.learning.terms import LearningError
from arena.ledger.read import read
from arena.ratings.interval import Bools, Floats, Ints
from arena.rules.game import Game
from arena.rules.move_text import parse_move
from arena.rules.notation import parse_fen
from arena.rules.pdn.read import read_pdn
from arena.rules.pdn.result import Winner
from arena.rules.position import WHITE
from arena.rules.result import WHITE_POINTS, points_of
from arena.rules.variants import Variant
from players.negamax.score import LIMIT

HELD_OUT = 20
"""Every 20th game of a round is held out, to judge the fit."""
SOURCE = HELD_OUT * 10**9
"""Added to the numbers of games for each source before theirs."""
PART = 2000
"""Games whose positions are read at once."""


class Samples(NamedTuple):
    """Positions to learn from or to be judged by."""

    positions: Ints
    """`int64[n, 4]`."""
    targets: Floats
    """White's expected points, 0 to 1, `float64[n]`."""
    games: Ints
    """The number of the game of each, `int64[n]`; equal for no two sources."""

    @property
    def held_out(self) -> Bools:
        """Whether each is kept from the fit, `bool[n]`."""
        return np.equal(self.games % HELD_OUT, 0)


def points_to_move(positions: Ints, white: Floats) -> Floats:
    """The points of the side to move in some positions, `float64[n]`, from White's points."""
    return np.where(positions[:, 3] == WHITE, white, 1 - white)


def samples_of_searches(whose: str, games: Sequence[Played], results: float) -> Iterator[Samples]:
    """Positions with targets from the games that one player searched, PART games at a time.

    A target is results * points + (1 - results) * sigmoid(score / k), with the k under which the scores predict
    the results best. Raises LearningError, which says `whose` games they are, if they do not predict them.
    """
    scores = [game.scored()["score"].copy() for game in games]
    owner = np.repeat(np.arange(len(games)), [len(column) for column in scores])
    points = np.array([points_of(game.result) for game in games])[owner]
    score = np.concatenate(scores)
    open_ = np.abs(score) < LIMIT
    if not open_.any():
        raise LearningError(f"{whose}: there is no quiet position in its games")
    steepness = float(fit_weights(score[open_, None], points[open_], owner[open_], 1e-3).theta[0])
    if steepness <= 0:
        raise LearningError(f"{whose}: the scores of its searches do not predict results; play more games")
    expected = 1 / (1 + np.exp(-np.clip(score * steepness, -20, 20)))
    targets = results * points + (1 - results) * expected
    numbers = np.array([game.game for game in games])[owner]
    done = 0
    for first in range(0, len(games), PART):
        positions = np.concatenate([game.scored()["position"] for game in games[first : first + PART]])
        rows = slice(done, done + len(positions))
        yield Samples(positions, targets[rows], numbers[rows])
        done += len(positions)


def games_of_run(folder: Path, variant: Variant) -> list[list[Played]]:
    """The quiet positions of a run that a player searched with a score: for each player its games.

    Raises StoreError for a folder without a run, LearningError for one of other rules or without scores.
    """
    data = read(folder)
    if data.experiment.rule_set.rules != variant.rules:
        raise LearningError(f"{folder} was not played under the rules of {variant.name}")
    rows = data.games.set_index("game")
    by_player: dict[str, list[Played]] = {}
    for part in data.moves():
        for number, moves in part.groupby("game", sort=True):
            result, opening = (str(rows.at[number, column]) for column in ("result", "opening_fen"))
            for name, scored in _by_player(variant, opening, moves).items():
                played = Played(name, int(str(number)), result, opening, packed_moves(scored))
                by_player.setdefault(name, []).append(played)
    if not by_player:
        raise LearningError(f"{folder} has no quiet position that was searched with a score")
    return list(by_player.values())


def samples_of_pdn(path: Path, variant: Variant, results: Winner = "first") -> tuple[Samples, list[str]]:
    """The quiet positions of a PDN's games with a result, and what is wrong with it; targets are White's points.

    Raises LearningError if the file cannot be read or has no such game of the variant's rules.
    """
    try:
        games, problems = read_pdn(path, variant, results=results)
    except (OSError, ValueError) as error:
        raise LearningError(unreadable(path, error)) from None
    rows = [
        (game.position, WHITE_POINTS[whole.result], whole.number)
        for whole in games
        if whole.variant.rules == variant.rules and whole.result in WHITE_POINTS
        for game in _before_moves(Game(variant, whole.start), whole.moves[: min(whole.setups, default=None)])
        if is_quiet(game)
    ]
    if not rows:
        raise LearningError(f"{path} has no game with a result under the rules of {variant.name}")
    positions, points, numbers = zip(*rows, strict=True)
    notes = [str(problem) for problem in problems if not problem.game]
    wrong = [problem for problem in problems if problem.game]
    if wrong:
        number = len({problem.game for problem in wrong})
        notes.append(f"{path}: {counted(number, 'game')} cannot be read whole, the first: {wrong[0]}")
    return Samples(np.array(positions, np.int64), np.array(points, float), np.array(numbers, np.int64)), notes


def _by_player(variant: Variant, opening: str, moves: pd.DataFrame) -> dict[str, Scored]:
    """The quiet positions of a game that were searched, with the scores from White's view, by their player."""
    game = Game(variant, parse_fen(variant, opening))
    by_player: dict[str, Scored] = {}
    for player, text, score in zip(moves["player"], moves["move"], moves["score"], strict=True):
        position = game.position
        if not pd.isna(score) and len(game.legal_moves) > 1 and is_quiet(game):
            white = float(score) if position.turn == WHITE else -float(score)
            by_player.setdefault(str(player), []).append((position, white))
        game.push(parse_move(variant, position, str(text)))
    return by_player


def _before_moves(game: Game, moves: list[int]) -> Iterator[Game]:
    """The game before each of some moves that is legal; ends at one that is not."""
    for move in moves:
        if move not in game.legal_moves:
            return
        yield game
        game.push(move)
