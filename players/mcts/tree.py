"""The tree of a search: how nodes are chosen, added, proven and kept, in an array of int64; the state of a search.

A node is named by the place of its first word. Its values are from the view of the side that moved into it: the
side to move takes the child of the highest value. Children stand side by side, behind their parent.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from arena.rules.jit.kernel import inlined, kernel
from arena.rules.moves import Moves
from players.memory import Floats, Integers
from players.negamax.state import HISTORY, MAX_MOVES, DrawRules, SearchLine

LINE = 256  # plies from the root beyond which no position is added to the tree
WIDTH = 8  # words of a node: a line of the processor's cache
NODE_MOVE, FIRST_CHILD, COUNT, VISITS, TOTAL, PROVEN, REJECTED, PARENT = range(WIDTH)
"""What they are: the move into it, its first child (0: not expanded), how many children, visits, the sum of the
visits' values in units of 1 / VALUE_UNIT, what is proven, whether its parent's choice leaves it out, and, while
`keep_below` copies, 1 + the new place of its parent (0: not kept)."""
ROOT_NODE = 0
VALUE_UNIT = 1 << 30
FIRST_PLAY = 1.0  # the bound of a child that was never visited
DRAWN = 1 << 40  # `PROVEN` of a draw; a win in n plies is n + 1, a loss -(n + 1), what is not proven 0


class TreeAnswer(NamedTuple):
    """What a tree search reports, read from its record by these names; counters mean what they do in `Choice`."""

    nodes: int
    leaves: int
    deepest: int
    line_length: int
    used: int


class TreeSettings(DrawRules):
    """What a player sets: its options once, minimax's advice at each search."""

    rollout: int
    rollout_depth: int
    exploration: float
    scale: float  # in the evaluation's unit
    solver: int
    reject_depth: int
    reject_margin: float  # in the evaluation's unit
    trust: int
    tree: int  # the address of the tree
    tree_words: int
    advised: int  # the root's best move by minimax, 0 for none
    advice: float  # and its value


class TreeState(SearchLine, TreeSettings):
    """Everything that a tree search reads and writes; it clears all down to `random` when it begins."""

    leaves: int
    deepest: int
    line_length: int  # how many there are of `line`
    used: int  # words of the tree in use: its root's, or what is kept of the last search
    random: int  # the state of the random stream
    path: Annotated[Integers, (HISTORY + LINE + 2, 3)]
    progress: Annotated[Integers, (HISTORY + LINE + 2, 2)]
    nodes_of_line: Annotated[Integers, (LINE + 2,)]  # the nodes from the root down
    line: Annotated[Integers, (LINE + 2,)]  # the principal line
    values: Annotated[Floats, (MAX_MOVES,)]  # of one position's moves, by shallow searches


def new_tree(megabytes: int) -> Moves:
    """An empty tree of at least a thousand positions, `int64[words]`."""
    return np.zeros(max(megabytes << 20, WIDTH << 13) // 8 // WIDTH * WIDTH, dtype=np.int64)


@inlined
def clear_node(tree: Moves, node: int, move: int) -> None:
    """Make a node one that was never visited."""
    for word in range(WIDTH):
        tree[node + word] = 0
    tree[node + NODE_MOVE] = move


@inlined
def add_children(state: TreeState, tree: Moves, moves: Moves, count: int) -> int:
    """Nodes for the moves in `moves[:count]`, which are nobody's children yet: the first, or 0 without room."""
    first = state.used
    if first + count * WIDTH > state.tree_words:
        return 0
    for i in range(count):
        clear_node(tree, first + i * WIDTH, moves[i])
    state.used = first + count * WIDTH
    return first


@inlined
def exact_value(proven: int) -> float:
    """The value of what is proven: 1.0, 0.0 or -1.0."""
    return 0.0 if proven == DRAWN or proven == 0 else 1.0 if proven > 0 else -1.0


@inlined
def mean_value(tree: Moves, node: int) -> float:
    """The value of a node, from -1 to 1: what is proven, or the mean of its visits; 0 without any."""
    if tree[node + PROVEN] != 0:
        return exact_value(tree[node + PROVEN])
    return tree[node + TOTAL] / (VALUE_UNIT * max(tree[node + VISITS], 1))


@kernel
def select(state: TreeState, tree: Moves, node: int) -> int:
    """The child to visit: of those that are not proven lost, the one of the highest upper confidence bound: UCB1,
    or FIRST_PLAY without a visit, 0 for a proven draw. If only rejected ones are left, they are not rejected any
    more.

    L. Kocsis and C. Szepesvári, Bandit based Monte-Carlo planning, 2006.
    """
    first = tree[node + FIRST_CHILD]
    end = first + tree[node + COUNT] * WIDTH
    chosen, best = -1, -np.inf
    logarithm = math.log(tree[node + VISITS] + 1.0)
    for child in range(first, end, WIDTH):
        proven, visits = tree[child + PROVEN], tree[child + VISITS]
        if proven < 0 or tree[child + REJECTED] != 0:
            continue
        if proven != 0:
            bound = exact_value(proven)
        elif visits == 0:
            bound = FIRST_PLAY
        else:
            bound = tree[child + TOTAL] / (VALUE_UNIT * visits) + state.exploration * math.sqrt(logarithm / visits)
        if bound > best:
            best, chosen = bound, child
    if chosen < 0:
        for child in range(first, end, WIDTH):
            tree[child + REJECTED] = 0
            if chosen < 0 or tree[chosen + PROVEN] < 0:
                chosen = child
    return chosen


@kernel
def prove_by_children(tree: Moves, node: int) -> bool:
    """Set what the children prove of a node, if they do; whether they do.

    M. H. M. Winands, Y. Björnsson and J.-T. Saito, Monte-Carlo tree search solver, 2008.
    """
    first = tree[node + FIRST_CHILD]
    quickest, slowest, drawn, undecided = DRAWN, 0, False, False
    for child in range(first, first + tree[node + COUNT] * WIDTH, WIDTH):
        proven = tree[child + PROVEN]
        if proven == 0:
            undecided = True
        elif proven == DRAWN:
            drawn = True
        elif proven > 0:
            quickest = min(quickest, proven)
        else:
            slowest = max(slowest, -proven)
    if quickest < DRAWN:
        tree[node + PROVEN] = -(quickest + 1)
    elif undecided:
        return False
    else:
        tree[node + PROVEN] = DRAWN if drawn else slowest + 1
    return True


@kernel
def best_child(tree: Moves, node: int) -> int:
    """The child to play: the quickest proven win, else the most visited that is not proven lost, else the slowest
    loss; -1 if there is none. Of equals it is the one of the higher mean, then the first."""
    first = tree[node + FIRST_CHILD]
    best = -1
    if first != 0:
        for child in range(first, first + tree[node + COUNT] * WIDTH, WIDTH):
            if best < 0 or _is_better(tree, child, best):
                best = child
    return best


@inlined
def _is_better(tree: Moves, child: int, than: int) -> bool:
    proven, rival = tree[child + PROVEN], tree[than + PROVEN]
    wins, rival_wins = 0 < proven < DRAWN, 0 < rival < DRAWN
    if wins or rival_wins:
        return wins and (not rival_wins or proven < rival)
    if proven < 0 or rival < 0:
        return proven < rival if proven < 0 and rival < 0 else rival < 0
    if tree[child + VISITS] != tree[than + VISITS]:
        return bool(tree[child + VISITS] > tree[than + VISITS])
    if tree[child + REJECTED] != tree[than + REJECTED]:
        return bool(tree[child + REJECTED] == 0)
    return bool(tree[child + TOTAL] > tree[than + TOTAL])


@kernel
def descendant(tree: Moves, played: Moves, count: int) -> int:
    """The node that the moves `played[:count]` lead to from the root, -1 if it is not in the tree."""
    node = ROOT_NODE
    for i in range(count):
        first = tree[node + FIRST_CHILD]
        played_child = -1
        if first != 0:
            for child in range(first, first + tree[node + COUNT] * WIDTH, WIDTH):
                if tree[child + NODE_MOVE] == played[i]:
                    played_child = child
        if played_child < 0:
            return -1
        node = played_child
    return node


@kernel
def keep_below(state: TreeState, tree: Moves, root: int) -> None:
    """Make a node the root, and keep of the tree what is below it, moved to the front in the same order: in one
    pass, in which a node that is kept says so to its children, as these stand behind it."""
    tree[root + PARENT] = 1
    end = 0
    for node in range(root, state.used, WIDTH):
        if tree[node + PARENT] == 0:
            continue
        parent = tree[node + PARENT] - 1
        for word in range(WIDTH):
            tree[end + word] = tree[node + word]
        tree[end + PARENT] = 0
        if tree[parent + FIRST_CHILD] == node:
            tree[parent + FIRST_CHILD] = end
        first = tree[end + FIRST_CHILD]
        if first != 0:
            for child in range(first, first + tree[end + COUNT] * WIDTH, WIDTH):
                tree[child + PARENT] = end + 1
        end += WIDTH
    state.used = end
