"""The simplest players, and examples to copy: random and greedy."""

from __future__ import annotations

import random

from arena.rules.game import Game
from arena.rules.movegen import apply, has_move
from arena.rules.variants import Variant
from players.evaluation.build import Description, build_evaluation
from players.negamax.score import compiled_static_value, wins_in, worth_of_a_man
from players.player import Choice, Limit


class Random:
    """Any legal move, all equally likely."""

    limits = ()

    def __init__(self, variant: Variant) -> None:
        pass

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Choose a move at random."""
        return Choice(rng.choice(game.legal_moves))


class Greedy:
    """The move after which the evaluation is best, one ply ahead; of equal moves one at random."""

    limits = ()

    def __init__(self, variant: Variant, evaluation: Description = "simple") -> None:
        self._rules = variant.constants
        self._variant, self._evaluation = variant, build_evaluation(evaluation, variant)
        self._value = compiled_static_value(self._rules)

    @property
    def man(self) -> float | None:
        """What a man is worth in the evaluation's unit: `worth_of_a_man`."""
        return worth_of_a_man(self._variant, self._evaluation)

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Choose the move after which the evaluation, from the opponent's view, is lowest."""
        children = [apply(self._rules, game.position, move) for move in game.legal_moves]
        scores = [-self._value(self._rules, *self._evaluation, child, 1) for child in children]
        best = max(scores)
        move = rng.choice([m for m, score in zip(game.legal_moves, scores, strict=True) if score == best])
        leaves = sum(has_move(self._rules, child) for child in children)
        return Choice(move, best, 1, 1, 1 + len(children), leaves, pv=(move,), wins_in=wins_in(best))
