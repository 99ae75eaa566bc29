"""Zobrist keys: one random number for each kind of piece on each square, and one for the side to move.

A. L. Zobrist, A New Hashing Method with Application for Game Playing, 1970.
"""

from __future__ import annotations

import numpy as np

from arena.rules.jit.kernel import inlined, kernel
from arena.rules.jit.native import lowest_square
from arena.rules.position import Position

_NUMBERS = np.random.default_rng(1970).integers(-(2**63), 2**63, size=(4, 64), dtype=np.int64)
"""By kind (white man, black man, white king, black king) and bit; constants to the compiler."""
_BLACK_TO_MOVE = int(np.random.default_rng(1971).integers(-(2**63), 2**63, dtype=np.int64))


@kernel
def key(position: Position) -> int:
    """The key of a position, an int64: the same however the position came about."""
    empty = Position(0, 0, 0, 1 - position.turn)
    return key_after(0 if position.turn == 1 else _BLACK_TO_MOVE, empty, position)


@inlined
def key_after(key: int, before: Position, after: Position) -> int:
    """The key of the position `after` a move, from that of the position `before` it."""
    key ^= _BLACK_TO_MOVE
    key ^= _numbers_of(0, (before.white & ~before.kings) ^ (after.white & ~after.kings))
    key ^= _numbers_of(1, (before.black & ~before.kings) ^ (after.black & ~after.kings))
    if before.kings | after.kings:
        key ^= _numbers_of(2, (before.white & before.kings) ^ (after.white & after.kings))
        key ^= _numbers_of(3, (before.black & before.kings) ^ (after.black & after.kings))
    return key


@inlined
def _numbers_of(kind: int, bits: int) -> int:
    total = 0
    while bits != 0:
        bit = bits & -bits
        bits ^= bit
        total ^= _NUMBERS[kind, lowest_square(bit)]
    return total
