"""The end of a line: positions at the horizon, captures beyond it that are still pending, and cuts before it.

`leaf` values what lies at the horizon, with `quiesce` where captures are pending, `cut_value` what above it hardly
needs a search. Nodes are counted, and scores seen, as in `players.negamax.tree`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.rules.captures import capturers
from arena.rules.endgame.index import probe, wins
from arena.rules.jit.kernel import inlined, kernel
from arena.rules.jit.native import call_at, popcount, view
from arena.rules.movegen import apply, has_move
from arena.rules.moves import sides
from arena.rules.position import Position
from arena.rules.rules import Rules
from players.negamax.ordering import list_moves
from players.negamax.score import LIMIT, WIN, decided_value, leaf_value
from players.negamax.state import (
    MAX_PLY,
    Node,
    bounded,
    count_cutoff,
    draw_value,
    is_drawn,
    out_of_budget,
)

UNKNOWN = np.inf
"""The value of a position that the endgame tables lack, or that is not cut."""
FUTILITY_DEPTH = 5
"""Plies up to which `futility` cuts."""
FUTILITY_ABOVE, FUTILITY_BELOW = 0.3, 0.8
"""Men for each ply that is left by which an evaluation must be outside the window. Source: E. Heinz, "Extended
futility pruning", ICCA Journal 21(2), 1998, for the idea; the figures were chosen here."""
PROBCUT_DEPTH, PROBCUT_BASE = 4, 3
"""Plies from which `probcut` looks, and those for which its margin is besides the plies that are left."""
PROBCUT_ABOVE, PROBCUT_BELOW = 0.02, 0.06
"""Men for each of these plies by which a value must be outside the window. Source: chosen here, by sequential
tests of `full` with and without `probcut` in two games; see `probable_value` for the idea's."""


@inlined
def leaf(rules: Rules, state: Any, node: Node, alpha: float, beta: float) -> float:
    """The value of a node at the horizon."""
    if is_ending(state, node.position):
        ending = ending_value(rules, state, node.position, node.ply)
        if ending != UNKNOWN:
            state.nodes += 1
            return draw_value(state, node.ply) if is_drawn(rules, state, node.position, node.ply) else ending
    if state.quiescence and is_unquiet(rules, node.position, node.ply):
        return quiesce(rules, state, node, alpha, beta)
    state.nodes += 1
    if not has_move(rules, node.position):
        return decided_value(rules, node.position, node.ply)
    if is_drawn(rules, state, node.position, node.ply):
        return draw_value(state, node.ply)
    state.leaves += 1
    return leaf_value(rules, state, node.position)


@kernel
def quiesce(rules: Rules, state: Any, node: Node, alpha: float, beta: float) -> float:
    """The value of an unquiet node beyond the horizon: every legal move is searched until it is quiet."""
    moves = view(state.moves, np.int64)
    if out_of_budget(state):
        return 0.0
    state.nodes += 1
    if node.ply > state.deepest:
        state.deepest = node.ply
    if is_ending(state, node.position):
        ending = ending_value(rules, state, node.position, node.ply)
        if ending != UNKNOWN:
            return ending
    end = list_moves(rules, state, node.position, node.start)
    if end == node.start:
        return decided_value(rules, node.position, node.ply)
    floor = alpha
    best = -np.inf
    for i in range(node.start, end):
        child = Node(apply(rules, node.position, moves[i]), 0, node.ply + 1, end)
        if is_unquiet(rules, child.position, child.ply):
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
        ending = ending_value(rules, state, node.position, node.ply)
        if ending != UNKNOWN:
            return ending
    if not has_move(rules, node.position):
        return decided_value(rules, node.position, node.ply)
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
def is_unquiet(rules: Rules, position: Position, ply: int) -> bool:
    """Whether a position beyond the horizon is searched on: a capture is pending."""
    own, other = sides(position)
    return bool(ply < MAX_PLY and capturers(rules, position, own, other) != 0)


@inlined
def is_threatened(rules: Rules, position: Position) -> bool:
    """Whether the other side could capture if it were to move."""
    own, other = sides(position)
    turned = Position(position.white, position.black, position.kings, 1 - position.turn)
    return bool(capturers(rules, turned, other, own) != 0)


@inlined
def cut_value(rules: Rules, state: Any, node: Node, end: int, left: int, alpha: float, beta: float) -> float:
    """The value of a node without captures that its evaluation or a shallower search settles; else UNKNOWN.

    Nothing is cut in windows of wins and losses. Room for moves begins at `moves[end]`.
    """
    futile = state.futility and left <= FUTILITY_DEPTH
    probing = state.probcut and left >= PROBCUT_DEPTH and np.nextafter(alpha, np.inf) >= beta
    if not (futile or probing) or abs(alpha) >= LIMIT or abs(beta) >= LIMIT:
        return UNKNOWN
    static = leaf_value(rules, state, node.position)
    if futile and is_futile(state, static, left, alpha, beta) and not is_threatened(rules, node.position):
        state.leaves += 1
        return static
    return probable_value(rules, state, node, end, static, left, alpha, beta) if probing else UNKNOWN


@inlined
def is_futile(state: Any, static: float, left: int, alpha: float, beta: float) -> bool:
    """Whether a node's evaluation is so far outside the window that its `left` plies will hardly change that."""
    slack = left * state.man
    return bool(static - FUTILITY_ABOVE * slack >= beta or static + FUTILITY_BELOW * slack <= alpha)


@inlined
def probable_value(
    rules: Rules, state: Any, node: Node, end: int, static: float, left: int, alpha: float, beta: float
) -> float:
    """What a search to two fifths of the depth says, if it is far enough outside a null window; else UNKNOWN.

    It is only made if the evaluation is. Source: M. Buro, "ProbCut: an effective selective extension of the
    alpha-beta algorithm", ICCA Journal 18(2), 1995. `search_below`, which calls this, is called by its address.
    """
    slack = (left + PROBCUT_BASE) * state.man
    above, below = PROBCUT_ABOVE * slack, PROBCUT_BELOW * slack
    shallow, probe = 2 * left // 5, Node(node.position, node.key, node.ply, end)
    value = UNKNOWN
    if static - above >= beta:
        high = beta + above
        value = call_at(state.search, rules, state, probe, shallow, np.nextafter(high, -np.inf), high)
        value = value - above * (value < LIMIT) if value >= high else UNKNOWN
    elif static + below <= alpha:
        low = alpha - below
        value = call_at(state.search, rules, state, probe, shallow, low, np.nextafter(low, np.inf))
        value = value + below * (value > -LIMIT) if value <= low else UNKNOWN
    state.pv[node.ply, 0] = -1
    return value
