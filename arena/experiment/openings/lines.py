"""Random lines of play, even positions and their balance."""

from __future__ import annotations

import random
import threading
from functools import cache
from typing import TYPE_CHECKING, Any

from arena.rules.game import Game
from arena.rules.movegen import apply, has_move
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
    with _one_search:
        choice = _searcher(variant).choose(Game(variant, position), Limit(EVEN_DEPTH), random.Random(0))
    return abs(choice.score or 0.0) < 1.0


BALANCE_DEPTH = 10
"""Plies of the search that values an opening."""


def balance(variant: Variant, position: Position) -> float:
    """How far White is ahead, in men: by a search of BALANCE_DEPTH plies with the evaluation `strong`."""
    player = _judge(variant)
    with _one_search:
        choice = player.choose(Game(variant, position), Limit(BALANCE_DEPTH), random.Random(0))
    score = (choice.score or 0.0) / (player.man or 1.0)
    return score if position.turn == WHITE else -score


def is_won_at_once(game: Game) -> bool:
    """Whether the side to move has a move that leaves the other side none."""
    rules = game.variant.constants
    return not all(has_move(rules, apply(rules, game.position, move)) for move in game.legal_moves)


_one_search = threading.Lock()
"""Held while one of the players below searches: each is the same for all threads, and has one memory."""


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
