"""Random lines of play, and what is won by force: even positions, their balance, and shots."""

from __future__ import annotations

import random
from functools import cache
from typing import TYPE_CHECKING, Any

from arena.rules.game import Game
from arena.rules.movegen import apply, has_move, legal_moves
from arena.rules.moves import sides
from arena.rules.position import WHITE, Position
from arena.rules.variants import Variant
from players.player import Limit

if TYPE_CHECKING:
    from players.negamax.player import Negamax


def random_line(variant: Variant, plies: int, rng: random.Random) -> Game:
    """A game from the start after `plies` random moves, all equally likely; fewer if it is over before."""
    game = Game(variant)
    while game.outcome is None and len(game.moves) < plies:
        game.push(rng.choice(game.legal_moves))
    return game


EVEN_DEPTH = 8
"""Plies that a search looks ahead to tell whether an opening is even."""


def is_even(variant: Variant, position: Position) -> bool:
    """Whether neither side wins material by force within EVEN_DEPTH plies."""
    choice = _searcher(variant).choose(Game(variant, position), Limit(EVEN_DEPTH), random.Random(0))
    return abs(choice.score or 0.0) < 1.0


BALANCE_DEPTH = 10
"""Plies of the search that values an opening."""


def balance(variant: Variant, position: Position) -> float:
    """How far White is ahead, in men: by a search of BALANCE_DEPTH plies with the evaluation `strong`."""
    player = _judge(variant)
    choice = player.choose(Game(variant, position), Limit(BALANCE_DEPTH), random.Random(0))
    score = (choice.score or 0.0) / (player.man or 1.0)
    return score if position.turn == WHITE else -score


def is_won_at_once(game: Game) -> bool:
    """Whether the side to move has a move that leaves the other side none."""
    rules = game.variant.constants
    return not all(has_move(rules, apply(rules, game.position, move)) for move in game.legal_moves)


class Shots:
    """Finds shots: combinations that give material and win more.

    One move lets the other side capture, and all its captures win material; yet in a search of PROVED plies that
    counts men, and kings as 1.5, it wins a man or more, and is better by a man or more than each other move. A
    search of FOUND plies with the evaluation `strong` prefers it by a man, too. An object sees one game: tables of
    its searches are kept, so that its findings may depend on the positions before.
    """

    FOUND, PROVED = 9, 11

    def __init__(self, variant: Variant) -> None:
        self._variant, self._rng = variant, random.Random(0)
        self._quick = _built(variant, "material", "full", draws=False)
        self._material, self._strong = (
            _built(variant, evaluation, "pvs", quiescence="captures") for evaluation in ("material", "strong")
        )

    def find(self, game: Game) -> tuple[int, int]:
        """The move of a shot and the depth of its combination, that from which searches to each depth that count
        material play it for its gain; depth 0 where there is no shot."""
        position, before = game.position, _material(game.position)
        if len(game.legal_moves) < 2 or self._best(self._quick, position, self.FOUND)[1] < before + 1:
            return 0, 0
        move, value = self._best(self._material, position, self.PROVED)
        if value < before + 1 or not self._gives(position, move):
            return 0, 0
        if not self._is_alone(self._material, position, move, self.PROVED, 1.0):
            return 0, 0
        if not self._is_alone(self._strong, position, move, self.FOUND, self._strong.man or 1.0):
            return 0, 0
        depth = self.PROVED
        while depth > 1:
            found, value = self._best(self._material, position, depth - 1)
            if found != move or value < before + 1:
                break
            depth -= 1
        return move, depth

    def _best(self, player: Negamax, position: Position, depth: int) -> tuple[int, float]:
        choice = player.choose(Game(self._variant, position), Limit(depth=depth), self._rng)
        return choice.move, choice.score or 0.0

    def _gives(self, position: Position, move: int) -> bool:
        """Whether all answers to a move are captures that leave the mover with a man less than before it."""
        rules, before = self._variant.constants, _material(position)
        after = apply(rules, position, move)
        replies = legal_moves(rules, after)
        _, other = sides(after)
        return bool(replies) and all(
            reply & other and _material(apply(rules, after, reply)) <= before - 1 for reply in replies
        )

    def _is_alone(self, player: Negamax, position: Position, move: int, depth: int, man: float) -> bool:
        """Whether a search finds a move, and each other one worth less by a man or more."""
        rules = self._variant.constants
        found, value = self._best(player, position, depth)
        if found != move:
            return False
        afters = [apply(rules, position, other) for other in legal_moves(rules, position) if other != move]
        return all(
            has_move(rules, after) and -self._best(player, after, depth - 1)[1] <= value - man for after in afters
        )


def _material(position: Position) -> float:
    """Own men and kings, worth 1 and 1.5, less the other side's, for the side to move."""
    own, other = sides(position)
    men, kings = (
        (own & mask).bit_count() - (other & mask).bit_count() for mask in (~position.kings, position.kings)
    )
    return men + 1.5 * kings


@cache
def _searcher(variant: Variant) -> Negamax:
    """A search that counts men, with orders of moves that do not change its values."""
    orders = {"order_captures": True, "order_killers": True, "order_history": True}
    return _built(variant, "material", "alphabeta", **orders)


@cache
def _judge(variant: Variant) -> Negamax:
    return _built(variant, "strong", "pvs", quiescence="captures")


def _built(variant: Variant, evaluation: str, preset: str, **switches: Any) -> Negamax:
    from players.negamax.player import Negamax

    return Negamax(variant, evaluation, preset, **switches)
