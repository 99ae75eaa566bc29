"""Openings of a tuning: drawn at random, those of its last matches apart from all others."""

from __future__ import annotations

import random

from arena.experiment.openings.balance import is_even
from arena.experiment.openings.sources import OpeningsError, random_openings
from arena.learning.tuning.settings import RandomOpenings
from arena.rules.position import Position
from arena.rules.variants import Variant
from arena.rules.zobrist import key_of

MAX_TRIES = 200
"""Openings drawn one after the other without a new one before giving up."""


def check_openings(variant: Variant, settings: RandomOpenings, count: int, seed: int) -> list[Position]:
    """`count` distinct openings that no stage of tuning draws. Raises OpeningsError if there are not so many."""
    found: dict[Position, None] = {}
    rng, failed = random.Random(f"check {seed}"), 0
    while failed < MAX_TRIES:
        position = _random_opening(variant, settings, rng, check=True)
        failed = 0 if position is not None and position not in found else failed + 1
        if position is not None:
            found[position] = None
        if len(found) == count:
            return list(found)
    raise OpeningsError(
        f"only {len(found)} openings of {settings.random_plies} random plies were found for the last matches, "
        f"{count} are wanted; raise random_plies or lower check"
    )


def draw_opening(variant: Variant, settings: RandomOpenings, seed: str) -> Position:
    """An opening for tuning, the same for the same seed. Raises OpeningsError if none is found."""
    rng = random.Random(seed)
    for _ in range(MAX_TRIES):
        position = _random_opening(variant, settings, rng, check=False)
        if position is not None:
            return position
    raise OpeningsError(f"no opening of {settings.random_plies} random plies was found: raise random_plies")


def _random_opening(
    variant: Variant, settings: RandomOpenings, rng: random.Random, check: bool
) -> Position | None:
    """A random opening, None if it is of the wrong kind: those with an odd Zobrist key are kept for checks."""
    drawn = random_openings(variant, settings.random_plies, 1, rng.getrandbits(62), balanced=False)[0].position
    if key_of(drawn) & 1 != check or (settings.balanced and not is_even(variant, drawn)):
        return None
    return drawn
