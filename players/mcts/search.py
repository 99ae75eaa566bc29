"""The tree search for a move: the memory of its state, and one kernel that simulates until a limit is met.

A new position is valued by a random game, an evaluation through tanh, or a shallow search.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from arena.rules.jit.kernel import entry, inlined, kernel
from arena.rules.jit.native import call_at, view
from arena.rules.movegen import apply, generate, has_move
from arena.rules.moves import Moves, sides
from arena.rules.position import Position
from arena.rules.rules import Rules
from players.mcts.tree import (
    COUNT,
    DRAWN,
    FIRST_CHILD,
    LINE,
    NODE_MOVE,
    PROVEN,
    REJECTED,
    ROOT_NODE,
    TOTAL,
    VALUE_UNIT,
    VISITS,
    WIDTH,
    TreeAnswer,
    TreeState,
    add_children,
    best_child,
    clear_node,
    descendant,
    exact_value,
    keep_below,
    mean_value,
    new_tree,
    prove_by_children,
    select,
)
from players.memory import Record, address_of_array, record_type
from players.negamax.score import LIMIT, WIN, decided_value, leaf_value
from players.negamax.search import begin_search
from players.negamax.state import (
    Node,
    State,
    begin,
    enter,
    is_drawn,
    out_of_budget,
)
from players.negamax.table_and_order import key

BY_GAME, BY_EVALUATION, BY_SEARCH = range(3)  # how a new position is valued, `rollout`
GAME_PLIES = 200  # after which a random game is a draw


class TreeWorkspace(Record):
    """The memory of a player's tree search."""

    def __init__(self, megabytes: int, settings: Mapping[str, Any]) -> None:
        """Room for searches with these fields of TreeSettings, in a tree of `megabytes`."""
        self.tree = new_tree(megabytes)
        tree = {"tree": address_of_array(self.tree), "tree_words": self.tree.size}
        super().__init__(TreeState, TreeAnswer, {**tree, **settings})

    def proven(self, move: int) -> int:
        """Plies to the win that a move of the root is proven to be, less than 0 to a loss; 0 if it is neither."""
        first, count = (int(self.tree[ROOT_NODE + word]) for word in (FIRST_CHILD, COUNT))
        children = self.tree[first : first + count * WIDTH].reshape(count, WIDTH)
        proven = int(children[children[:, NODE_MOVE] == move, PROVEN][0])
        return 0 if proven == DRAWN else proven


@cache
def compiled_tree_search(rules: Any) -> Any:
    """`tree_search` for a rule set; compiled, or loaded from the cache, at the first call."""
    states, shallows = np.zeros(1, record_type(TreeState)), np.zeros(1, record_type(State))
    position, earlier, played = Position(0, 0, 0, 0), np.zeros((0, 4), np.int64), np.zeros(0, np.int64)
    return entry(
        tree_search, types.float64, rules, states, shallows, position, earlier, (0, 0), 0, played, 1, 1.0, 1
    )


@kernel
def tree_search(
    rules: Rules,
    states: Sequence[TreeState],
    shallows: Sequence[State],
    position: Position,
    earlier: NDArray[np.int64],
    counts: tuple[int, int],
    count: int,
    played: Moves,
    simulations: int,
    seconds: float,
    seed: int,
) -> float:
    """Search a position until a limit is met or it is proven; the value of the move to play, from -1 to 1.

    `earlier`, `counts` and `count` are as in `players.negamax.search.search`. `played` are the moves since the
    last search of the same game, none if its tree is not to be kept. `shallows` has the state of negamax that
    values leaves, `seed` begins the random stream. The answer is left in the one state in `states`: the counters,
    and `line`, empty if the limit left no time to begin.
    """
    state, shallow = states[0], shallows[0]
    tree = view(state.tree, np.int64)
    begin(state, position, earlier, counts, simulations, seconds, 1)
    begin_search(shallow, position, earlier[:0], (0, 0), 2**62, seconds)
    state.leaves = state.deepest = state.line_length = 0
    state.random = seed
    if count == 0:
        count = generate(rules, position, view(state.moves, np.int64), 0)
    root = descendant(tree, played, played.size) if played.size else -1
    if root >= 0 and tree[root + FIRST_CHILD] != 0 and tree[root + COUNT] == count:
        keep_below(state, tree, root)
    else:
        clear_node(tree, ROOT_NODE, 0)
        state.used = WIDTH
        expand(rules, state, shallow, tree, ROOT_NODE, position, 0, count)
    if state.advised:
        advise(state, shallow, tree, count)
    if count == 1 and seconds < np.inf:
        state.node_limit = 1
    while tree[ROOT_NODE + PROVEN] == 0 and not shallow.stopped and not out_of_budget(state):
        simulate(rules, state, shallow, tree, position)
    node = ROOT_NODE
    while True:
        child = best_child(tree, node)
        if child < 0 or state.line_length == LINE or (node != ROOT_NODE and not tree[child + VISITS]):
            break
        state.line[state.line_length] = tree[child + NODE_MOVE]
        state.line_length += 1
        node = child
    return mean_value(tree, best_child(tree, ROOT_NODE)) if state.line_length else 0.0


@inlined
def advise(state: TreeState, shallow: State, tree: Moves, count: int) -> None:
    """Give the root's children visits of the values that minimax found: the best move `trust`; the others, whose
    values are bounds, one; none to what it did not come to. Moves `reject_margin` below the best are rejected."""
    first = tree[ROOT_NODE + FIRST_CHILD]
    for i in range(count):
        move, value, visits = shallow.moves[i], min(shallow.root_values[i], state.advice), 1
        if move == state.advised:
            value, visits = state.advice, state.trust
        elif value == -np.inf:
            continue
        for child in range(first, first + count * WIDTH, WIDTH):
            if tree[child + NODE_MOVE] == move:
                tree[child + REJECTED] = int(value < state.advice - state.reject_margin)
                tree[child + VISITS] += visits
                tree[child + TOTAL] += int(math.tanh(value / state.scale) * VALUE_UNIT) * visits


@kernel
def simulate(rules: Rules, state: TreeState, shallow: State, tree: Moves, position: Position) -> None:
    """Descend from the root, add a position to the tree, value it, and update all nodes on the way."""
    state.nodes += 1
    node, ply, proven = ROOT_NODE, 0, False
    state.nodes_of_line[0] = ROOT_NODE
    value = 0.0
    while True:
        if ply > 0 and is_drawn(rules, state, position, ply):
            proven = prove(state, tree, node, DRAWN)
            break
        if tree[node + FIRST_CHILD] == 0:
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
        move = tree[node + NODE_MOVE]
        after = apply(rules, position, move)
        enter(state, ply, position, move, after)
        position = after
        ply += 1
        state.nodes_of_line[ply] = node
        state.deepest = max(state.deepest, ply)
        if tree[node + PROVEN] != 0:
            value = -exact_value(tree[node + PROVEN])
            break
    if shallow.stopped:
        state.nodes -= 1
        state.stopped = 1
    else:
        backpropagate(state, tree, ply, -value, proven)


@inlined
def expand(
    rules: Rules,
    state: TreeState,
    shallow: State,
    tree: Moves,
    node: int,
    position: Position,
    ply: int,
    count: int,
) -> bool:
    """Give a node at `ply` the first `count` of the state's moves as children, and reject some if so switched;
    False if there is no room for them."""
    first = add_children(state, tree, view(state.moves, np.int64), count)
    if first == 0:
        return False
    tree[node + FIRST_CHILD] = first
    tree[node + COUNT] = count
    if state.reject_depth and count > 1 and not (state.advised and node == ROOT_NODE):
        reject(rules, state, shallow, tree, node, position, ply)
    return True


@kernel
def reject(
    rules: Rules, state: TreeState, shallow: State, tree: Moves, node: int, position: Position, ply: int
) -> None:
    """Leave out children of a node at `ply` that a shallow search, unless it is stopped, values `reject_margin`
    below the best one. Each child begins with a visit of its value, and with what is proven of it."""
    first, count = tree[node + FIRST_CHILD], tree[node + COUNT]
    best = -WIN
    for i in range(count):
        child = first + i * WIDTH
        move = tree[child + NODE_MOVE]
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
        tree[child + TOTAL] = int(math.tanh(state.values[i] / state.scale) * VALUE_UNIT)
    if state.solver:
        prove_by_children(tree, node)


@inlined
def best_value(tree: Moves, node: int) -> float:
    """The highest value of a node's children that are not rejected, all of which have a visit."""
    best = -1.0
    for child in range(tree[node + FIRST_CHILD], tree[node + FIRST_CHILD] + tree[node + COUNT] * WIDTH, WIDTH):
        if tree[child + REJECTED] == 0:
            best = max(best, mean_value(tree, child))
    return best


@inlined
def prove(state: TreeState, tree: Moves, node: int, proven: int) -> bool:
    """Set what is known of a node, if so switched; whether it is."""
    if state.solver:
        tree[node + PROVEN] = proven
    return state.solver != 0


@inlined
def backpropagate(state: TreeState, tree: Moves, ply: int, value: float, proven: bool) -> None:
    """Count a visit at all nodes of the line, the last one at `ply`, and prove what follows from the last one."""
    for above in range(ply, -1, -1):
        node = state.nodes_of_line[above]
        if proven and above < ply:
            proven = prove_by_children(tree, node)
            if proven:
                value = exact_value(tree[node + PROVEN])
        tree[node + VISITS] += 1
        tree[node + TOTAL] += int(value * VALUE_UNIT)
        value = -value


@inlined
def leaf_of_tree(rules: Rules, state: TreeState, shallow: State, position: Position, ply: int) -> float:
    """The value of a position at `ply` for the side to move, from -1 to 1; beyond that a win or loss that a search
    found: 2 and the plies to it, or -2 minus them."""
    state.leaves += 1
    if state.rollout == BY_GAME:
        return random_game(rules, state, position, ply)
    if state.rollout == BY_EVALUATION:
        value = leaf_value(rules, shallow, position)
    else:
        value = shallow_value(rules, state, shallow, position, ply, state.rollout_depth, -WIN, WIN)
        if abs(value) > LIMIT:
            plies = WIN - abs(value)
            return 2.0 + plies if value > 0 else -2.0 - plies
    return math.tanh(value / state.scale)


@inlined
def shallow_value(
    rules: Rules,
    state: TreeState,
    shallow: State,
    position: Position,
    ply: int,
    depth: int,
    alpha: float,
    beta: float,
) -> float:
    """Value a position at `ply` by negamax to `depth` plies, within a window; nothing if `shallow` stopped."""
    n = state.base + ply
    shallow.path[0, 0] = position.white
    shallow.path[0, 1] = position.black
    shallow.path[0, 2] = position.kings
    shallow.progress[0, 0] = state.progress[n, 0]
    shallow.progress[0, 1] = state.progress[n, 1]
    shallow.base = 0
    shallow.depth = depth
    return call_at(
        shallow.search,
        rules,
        shallow,
        Node(position, key(position) if shallow.tt else 0, 0, 0),
        depth,
        alpha,
        beta,
    )


@kernel
def random_game(rules: Rules, state: TreeState, position: Position, ply: int) -> float:
    """The result, for the side to move at `ply` of the line, of a game of random moves: 1, 0 or -1."""
    moves = view(state.moves, np.int64)
    n = state.base + ply
    without_progress, without_capture = state.progress[n, 0], state.progress[n, 1]
    sign = 1.0
    for _ in range(GAME_PLIES):
        count = generate(rules, position, moves, 0)
        if count == 0:
            return sign * np.sign(decided_value(rules, position, 0))
        if without_progress >= state.no_progress or without_capture >= state.no_capture:
            return 0.0
        move = moves[random_below(state, count) if count > 1 else 0]
        own, other = sides(position)
        without_capture = 0 if move & other else without_capture + 1
        without_progress = 0 if move & (other | own & ~position.kings) else without_progress + 1
        position = apply(rules, position, move)
        sign = -sign
    return 0.0


@inlined
def random_below(state: TreeState, count: int) -> int:
    """A number from 0 to `count` - 1, all about equally likely: a linear congruential generator modulo 2**63.

    Multiplier and increment: D. E. Knuth, MMIX.
    """
    state.random = (state.random * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
    return ((state.random >> 31) * count) >> 32
