"""Perft and divide: counts of the move tree, the test of every move generator."""

from __future__ import annotations

from numba import types

from arena.rules.jit.kernel import kernel, prepare
from arena.rules.movegen import apply, count, generate
from arena.rules.moves import Moves, new_buffer
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import Variant


def perft(variant: Variant, position: Position, depth: int) -> int:
    """How many lines of exactly `depth` plies start at `position`; moves at the last ply are not made."""
    rules, moves = variant.constants, new_buffer()
    prepare(_perft, types.int64, rules, position, 1, moves, 0)
    return 1 if depth == 0 else int(_perft(rules, position, depth, moves, 0))


def divide(variant: Variant, position: Position, depth: int) -> dict[int, int]:
    """Perft of each legal move at `depth` - 1, in the generator's order."""
    rules, moves = variant.constants, new_buffer()
    end = generate(rules, position, moves, 0)
    return {move: perft(variant, apply(rules, position, move), depth - 1) for move in moves[:end].tolist()}


@kernel
def _perft(rules: Rules, position: Position, depth: int, moves: Moves, start: int) -> int:
    """Perft at `depth` of at least 1, with the buffer free from `start` on."""
    if depth == 1:
        return count(rules, position, moves, start)
    end = generate(rules, position, moves, start)
    total = 0
    if depth == 2:
        for i in range(start, end):
            total += count(rules, apply(rules, position, moves[i]), moves, end)
        return total
    for i in range(start, end):
        total += _perft(rules, apply(rules, position, moves[i]), depth - 1, moves, end)
    return total
