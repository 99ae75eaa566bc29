"""Whether a position is even: no side wins material by force."""

from __future__ import annotations

import random

from arena.player import Limit
from arena.rules.game import Game
from arena.rules.position import Position
from arena.rules.variants import Variant

EVEN_DEPTH = 8
"""Plies that a search looks ahead to tell whether an opening is even."""


def is_even(variant: Variant, position: Position) -> bool:
    """Whether neither side wins material by force within EVEN_DEPTH plies."""
    from players.negamax.player import Negamax

    choice = Negamax(variant, "material", "alphabeta").choose(
        Game(variant, position), Limit(EVEN_DEPTH), random.Random(0)
    )
    return abs(choice.score or 0.0) < 1.0
