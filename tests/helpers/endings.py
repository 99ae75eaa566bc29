"""Endings drawn at random."""

from __future__ import annotations

import random

from arena.rules.position import Position
from arena.rules.variants import Variant


def ending(variant: Variant, rng: random.Random, most: int) -> Position:
    """A random position of 2 to `most` pieces, two thirds of them kings, no man where it is crowned."""
    rules, bits = variant.rules, list(variant.bits)
    while True:
        pieces = rng.sample(bits, rng.randint(2, most))
        white = sum(bit for bit in pieces[1:] if rng.random() < 1 / 2) | pieces[0]
        kings = sum(bit for bit in pieces if rng.random() < 2 / 3)
        black = sum(pieces) & ~white
        if black and not (white & ~kings & rules.top or black & ~kings & rules.bottom):
            return Position(white, black, kings, rng.randint(0, 1))
