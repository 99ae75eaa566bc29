"""The negamax search, compiled: one tree search in which each technique is a switch.

Nodes are counted the same way everywhere: every position entered counts once each time, the root and the leaves
included. Scores are from the view of the side to move. A side that has lost scores -(WIN - plies from the root),
so that a quicker win is worth more; evaluations are clamped to +-LIMIT.

`search_root` searches the root's moves, `search_below` the positions below, step by step, and `frontier` those one
ply above the horizon. What people tune has a function of its own: `extension`, `reduction`, and `cut_value` and
`is_futile` of `players.negamax.leaves`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.rules.jit.kernel import inlined, kernel
from arena.rules.jit.native import call_at, popcount, view
from arena.rules.movegen import apply
from arena.rules.moves import sides
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.zobrist import changed
from players.negamax.leaves import UNKNOWN, cut_value, ending_value, is_ending, leaf
from players.negamax.ordering import list_moves, pick_best, rank_moves, reward
from players.negamax.score import WIN, decided_value
from players.negamax.state import (
    MAX_DEPTH,
    MAX_PLY,
    Node,
    bounded,
    count_cutoff,
    draw_value,
    enter,
    enter_leaf,
    extend_pv,
    is_drawn,
    out_of_budget,
)
from players.negamax.switches import RANDOM
from players.negamax.transposition import recall, remember


@kernel
def search_root(
    rules: Rules, state: Any, position: Position, key: int, depth: int, alpha: float, beta: float, count: int
) -> float:
    """The value of the root, whose moves are the first `count` of `state.moves`, searched `depth` plies.

    Exact if within alpha and beta, else a bound. `state.best` is then the index of the best move, -1 if there is
    none above alpha; with `state.stopped` the value is that of the moves that were finished. `search_below` is
    called by its address: by its name, all of its code would be compiled into this kernel and its callers again.
    """
    moves = view(state.moves, np.int64)
    state.best = -1
    best = -np.inf
    if out_of_budget(state):
        return best
    state.nodes += 1
    state.pv[0, 0] = -1
    state.tied[:count] = 0
    for i in range(count):
        if state.nodes >= state.node_limit:
            state.stopped = 1
            break
        move = moves[i]
        child = apply(rules, position, move)
        enter(state, 0, position, move, child)
        node = Node(child, changed(key, position, child), 1, count)
        low = alpha
        if best > alpha:
            low = np.nextafter(best, -np.inf) if wins_ties(state, i) else best
        floor = low if state.alpha_beta else -np.inf
        state.deepest = max(state.deepest, 1)
        value = np.inf
        if state.pvs and depth > 1 and i > 0 and floor > -np.inf:
            above = np.nextafter(floor, np.inf)
            value = -call_at(state.search, rules, state, node, depth - 1, -above, -floor)
        if value > floor and not state.stopped:
            value = -call_at(state.search, rules, state, node, depth - 1, -beta, -floor)
        if state.stopped:
            break
        if i == 0:
            state.first = state.nodes
        state.root_values[i] = value
        if value > best:
            state.tied[:i] = 0
        state.tied[i] = value > low
        if value > best or (value > low and state.ties != RANDOM):
            best = value
            if value > alpha:
                state.best = i
                extend_pv(state, 0, move)
                if state.alpha_beta and value >= beta:
                    count_cutoff(state, 0, i == 0)
                    break
    return best


@inlined
def wins_ties(state: Any, i: int) -> bool:
    """Whether the root's move `i` goes before the best so far if both are equally good, by `ties`."""
    return bool(state.ties == RANDOM or state.root_index[i] < state.root_index[state.best])


@kernel
def search_below(rules: Rules, state: Any, node: Node, depth: int, alpha: float, beta: float) -> float:
    """The value v of a node searched `depth` plies: exact if alpha < v < beta, else a bound.

    The best line is left in `state.pv[node.ply]`.
    """
    if depth == 0:
        state.pv[node.ply, 0] = -1
        return leaf(rules, state, node, alpha, beta)
    if out_of_budget(state):
        return 0.0
    visit(state, node.ply)
    if is_drawn(rules, state, node.position, node.ply):
        return draw_value(state, node.ply)
    if state.mate_distance:
        alpha, beta = max(alpha, node.ply - WIN), min(beta, WIN - node.ply)
        if alpha >= beta:
            return alpha
    if is_ending(state, node.position):
        ending = ending_value(rules, state, node.position, node.ply)
        if ending != UNKNOWN:
            return bounded(state, ending, alpha, beta)
    stored = recall(state, node, depth, alpha, beta)
    if stored.settles:
        return bounded(state, stored.value, alpha, beta)
    moves, start = view(state.moves, np.int64), node.start
    end = list_moves(rules, state, node.position, start)
    if end == start:
        return bounded(state, decided_value(rules, node.position, node.ply), alpha, beta)
    left = depth + extension(state, node.ply, end - start)
    if left == 1 or node.ply >= MAX_PLY:
        return frontier(rules, state, node, end, alpha, beta)
    capturing = moves[start] & sides(node.position)[1] != 0
    whole = capturing or popcount(node.position.white | node.position.black) <= state.full_width
    if not whole:
        cut = cut_value(rules, state, node, end, left, alpha, beta)
        if state.stopped:
            return 0.0
        if cut != UNKNOWN:
            return cut
        if state.iir and stored.move < 0 and left >= state.iir:
            left -= 1
            depth -= 1
    ordered = rank_moves(state, node, end, capturing, stored.move)
    floor, best, best_move = alpha, -np.inf, -1
    for i in range(start, end):
        if ordered:
            pick_best(state, moves, i, end)
        move = moves[i]
        child = descend(rules, state, node, move, end)
        value = np.inf  # nothing is known yet
        if i > start and alpha > -np.inf:
            above = np.nextafter(alpha, np.inf)
            reduced = 0 if whole else reduction(state, left, i - start)
            if reduced > 0:
                value = -search_below(rules, state, child, left - 1 - reduced, -above, -alpha)
                value = value if value <= alpha else np.inf  # so short a search proves nothing above alpha
            if state.pvs and value > alpha:
                value = -search_below(rules, state, child, left - 1, -above, -alpha)
        if alpha < value < beta or value == np.inf:
            value = -search_below(rules, state, child, left - 1, -beta, -alpha)
        if state.stopped:
            return 0.0
        if value > best:
            best = value
            if value > alpha:
                best_move = move
                extend_pv(state, node.ply, move)
                if state.alpha_beta:
                    alpha = value
                    if alpha >= beta:
                        count_cutoff(state, node.ply, i == start)
                        reward(state, node, move, left)
                        break
    remember(state, node, depth, floor, beta, best, best_move if best > floor else stored.move)
    return bounded(state, best, floor, beta)


@inlined
def visit(state: Any, ply: int) -> None:
    """Count a node at `ply`, where no line is known yet."""
    state.nodes += 1
    state.pv[ply, 0] = -1
    if ply > state.deepest:
        state.deepest = ply


@inlined
def extension(state: Any, ply: int, count: int) -> int:
    """Plies by which a node with `count` moves is searched deeper."""
    is_near = ply < 2 * state.depth and ply < MAX_PLY - MAX_DEPTH // 2
    return int(state.extensions and count == 1 and is_near)


@inlined
def descend(rules: Rules, state: Any, node: Node, move: int, start: int) -> Node:
    """The node that a move leads to, put on the line; its move lists start at `moves[start]`."""
    position = apply(rules, node.position, move)
    enter(state, node.ply, node.position, move, position)
    return Node(position, changed(node.key, node.position, position) if state.tt else 0, node.ply + 1, start)


@inlined
def reduction(state: Any, left: int, tried: int) -> int:
    """Plies by which the first search of a move is reduced, before which `tried` moves were searched.

    The last 2 plies are not reduced.
    """
    if not state.lmr or left < 3 or tried < 3:
        return 0
    return 2 if tried >= 6 and left >= 5 else 1


@inlined
def frontier(rules: Rules, state: Any, node: Node, end: int, alpha: float, beta: float) -> float:
    """`search_below` at depth 1 for the moves up to `moves[end]`: each is made and its position valued."""
    moves = view(state.moves, np.int64)
    if node.ply >= state.deepest:
        state.deepest = node.ply + 1
    floor, best, best_move = alpha, -np.inf, -1
    for i in range(node.start, end):
        child = Node(apply(rules, node.position, moves[i]), 0, node.ply + 1, end)
        enter_leaf(state, node.ply, node.position, moves[i], child.position)
        if state.nodes >= state.node_limit:
            state.stopped = 1
            return 0.0
        value = -leaf(rules, state, child, -beta, -alpha)
        if state.stopped:
            return 0.0
        if value > best:
            best = value
            if value > alpha:
                best_move = moves[i]
                if state.alpha_beta:
                    alpha = value
                    if alpha >= beta:
                        count_cutoff(state, node.ply, i == node.start)
                        break
    state.pv[node.ply, 0] = best_move
    state.pv[node.ply, 1] = -1
    return bounded(state, best, floor, beta)
