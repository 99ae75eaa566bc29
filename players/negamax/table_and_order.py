"""The transposition table, and the order of moves: what a search knows of a node before it searches its moves.

A table holds what earlier searches found out about positions, by their zobrist keys: an int64 array of buckets of
two entries, each of four words: the key, the best move, the score as the bits of a float64, and depth, bound and
generation in one. A generation is one search, counted from 1 on; older entries give way first, and a table is
emptied by taking no entry from before a generation for valid.

A key is a random number for each kind of piece on each square, and one for the side to move, combined by xor:
A. L. Zobrist, A New Hashing Method with Application for Game Playing, 1970.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.rules.jit.kernel import inlined, kernel
from arena.rules.jit.native import lowest_square, popcount, view
from arena.rules.moves import Moves, sides
from arena.rules.position import Position
from players.memory import aligned
from players.negamax.score import LIMIT
from players.negamax.state import HISTORY_BITS, Node, State
from players.negamax.switches import GENERATOR, ORDER_ALL

TranspositionTable: TypeAlias = NDArray[np.int64]

ENTRY = 4
BUCKET = 2 * ENTRY
KEY, TABLE_MOVE, TABLE_SCORE, INFO = range(ENTRY)
UPPER, LOWER, EXACT = 1, 2, 3
"""Bounds: whether the score is exact or only an upper or lower bound."""
_BOUND, _GENERATION, _BYTE = 8, 16, 255
"""Places of the bound and the generation behind the depth, and the bits of depth and bound."""
_NUMBERS = np.random.default_rng(1970).integers(-(2**63), 2**63, size=(4, 64), dtype=np.int64)
"""By kind (white man, black man, white king, black king) and bit; constants to the compiler."""
_BLACK_TO_MOVE = int(np.random.default_rng(1971).integers(-(2**63), 2**63, dtype=np.int64))
_HISTORY_MIX = 0x9E3779B97F4A7C15 - 2**64


def new_table(megabytes: int) -> TranspositionTable:
    """An empty table of the greatest power of two of buckets that fits, at least one, each in a line of the
    cache."""
    buckets = max(megabytes * 2**20 // (8 * BUCKET), 1)
    return aligned(BUCKET << (buckets.bit_length() - 1), np.int64)


# --- keys


@kernel
def key(position: Position) -> int:
    """The key of a position, an int64: the same however the position came about."""
    empty = Position(0, 0, 0, 1 - position.turn)
    return key_after(0 if position.turn == 1 else _BLACK_TO_MOVE, empty, position)


@inlined
def key_after(key: int, before: Position, after: Position) -> int:
    """The key of the position `after` a move, from the key of the position `before` it."""
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


# --- the table


class _Stored(NamedTuple):
    """What the table knows of a node."""

    move: int  # the best move of an earlier search, -1 if there is none
    settles: bool  # whether the value answers this search
    value: float


@inlined
def recall(state: State, node: Node, depth: int, alpha: float, beta: float) -> _Stored:
    """Look up a node that is to be searched `depth` plies in the table, if there is one."""
    if not state.tt or depth <= 1:
        return _Stored(-1, False, 0.0)
    table = view(state.tt_address, np.int64)
    state.tt_probes += 1
    at = find(table, state.tt_words, node.key, state.oldest)
    if at < 0:
        return _Stored(-1, False, 0.0)
    state.tt_hits += 1
    move, searched, bound = table[at + TABLE_MOVE], table[at + INFO] & _BYTE, table[at + INFO] >> _BOUND & _BYTE
    value = nearer(view(table, np.float64)[at + TABLE_SCORE], -node.ply)
    deep = searched == depth or (state.tt_deeper and searched > depth)
    if deep and (bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)):
        state.settled_by_table += abs(value) < LIMIT
        return _Stored(move, True, value)
    return _Stored(move, False, value)


@inlined
def remember(state: State, node: Node, depth: int, alpha: float, beta: float, value: float, move: int) -> None:
    """Write into the table, if there is one, what a search of `depth` plies within alpha and beta found."""
    if state.tt and depth > 1:
        bound = LOWER if value >= beta else EXACT if value > alpha else UPPER
        table, score = view(state.tt_address, np.int64), nearer(value, node.ply)
        store(table, state.tt_words, node.key, move, score, depth, bound, state.generation)


@inlined
def find(table: TranspositionTable, size: int, key: int, oldest: int) -> int:
    """The first word of a key's entry, of the generation `oldest`, from 1 on, or a later one; -1 without one."""
    first = (key & (size // BUCKET - 1)) * BUCKET
    for at in (first, first + ENTRY):
        if table[at + KEY] == key and table[at + INFO] >> _GENERATION >= oldest:
            return at
    return -1


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
    first = table[at + INFO]
    if table[at + KEY] != key and first >> _GENERATION == generation and first & _BYTE > depth:
        at += ENTRY
    table[at + KEY] = key
    table[at + TABLE_MOVE] = move
    view(table, np.float64)[at + TABLE_SCORE] = score
    table[at + INFO] = depth | bound << _BOUND | generation << _GENERATION


@inlined
def nearer(value: float, plies: int) -> float:
    """A score seen from `plies` nearer to the end: the table counts a win's plies from the position itself, as the
    same position is reached at other plies of the tree, a search from the root."""
    if value > LIMIT:
        return value + plies
    if value < -LIMIT:
        return value - plies
    return value


# --- the order of moves


@inlined
def rank_moves(state: State, node: Node, end: int, capturing: bool, table_move: int) -> bool:
    """Give each move from `moves[node.start]` to `moves[end]` its rank in `state.ranks`; False if there is none to
    give.

    First comes the table's move, as most cutoffs are its; then captures by size, or what cut elsewhere: the
    killers of this ply, then history.
    """
    moves, other = view(state.moves, np.int64), sides(node.position)[1]
    wanted = table_move >= 0 and state.order_tt
    if not wanted and (state.order == GENERATOR if capturing else state.order != ORDER_ALL):
        return False
    for i in range(node.start, end):
        move = moves[i]
        rank = 0
        if wanted and move == table_move:
            rank = 1 << 60
        elif capturing:
            if state.order != GENERATOR:
                rank = popcount(move & other)
        elif state.order == ORDER_ALL:
            if move == state.killers[node.ply, 0]:
                rank = 1 << 59
            elif move == state.killers[node.ply, 1]:
                rank = 1 << 58
            else:
                rank = state.history[node.position.turn, history_index(move)]
        state.ranks[i] = rank
    return True


@inlined
def pick_best(state: State, moves: Moves, i: int, end: int) -> None:
    """Move the highest ranked of `moves[i:end]` to its front; the others keep their order."""
    ranks = state.ranks
    best = i
    for k in range(i + 1, end):
        if ranks[k] > ranks[best]:
            best = k
    move, rank = moves[best], ranks[best]
    for k in range(best, i, -1):
        moves[k] = moves[k - 1]
        ranks[k] = ranks[k - 1]
    moves[i] = move
    ranks[i] = rank


@inlined
def reward(state: State, node: Node, move: int, depth: int) -> None:
    """Remember that a move caused a cutoff, unless it is a capture; the deeper the search, the more it counts."""
    if state.order != ORDER_ALL or move & sides(node.position)[1]:
        return
    killers = state.killers
    if killers[node.ply, 0] != move:
        killers[node.ply, 1] = killers[node.ply, 0]
        killers[node.ply, 0] = move
    state.history[node.position.turn, history_index(move)] += depth * depth


@inlined
def history_index(move: int) -> int:
    """The place of a move's history: a hash of the move."""
    return ((int(move) * _HISTORY_MIX) >> (64 - HISTORY_BITS)) & ((1 << HISTORY_BITS) - 1)
