"""The negamax search, compiled: one tree search in which each technique is a switch.

Nodes are counted the same way everywhere: every position entered counts once each time, the root and the leaves
included. Scores are from the view of the side to move. A side that has lost scores -(WIN - plies from the root),
so that a quicker win is worth more; evaluations are held within +-LIMIT.

`search_root` searches the root's moves, `search_below` the positions below, `_frontier` those one ply above the
horizon, and `_leaf` values what lies there, with `quiesce` where captures are pending.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.rules.captures import capturers
from arena.rules.jit.kernel import inlined, kernel
from arena.rules.jit.native import call_at, floats_at, words, words_at
from arena.rules.movegen import apply, generate, has_move
from arena.rules.moves import sides
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.zobrist import changed
from players.evaluation.evaluator import evaluate
from players.negamax.ordering import pick_best, rank_moves, reward
from players.negamax.score import LIMIT, WIN, final_value, within_limit
from players.negamax.state import (
    MAX_DEPTH,
    MAX_PLY,
    bounded,
    count_cutoff,
    draw_value,
    enter,
    enter_leaf,
    extend_pv,
    from_table,
    is_drawn,
    is_repeated_after_four,
    out_of_budget,
    to_table,
)
from players.negamax.switches import FIRST, RANDOM, THREATS
from players.negamax.transposition import (
    EXACT,
    LOWER,
    MOVE,
    UPPER,
    bound_of,
    depth_of,
    find,
    score_of,
    store,
)

FUTILE_DEPTH, FUTILE_ABOVE, FUTILE_BELOW = 5, 0.3, 0.8
"""Positions this deep or less are cut if their evaluation is so many men a ply above beta or below alpha."""


@kernel
def search_root(
    rules: Rules, state: Any, position: Position, key: int, depth: int, alpha: float, beta: float, count: int
) -> float:
    """The value of the root, whose moves are the first `count` of `state.moves`, searched `depth` plies.

    Exact if within alpha and beta, else a bound. `state.best` is then the index of the best move, -1 if there is
    none above alpha; with `state.stopped` the value is that of the moves that were finished. `search_below` is
    called by its address: by its name, all of its code would be compiled into this kernel and its callers again.
    """
    moves = words(state.moves)
    state.best = -1
    best = -np.inf
    if out_of_budget(state):
        return best
    state.nodes += 1
    state.pv[0, 0] = -1
    for i in range(count):
        if state.nodes >= state.node_limit:
            state.stopped = 1
            break
        move = moves[i]
        child = apply(rules, position, move)
        enter(state, 0, position, move, child)
        low = alpha
        if best > alpha:
            low = np.nextafter(best, -np.inf) if wins_ties(state, i) else best
        floor = low if state.alpha_beta else -np.inf
        state.deepest = max(state.deepest, 1)
        state.pv[1, 0] = -1
        child_key = changed(key, position, child)
        value = np.inf
        if state.pvs and depth > 1 and i > 0 and floor > -np.inf:
            above = np.nextafter(floor, np.inf)
            value = -call_at(state.search, rules, state, child, child_key, depth - 1, -above, -floor, 1, count)
        if value > floor and not state.stopped:
            value = -call_at(state.search, rules, state, child, child_key, depth - 1, -beta, -floor, 1, count)
        if state.stopped:
            break
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
    if state.ties == RANDOM:
        return True
    return (state.root_index[i] < state.root_index[state.best]) == (state.ties == FIRST)


@kernel
def search_below(
    rules: Rules,
    state: Any,
    position: Position,
    key: int,
    depth: int,
    alpha: float,
    beta: float,
    ply: int,
    start: int,
) -> float:
    """The value v of a position searched `depth` plies: exact if alpha < v < beta, else a bound.

    Move lists start at `moves[start]`. The best line is left in `state.pv[ply]`, unless `depth` is 0.
    """
    if depth == 0:
        return _leaf(rules, state, position, alpha, beta, ply, start)
    moves = words(state.moves)
    if out_of_budget(state):
        return 0.0
    state.nodes += 1
    state.pv[ply, 0] = -1
    if ply > state.deepest:
        state.deepest = ply
    if is_drawn(state, ply):
        return draw_value(state, ply)
    if state.mate_distance:
        alpha = max(alpha, ply - WIN)
        beta = min(beta, WIN - ply)
        if alpha >= beta:
            return alpha
    table_move = -1
    if state.tt and depth > 1:
        table = words_at(state.table)
        state.tt_probes += 1
        entry = find(table, state.table_words, key, state.oldest)
        if entry >= 0:
            state.tt_hits += 1
            table_move = table[entry + MOVE]
            if depth_of(table, entry) == depth or (state.tt_deeper and depth_of(table, entry) > depth):
                value = from_table(score_of(table, entry), ply)
                bound = bound_of(table, entry)
                if bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
                    state.horizon += abs(value) < LIMIT
                    return bounded(state, value, alpha, beta)
    end = generate(rules, position, moves, start)
    if end == start:
        return bounded(state, final_value(rules, state, position, ply), alpha, beta)
    left = depth
    if state.extensions and end == start + 1 and ply < 2 * state.depth and ply < MAX_PLY - MAX_DEPTH // 2:
        left += 1
    if left == 1 or ply >= MAX_PLY:
        return _frontier(rules, state, position, alpha, beta, ply, start, end)
    own, other = sides(position)
    capturing = moves[start] & other != 0
    if state.futility and not capturing and left <= FUTILE_DEPTH and abs(alpha) < LIMIT and abs(beta) < LIMIT:
        static = leaf_value(rules, state, position)
        above, below = FUTILE_ABOVE * left * state.man, FUTILE_BELOW * left * state.man
        if (static - above >= beta or static + below <= alpha) and not is_threatened(rules, position):
            state.leaves += 1
            return static
    ordered = rank_moves(state, moves, own, other, capturing, position.turn, table_move, ply, start, end)
    floor = alpha
    best = -np.inf
    best_move = -1
    for i in range(start, end):
        if ordered:
            pick_best(state, moves, i, end)
        move = moves[i]
        child = apply(rules, position, move)
        enter(state, ply, position, move, child)
        child_key = changed(key, position, child) if state.tt else 0
        above = beta
        cut = 0
        narrow = False
        if (state.pvs or state.lmr) and i > start and alpha > -np.inf:
            above = np.nextafter(alpha, np.inf)
            cut = reduction(state, left, i - start, capturing)
            narrow = cut > 0 or (state.pvs != 0 and above < beta)
        while True:
            high = above if narrow else beta
            value = -search_below(rules, state, child, child_key, left - 1 - cut, -high, -alpha, ply + 1, end)
            if not narrow or value <= alpha:
                break
            if cut > 0:
                cut = 0
                narrow = state.pvs != 0 and above < beta
            elif value >= beta:
                break
            else:
                narrow = False
        if state.stopped:
            return 0.0
        if value > best:
            best = value
            if value > alpha:
                best_move = move
                extend_pv(state, ply, move)
                if state.alpha_beta:
                    alpha = value
                    if alpha >= beta:
                        count_cutoff(state, ply, i == start)
                        if not capturing:
                            reward(state, move, position.turn, ply, left)
                        break
    if state.tt and depth > 1:
        bound = LOWER if best >= beta else EXACT if best > floor else UPPER
        if bound == UPPER:
            best_move = table_move
        score = to_table(best, ply)
        table, always = words_at(state.table), state.tt_replace != 0
        store(table, state.table_words, key, best_move, score, depth, bound, state.generation, always)
    return bounded(state, best, floor, beta)


@inlined
def _frontier(
    rules: Rules,
    state: Any,
    position: Position,
    alpha: float,
    beta: float,
    ply: int,
    start: int,
    end: int,
) -> float:
    """`search_below` at depth 1 for the moves in `moves[start:end]`: each is made and its position valued."""
    moves = words(state.moves)
    if ply >= state.deepest:
        state.deepest = ply + 1
    floor = alpha
    best = -np.inf
    best_move = -1
    for i in range(start, end):
        child = apply(rules, position, moves[i])
        enter_leaf(state, ply, position, moves[i], child)
        if state.nodes >= state.node_limit:
            state.stopped = 1
            return 0.0
        value = -_leaf(rules, state, child, -beta, -alpha, ply + 1, end)
        if state.stopped:
            return 0.0
        if value > best:
            best = value
            if value > alpha:
                best_move = moves[i]
                if state.alpha_beta:
                    alpha = value
                    if alpha >= beta:
                        count_cutoff(state, ply, i == start)
                        break
    state.pv[ply, 0] = best_move
    state.pv[ply, 1] = -1
    return bounded(state, best, floor, beta)


@inlined
def _leaf(rules: Rules, state: Any, position: Position, alpha: float, beta: float, ply: int, start: int) -> float:
    """The value, for the side to move, of a position at the horizon."""
    if state.quiescence and is_unquiet(rules, state, position, ply):
        return quiesce(rules, state, position, alpha, beta, ply, start)
    state.nodes += 1
    if not has_move(rules, position):
        return final_value(rules, state, position, ply)
    if is_drawn(state, ply):
        return draw_value(state, ply)
    state.leaves += 1
    value = leaf_value(rules, state, position)
    if state.repetition_penalty != 0.0 and is_repeated_after_four(state, ply):
        value -= state.repetition_penalty
    return value


@kernel
def quiesce(
    rules: Rules, state: Any, position: Position, alpha: float, beta: float, ply: int, start: int
) -> float:
    """The value of an unquiet position beyond the horizon: every legal move is searched until it is quiet."""
    moves = words(state.moves)
    if out_of_budget(state):
        return 0.0
    state.nodes += 1
    if ply > state.deepest:
        state.deepest = ply
    end = generate(rules, position, moves, start)
    if end == start:
        return final_value(rules, state, position, ply)
    floor = alpha
    best = -np.inf
    for i in range(start, end):
        child = apply(rules, position, moves[i])
        if is_unquiet(rules, state, child, ply + 1):
            value = -quiesce(rules, state, child, -beta, -alpha, ply + 1, end)
        else:
            if state.nodes >= state.node_limit:
                state.stopped = 1
                return 0.0
            state.nodes += 1
            if ply + 1 > state.deepest:
                state.deepest = ply + 1
            if has_move(rules, child):
                state.leaves += 1
                value = -leaf_value(rules, state, child)
            else:
                value = -final_value(rules, state, child, ply + 1)
        if state.stopped:
            return 0.0
        if value > best:
            best = value
            if state.alpha_beta:
                alpha = max(alpha, value)
                if alpha >= beta:
                    count_cutoff(state, ply, i == start)
                    break
    return bounded(state, best, floor, beta)


@inlined
def leaf_value(rules: Rules, state: Any, position: Position) -> float:
    """What the evaluation says of a position, within LIMIT."""
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


@inlined
def reduction(state: Any, left: int, tried: int, capturing: bool) -> int:
    """Plies by which the search of a late move is reduced; `tried` moves were searched before it."""
    if not state.lmr or capturing or left < 3 or tried < 3:
        return 0
    return 2 if tried >= 6 and left >= 5 else 1
