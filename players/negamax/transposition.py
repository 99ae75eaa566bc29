"""Transposition table: what earlier searches found out about positions, by their zobrist keys.

A table is one int64 array of buckets; a bucket is two entries of four words each: the key, the best move, the
score as the bits of a float64, and depth + bound + generation packed into one. An entry's bound says whether the
score is exact or only a lower or upper bound. A generation is one search, counted from 1 on; older entries give
way first, and a table is emptied by taking no entry from before a generation for valid. Kernels are handed a table
as its `words`, and its size in words.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.rules.jit.kernel import inlined, kernel
from arena.rules.jit.native import view
from players.negamax.score import LIMIT
from players.negamax.state import Node

TranspositionTable = NDArray[np.int64]

ENTRY = 4
BUCKET = 2 * ENTRY
KEY, MOVE, SCORE, INFO = range(ENTRY)
UPPER, LOWER, EXACT = 1, 2, 3
"""Bounds."""
_DEPTH, _BOUND, _GENERATION = 0, 8, 16
_BYTE = 255
_SHALLOWER = 3
"""Plies by which a search may have been shallower for `least`."""


def new_table(megabytes: int) -> TranspositionTable:
    """An empty table of the greatest power of two of buckets that fits; one unused bucket for 0 megabytes.

    A bucket lies in one line of the processor's cache. The system gives memory as it is first written to, which
    would take most of a short first search: so zeros are written here.
    """
    buckets = max(megabytes * 2**20 // (8 * BUCKET), 1)
    size = BUCKET << (buckets.bit_length() - 1)
    room = np.full(size + BUCKET - 1, 0, np.int64)
    first = -room.ctypes.data // 8 % BUCKET
    return room[first : first + size]


class TableEntry(NamedTuple):
    """The words of an entry but the first."""

    move: int
    score: float
    info: int
    """0 where there is no entry."""


class Known(NamedTuple):
    """What the transposition table knows of a node."""

    move: int
    """The best move of an earlier search, -1 if there is none."""
    settles: bool
    """Whether the value answers this search."""
    value: float
    least: float
    """What a search up to three plies shallower, or any deeper one, found the value to be at least."""


@inlined
def recall(state: Any, node: Node, depth: int, alpha: float, beta: float) -> Known:
    """Look up a node that is to be searched `depth` plies in the table, if there is one."""
    if not state.tt or depth <= 1:
        return Known(-1, False, 0.0, -np.inf)
    table = view(state.table, np.int64)
    state.tt_probes += 1
    entry = find(table, state.table_words, node.key, state.oldest)
    if entry.info == 0:
        return Known(-1, False, 0.0, -np.inf)
    state.tt_hits += 1
    searched, bound = depth_of(entry), bound_of(entry)
    value = from_table(entry.score, node.ply)
    least = value if bound != UPPER and searched >= depth - _SHALLOWER else -np.inf
    deep = searched == depth or (state.tt_deeper and searched > depth)
    if deep and (bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)):
        state.horizon += abs(value) < LIMIT
        return Known(entry.move, True, value, least)
    return Known(entry.move, False, value, least)


@inlined
def remember(state: Any, node: Node, depth: int, alpha: float, beta: float, value: float, move: int) -> None:
    """Write into the table, if there is one, what a search within alpha and beta found."""
    if state.tt and depth > 1:
        bound = LOWER if value >= beta else EXACT if value > alpha else UPPER
        table, score = view(state.table, np.int64), to_table(value, node.ply)
        store(table, state.table_words, node.key, move, score, depth, bound, state.generation)


@inlined
def find(table: TranspositionTable, size: int, key: int, oldest: int) -> TableEntry:
    """A key's entry, if there is one of the generation `oldest`, from 1 on, or a later one."""
    first = (key & (size // BUCKET - 1)) * BUCKET
    for at in (first, first + ENTRY):
        if table[at + KEY] == key and table[at + INFO] >> _GENERATION >= oldest:
            return entry_at(table, at)
    return TableEntry(-1, 0.0, 0)


@inlined
def entry_at(table: TranspositionTable, at: int) -> TableEntry:
    """The entry of which the key is `table[at]`."""
    return TableEntry(table[at + MOVE], view(table, np.float64)[at + SCORE], table[at + INFO])


@inlined
def depth_of(entry: TableEntry) -> int:
    """The depth to which the position was searched."""
    return (entry.info >> _DEPTH) & _BYTE


@inlined
def bound_of(entry: TableEntry) -> int:
    """UPPER, LOWER or EXACT."""
    return (entry.info >> _BOUND) & _BYTE


@kernel
def store(
    table: TranspositionTable,
    size: int,
    key: int,
    move: int,
    score: float,
    depth: int,
    bound: int,
    generation: int,
) -> None:
    """Write an entry: over the position's own, else over the bucket's first if that is of another generation or
    no deeper, else over its second."""
    at = (key & (size // BUCKET - 1)) * BUCKET
    found = entry_at(table, at)
    if table[at + KEY] != key and found.info >> _GENERATION == generation and depth_of(found) > depth:
        at += ENTRY
    table[at + KEY] = key
    table[at + MOVE] = move
    view(table, np.float64)[at + SCORE] = score
    table[at + INFO] = depth << _DEPTH | bound << _BOUND | generation << _GENERATION


@inlined
def to_table(value: float, ply: int) -> float:
    """A value as the table keeps it: wins count their plies from the position itself."""
    if value > LIMIT:
        return value + ply
    if value < -LIMIT:
        return value - ply
    return value


@inlined
def from_table(value: float, ply: int) -> float:
    """The score that `to_table` kept, for a position `ply` plies from the root."""
    if value > LIMIT:
        return value - ply
    if value < -LIMIT:
        return value + ply
    return value
