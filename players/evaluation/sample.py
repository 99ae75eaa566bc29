"""A sample of positions of all phases of a game, and a position's mirror image."""

from __future__ import annotations

import random
from functools import cache

from arena.rules.game import Game
from arena.rules.movegen import has_move
from arena.rules.position import BLACK, WHITE, Position
from arena.rules.rules import NEVER
from arena.rules.variants import Variant

PLAYED, THINNED = 200, 100
"""Positions from random games, and endings that are made of such by taking pieces off."""
_TRIES = 1000
"""Games and endings that are drawn at most."""
_STRIDE = 3
"""Plies between the positions that are taken from a game."""
_LONGEST = 150
"""Plies of a random game."""
_FEWEST, _MOST = 2, 8
"""Pieces of an ending."""


@cache
def positions_of(variant: Variant) -> tuple[Position, ...]:
    """PLAYED positions of random games, the start first, then THINNED endings; always the same.

    In all of them the side to move has a move and both sides have pieces. There are fewer where rules have no
    more, and none where nobody can move at the start.
    """
    rng = random.Random("examination")
    played: dict[Position, None] = {}
    for _ in range(_TRIES):
        if len(played) >= PLAYED:
            break
        game = Game(variant)
        while game.outcome is None and len(game.moves) < _LONGEST:
            if len(game.moves) % _STRIDE == 0:
                played[game.position] = None
            game.push(rng.choice(game.legal_moves))
    drawn = list(played)[:PLAYED]
    endings: dict[Position, None] = {}
    for _ in range(_TRIES if drawn else 0):
        if len(endings) >= THINNED:
            break
        ending = _thinned(variant, rng.choice(drawn), rng)
        if ending.white and ending.black and has_move(variant.constants, ending):
            endings[ending] = None
    return (*drawn, *endings)


def mirrored(variant: Variant, position: Position) -> Position:
    """The position seen by the other side: the board turned by 180 degrees, colours and the turn swapped."""
    top = max(variant.bits).bit_length() - 1

    def turned(mask: int) -> int:
        return sum(1 << (top - i) for i in range(top + 1) if mask >> i & 1)

    return Position(turned(position.black), turned(position.white), turned(position.kings), 1 - position.turn)


def _thinned(variant: Variant, position: Position, rng: random.Random) -> Position:
    """Some of a position's pieces, half of them kings where there are kings that do not win."""
    placed = [bit for bit in variant.bits if (position.white | position.black) & bit]
    kept = sum(rng.sample(placed, min(rng.randint(_FEWEST, _MOST), len(placed))))
    crowning = variant.rules.promotion != NEVER and not variant.rules.first_king_wins
    kings = sum(
        bit for bit in placed if kept & bit and (position.kings & bit or (crowning and rng.random() < 0.5))
    )
    return Position(position.white & kept, position.black & kept, kings, rng.choice((WHITE, BLACK)))
