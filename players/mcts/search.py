"""The tree search for a move, as one kernel: simulations until a limit is met, and the principal line."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from arena.rules.jit.kernel import entry, inlined, kernel
from arena.rules.jit.native import view
from arena.rules.movegen import apply, generate, has_move
from arena.rules.moves import Moves
from arena.rules.position import Position
from arena.rules.rules import Rules
from players.mcts.state import (
    COUNT,
    DRAWN,
    EVALUATION,
    FIRST,
    LINE,
    MOVE,
    PRIOR,
    PROVEN,
    REJECTED,
    ROOT,
    TOTAL,
    UNIT,
    VISITS,
    WIDTH,
    TreeWorkspace,
    begin_tree_search,
)
from players.mcts.tree import (
    add_children,
    best_child,
    clear_node,
    descendant,
    exact_value,
    keep_below,
    leaf_of_tree,
    mean_value,
    prove_by_children,
    select,
    shallow_value,
)
from players.negamax.score import LIMIT, WIN, decided_value, leaf_value
from players.negamax.state import begin_search, enter, is_drawn, out_of_budget
from players.negamax.workspace import Workspace


@cache
def compiled_tree_search(rules: Any) -> Any:
    """`tree_search` for a rule set; compiled, or loaded from the cache, at the first call."""
    states, shallows, position = TreeWorkspace(0).states, Workspace(0).states, Position(0, 0, 0, 0)
    earlier, played = np.zeros((0, 4), np.int64), np.zeros(0, np.int64)
    return entry(
        tree_search, types.float64, rules, states, shallows, position, earlier, (0, 0), 0, played, 1, 1.0, 1
    )


@kernel
def tree_search(
    rules: Rules,
    states: Any,
    shallows: Any,
    position: Position,
    earlier: NDArray[np.int64],
    counts: tuple[int, int],
    count: int,
    played: Moves,
    simulations: int,
    seconds: float,
    chance: int,
) -> float:
    """Search a position until a limit is met or it is proven; the value of the move to play, from -1 to 1.

    `earlier`, `counts` and `count` are as in `players.negamax.deepening.search`. `played` are the moves
    since the last search of the same game, none if its tree is not to be kept. `shallows` has the one state of
    negamax that values leaves, `chance` begins the generator. The answer is left in the one state in `states`:
    the counters, and `line`, which is empty if the limit left no time to begin.
    """
    state, shallow = states[0], shallows[0]
    tree = view(state.tree, np.int64)
    begin_tree_search(state, position, earlier, counts, simulations, seconds, chance)
    begin_search(shallow, position, earlier[:0], (0, 0), 2**62, seconds)
    if count == 0:
        count = generate(rules, position, view(state.moves, np.int64), 0)
    root = descendant(tree, played, played.size) if played.size else -1
    if root >= 0 and tree[root + FIRST] != 0 and tree[root + COUNT] == count:
        keep_below(state, tree, root)
    else:
        clear_node(tree, ROOT, 0)
        state.used = WIDTH
        expand(rules, state, shallow, tree, ROOT, position, 0, count)
    if state.advised:
        advise(state, shallow, tree, count)
    if count == 1 and seconds < np.inf:
        state.node_limit = 1
    while tree[ROOT + PROVEN] == 0 and not shallow.stopped and not out_of_budget(state):
        simulate(rules, state, shallow, tree, position)
    node = ROOT
    while True:
        child = best_child(tree, node)
        if child < 0 or state.line_length == LINE or (node != ROOT and not tree[child + VISITS]):
            break
        state.line[state.line_length] = tree[child + MOVE]
        state.line_length += 1
        node = child
    return mean_value(tree, best_child(tree, ROOT)) if state.line_length else 0.0


@inlined
def advise(state: Any, shallow: Any, tree: Any, count: int) -> None:
    """Give the root's children visits of the values that minimax found: the best move `trust`, the others one.

    Values of the others are bounds, at most the best value. Moves `reject_margin` below it are rejected.
    """
    first = tree[ROOT + FIRST]
    for i in range(count):
        move, value, visits = shallow.moves[i], min(shallow.root_values[i], state.advice), 1
        if move == state.advised:
            value, visits = state.advice, state.trust
        for child in range(first, first + count * WIDTH, WIDTH):
            if tree[child + MOVE] == move:
                tree[child + REJECTED] = int(value < state.advice - state.reject_margin)
                tree[child + VISITS] += visits
                tree[child + TOTAL] += int(math.tanh(value / state.scale) * UNIT) * visits


@kernel
def simulate(rules: Rules, state: Any, shallow: Any, tree: Any, position: Position) -> None:
    """Descend from the root, add a position to the tree, value it, and update all nodes on the way."""
    state.nodes += 1
    node, ply, proven = ROOT, 0, False
    state.nodes_of_line[0] = ROOT
    value = 0.0
    while True:
        if ply > 0 and is_drawn(rules, state, position, ply):
            proven = prove(state, tree, node, DRAWN)
            break
        if tree[node + FIRST] == 0:
            if not has_move(rules, position):
                value = np.sign(decided_value(rules, position, 0))
                proven = prove(state, tree, node, DRAWN if value == 0.0 else -1 if value > 0 else 1)
                break
            is_new = tree[node + VISITS] == 0 or ply == LINE
            count = 0 if is_new else generate(rules, position, view(state.moves, np.int64), 0)
            if is_new or not expand(rules, state, shallow, tree, node, position, ply, count):
                value = leaf_of_tree(rules, state, shallow, position, ply)
                if abs(value) > 1.0:
                    proven = prove(state, tree, node, int(1.0 - value) if value > 0 else int(-1.0 - value))
                    value = min(max(value, -1.0), 1.0)
                break
            if tree[node + PROVEN] != 0:
                value, proven = -exact_value(tree[node + PROVEN]), True
                break
            if state.reject_depth and count > 1:
                value = best_value(tree, node)
                break
        if shallow.stopped:
            break
        node = select(state, tree, node)
        move = tree[node + MOVE]
        after = apply(rules, position, move)
        enter(state, ply, position, move, after)
        position = after
        ply += 1
        state.nodes_of_line[ply] = node
        state.deepest = max(state.deepest, ply)
        if tree[node + PROVEN] != 0:
            value = -exact_value(tree[node + PROVEN])
            break
    if value != value:
        state.undefined = 1
        state.stopped = 1
    elif shallow.stopped:
        state.nodes -= 1
        state.stopped = 1
    else:
        tell(state, tree, ply, -value, proven)


@inlined
def expand(
    rules: Rules, state: Any, shallow: Any, tree: Any, node: int, position: Position, ply: int, count: int
) -> bool:
    """Give a node at `ply` the first `count` of the state's moves as children, and reject some if so switched.

    False if there is no room for them.
    """
    first = add_children(state, tree, view(state.moves, np.int64), count)
    if first == 0:
        return False
    tree[node + FIRST] = first
    tree[node + COUNT] = count
    if state.policy and count > 1:
        set_priors(rules, state, shallow, tree, node, position, ply)
    if state.reject_depth and count > 1 and not (state.advised and node == ROOT):
        reject(rules, state, shallow, tree, node, position, ply)
    return True


@kernel
def set_priors(rules: Rules, state: Any, shallow: Any, tree: Any, node: int, position: Position, ply: int) -> None:
    """Give the children of a node at `ply` the priors of the policy: a softmax over the values of their positions.

    They stay equal if the search was stopped.
    """
    first, count = tree[node + FIRST], tree[node + COUNT]
    best, total = -np.inf, 0.0
    for i in range(count):
        move = tree[first + i * WIDTH + MOVE]
        after = apply(rules, position, move)
        if state.policy == EVALUATION:
            value = -leaf_value(rules, shallow, after)
        else:
            enter(state, ply, position, move, after)
            value = -shallow_value(rules, state, shallow, after, ply + 1, state.policy_depth, -WIN, WIN)
        if value != value:
            state.undefined = state.stopped = 1
        if shallow.stopped or state.stopped:
            return
        state.values[i] = value
        best = max(best, value)
    for i in range(count):
        state.values[i] = math.exp((state.values[i] - best) / state.temperature)
        total += state.values[i]
    for i in range(count):
        tree[first + i * WIDTH + PRIOR] = int(state.values[i] / total * UNIT)


@kernel
def reject(rules: Rules, state: Any, shallow: Any, tree: Any, node: int, position: Position, ply: int) -> None:
    """Leave out children of a node at `ply` that a shallow search values `reject_margin` below the best one.

    Each child begins with a visit of its value, and with what is proven of it. Nothing is left out if the search
    was stopped.
    """
    first, count = tree[node + FIRST], tree[node + COUNT]
    best = -WIN
    for i in range(count):
        child = first + i * WIDTH
        move = tree[child + MOVE]
        after = apply(rules, position, move)
        enter(state, ply, position, move, after)
        low = max(best - state.reject_margin, -WIN)
        value = -shallow_value(rules, state, shallow, after, ply + 1, state.reject_depth - 1, -WIN, -low)
        if shallow.stopped:
            return
        if abs(value) > LIMIT:
            plies = int(WIN - abs(value))
            prove(state, tree, child, plies + 1 if value > 0 else -(plies + 1))
        state.values[i] = value
        best = max(best, value)
    for i in range(count):
        child = first + i * WIDTH
        tree[child + REJECTED] = int(state.values[i] < best - state.reject_margin)
        tree[child + VISITS] = 1
        tree[child + TOTAL] = int(math.tanh(state.values[i] / state.scale) * UNIT)
    if state.solver:
        prove_by_children(tree, node)


@inlined
def best_value(tree: Any, node: int) -> float:
    """The highest value of a node's children that are not rejected, all of which have a visit."""
    best = -1.0
    for child in range(tree[node + FIRST], tree[node + FIRST] + tree[node + COUNT] * WIDTH, WIDTH):
        if tree[child + REJECTED] == 0:
            best = max(best, mean_value(tree, child))
    return best


@inlined
def prove(state: Any, tree: Any, node: int, proven: int) -> bool:
    """Set what is known of a node, if so switched; whether it is."""
    if state.solver:
        tree[node + PROVEN] = proven
    return state.solver != 0


@inlined
def tell(state: Any, tree: Any, ply: int, value: float, proven: bool) -> None:
    """Count a visit at all nodes of the line, the last one at `ply`, and prove what follows from the last one."""
    for above in range(ply, -1, -1):
        node = state.nodes_of_line[above]
        if proven and above < ply:
            proven = prove_by_children(tree, node)
            if proven:
                value = exact_value(tree[node + PROVEN])
        tree[node + VISITS] += 1
        tree[node + TOTAL] += int(value * UNIT)
        value = -value
