"""Perft and divide: counts of the move tree, the test of every move generator."""

from __future__ import annotations

from functools import cache
from typing import Any

from numba import types

from arena.rules.jit.kernel import entry, is_compiling, kernel
from arena.rules.jit.native import WORDS, words
from arena.rules.movegen import apply, count, generate, legal_moves
from arena.rules.moves import Moves, new_buffer
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import Variant


def perft(variant: Variant, position: Position, depth: int) -> int:
    """How many lines of exactly `depth` plies start at `position`; moves at the last ply are not made."""
    rules = variant.constants
    return 1 if depth == 0 else int(_compiled(rules)(rules, position, depth, new_buffer()))


def divide(variant: Variant, position: Position, depth: int) -> dict[int, int]:
    """Perft of each legal move at `depth` - 1, in the generator's order."""
    rules = variant.constants
    return {move: perft(variant, apply(rules, position, move), depth - 1) for move in legal_moves(rules, position)}


@cache
def _compiled(rules: Any) -> Any:
    position, buffer = Position(0, 0, 0, 0), new_buffer()
    entry(_perft, types.int64, rules, position, 1, WORDS if is_compiling() else buffer, 0)
    return entry(_perft_in, types.int64, rules, position, 1, buffer)


@kernel
def _perft_in(rules: Rules, position: Position, depth: int, buffer: Moves) -> int:
    """Perft at `depth` of at least 1."""
    return _perft(rules, position, depth, words(buffer), 0)


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
