"""Openings: start positions that every pairing plays from both sides."""

from __future__ import annotations

import random

from arena.rules.game import Game
from arena.rules.movegen import apply, has_move
from arena.rules.position import Position
from arena.rules.variants import Variant

_TRIES = 200
"""Random lines tried for each opening before giving up."""


class OpeningsError(ValueError):
    """There are not as many openings as were asked for."""


def random_openings(variant: Variant, plies: int, count: int, seed: int) -> list[Position]:
    """`count` distinct positions after `plies` random moves, the same for the same seed.

    None is over, or can be won by the very next move. Raises OpeningsError if so many are not found.
    """
    rng = random.Random(f"openings {seed}")
    found: dict[Position, None] = {}
    for _ in range(_TRIES * count):
        game = Game(variant)
        while game.outcome is None and len(game.moves) < plies:
            game.push(rng.choice(game.legal_moves))
        if game.outcome is None and not _won_at_once(game):
            found[game.position] = None
        if len(found) == count:
            return list(found)
    raise OpeningsError(
        f"only {len(found)} distinct openings of {plies} random plies were found, {count} are wanted; "
        f"raise random_plies or lower count"
    )


def _won_at_once(game: Game) -> bool:
    rules = game.variant.constants
    return not all(has_move(rules, apply(rules, game.position, move)) for move in game.legal_moves)
