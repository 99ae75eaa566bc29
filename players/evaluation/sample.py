"""A sample of positions of all phases of a game, and the value of a man on them."""

from __future__ import annotations

import math
import random
from functools import cache
from statistics import fmean, stdev

from arena.rules.game import Game
from arena.rules.movegen import has_move
from arena.rules.moves import sides
from arena.rules.position import BLACK, WHITE, Position
from arena.rules.rules import NEVER
from arena.rules.variants import Variant
from players.evaluation.evaluator import Evaluation

FROM_GAMES, THINNED = 200, 100
"""Positions from random games, and endings that are made of such by taking pieces off."""
_TRIES = 1000  # games and endings that are drawn at most
_STRIDE = 3  # plies between the positions that are taken from a game
_LONGEST = 150  # plies of a random game
_FEWEST, _MOST = 2, 8
"""Pieces of an ending."""
_VALUED = 6  # one in this many positions shows what a man is worth
_ERRORS = 4.0  # standard errors by which the mean change must differ from 0


@cache
def positions_of(variant: Variant) -> tuple[Position, ...]:
    """FROM_GAMES positions of random games, the start first, then THINNED endings; always the same. In all the
    side to move has a move and both sides have pieces. There are fewer where rules have no more."""
    rng = random.Random("examination")
    played: dict[Position, None] = {}
    for _ in range(_TRIES):
        if len(played) >= FROM_GAMES:
            break
        game = Game(variant)
        while game.outcome is None and len(game.moves) < _LONGEST:
            if len(game.moves) % _STRIDE == 0:
                played[game.position] = None
            game.push(rng.choice(game.legal_moves))
    drawn = list(played)[:FROM_GAMES]
    endings: dict[Position, None] = {}
    for _ in range(_TRIES if drawn else 0):
        if len(endings) >= THINNED:
            break
        ending = _thinned(variant, rng.choice(drawn), rng)
        if ending.white and ending.black and has_move(variant.rules, ending):
            endings[ending] = None
    return (*drawn, *endings)


def rises(evaluation: Evaluation, variant: Variant, position: Position) -> list[float]:
    """How much the value of a position rises without each man of the side that is not to move, if it has more
    pieces."""
    _, other = sides(position)
    men = [bit for bit in variant.bits if other & ~position.kings & bit] if other.bit_count() > 1 else []
    without = [position._replace(white=position.white & ~man, black=position.black & ~man) for man in men]
    value, *values = evaluation.values(variant.rules, [position, *without]).tolist()
    return [less - value for less in values]


def man_value(variant: Variant, evaluation: Evaluation) -> float | None:
    """What a man is worth in an evaluation's unit, the size of the mean of `rises`; None for one that ignores a
    man."""
    changes = []
    for position in positions_of(variant)[::_VALUED]:
        finite = [rise for rise in rises(evaluation, variant, position) if math.isfinite(rise)]
        if finite:
            changes.append(fmean(finite))
    if len(changes) < 2:
        return None
    mean, error = fmean(changes), stdev(changes) / math.sqrt(len(changes))
    return abs(mean) if abs(mean) > _ERRORS * error else None


def man_at_start(variant: Variant, evaluation: Evaluation) -> float:
    """The mean of `rises` at the start, which scales the margins of searches; 1 if it falls."""
    at_start = rises(evaluation, variant, variant.start)
    mean = sum(at_start) / len(at_start) if at_start else 0.0
    return mean if 0 < mean < math.inf else 1.0


def _thinned(variant: Variant, position: Position, rng: random.Random) -> Position:
    """Some of a position's pieces, half of them kings where there are kings that do not win."""
    placed = [bit for bit in variant.bits if (position.white | position.black) & bit]
    kept = sum(rng.sample(placed, min(rng.randint(_FEWEST, _MOST), len(placed))))
    crowning = variant.rules.promotion != NEVER and not variant.rules.first_king_wins
    kings = sum(
        bit for bit in placed if kept & bit and (position.kings & bit or (crowning and rng.random() < 0.5))
    )
    return Position(position.white & kept, position.black & kept, kings, rng.choice((WHITE, BLACK)))
