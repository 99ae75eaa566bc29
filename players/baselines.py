"""The simplest players, and examples to copy: random and greedy."""

from __future__ import annotations

import math
import random
from functools import cached_property

from arena.rules.game import Game
from arena.rules.movegen import after_move
from arena.rules.variants import Variant
from players.evaluation.build import Description, build_evaluation
from players.evaluation.sample import man_value
from players.negamax.score import decided_value, plies_to_win, undefined_value, within_limit
from players.player import Choice, Limit


class Random:
    """Any legal move, all equally likely."""

    kept = True
    limits = ()

    def __init__(self, variant: Variant) -> None:
        pass

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        return Choice(rng.choice(game.legal_moves))


class Greedy:
    """The move after which the evaluation is best, one ply ahead; of equal moves one at random."""

    kept = True
    limits = ()

    def __init__(self, variant: Variant, evaluation: Description = "simple") -> None:
        self._rules = variant.rules
        self._variant, self._evaluation = variant, build_evaluation(evaluation, variant)
        self._evaluation.values(self._rules, [variant.start])  # compiled here, where no clock runs

    @cached_property
    def man_value(self) -> float | None:
        """What a man is worth in the evaluation's unit."""
        return man_value(self._variant, self._evaluation)

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Choose the move after which the evaluation, from the opponent's view, is lowest.

        Raises AnswerError if it is no finite number after a move.
        """
        children = [after_move(self._rules, game.position, move) for move in game.legal_moves]
        values = self._evaluation.values(self._rules, [position for position, _ in children]).tolist()
        for (position, replies), value in zip(children, values, strict=True):
            if replies and not math.isfinite(value):
                raise undefined_value(self._variant, position, value)
        scores = [
            -(within_limit(value) if replies else decided_value(self._rules, position, 1))
            for (position, replies), value in zip(children, values, strict=True)
        ]
        best = max(scores)
        move = rng.choice([m for m, score in zip(game.legal_moves, scores, strict=True) if score == best])
        leaves = sum(bool(replies) for _, replies in children)
        return Choice(move, best, 1, 1, 1 + len(children), leaves, pv=(move,), plies_to_win=plies_to_win(best))
