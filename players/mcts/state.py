"""The state of a tree search, in one record that kernels read and write: settings, counters, limits, line."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.rules.jit.kernel import inlined
from arena.rules.jit.native import monotonic
from arena.rules.moves import BUFFER
from arena.rules.position import Position
from players.negamax.state import HISTORY, MAX_MOVES, begin_path

RANDOM, EVALUATION, SHALLOW = range(3)
"""How a new position is valued, `rollout`: by a random game, the evaluation, a shallow search."""
LINE = 256
"""Plies from the root beyond which no position is added to the tree."""

SETTINGS = (
    *(("rollout", "i8"), ("rollout_depth", "i8"), ("exploration", "f8"), ("first_play", "f8"), ("solver", "i8")),
    *(("scale", "f8"), ("reject_depth", "i8"), ("reject_margin", "f8"), ("trust", "i8")),
    *(("repetition", "i8"), ("no_progress", "i8"), ("no_capture", "i8")),
)
"""What a player sets, `scale` and `reject_margin` in the evaluation's unit. Then the draw rules in force."""
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


@inlined
def begin_tree_search(
    state: Any,
    position: Position,
    earlier: NDArray[np.int64],
    without_capture: int,
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
    begin_path(state, position, earlier, without_capture)


@inlined
def chance_below(state: Any, count: int) -> int:
    """A number from 0 to `count` - 1, all about equally likely: a linear congruential generator modulo 2**63.

    Multiplier and increment: D. E. Knuth, MMIX.
    """
    state.chance = (state.chance * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
    return ((state.chance >> 31) * count) >> 32
