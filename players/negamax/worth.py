"""What a man is worth to an evaluation, so that scores in different units can be compared."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import fmean, stdev

from arena.rules.moves import sides
from arena.rules.position import Position
from arena.rules.variants import Variant
from players.evaluation.build import Evaluation
from players.evaluation.sample import positions_of
from players.negamax.score import LIMIT, compiled_static_value

_STRIDE = 6
"""Every so many positions of the sample are valued."""
_ERRORS = 4.0
"""Standard errors by which the mean must differ from 0."""


def worth_of_a_man(variant: Variant, evaluation: Evaluation) -> float | None:
    """What a man is worth in an evaluation's unit, more than 0; None for one that does not mind a man.

    It is the size of the mean change of a position's value when one man of the side that is not to move is taken
    off, if that has another piece: over the positions of `players.evaluation.sample` and, in each, over all such
    men.
    """
    changes = []
    value, rules = compiled_static_value(variant.constants), variant.constants
    for position in positions_of(variant)[::_STRIDE]:
        before = value(rules, *evaluation, position, 0)
        _, other = sides(position)
        men = other & ~position.kings if other.bit_count() > 1 else 0
        after = [value(rules, *evaluation, less, 0) for less in without_each(position, men)]
        found = [other - before for other in after if max(abs(other), abs(before)) < LIMIT]
        if found:
            changes.append(fmean(found))
    if len(changes) < 2:
        return None
    mean, error = fmean(changes), stdev(changes) / math.sqrt(len(changes))
    return abs(mean) if math.isfinite(mean) and abs(mean) > _ERRORS * error else None


def without_each(position: Position, men: int) -> Iterator[Position]:
    """The position without one of these men, for each of them, from the lowest bit."""
    for bit in (1 << i for i in range(men.bit_length()) if men >> i & 1):
        yield position._replace(white=position.white & ~bit, black=position.black & ~bit)
