"""The simplest players, and examples to copy: random and greedy."""

from __future__ import annotations

import random
from typing import Any

from arena.player import Choice, Limit
from arena.rules.game import Game
from arena.rules.movegen import apply
from arena.rules.variants import Variant
from players.evaluators import build_evaluation


class Random:
    """Any legal move, all equally likely."""

    def __init__(self, variant: Variant) -> None:
        pass

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Choose a move by lot."""
        return Choice(rng.choice(game.legal_moves))


class Greedy:
    """The move after which the evaluation is best, one ply ahead; equal moves are drawn by lot."""

    def __init__(self, variant: Variant, evaluation: str | dict[str, Any] = "simple") -> None:
        self._rules = variant.constants
        self._evaluate, self._board = build_evaluation(evaluation, variant)

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Evaluate the position after every move, from the opponent's view, and choose the worst for him."""
        moves = game.legal_moves
        scores = [
            -self._evaluate(apply(self._rules, game.position, move), self._board) for move in moves
        ]
        best = max(scores)
        move = rng.choice([move for move, score in zip(moves, scores, strict=True) if score == best])
        return Choice(move, best, depth=1, nodes=1 + len(moves), leaves=len(moves), pv=(move,))
