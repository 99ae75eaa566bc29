"""The state of a search: one record that its kernels read and write, and what all searches do with it.

What a player sets once, and what lasts for a game, stand in classes of their own; every search clears the rest
where it begins, or writes it before it is read.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.rules.jit.kernel import inlined, kernel
from arena.rules.jit.native import monotonic
from arena.rules.movegen import has_move
from arena.rules.moves import BUFFER, sides
from arena.rules.position import Position
from arena.rules.result import Draws
from arena.rules.rules import Rules
from players.memory import Floats, Integers
from players.negamax.switches import Switches

MAX_DEPTH = 64
MAX_PLY = 96  # plies from the root beyond which nothing is extended
MAX_MOVES = 512  # at the root
HISTORY = 256  # the latest positions of the game, which a search knows
KILLERS = 2
HISTORY_BITS = 12
LINE_PLIES = MAX_PLY + 2
_POLL_MOST, _POLL_SECONDS = 4096, 0.0005  # nodes between two looks at the clock, at most, and about the seconds
POLL_FIRST = 64  # nodes of negamax before its first look at the clock
RULE_OFF = 2**62  # plies that a draw rule counts to if it is off


class Node(NamedTuple):
    """A position of the tree, as kernels hand it on."""

    position: Position
    key: int  # the position's zobrist key; 0 where no table is read
    ply: int  # plies from the root
    start: int  # where its moves begin in `moves`


class SearchResult(NamedTuple):
    """What a search reports, read from its record by these names; counters mean what they do in `Choice`."""

    nodes: int
    deepest: int
    leaves: int
    cutoffs_max: int
    cutoffs_min: int
    cutoffs_first: int
    tt_probes: int
    tt_hits: int
    completed: int
    found: int
    tie_count: int
    line_length: int
    undefined: int


class DrawRules:
    """The draw rules that a search knows; set once."""

    repetition: int  # 0: off
    no_progress: int  # plies, RULE_OFF if off
    no_capture: int


class SearchLine(DrawRules):
    """The limits of a search, and the line of positions that it looks at; `begin` sets the limits and the root."""

    node_limit: int  # positions that may be entered
    deadline: float  # the reading of the clock that ends the search
    polled: float  # the last reading
    poll_at: int  # the number of nodes at the next reading
    poll_every: int  # nodes between two readings
    stopped: int  # whether a limit, or an undefined value, ended the search
    base: int  # how many positions of the game stand in `path` before the root
    nodes: int  # positions entered
    path: Annotated[Integers, (HISTORY + LINE_PLIES, 3)]  # white, black, kings: of the game, then of the line
    progress: Annotated[
        Integers, (HISTORY + LINE_PLIES, 2)
    ]  # plies since a capture or a man's move, and since a capture
    moves: Annotated[Integers, (BUFFER,)]  # the root's moves, then those of each position of the line


class Given(DrawRules):
    """Holds the draw rules and the evaluation, which a player sets once for all its searches."""

    evaluation: int  # its address
    weights: int  # the address of its weights


class Searched(SearchLine, Given):
    """What any search by negamax finds; `clear_answer` clears it down to `best`."""

    deepest: int
    leaves: int
    cutoffs_max: int
    cutoffs_min: int
    cutoffs_first: int
    tt_probes: int
    tt_hits: int
    completed: int  # the depth of the iteration that counts
    found: int  # whether it found a move
    tie_count: int  # how many there are of `tied_moves`
    line_length: int  # how many there are of `line`
    undefined: int  # whether the evaluation has no finite value in the position `undefined_at`
    best: int  # the index of the best move of the root, -1 without one
    undefined_at: Annotated[Integers, (4,)]
    line: Annotated[Integers, (LINE_PLIES,)]  # the best line of the iteration that counts, the chosen move first
    tied_moves: Annotated[Integers, (MAX_MOVES,)]  # its best moves, if one is to be drawn
    pv: Annotated[Integers, (LINE_PLIES, LINE_PLIES)]  # row p: the best line from ply p, ended by -1
    root_index: Annotated[Integers, (MAX_MOVES,)]  # each root move's number in the order in which they were given
    root_values: Annotated[Floats, (MAX_MOVES,)]  # its last value, -inf before the first one
    tied: Annotated[Integers, (MAX_MOVES,)]  # whether it is among the best ones of the iteration


class NegamaxSettings(Given, Switches):
    """What a player sets once: the switches, and where its memory is."""

    man: float  # a man's worth in the evaluation's unit
    search: int  # the address of `search_below`
    tables_address: int  # of the endgame tables
    tt_address: int  # of the transposition table
    tt_words: int


class Lasting:
    """What a search leaves for the next ones of its game, beside the table; `begin_search` ages it."""

    generation: int  # the number of this search
    oldest: int  # the oldest generation whose entries of the table are valid
    history: Annotated[Integers, (2, 1 << HISTORY_BITS)]  # by side and hash of a move: how often, and high, it cut


class State(Searched, NegamaxSettings, Lasting):
    """Everything that a search reads and writes: what it finds (Searched), what a player sets once
    (NegamaxSettings), what lasts for a game (Lasting), and its own, which `begin_search` or an iteration
    clears."""

    depth: int  # plies of the iteration under way
    settled_by_table: int  # how many values from the table a deeper search might change
    first: int  # nodes at the end of the first move of the root
    killers: Annotated[Integers, (LINE_PLIES, KILLERS)]  # by ply: the last moves that cut there
    ranks: Annotated[Integers, (BUFFER,)]  # the rank of each of `moves`, written before it is read


def draw_rules(draws: Draws) -> dict[str, int]:
    """The draw rules as a record has them."""
    return {
        "repetition": int(draws.repetition),
        "no_progress": draws.no_progress or RULE_OFF,
        "no_capture": draws.no_capture or RULE_OFF,
    }


@inlined
def begin(
    state: SearchLine,
    position: Position,
    earlier: NDArray[np.int64],
    counts: tuple[int, int],
    nodes: int,
    seconds: float,
    poll: int,
) -> None:
    """Set limits, and make the game's last positions and then the position the beginning of the line; the clock is
    read after `poll` nodes for the first time."""
    state.nodes = state.stopped = 0
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
def clear_answer(state: Searched) -> None:
    """Clear what a search reports, and the best move."""
    state.deepest = state.leaves = state.tt_probes = state.tt_hits = 0
    state.cutoffs_max = state.cutoffs_min = state.cutoffs_first = 0
    state.completed = state.found = state.tie_count = state.line_length = state.undefined = 0
    state.best = -1


@inlined
def out_of_budget(state: SearchLine) -> bool:
    """Whether no further position may be entered, by the limit of nodes or the clock, read from time to time."""
    if state.nodes >= state.node_limit:
        state.stopped = 1
    elif state.nodes >= state.poll_at:
        read_clock(state)
    return state.stopped != 0


@kernel
def read_clock(state: SearchLine) -> None:
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
def enter(state: SearchLine, ply: int, before: Position, move: int, after: Position) -> None:
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
def is_drawn(rules: Rules, state: SearchLine, position: Position, ply: int) -> bool:
    """Whether the game is drawn at `ply` of the line, by the rules of the state, which are all off unless the
    player's switch `draws` is on."""
    n = state.base + ply
    since = state.progress[n, 0]
    if since >= state.no_progress or state.progress[n, 1] >= state.no_capture:
        return has_move(rules, position)
    return bool(state.repetition and since >= 4 and has_occurred(state, n, max(n - since, 0)))


@kernel
def has_occurred(state: SearchLine, n: int, first: int) -> bool:
    """Whether the position `n` of `path` is also among those from `first` on, with the same side to move."""
    path = state.path
    for earlier in range(n - 4, first - 1, -2):
        if path[earlier, 0] == path[n, 0] and path[earlier, 1] == path[n, 1] and path[earlier, 2] == path[n, 2]:
            return True
    return False


@inlined
def extend_pv(state: Searched, ply: int, move: int) -> None:
    """Make the best line from `ply` the move and the best line after it."""
    pv = state.pv
    pv[ply, 0] = move
    for i in range(LINE_PLIES - 1):
        pv[ply, i + 1] = pv[ply + 1, i]
        if pv[ply + 1, i] == -1:
            break


@inlined
def count_cutoff(state: Searched, ply: int, first: bool) -> None:
    """Count a beta cutoff at `ply`."""
    if ply & 1:
        state.cutoffs_min += 1
    else:
        state.cutoffs_max += 1
    if first:
        state.cutoffs_first += 1


@inlined
def keep_iteration(state: Searched, count: int, completed: int, draws_lots: bool) -> None:
    """Make the iteration, or the part of it that was finished, the answer. With `draws_lots` `tied_moves` gets its
    best moves, in the order in which the `count` moves were given."""
    state.found = 1
    state.completed = completed
    length = 0
    while state.pv[0, length] != -1:
        state.line[length] = state.pv[0, length]
        length += 1
    state.line_length = length
    state.tie_count = 0
    if draws_lots:
        for index in range(count):
            for i in range(count):
                if state.root_index[i] == index and state.tied[i]:
                    state.tied_moves[state.tie_count] = state.moves[i]
                    state.tie_count += 1


@kernel
def sort_root(state: Searched, count: int) -> None:
    """Order the root's moves by their values, highest first, the best move before all; equals keep their order."""
    values, moves, index = state.root_values, state.moves, state.root_index
    if state.best >= 0:
        values[state.best] = np.inf
    for i in range(1, count):
        value, move, number = values[i], moves[i], index[i]
        k = i
        while k > 0 and values[k - 1] < value:
            values[k], moves[k], index[k] = values[k - 1], moves[k - 1], index[k - 1]
            k -= 1
        values[k], moves[k], index[k] = value, move, number
