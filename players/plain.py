"""The simplest players, and examples to copy: random, greedy, and plain, which is alpha-beta as textbooks have it.

Read `Plain` before the compiled search, `players.negamax.search`.
"""

from __future__ import annotations

import math
import random
from functools import cached_property

from arena.rules.game import Game
from arena.rules.movegen import after_move
from arena.rules.variants import Variant
from players.evaluation.build import Description, build_evaluation
from players.evaluation.sample import man_value
from players.negamax.score import WIN, decided_value, plies_to_win, undefined_value, within_limit
from players.player import Choice, Limit

_DEPTH = 3  # plies, if the entry has no depth


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


class Plain:
    """Alpha-beta in 20 lines of Python, to read and to copy: it plays as `negamax` with `preset: alphabeta`, but
    sees draws by repetition and by counted moves."""

    kept = True  # one object plays all games: nothing of a game is left in it that changes the next one
    limits = ("depth",)
    default = Limit(depth=_DEPTH)

    def __init__(self, variant: Variant, evaluation: Description = "simple") -> None:
        self._rules, self._evaluation = variant.rules, build_evaluation(evaluation, variant)

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Search the game's tree `limit.depth` plies deep, and choose the first of its best moves."""
        self._depth, self._nodes = limit.depth or _DEPTH, 0
        score, line = self._search(game, 0, -math.inf, math.inf)
        return Choice(line[0], score, self._depth, nodes=self._nodes, pv=line, plies_to_win=plies_to_win(score))

    def _search(self, game: Game, ply: int, alpha: float, beta: float) -> tuple[float, tuple[int, ...]]:
        """The value for the side to move, `ply` plies from the root, and the best line.

        A value within alpha and beta is exact; one of beta or more is a lower bound, one of alpha or less an upper
        one.
        """
        self._nodes += 1
        if (outcome := game.outcome) is not None:
            if outcome.winner is None:
                return 0.0, ()
            # a win is worth the more the sooner it comes
            return (WIN - ply if outcome.winner == game.turn else ply - WIN), ()
        if ply == self._depth:
            # evaluations are compiled; they take a list, as a call from Python costs more than valuing a position
            return float(self._evaluation.values(self._rules, [game.position])[0]), ()
        best, line = -math.inf, tuple[int, ...]()
        for move in game.legal_moves:
            game.push(move)
            # what is good for the other side is bad for this one, and so are its bounds
            value, reply = self._search(game, ply + 1, -beta, -max(alpha, best))
            game.pop()
            if -value > best:
                best, line = -value, (move, *reply)
            # the other side has something better than to come here: no further move matters
            if best >= beta:
                break
        return best, line
