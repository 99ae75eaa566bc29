"""The state of a search: its switches, counters, limits and line, in one record that kernels read and write."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.rules.jit.kernel import inlined, kernel
from arena.rules.jit.native import monotonic
from arena.rules.movegen import has_move
from arena.rules.moves import BUFFER, sides
from arena.rules.position import Position
from arena.rules.result import Draws
from arena.rules.rules import Rules
from players.negamax.switches import stored_types

MAX_DEPTH = 64
MAX_PLY = 96
"""Plies from the root beyond which nothing is extended."""
MAX_MOVES = 512
"""Moves at the root."""
HISTORY = 256
"""The latest positions of the game, which a search knows."""

_KILLER_SLOTS = 2
HISTORY_BITS = 12
PLIES = MAX_PLY + 2
_POLL_MOST, _POLL_SECONDS = 4096, 0.0005
"""Nodes between two looks at the clock, at most, and about the seconds between them."""
POLL_FIRST = 64
"""Nodes of negamax before its first look at the clock."""

DRAW_RULES = ("repetition", "no_progress", "no_capture")
"""The draw rules that a search knows; of those that count plies, one that is off counts to NEVER."""
NEVER = 2**62


class Answer(NamedTuple):
    """What a search reports, by the names of its record's fields; counters mean what they do in `Choice`."""

    deepest: int
    nodes: int
    leaves: int
    cutoffs_max: int
    cutoffs_min: int
    cutoffs_first: int
    tt_probes: int
    tt_hits: int
    completed: int
    """The depth of the iteration that counts."""
    found: int
    """Whether it found a move."""
    tie_count: int
    """How many there are of `tied_moves`."""
    line_length: int
    """How many there are of `line`."""
    undefined: int
    """Whether the evaluation has no finite value in the position `undefined_at`."""


LIMITS: list[tuple[Any, ...]] = [
    ("node_limit", "i8"),  # positions that may be entered
    ("deadline", "f8"),  # the reading of the clock that ends the search
    ("polled", "f8"),  # the last reading
    ("poll_at", "i8"),  # the number of nodes at the next reading
    ("poll_every", "i8"),  # nodes between two readings
    ("stopped", "i8"),  # whether a limit, or an undefined value, ended the search
    ("base", "i8"),  # how many positions of the game stand in `path` before the root
]
"""What `begin` sets."""
SETTINGS: list[tuple[Any, ...]] = [
    *stored_types(),  # the switches
    *((rule, "i8") for rule in DRAW_RULES),  # the draw rules in force
    ("man", "f8"),  # a man's worth in the evaluation's unit
    ("evaluation", "i8"),  # its address
    ("weights", "i8"),  # the address of its weights
    ("search", "i8"),  # the address of `search_below`
    ("endings", "i8"),  # the address of the endgame tables
    ("table", "i8"),  # the address of the transposition table
    ("table_words", "i8"),
]
"""What a player sets once."""
LASTING: list[tuple[Any, ...]] = [
    ("generation", "i8"),  # the number of this search
    ("oldest", "i8"),  # the oldest generation whose entries of the table are valid
    ("history", "i8", (2, 1 << HISTORY_BITS)),  # by side and hash of a move: how often, and how high, it cut
]
"""What a search leaves for the next ones of its game, beside the table."""
STATE = np.dtype(
    [
        *SETTINGS,
        *((name, "i8") for name in Answer._fields),
        ("undefined_at", "i8", 4),
        *LIMITS,
        ("depth", "i8"),  # plies of the iteration under way
        ("horizon", "i8"),  # how many values from the table a deeper search might change
        ("best", "i8"),  # the index of the best move of the root, -1 without one
        ("first", "i8"),  # nodes at the end of the first move of the root
        *LASTING,
        ("pv", "i8", (PLIES, PLIES)),  # row p: the best line from ply p, ended by -1
        ("killers", "i8", (PLIES, _KILLER_SLOTS)),  # by ply: the last moves that cut there
        ("moves", "i8", BUFFER),  # the root's moves, then those of each position of the line
        ("order", "i8", BUFFER),  # the rank of each of `moves`
        ("root_index", "i8", MAX_MOVES),  # the number of each move of the root in the order in which it was given
        ("root_values", "f8", MAX_MOVES),  # its last value, -inf before the first one
        ("tied", "i8", MAX_MOVES),  # whether it is among the best ones of the iteration
        ("path", "i8", (HISTORY + PLIES, 3)),  # white, black, kings: last positions of the game, then of the line
        ("progress", "i8", (HISTORY + PLIES, 2)),  # plies since a capture or move of a man, and since a capture
        ("line", "i8", PLIES),  # the best line of the iteration that counts, the chosen move first
        ("tied_moves", "i8", MAX_MOVES),  # its best moves, if one is to be drawn
    ],
    align=True,
)
"""Everything that a search reads and writes, all zeros in a new one.

A search reads nothing of an earlier one but SETTINGS and LASTING, see `begin_search`.
"""


def draw_rules(draws: Draws) -> dict[str, int]:
    """The draw rules as a state has them."""
    return dict(
        zip(DRAW_RULES, (draws.repetition, draws.no_progress or NEVER, draws.no_capture or NEVER), strict=True)
    )


class Node(NamedTuple):
    """A position of the tree, as kernels hand it on."""

    position: Position
    key: int
    """The position's zobrist key; 0 where no table is read."""
    ply: int
    """Plies from the root."""
    start: int
    """Where its moves begin in `moves`."""


@inlined
def begin(
    state: Any,
    position: Position,
    earlier: NDArray[np.int64],
    counts: tuple[int, int],
    nodes: int,
    seconds: float,
    poll: int,
) -> None:
    """Set limits, and make the game's last positions and then the position the beginning of the line.

    The clock is read after `poll` nodes for the first time.
    """
    state.stopped = 0
    state.polled = monotonic()
    state.deadline = state.polled + seconds
    state.node_limit = nodes
    state.poll_every = state.poll_at = poll
    state.base = earlier.shape[0]
    for n in range(state.base):
        for i in range(3):
            state.path[n, i] = earlier[n, i]
    state.path[state.base, 0] = position.white
    state.path[state.base, 1] = position.black
    state.path[state.base, 2] = position.kings
    state.progress[state.base, 0], state.progress[state.base, 1] = counts


@inlined
def begin_search(
    state: Any,
    position: Position,
    earlier: NDArray[np.int64],
    counts: tuple[int, int],
    nodes: int,
    seconds: float,
) -> None:
    """`begin` a search of negamax, and clear what an earlier one left; what is to last counts less.

    The fields of the root's moves are the root's to clear, and all others are written before they are read.
    """
    begin(state, position, earlier, counts, nodes, seconds, POLL_FIRST)
    clear_answer(state)
    state.horizon = state.depth = state.first = 0
    state.generation += 1
    if state.order_killers:
        state.killers[:] = -1
    if state.order_history:
        for turn in range(2):
            for i in range(1 << HISTORY_BITS):
                state.history[turn, i] //= 8


@inlined
def clear_answer(state: Any) -> None:
    """Clear the fields of Answer, and the best move."""
    state.deepest = state.nodes = state.leaves = state.tt_probes = state.tt_hits = 0
    state.cutoffs_max = state.cutoffs_min = state.cutoffs_first = 0
    state.completed = state.found = state.tie_count = state.line_length = state.undefined = 0
    state.best = -1


@inlined
def out_of_budget(state: Any) -> bool:
    """Whether no further position may be entered, by the limit of nodes or the clock, read from time to time."""
    if state.nodes >= state.node_limit:
        state.stopped = 1
    elif state.nodes >= state.poll_at:
        read_clock(state)
    return state.stopped != 0


@kernel
def read_clock(state: Any) -> None:
    """Stop at the deadline; read the clock again after the nodes that take about _POLL_SECONDS."""
    now = monotonic()
    if now >= state.deadline:
        state.stopped = 1
    if now - state.polled > 2 * _POLL_SECONDS:
        state.poll_every = max(state.poll_every // 2, 1)
    elif now - state.polled < _POLL_SECONDS / 2:
        state.poll_every = min(state.poll_every * 2, _POLL_MOST)
    state.polled = now
    state.poll_at = state.nodes + state.poll_every


@inlined
def enter(state: Any, ply: int, before: Position, move: int, after: Position) -> None:
    """Put the position after a move on the line, one ply below `ply`."""
    n = state.base + ply
    state.path[n + 1, 0] = after.white
    state.path[n + 1, 1] = after.black
    state.path[n + 1, 2] = after.kings
    own, other = sides(before)
    if move & other:
        state.progress[n + 1, 0] = 0
        state.progress[n + 1, 1] = 0
    else:
        man = move & own & ~before.kings
        state.progress[n + 1, 0] = 0 if man else state.progress[n, 0] + 1
        state.progress[n + 1, 1] = state.progress[n, 1] + 1


@inlined
def enter_leaf(state: Any, ply: int, before: Position, move: int, after: Position) -> None:
    """`enter`, as far as a leaf needs it: what a capture or a man's move leads to cannot have occurred before."""
    own, other = sides(before)
    if move & (other | own & ~before.kings):
        n = state.base + ply
        state.progress[n + 1, 0] = 0
        state.progress[n + 1, 1] = 0 if move & other else state.progress[n, 1] + 1
    else:
        enter(state, ply, before, move, after)


@inlined
def is_drawn(rules: Rules, state: Any, position: Position, ply: int) -> bool:
    """Whether the game is drawn at `ply` of the line: by repetition, or by plies without progress."""
    n = state.base + ply
    since = state.progress[n, 0]
    if since >= state.no_progress or state.progress[n, 1] >= state.no_capture:
        return has_move(rules, position)
    return bool(state.repetition and since >= 4 and has_occurred(state, n, max(n - since, 0)))


@kernel
def has_occurred(state: Any, n: int, first: int) -> bool:
    """Whether the position `n` of `path` is also among those from `first` on, with the same side to move."""
    path = state.path
    for earlier in range(n - 4, first - 1, -2):
        if path[earlier, 0] == path[n, 0] and path[earlier, 1] == path[n, 1] and path[earlier, 2] == path[n, 2]:
            return True
    return False


@inlined
def draw_value(state: Any, ply: int) -> float:
    """The value of a draw for the side to move at `ply`: the root's side gives up `contempt` by it."""
    return state.contempt if ply & 1 else -state.contempt


@inlined
def bounded(state: Any, value: float, alpha: float, beta: float) -> float:
    """A value clamped to the window, unless the search is fail-soft."""
    if state.fail_soft:
        return value
    return min(max(value, alpha), beta)


@inlined
def extend_pv(state: Any, ply: int, move: int) -> None:
    """Make the best line from `ply` the move and the best line after it."""
    pv = state.pv
    pv[ply, 0] = move
    for i in range(PLIES - 1):
        pv[ply, i + 1] = pv[ply + 1, i]
        if pv[ply + 1, i] == -1:
            break


@inlined
def count_cutoff(state: Any, ply: int, first: bool) -> None:
    """Count a beta cutoff at `ply`."""
    if ply & 1:
        state.cutoffs_min += 1
    else:
        state.cutoffs_max += 1
    if first:
        state.cutoffs_first += 1
