"""Random lines: games of moves drawn by lot."""

from __future__ import annotations

import random

from arena.rules.game import Game
from arena.rules.variants import Variant


def random_line(variant: Variant, plies: int, rng: random.Random) -> Game:
    """A game from the start after `plies` random moves, all equally likely; fewer if it is over before."""
    game = Game(variant)
    while game.outcome is None and len(game.moves) < plies:
        game.push(rng.choice(game.legal_moves))
    return game
