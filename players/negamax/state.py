"""The state of a search: its switches, counters, limits and line, in one record that kernels read and write."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.rules.jit.clock import monotonic
from arena.rules.jit.kernel import inlined, kernel
from arena.rules.moves import BUFFER, Moves, sides
from arena.rules.position import Position
from arena.rules.rules import Rules
from players.negamax.score import LIMIT
from players.negamax.transposition import Table

MAX_DEPTH = 64
MAX_PLY = 96
"""Plies from the root beyond which nothing is extended."""
MAX_MOVES = 512
"""Moves at the root."""
HISTORY = 256
"""Positions of the game that a search is told of, the latest ones."""

FIRST, LAST, RANDOM = range(3)
"""Which of equally good moves is chosen at the root, in the generator's order."""
NO_QUIESCENCE, CAPTURES, THREATS = range(3)
"""What is searched on beyond the horizon: nothing, captures, or also moves out of a threatened capture."""

_KILLER_SLOTS = 2
HISTORY_BITS = 12
PLIES = MAX_PLY + 2
_POLL_MOST, _POLL_SECONDS = 4096, 0.0005
"""The clock is read every so many nodes, at most, and about every so many seconds."""

SWITCHES = (
    ("alpha_beta", "i8"),
    ("fail_soft", "i8"),
    ("ties", "i8"),
    ("order_tt", "i8"),
    ("order_captures", "i8"),
    ("order_killers", "i8"),
    ("order_history", "i8"),
    ("tt", "i8"),
    ("tt_deeper", "i8"),
    ("tt_always", "i8"),
    ("pvs", "i8"),
    ("quiescence", "i8"),
    ("lmr", "i8"),
    ("futility", "i8"),
    ("extensions", "i8"),
    ("mate_distance", "i8"),
    ("point_finals", "i8"),
    ("repetition", "i8"),
    ("no_progress", "i8"),
    ("no_capture", "i8"),
    ("contempt", "f8"),
    ("repetition_penalty", "f8"),
    ("man", "f8"),
)
"""How to search, set once; see `players.negamax.player.Negamax`. `man` is a man's worth in its unit."""
COUNTERS = (
    "nodes",
    "leaves",
    "cutoffs_max",
    "cutoffs_min",
    "cutoffs_first",
    "tt_probes",
    "tt_hits",
    "deepest",
    "horizon",
)
"""What a search counts, named as in `Choice`; `horizon` counts values in the
table that a deeper search might change."""
STATE = np.dtype(
    [
        *SWITCHES,
        *((name, "i8") for name in COUNTERS),
        ("node_limit", "i8"),
        ("deadline", "f8"),
        ("polled", "f8"),
        ("poll_at", "i8"),
        ("poll_every", "i8"),
        ("stopped", "i8"),
        ("generation", "i8"),
        ("depth", "i8"),
        ("best", "i8"),
        ("base", "i8"),
        ("pv", "i8", (PLIES, PLIES)),
        ("killers", "i8", (PLIES, _KILLER_SLOTS)),
        ("history", "i8", (2, 1 << HISTORY_BITS)),
        ("order", "i8", BUFFER),
        ("root_index", "i8", MAX_MOVES),
        ("root_values", "f8", MAX_MOVES),
        ("tied", "i8", MAX_MOVES),
        ("path", "i8", (HISTORY + PLIES, 3)),
        ("progress", "i8", (HISTORY + PLIES, 2)),
    ],
    align=True,
)
"""Everything that a search reads and writes but the arrays of `Tools`.

pv row p is the best line found from ply p, ended by -1. `root_index` numbers the root's moves in the generator's
order, `root_values` are their values, `tied` marks the best ones. `path` is white, black and kings of the game's
last positions, `base` of them before the root, and of the line under way; `progress` the plies since the last
capture or move of a man, and since the last capture.
"""


class Tools(NamedTuple):
    """What a search works with besides the rules."""

    pointer: Any
    """The evaluation, called with `weights` if it takes any."""
    weights: NDArray[np.float64]
    state: Any
    """A record of STATE."""
    moves: Moves
    """A buffer with the root's moves first."""
    table: Table


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
    """Stop at the deadline; read the clock again after so many nodes as take about _POLL_SECONDS."""
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
def enter(rules: Rules, state: Any, ply: int, before: Position, move: int, after: Position) -> None:
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
def is_drawn(state: Any, ply: int) -> bool:
    """Whether the position at `ply` of the line occurred before, or the game is drawn without progress."""
    if not state.repetition:
        return False
    n = state.base + ply
    since = state.progress[n, 0]
    if since < 4:
        return False
    if state.no_progress and since >= state.no_progress:
        return True
    if state.no_capture and state.progress[n, 1] >= state.no_capture:
        return True
    return has_occurred(state, n, max(n - since, 0))


@kernel
def has_occurred(state: Any, n: int, first: int) -> bool:
    """Whether the position `n` of `path` is also among those from `first` on, with the same side to move."""
    path = state.path
    for earlier in range(n - 4, first - 1, -2):
        if path[earlier, 0] == path[n, 0] and path[earlier, 1] == path[n, 1] and path[earlier, 2] == path[n, 2]:
            return True
    return False


@inlined
def is_repeated_after_four(state: Any, ply: int) -> bool:
    """Whether the position at `ply` of the line is that of four plies before."""
    n = state.base + ply
    return bool(n >= 4 and has_occurred(state, n, n - 4))


@inlined
def draw_value(state: Any, ply: int) -> float:
    """The value of a draw for the side to move at `ply`: the root's side gives up `contempt` by it."""
    return state.contempt if ply & 1 else -state.contempt


@inlined
def bounded(state: Any, value: float, alpha: float, beta: float) -> float:
    """A value as it is returned: held within the window unless the search is fail-soft."""
    if state.fail_soft:
        return value
    return min(max(value, alpha), beta)


@inlined
def to_table(value: float, ply: int) -> float:
    """A value as the table keeps it: wins count their plies from the position itself."""
    if value > LIMIT:
        return value + ply
    if value < -LIMIT:
        return value - ply
    return value


@inlined
def from_table(value: float, ply: int) -> float:
    """What `to_table` kept, for a position `ply` plies from the root."""
    if value > LIMIT:
        return value - ply
    if value < -LIMIT:
        return value + ply
    return value


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
