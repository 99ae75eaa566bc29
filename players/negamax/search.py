"""The negamax search, compiled: one search in which each technique is a switch.

`players.plain` has the idea in 20 lines. Here are

- a node: `search_below`, and `scout` for its later moves; people tune `extension`, `reduction` and `cut_value`
- the last ply: `frontier`; the horizon: `leaf`, `quiesce`
- the root: `search` deepens, `iterate` sets the windows, `search_root` tries the moves

Every position entered counts as a node each time, the root and the leaves included. Scores are from the view of
the side to move; one that has lost scores -(WIN - plies from the root), so that a quicker win is worth more. A
value v of a search within alpha and beta is exact if alpha < v < beta, else a bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from arena.rules.captures import capturers
from arena.rules.endgame.tables import probe, wins
from arena.rules.jit.kernel import address_of, entry, inlined, kernel
from arena.rules.jit.native import call_at, monotonic, popcount, view
from arena.rules.movegen import apply, generate, has_move
from arena.rules.moves import sides
from arena.rules.position import Position
from arena.rules.rules import Rules
from players.memory import record_type
from players.negamax.score import LIMIT, WIN, decided_value, leaf_value
from players.negamax.state import (
    MAX_DEPTH,
    MAX_PLY,
    POLL_FIRST,
    Node,
    State,
    begin,
    clear_answer,
    count_cutoff,
    enter,
    extend_pv,
    is_drawn,
    keep_iteration,
    out_of_budget,
    sort_root,
)
from players.negamax.switches import COST, HALF, MTDF, ORDER_ALL, PVS, TIES_RANDOM
from players.negamax.table_and_order import key, key_after, pick_best, rank_moves, recall, remember, reward

_UNKNOWN = np.inf  # the value of what is not known yet, that endgame tables lack, or that is not cut
WIDEST = 64  # men of half a window beyond which it is opened
MOST_GROWTH = 4.0  # times by which the nodes of an iteration are expected to grow from the last one, at most
FULL_WIDTH = 4  # pieces up to which nothing is reduced or cut: endings hang on single moves, and cost little
FUTILITY_DEPTH = 5  # plies up to which `futility` cuts
FUTILITY_ABOVE, FUTILITY_BELOW = 0.3, 0.8
"""Margins above beta and below alpha, in men for each ply left, that an evaluation must be outside the window.
Source: E. Heinz, "Extended futility pruning", ICCA Journal 21(2), 1998, for the idea; the figures were chosen
here."""
PROBCUT_DEPTH, PROBCUT_BASE = 4, 3
"""`probcut` acts with at least so many plies left; its margin is for the plies left plus so many."""
PROBCUT_ABOVE, PROBCUT_BELOW = 0.02, 0.06
"""Margins above beta and below alpha, in men for each of these plies. Source: chosen here, by sequential tests of
`full` with and without `probcut` in two games; see `probable_value` for the idea's."""


# --- a node


@kernel
def search_below(rules: Rules, state: State, node: Node, depth: int, alpha: float, beta: float) -> float:
    """The value of a node searched `depth` plies; the best line is left in `state.pv[node.ply]`."""
    if out_of_budget(state):
        return 0.0  # nobody reads the value of a search that was stopped: all callers ask `state.stopped` first
    state.pv[node.ply, 0] = -1  # no line from here yet
    if depth == 0:
        return leaf(rules, state, node, alpha, beta)
    state.nodes += 1
    if node.ply > state.deepest:
        state.deepest = node.ply
    if is_drawn(rules, state, node.position, node.ply):
        return draw_value(state, node.ply)
    # mate distance: no line from here is better than a win now (where losing wins), nor worse than a loss now
    if state.mate_distance:
        alpha, beta = max(alpha, node.ply - WIN), min(beta, WIN - node.ply)
        if alpha >= beta:
            return alpha
    ending = ending_value(rules, state, node.position, node.ply)
    if ending != _UNKNOWN:
        return bounded(state, ending, alpha, beta)
    # transposition table: the same position was searched by another order of moves, or by the last iteration
    stored = recall(state, node, depth, alpha, beta)
    if stored.settles:
        return bounded(state, stored.value, alpha, beta)
    # one buffer holds the moves of all plies, end to end; `view` is its bare memory, as counting references to an
    # array takes numba as long as generating a position's moves
    moves, start = view(state.moves, np.int64), node.start
    end = generate(rules, node.position, moves, start)
    if end == start:
        return bounded(state, decided_value(rules, node.position, node.ply), alpha, beta)
    # `left` is what is searched; the table keeps `depth`, by which the same position is asked for again
    left = depth + extension(state, node.ply, end - start)
    # the last ply needs no more than its leaves
    if left == 1 or node.ply >= MAX_PLY:
        return frontier(rules, state, node, end, alpha, beta)
    # captures are forced and change much, and few pieces make short trees: there nothing is cut or reduced
    capturing = moves[start] & sides(node.position)[1] != 0
    whole = capturing or popcount(node.position.white | node.position.black) <= FULL_WIDTH
    if not whole:
        cut = cut_value(rules, state, node, end, left, alpha, beta)
        if state.stopped:
            return 0.0
        if cut != _UNKNOWN:
            return bounded(state, cut, alpha, beta)
        # internal iterative reduction: without a move of the table the order is bad, so find one cheaply first
        if state.iir and stored.move < 0 and left >= state.iir:
            left -= 1
            depth -= 1  # the table learns that it is no deeper
    ordered = rank_moves(state, node, end, capturing, stored.move)
    scouts = state.lmr or state.windows == PVS
    floor, best, best_move = alpha, -np.inf, -1  # alpha rises; whether the value is a bound is seen from `floor`
    for i in range(start, end):
        # the best of the rest is picked now, as after a cut no order is needed
        if ordered:
            pick_best(state, moves, i, end)
        move = moves[i]
        child = descend(rules, state, node, move, end)  # whose moves stand behind this node's
        value = _UNKNOWN
        if scouts and i > start and alpha > -np.inf:
            reduced = 0 if whole else reduction(state, left, i - start)
            value = scout(rules, state, child, left - 1, reduced, alpha)
        # it may be the best: its value is needed
        if alpha < value < beta or value == _UNKNOWN:
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
                    # alpha-beta: the other side has something better than to come here
                    if alpha >= beta:
                        count_cutoff(state, node.ply, i == start)
                        reward(state, node, move, left)
                        break
    # below alpha all values are bounds, which name no best move: the table's is kept
    remember(state, node, depth, floor, beta, best, best_move if best > floor else stored.move)
    return bounded(state, best, floor, beta)


@kernel
def scout(rules: Rules, state: State, node: Node, depth: int, reduced: int, alpha: float) -> float:
    """The value of a move by null windows, to show that it is no better than alpha; UNKNOWN if a reduced search
    fails to show it and windows are open: then the caller searches the move in full."""
    above = np.nextafter(alpha, np.inf)  # scores are floats: the null window is from alpha to the next float
    # late move reduction: what the order puts last is seldom best, so a shorter search must show it first.
    # `state.search` is the address of `search_below`: by its name numba would compile that into itself again
    if reduced > 0:
        value = -call_at(state.search, rules, state, node, depth - reduced, -above, -alpha)
        if value <= alpha:  # so short a search proves nothing above alpha
            return value
    # principal variation search: the first move is likely best, so only ask whether this one is better
    if state.windows == PVS:
        return -call_at(state.search, rules, state, node, depth, -above, -alpha)
    return _UNKNOWN


@inlined
def descend(rules: Rules, state: State, node: Node, move: int, start: int) -> Node:
    """The node that a move leads to, put on the line; its move lists start at `moves[start]`."""
    position = apply(rules, node.position, move)
    enter(state, node.ply, node.position, move, position)
    return Node(position, key_after(node.key, node.position, position) if state.tt else 0, node.ply + 1, start)


@inlined
def bounded(state: State, value: float, alpha: float, beta: float) -> float:
    """A value clamped to the window, unless the search is fail-soft: then a bound may be further outside."""
    if state.fail_soft:
        return value
    return min(max(value, alpha), beta)


@inlined
def extension(state: State, ply: int, count: int) -> int:
    """Plies by which a node with `count` moves is searched deeper: a single reply costs no width."""
    is_near = ply < 2 * state.depth and ply < MAX_PLY - MAX_DEPTH // 2
    return int(state.extensions and count == 1 and is_near)


@inlined
def reduction(state: State, left: int, tried: int) -> int:
    """By how many plies a move's first search is reduced; `tried` moves were searched before it."""
    if not state.lmr or left < 3 or tried < 3:
        return 0
    return 2 if tried >= 6 and left >= 5 else 1


@inlined
def cut_value(rules: Rules, state: State, node: Node, end: int, left: int, alpha: float, beta: float) -> float:
    """The value of a node without captures that its evaluation or a shallower search settles, but in windows of
    wins and losses; else UNKNOWN. Room for moves begins at `moves[end]`."""
    futile = state.futility and left <= FUTILITY_DEPTH
    probing = state.probcut and left >= PROBCUT_DEPTH and np.nextafter(alpha, np.inf) >= beta
    if not (futile or probing) or abs(alpha) >= LIMIT or abs(beta) >= LIMIT:
        return _UNKNOWN
    static = leaf_value(rules, state, node.position)
    if futile and is_futile(state, static, left, alpha, beta) and not is_threatened(rules, node.position):
        state.leaves += 1
        return static
    return probable_value(rules, state, node, end, static, left, alpha, beta) if probing else _UNKNOWN


@inlined
def is_futile(state: State, static: float, left: int, alpha: float, beta: float) -> bool:
    """Whether a node's evaluation is so far outside the window that its `left` plies will hardly change that."""
    slack = left * state.man
    return bool(static - FUTILITY_ABOVE * slack >= beta or static + FUTILITY_BELOW * slack <= alpha)


@inlined
def is_threatened(rules: Rules, position: Position) -> bool:
    """Whether the other side could capture if it were to move."""
    own, other = sides(position)
    turned = Position(position.white, position.black, position.kings, 1 - position.turn)
    return bool(capturers(rules, turned, other, own) != 0)


@inlined
def probable_value(
    rules: Rules, state: State, node: Node, end: int, static: float, left: int, alpha: float, beta: float
) -> float:
    """What a search to two fifths of the depth says, if it is far enough outside a null window; else UNKNOWN.

    It is made only if the evaluation itself is outside by the margin. Source: M. Buro, "ProbCut: an effective
    selective extension of the alpha-beta algorithm", ICCA Journal 18(2), 1995.
    """
    slack = (left + PROBCUT_BASE) * state.man
    above, below = PROBCUT_ABOVE * slack, PROBCUT_BELOW * slack
    shallow, again = 2 * left // 5, Node(node.position, node.key, node.ply, end)
    value = _UNKNOWN
    if static - above >= beta:
        high = beta + above
        value = call_at(state.search, rules, state, again, shallow, np.nextafter(high, -np.inf), high)
        # the margin is taken off again, but for a certain win: the bound is then safe
        value = value - above * (value < LIMIT) if value >= high else _UNKNOWN
    elif static + below <= alpha:
        low = alpha - below
        value = call_at(state.search, rules, state, again, shallow, low, np.nextafter(low, np.inf))
        value = value + below * (value > -LIMIT) if value <= low else _UNKNOWN
    state.pv[node.ply, 0] = -1
    return value


# --- the last ply


@inlined
def frontier(rules: Rules, state: State, node: Node, end: int, alpha: float, beta: float) -> float:
    """`search_below` at depth 1 for the moves up to `moves[end]`: most nodes are here, so there is no table, no
    order, and no more of the line than a leaf needs."""
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


@inlined
def enter_leaf(state: State, ply: int, before: Position, move: int, after: Position) -> None:
    """`enter`, as far as a leaf needs it: what a capture or a man's move leads to cannot have occurred before."""
    own, other = sides(before)
    if move & (other | own & ~before.kings):
        n = state.base + ply
        state.progress[n + 1, 0] = 0
        state.progress[n + 1, 1] = 0 if move & other else state.progress[n, 1] + 1
    else:
        enter(state, ply, before, move, after)


# --- the horizon


@inlined
def leaf(rules: Rules, state: State, node: Node, alpha: float, beta: float) -> float:
    """The value of a node at the horizon."""
    if is_drawn(rules, state, node.position, node.ply):
        state.nodes += 1
        return draw_value(state, node.ply)
    ending = ending_value(rules, state, node.position, node.ply)
    if ending != _UNKNOWN:
        state.nodes += 1
        return ending
    # an evaluation in the middle of an exchange counts a piece that is about to be taken back
    if state.quiescence and is_unquiet(rules, node.position, node.ply):
        return quiesce(rules, state, node, alpha, beta)
    state.nodes += 1
    if not has_move(rules, node.position):
        return decided_value(rules, node.position, node.ply)
    state.leaves += 1
    return leaf_value(rules, state, node.position)


@kernel
def quiesce(rules: Rules, state: State, node: Node, alpha: float, beta: float) -> float:
    """The value of an unquiet node beyond the horizon: its captures, which are all its moves, until it is quiet.
    As they are forced no side may stand pat, unlike in chess; behind a capture no draw is near."""
    moves = view(state.moves, np.int64)
    if out_of_budget(state):
        return 0.0
    state.nodes += 1
    if node.ply > state.deepest:
        state.deepest = node.ply
    ending = ending_value(rules, state, node.position, node.ply)
    if ending != _UNKNOWN:
        return ending
    end = generate(rules, node.position, moves, node.start)
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
def quiet_value(rules: Rules, state: State, node: Node) -> float:
    """The value of a quiet node beyond the horizon."""
    state.nodes += 1
    if node.ply > state.deepest:
        state.deepest = node.ply
    ending = ending_value(rules, state, node.position, node.ply)
    if ending != _UNKNOWN:
        return ending
    if not has_move(rules, node.position):
        return decided_value(rules, node.position, node.ply)
    state.leaves += 1
    return leaf_value(rules, state, node.position)


@inlined
def is_unquiet(rules: Rules, position: Position, ply: int) -> bool:
    """Whether a position beyond the horizon is searched on: a capture is pending."""
    own, other = sides(position)
    return bool(ply < MAX_PLY and capturers(rules, position, own, other) != 0)


@inlined
def draw_value(state: State, ply: int) -> float:
    """The value of a draw for the side to move at `ply`: the root's side gives up `contempt` by it."""
    return state.contempt if ply & 1 else -state.contempt


@inlined
def ending_value(rules: Rules, state: State, position: Position, ply: int) -> float:
    """The score that the endgame tables, if there are any, give a position, for the side to move; else UNKNOWN."""
    if state.tables == 0 or popcount(position.white | position.black) > state.tables:
        return _UNKNOWN
    return look_up(rules, state, position, ply)


@kernel
def look_up(rules: Rules, state: State, position: Position, ply: int) -> float:
    """`ending_value` of a position with as few pieces as the tables; UNKNOWN if they lack it."""
    code = probe(rules, position, state.tables_address, state.tables)
    if code < 0:
        return _UNKNOWN
    if code == 0:
        return draw_value(state, ply)
    end = ply + code - 1
    return WIN - end if wins(rules, code) else end - WIN


# --- the root


@kernel
def search(
    rules: Rules,
    states: Sequence[State],
    position: Position,
    earlier: NDArray[np.int64],
    counts: tuple[int, int],
    count: int,
    depth: int,
    nodes: int,
    soft: float,
    hard: float,
) -> float:
    """Search a position until a limit is met; its value, for the side to move.

    `earlier` is int64[n, 4]: white, black, kings and turn of the game's positions since the last capture or move
    of a man, HISTORY - 1 at most; `counts` are the plies since that, and since the last capture. The root's moves
    are the first `count` of the state's, or, if that is 0, all legal ones. The limits are plies, positions, and
    seconds: `hard`, and `soft`, which `stop` heeds. What is found is left in the one state in `states`, by the
    names of `SearchResult`.
    """
    state = states[0]  # numba takes a record from Python only in an array; this is a view of it, no copy
    begin_search(state, position, earlier, counts, nodes, hard)
    began = state.polled
    if count == 0:
        count = generate(rules, position, view(state.moves, np.int64), 0)
    for i in range(count):
        state.root_index[i] = i
        state.root_values[i] = -np.inf
    root_key = key(position)
    answer, last_nodes = _UNKNOWN, 1
    for reached in range(1 if state.iterative else depth, depth + 1):
        state.depth = reached
        state.settled_by_table = 0
        leaves, before = state.leaves, state.nodes
        value = iterate(rules, state, position, root_key, reached, count, answer)
        # part of an iteration counts, as it began with the best move of the last one
        if state.best >= 0 and (not state.stopped or state.partial or not state.found):
            answer = value
            keep_iteration(state, count, reached - state.stopped, state.ties == TIES_RANDOM)
        # a single move needs no time to think
        if state.stopped or (count == 1 and hard < np.inf):
            break
        spent = monotonic() - began
        if state.stop == HALF and spent >= soft:
            break
        if state.stop == COST and is_too_late(state, before, last_nodes, spent, min(hard, 2 * soft)):
            break
        last_nodes = max(state.nodes - before, 1)
        # a win is certain, or nothing lay beyond the horizon: a deeper search finds the same
        if abs(value) > LIMIT or (state.leaves == leaves and not state.settled_by_table):
            break
        if state.root_order:
            sort_root(state, count)
    return answer


@inlined
def begin_search(
    state: State,
    position: Position,
    earlier: NDArray[np.int64],
    counts: tuple[int, int],
    nodes: int,
    seconds: float,
) -> None:
    """`begin` a search, and clear what an earlier one left; of what is to last, history counts less and less."""
    begin(state, position, earlier, counts, nodes, seconds, POLL_FIRST)
    clear_answer(state)
    state.settled_by_table = state.depth = state.first = 0
    state.generation += 1
    if state.order == ORDER_ALL:
        state.killers[:] = -1
        for turn in range(2):
            for i in range(state.history.shape[1]):
                state.history[turn, i] //= 8


@kernel
def iterate(
    rules: Rules, state: State, position: Position, root_key: int, depth: int, count: int, last: float
) -> float:
    """The value of a search to `depth`, by windows around the `last` iteration's value if so switched."""
    width, alpha, beta, value = state.aspiration * state.man, -np.inf, np.inf, last
    if abs(last) <= LIMIT and state.windows == MTDF:
        # each null window halves the question: is the value above or below? the table keeps what was seen
        while alpha < beta and not state.stopped:
            bound = np.nextafter(value, np.inf) if value == alpha else value
            low = np.nextafter(bound, -np.inf)
            value = search_root(rules, state, position, root_key, depth, low, bound, count)
            if value < bound:
                beta = value
            else:
                alpha = value
        # the value is known, its move is not
        low = np.nextafter(value, -np.inf)
        value = search_root(rules, state, position, root_key, depth, low, np.inf, count)
        if state.best >= 0 or state.stopped:
            return value
        alpha, beta = -np.inf, np.inf
    elif abs(last) <= LIMIT and width:
        # a narrow window cuts more, and the value seldom moves far
        alpha, beta = last - width, last + width
    while True:
        value = search_root(rules, state, position, root_key, depth, alpha, beta, count)
        if state.stopped or alpha < value < beta or (alpha == -np.inf and beta == np.inf):
            return value
        width *= 4
        if value <= alpha:
            alpha = last - width
        if value >= beta:
            beta = last + width
        if width > WIDEST * state.man:
            alpha, beta = -np.inf, np.inf


@inlined
def is_too_late(state: State, before: int, last_nodes: int, spent: float, seconds: float) -> bool:
    """Whether the next iteration's first move would be searched after `seconds`, of which some are spent, if that
    grows by the factor by which this one, from `before` nodes on, grew over the one before, of `last_nodes`."""
    growth = min((state.nodes - before) / last_nodes, MOST_GROWTH)
    return bool(spent + spent / state.nodes * growth * (state.first - before) >= seconds)


@kernel
def search_root(
    rules: Rules, state: State, position: Position, key: int, depth: int, alpha: float, beta: float, count: int
) -> float:
    """The value of the root, whose moves are the first `count` of `state.moves`, searched `depth` plies; if it is
    stopped, of the moves that were finished. `state.best` is the index of the best move, -1 if none is above
    alpha."""
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
        node = Node(child, key_after(key, position, child), 1, count)
        state.deepest = max(state.deepest, 1)
        # a move equal to the best shows only if the window includes the best value: that is wanted where lots are
        # drawn, and of a move that stood earlier in the order of the generator, which is to win
        low = alpha
        if best > alpha:
            equals_win = state.ties == TIES_RANDOM or state.root_index[i] < state.root_index[state.best]
            low = np.nextafter(best, -np.inf) if equals_win else best
        bound = low if state.alpha_beta else -np.inf
        value = _UNKNOWN
        if depth > 1 and i > 0 and bound > -np.inf:
            value = scout(rules, state, node, depth - 1, 0, bound)
        if value > bound and not state.stopped:  # as UNKNOWN, which is infinite, always is
            value = -call_at(state.search, rules, state, node, depth - 1, -beta, -bound)
        if state.stopped:
            break
        if i == 0:
            state.first = state.nodes
        state.root_values[i] = value
        if value > best:
            state.tied[:i] = 0
        state.tied[i] = value > low
        if value > best or (value > low and state.ties != TIES_RANDOM):
            best = value
            if value > alpha:
                state.best = i
                extend_pv(state, 0, move)
                if state.alpha_beta and value >= beta:
                    count_cutoff(state, 0, i == 0)
                    break
    return best


# --- from Python


class Compiled(NamedTuple):
    """The search, compiled for a rule set."""

    search: Any  # `search`, to be called from Python
    address: Any  # of `search_below`, for the field `search` of the state


@cache
def compiled_search(rules: Any) -> Compiled:
    """The search for a rule set; compiled, or loaded from the cache, at the first call, and looked up once: a call
    of a kernel by its name takes 20 to 100 µs, as numba looks up its arguments' types."""
    states, position, earlier = np.zeros(1, record_type(State)), Position(0, 0, 0, 0), np.zeros((0, 4), np.int64)
    node = Node(position, 0, 0, 0)
    address = address_of(search_below, types.float64, rules, states[0], node, 1, -WIN, WIN)
    return Compiled(
        entry(search, types.float64, rules, states, position, earlier, (0, 0), 0, 1, 1, WIN, WIN), address
    )
