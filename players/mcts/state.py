"""The memory of a tree search: its state, one record that kernels read and write, and its tree, an array of int64.

A node is named by the place of its first word. Its values are in the view of the side that moved into it, so that
the side to move takes the child of the highest value. Children stand side by side, behind their parent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.rules.jit.kernel import inlined, is_compiling
from arena.rules.jit.native import monotonic
from arena.rules.moves import BUFFER, Moves
from arena.rules.position import Position
from players.negamax.state import DRAW_RULES, HISTORY, MAX_MOVES, begin_path
from players.negamax.workspace import PlainState

RANDOM, EVALUATION, SHALLOW = range(3)
"""How a new position is valued, `rollout`: by a random game, the evaluation, a shallow search. The prior of a move
comes from one of the latter two, `policy`, or 0: there is no policy."""
MOVE, FIRST, COUNT, VISITS, TOTAL, PROVEN, REJECTED, PRIOR = range(8)
"""Words of a node: the move into it, its first child (0: not expanded), how many children, visits, the sum of the
visits' values in units of 1 / UNIT, what is proven, whether its parent's choice leaves it out, and its prior, in
units of 1 / UNIT, too."""
WIDTH = 8
"""Words of a node."""
ROOT = 0
UNIT = 1 << 30
DRAWN = 1 << 40
"""`PROVEN` of a draw. A win in n plies is n + 1, a loss -(n + 1), what is not proven 0."""
LINE = 256
"""Plies from the root beyond which no position is added to the tree."""

SETTINGS = (
    *(("rollout", "i8"), ("rollout_depth", "i8"), ("exploration", "f8"), ("first_play", "f8"), ("solver", "i8")),
    *(("scale", "f8"), ("reject_depth", "i8"), ("reject_margin", "f8"), ("trust", "i8")),
    *(("policy", "i8"), ("policy_depth", "i8"), ("temperature", "f8")),
    *((rule, "i8") for rule in DRAW_RULES),
)
"""What a player sets, `scale`, `reject_margin`, `temperature` in the evaluation's unit; the draw rules."""
COUNTERS = ("nodes", "leaves", "deepest", "line_length", "stopped", "undefined")
"""What a search counts, as in `players.player.Choice`, the length of its `line`, whether a limit ended it, and
whether it met an evaluation that is no number."""
TREE_SEARCH = np.dtype(
    [
        *SETTINGS,
        ("tree", "i8"),
        ("tree_words", "i8"),
        ("advised", "i8"),
        ("advice", "f8"),
        ("used", "i8"),
        *((name, "i8") for name in COUNTERS),
        ("chance", "i8"),
        ("node_limit", "i8"),
        ("deadline", "f8"),
        ("polled", "f8"),
        ("poll_at", "i8"),
        ("poll_every", "i8"),
        ("base", "i8"),
        ("moves", "i8", BUFFER),
        ("nodes_of_line", "i8", LINE + 2),
        ("path", "i8", (HISTORY + LINE + 2, 3)),
        ("progress", "i8", (HISTORY + LINE + 2, 2)),
        ("line", "i8", LINE + 2),
        ("values", "f8", MAX_MOVES),
    ],
    align=True,
)
"""Everything that a tree search reads and writes, all zeros in a new one.

After the settings come the address of the tree, its words, the root's best move by minimax (`advised`, 0 for
none) and its value (`advice`), and the `used` words of the tree. `chance` is the generator's state. Limits, and
`path` and `progress`, are as in `players.negamax.state.STATE`. `nodes_of_line` are the nodes from the root down,
`line` the principal line, `values` the values of one position's moves by shallow searches.
"""


class TreeWorkspace:
    """The memory of a player's tree search."""

    def __init__(self, megabytes: int) -> None:
        """Room for a tree of `megabytes` megabytes, and at least a thousand positions."""
        self._tree = new_tree(megabytes)
        self.states: Any = np.zeros(1, TREE_SEARCH)
        """The one record of TREE_SEARCH."""
        if not is_compiling():
            self.states = [PlainState(**{name: self.states[name][0] for name in TREE_SEARCH.names or ()})]
        self.states[0]["tree"] = self._tree.ctypes.data if is_compiling() else self._tree
        self.set({"tree_words": self._tree.size})

    def set(self, values: Mapping[str, Any]) -> None:
        """Set fields of the state."""
        for name, value in values.items():
            self.states[0][name] = value

    def counted(self) -> dict[str, int]:
        """The values of COUNTERS, by their names, and the positions in the tree."""
        state = self.states[0]
        return {name: int(state[name]) for name in COUNTERS} | {"tree": int(state["used"]) // WIDTH}

    def proven(self, move: int) -> int:
        """Plies to the win that a move of the root is proven to be, less than 0 to a loss; 0 if it is neither."""
        first, count = (int(self._tree[ROOT + word]) for word in (FIRST, COUNT))
        children = self._tree[first : first + count * WIDTH].reshape(count, WIDTH)
        proven = int(children[children[:, MOVE] == move, PROVEN][0])
        return 0 if proven == DRAWN else proven

    def line(self, length: int) -> tuple[int, ...]:
        """The principal line, the chosen move first."""
        return tuple(map(int, self.states[0]["line"][:length]))


def new_tree(megabytes: int) -> Moves:
    """An empty tree, `int64[words]`."""
    return np.zeros(max(megabytes << 20, WIDTH << 13) // 8 // WIDTH * WIDTH, dtype=np.int64)


@inlined
def begin_tree_search(
    state: Any,
    position: Position,
    earlier: NDArray[np.int64],
    counts: tuple[int, int],
    nodes: int,
    seconds: float,
    chance: int,
) -> None:
    """Prepare the state for a search of its own: limits, chance, and the game's last positions."""
    state.nodes = state.leaves = state.deepest = 0
    state.line_length = state.stopped = state.undefined = 0
    state.polled = monotonic()
    state.deadline = state.polled + seconds
    state.node_limit = nodes
    state.poll_every = state.poll_at = 1
    state.chance = chance
    begin_path(state, position, earlier, counts)


@inlined
def chance_below(state: Any, count: int) -> int:
    """A number from 0 to `count` - 1, all about equally likely: a linear congruential generator modulo 2**63.

    Multiplier and increment: D. E. Knuth, MMIX.
    """
    state.chance = (state.chance * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
    return ((state.chance >> 31) * count) >> 32
