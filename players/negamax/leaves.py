"""The end of a line: positions at the horizon, and captures beyond it that are still pending.

`leaf` values what lies at the horizon, with `quiesce` where captures are pending. Nodes are counted, and scores
seen, as in `players.negamax.tree`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.rules.captures import capturers
from arena.rules.endgame.index import probe, wins
from arena.rules.jit.kernel import inlined, kernel
from arena.rules.jit.native import floats_at, popcount, words
from arena.rules.movegen import apply, has_move
from arena.rules.moves import sides
from arena.rules.position import BLACK, Position
from arena.rules.rules import Rules
from players.evaluation.evaluator import evaluate
from players.negamax.ordering import list_moves
from players.negamax.score import WIN, final_value, within_limit
from players.negamax.state import (
    MAX_PLY,
    Node,
    bounded,
    count_cutoff,
    draw_value,
    is_drawn,
    is_repeated_after_four,
    out_of_budget,
)
from players.negamax.switches import MOVER, THREATS

UNKNOWN = np.inf
"""The value of a position that the endgame tables lack."""


@inlined
def leaf(rules: Rules, state: Any, node: Node, alpha: float, beta: float) -> float:
    """The value of a node at the horizon."""
    if is_ending(state, node.position):
        known = ending_value(rules, state, node.position, node.ply)
        if known != UNKNOWN:
            state.nodes += 1
            return draw_value(state, node.ply) if is_drawn(state, node.ply) else known
    if state.quiescence and is_unquiet(rules, state, node.position, node.ply):
        return quiesce(rules, state, node, alpha, beta)
    state.nodes += 1
    if not has_move(rules, node.position) and not state.blind_horizon:
        return final_value(rules, state, node.position, node.ply)
    if is_drawn(state, node.ply):
        return draw_value(state, node.ply)
    state.leaves += 1
    value = leaf_value(rules, state, node.position)
    if state.repetition_penalty != 0.0 and is_repeated_after_four(state, node.ply):
        is_own = state.penalised == MOVER or node.position.turn == BLACK
        value -= state.repetition_penalty if is_own else -state.repetition_penalty
    return value


@kernel
def quiesce(rules: Rules, state: Any, node: Node, alpha: float, beta: float) -> float:
    """The value of an unquiet node beyond the horizon: every legal move is searched until it is quiet."""
    moves = words(state.moves)
    if out_of_budget(state):
        return 0.0
    state.nodes += 1
    if node.ply > state.deepest:
        state.deepest = node.ply
    if is_ending(state, node.position):
        known = ending_value(rules, state, node.position, node.ply)
        if known != UNKNOWN:
            return known
    end = list_moves(rules, state, node.position, node.start)
    if end == node.start:
        return final_value(rules, state, node.position, node.ply)
    floor = alpha
    best = -np.inf
    for i in range(node.start, end):
        child = Node(apply(rules, node.position, moves[i]), 0, node.ply + 1, end)
        if is_unquiet(rules, state, child.position, child.ply):
            value = -quiesce(rules, state, child, -beta, -alpha)
        else:
            if state.nodes >= state.node_limit:
                state.stopped = 1
                return 0.0
            value = -quiet_value(rules, state, child)
        if state.stopped:
            return 0.0
        if value > best:
            best = value
            if state.alpha_beta:
                alpha = max(alpha, value)
                if alpha >= beta:
                    count_cutoff(state, node.ply, i == node.start)
                    break
    return bounded(state, best, floor, beta)


@inlined
def quiet_value(rules: Rules, state: Any, node: Node) -> float:
    """The value of a quiet node beyond the horizon."""
    state.nodes += 1
    if node.ply > state.deepest:
        state.deepest = node.ply
    if is_ending(state, node.position):
        known = ending_value(rules, state, node.position, node.ply)
        if known != UNKNOWN:
            return known
    if not has_move(rules, node.position):
        return final_value(rules, state, node.position, node.ply)
    state.leaves += 1
    return leaf_value(rules, state, node.position)


@inlined
def is_ending(state: Any, position: Position) -> bool:
    """Whether a position has as few pieces as the endgame tables."""
    return bool(state.tables != 0 and popcount(position.white | position.black) <= state.tables)


@kernel
def ending_value(rules: Rules, state: Any, position: Position, ply: int) -> float:
    """The score that the endgame tables give a position, for the side to move; UNKNOWN if they lack it."""
    code = probe(rules, position, state.endings, state.tables)
    if code < 0:
        return UNKNOWN
    if code == 0:
        return draw_value(state, ply)
    end = ply + code - 1
    return WIN - end if wins(rules, code) else end - WIN


@inlined
def leaf_value(rules: Rules, state: Any, position: Position) -> float:
    """The evaluation of a position, within LIMIT."""
    weights = floats_at(state.weights, state.weight_count)
    return within_limit(evaluate(state.evaluation, position, rules, weights))


@inlined
def is_unquiet(rules: Rules, state: Any, position: Position, ply: int) -> bool:
    """Whether a position beyond the horizon is searched on."""
    if ply >= MAX_PLY:
        return False
    own, other = sides(position)
    if capturers(rules, position, own, other) != 0:
        return True
    return bool(state.quiescence == THREATS and ply < state.depth + 6 and is_threatened(rules, position))


@inlined
def is_threatened(rules: Rules, position: Position) -> bool:
    """Whether the other side could capture if it were to move."""
    own, other = sides(position)
    turned = Position(position.white, position.black, position.kings, 1 - position.turn)
    return bool(capturers(rules, turned, other, own) != 0)
