"""The order of moves: as they are listed, the table's move first, then captures by size or killers and history."""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.rules.jit.kernel import inlined
from arena.rules.jit.native import popcount, view
from arena.rules.movegen import generate
from arena.rules.moves import Moves, sides
from arena.rules.position import Position
from arena.rules.rules import Rules
from players.negamax.state import HISTORY_BITS, Node

_HISTORY_MIX = 0x9E3779B97F4A7C15 - 2**64


@inlined
def list_moves(rules: Rules, state: Any, position: Position, start: int) -> int:
    """Write the legal moves to `state.moves[start:end]` and return `end`."""
    return generate(rules, position, view(state.moves, np.int64), start)


@inlined
def history_index(move: int) -> int:
    """The place of a move's history: a hash of the move."""
    return ((int(move) * _HISTORY_MIX) >> (64 - HISTORY_BITS)) & ((1 << HISTORY_BITS) - 1)


@inlined
def reward(state: Any, node: Node, move: int, depth: int) -> None:
    """Remember that a move caused a cutoff, unless it is a capture."""
    if move & sides(node.position)[1]:
        return
    killers = state.killers
    if state.order_killers and killers[node.ply, 0] != move:
        killers[node.ply, 1] = killers[node.ply, 0]
        killers[node.ply, 0] = move
    if state.order_history:
        state.history[node.position.turn, history_index(move)] += depth * depth


@inlined
def rank_moves(state: Any, node: Node, end: int, capturing: bool, table_move: int) -> bool:
    """Give each move from `moves[node.start]` to `moves[end]` its rank in `state.order`, higher first.

    False if there is none to give.
    """
    moves, other = view(state.moves, np.int64), sides(node.position)[1]
    wanted = table_move >= 0 and state.order_tt
    if capturing:
        if not (wanted or state.order_captures):
            return False
    elif not (wanted or state.order_killers or state.order_history):
        return False
    for i in range(node.start, end):
        move = moves[i]
        rank = 0
        if wanted and move == table_move:
            rank = 1 << 60
        elif capturing:
            if state.order_captures:
                rank = popcount(move & other)
        elif state.order_killers and move == state.killers[node.ply, 0]:
            rank = 1 << 59
        elif state.order_killers and move == state.killers[node.ply, 1]:
            rank = 1 << 58
        elif state.order_history:
            rank = state.history[node.position.turn, history_index(move)]
        state.order[i] = rank
    return True


@inlined
def pick_best(state: Any, moves: Moves, i: int, end: int) -> None:
    """Move the highest ranked of `moves[i:end]` to its front; the others keep their order."""
    order = state.order
    best = i
    for k in range(i + 1, end):
        if order[k] > order[best]:
            best = k
    move, rank = moves[best], order[best]
    for k in range(best, i, -1):
        moves[k] = moves[k - 1]
        order[k] = order[k - 1]
    moves[i] = move
    order[i] = rank
