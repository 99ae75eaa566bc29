"""Random lines of play, and whether a position is even: no side wins material by force."""

from __future__ import annotations

import random
from functools import cache
from typing import TYPE_CHECKING

from arena.rules.game import Game
from arena.rules.movegen import apply, has_move
from arena.rules.position import Position
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


def is_won_at_once(game: Game) -> bool:
    """Whether the side to move has a move that leaves the other side none."""
    rules = game.variant.constants
    return not all(has_move(rules, apply(rules, game.position, move)) for move in game.legal_moves)


@cache
def _searcher(variant: Variant) -> Negamax:
    """A search that counts men, with orders of moves that do not change its values."""
    from players.negamax.player import Negamax

    return Negamax(variant, "material", "alphabeta", order_captures=True, order_killers=True, order_history=True)
