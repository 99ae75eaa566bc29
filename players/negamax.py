"""The negamax search, compiled: one tree search in which each technique is a switch.

Nodes are counted the same way everywhere: every position entered counts once each time, the root and the leaves
included. Scores are from the view of the side to move. A side that has lost scores -(WIN - plies from the root),
so that a quicker win is worth more; evaluations are held within +-LIMIT.

`root` searches the root's moves, `_search` the positions below, `_frontier` those one ply above the horizon, and
`_leaf` values what lies there, with `_quiesce` where captures are pending.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from arena.rules.captures import capturers
from arena.rules.jit import inlined, kernel, monotonic, popcount, prepare
from arena.rules.movegen import apply, generate, has_move
from arena.rules.moves import BUFFER, Moves, sides
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.zobrist import changed
from players.features import evaluate
from players.transposition import EXACT, LOWER, MOVE, UPPER, Table, bound_of, depth_of, find, score_of, store

WIN = 1_000_000.0
"""Score of a game won at the root; a win in n plies scores WIN - n."""
LIMIT = 900_000.0
"""Evaluations beyond are cut to this, so that none looks like a win."""
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

FUTILE_DEPTH, FUTILE_ABOVE, FUTILE_BELOW = 5, 0.3, 0.8
"""Positions this deep or less are cut if their evaluation is so many men a ply above beta or below alpha."""

_KILLER_SLOTS = 2
_HISTORY_BITS = 12
_HISTORY_MIX = 0x9E3779B97F4A7C15 - 2**64
_PLIES = MAX_PLY + 2
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
"""How to search, set once; see `players.search.Negamax`. `man` is a man's worth in the evaluation's unit."""
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
        ("pv", "i8", (_PLIES, _PLIES)),
        ("killers", "i8", (_PLIES, _KILLER_SLOTS)),
        ("history", "i8", (2, 1 << _HISTORY_BITS)),
        ("order", "i8", BUFFER),
        ("root_index", "i8", MAX_MOVES),
        ("root_values", "f8", MAX_MOVES),
        ("tied", "i8", MAX_MOVES),
        ("path", "i8", (HISTORY + _PLIES, 3)),
        ("progress", "i8", (HISTORY + _PLIES, 2)),
    ],
    align=True,
)
"""Everything that a search reads and writes but the arrays of `Tools`.

pv row p is the best line found from ply p, ended by -1. `root_index` numbers the root's moves in the generator's
order, `root_values` are their values, `tied` marks the best ones. `path` is white, black and kings of the game's
last positions, `base` of them before the root, and of the line under way; `progress` the plies since the last
capture or move of a man, and since the last capture.
"""


_compiled: set[Any] = set()


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


def compile_search(rules: Any, tools: Tools, position: Position) -> None:
    """Compile the search for a rule set and a kind of evaluation, or load it from the cache; once a process.

    The kernels that call themselves come first.
    """
    kind = (rules, numba.typeof(tools.pointer))
    if kind not in _compiled:
        prepare(_quiesce, types.float64, rules, tools, position, -WIN, WIN, 0, 0)
        prepare(_search, types.float64, rules, tools, position, 0, 1, -WIN, WIN, 0, 0)
        prepare(root, types.float64, rules, *tools, position, 0, 1, -WIN, WIN, 0)
        _compiled.add(kind)


@kernel
def root(
    rules: Rules,
    pointer: Any,
    weights: NDArray[np.float64],
    state: Any,
    moves: Moves,
    table: Table,
    position: Position,
    key: int,
    depth: int,
    alpha: float,
    beta: float,
    count: int,
) -> float:
    """The value of the root, whose moves are the first `count` of `moves`, searched `depth` plies.

    Exact if within alpha and beta, else a bound. `state.best` is then the index of the best move, -1 if there is
    none above alpha; with `state.stopped` the value is that of the moves that were finished. (The tools come one
    by one, as numba takes a millisecond to tell the type of a record within a tuple.)
    """
    tools = Tools(pointer, weights, state, moves, table)
    state.best = -1
    best = -np.inf
    if out_of_budget(state):
        return best
    state.nodes += 1
    state.pv[0, 0] = -1
    below = int(np.int64(1))  # a plain 1 would be of a literal type, and compile everything once more
    for i in range(count):
        if state.nodes >= state.node_limit:
            state.stopped = 1
            break
        move = moves[i]
        child = apply(rules, position, move)
        enter(rules, state, 0, position, move, child)
        low = alpha
        if best > alpha:
            low = np.nextafter(best, -np.inf) if wins_ties(state, i) else best
        floor = low if state.alpha_beta else -np.inf
        if depth == 1:
            state.pv[1, 0] = -1
            value = -_leaf(rules, tools, child, -beta, -floor, below, count)
        else:
            child_key = changed(key, position, child)
            value = np.inf
            if state.pvs and i > 0 and floor > -np.inf:
                above = np.nextafter(floor, np.inf)
                value = -_search(rules, tools, child, child_key, depth - 1, -above, -floor, below, count)
            if value > floor and not state.stopped:
                value = -_search(rules, tools, child, child_key, depth - 1, -beta, -floor, below, count)
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
    """Whether the root's move `i` is to be told from the best so far if both are equally good."""
    if state.ties == RANDOM:
        return True
    return (state.root_index[i] < state.root_index[state.best]) == (state.ties == FIRST)


@kernel
def _search(
    rules: Rules,
    tools: Tools,
    position: Position,
    key: int,
    depth: int,
    alpha: float,
    beta: float,
    ply: int,
    start: int,
) -> float:
    """The value v of a position searched `depth` > 0 plies: exact if alpha < v < beta, else a bound.

    Move lists start at `moves[start]`. The best line is left in `state.pv[ply]`.
    """
    state, moves, table = tools.state, tools.moves, tools.table
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
        state.tt_probes += 1
        entry = find(table, key)
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
        return _frontier(rules, tools, position, alpha, beta, ply, start, end)
    own, other = sides(position)
    capturing = moves[start] & other != 0
    if state.futility and not capturing and left <= FUTILE_DEPTH and abs(alpha) < LIMIT and abs(beta) < LIMIT:
        static = within_limit(evaluate(tools.pointer, position, rules, tools.weights))
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
        enter(rules, state, ply, position, move, child)
        child_key = changed(key, position, child) if state.tt else 0
        value = np.inf
        settled = False
        if i > start and alpha > -np.inf:
            above = np.nextafter(alpha, np.inf)
            cut = reduction(state, left, i - start, capturing)
            if cut > 0:
                value = -_search(rules, tools, child, child_key, left - 1 - cut, -above, -alpha, ply + 1, end)
                settled = value <= alpha
            if not settled and state.pvs and above < beta:
                value = -_search(rules, tools, child, child_key, left - 1, -above, -alpha, ply + 1, end)
                settled = value <= alpha or value >= beta
        if not settled:
            value = -_search(rules, tools, child, child_key, left - 1, -beta, -alpha, ply + 1, end)
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
        store(table, key, best_move, score, depth, bound, state.generation, state.tt_always != 0)
    return bounded(state, best, floor, beta)


@kernel
def _frontier(
    rules: Rules,
    tools: Tools,
    position: Position,
    alpha: float,
    beta: float,
    ply: int,
    start: int,
    end: int,
) -> float:
    """`_search` at depth 1 for the moves in `moves[start:end]`: each is made and its position valued."""
    state, moves = tools.state, tools.moves
    floor = alpha
    best = -np.inf
    best_move = -1
    for i in range(start, end):
        child = apply(rules, position, moves[i])
        if state.repetition or state.repetition_penalty != 0.0:
            enter(rules, state, ply, position, moves[i], child)
        if state.nodes >= state.node_limit:
            state.stopped = 1
            return 0.0
        value = -_leaf(rules, tools, child, -beta, -alpha, ply + 1, end)
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


@kernel
def _leaf(
    rules: Rules, tools: Tools, position: Position, alpha: float, beta: float, ply: int, start: int
) -> float:
    """The value, for the side to move, of a position at the horizon."""
    state = tools.state
    if state.quiescence and is_unquiet(rules, state, position, ply):
        return _quiesce(rules, tools, position, alpha, beta, ply, start)
    state.nodes += 1
    if ply > state.deepest:
        state.deepest = ply
    if not has_move(rules, position):
        return final_value(rules, state, position, ply)
    if is_drawn(state, ply):
        return draw_value(state, ply)
    state.leaves += 1
    value = within_limit(evaluate(tools.pointer, position, rules, tools.weights))
    if state.repetition_penalty != 0.0 and is_repeated_after_four(state, ply):
        value -= state.repetition_penalty
    return value


@kernel
def _quiesce(
    rules: Rules, tools: Tools, position: Position, alpha: float, beta: float, ply: int, start: int
) -> float:
    """The value of an unquiet position beyond the horizon: every legal move is searched until it is quiet."""
    state, moves = tools.state, tools.moves
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
        enter(rules, state, ply, position, moves[i], child)
        if is_unquiet(rules, state, child, ply + 1):
            value = -_quiesce(rules, tools, child, -beta, -alpha, ply + 1, end)
        else:
            if state.nodes >= state.node_limit:
                state.stopped = 1
                return 0.0
            state.nodes += 1
            if ply + 1 > state.deepest:
                state.deepest = ply + 1
            if has_move(rules, child):
                state.leaves += 1
                value = -within_limit(evaluate(tools.pointer, child, rules, tools.weights))
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
def within_limit(value: float) -> float:
    """An evaluation that looks like no win."""
    return min(max(value, -LIMIT), LIMIT)


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
    for i in range(_PLIES - 1):
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


@inlined
def history_index(move: int) -> int:
    """Where a move's history is kept: a hash of the move."""
    return ((move * _HISTORY_MIX) >> (64 - _HISTORY_BITS)) & ((1 << _HISTORY_BITS) - 1)


@inlined
def reward(state: Any, move: int, turn: int, ply: int, depth: int) -> None:
    """Remember a quiet move that caused a cutoff."""
    if state.order_killers and state.killers[ply, 0] != move:
        state.killers[ply, 1] = state.killers[ply, 0]
        state.killers[ply, 0] = move
    if state.order_history:
        state.history[turn, history_index(move)] += depth * depth


@inlined
def rank_moves(
    state: Any,
    moves: Moves,
    own: int,
    other: int,
    capturing: bool,
    turn: int,
    table_move: int,
    ply: int,
    start: int,
    end: int,
) -> bool:
    """Give each move in `moves[start:end]` its rank in `state.order`, higher first; False if there is none."""
    wanted = table_move >= 0 and state.order_tt
    if capturing:
        if not (wanted or state.order_captures):
            return False
    elif not (wanted or state.order_killers or state.order_history):
        return False
    for i in range(start, end):
        move = moves[i]
        rank = 0
        if wanted and move == table_move:
            rank = 1 << 60
        elif capturing:
            if state.order_captures:
                rank = popcount(move & other)
        elif state.order_killers and move == state.killers[ply, 0]:
            rank = 1 << 59
        elif state.order_killers and move == state.killers[ply, 1]:
            rank = 1 << 58
        elif state.order_history:
            rank = state.history[turn, history_index(move)]
        state.order[i] = rank
    return True


@inlined
def pick_best(state: Any, moves: Moves, i: int, end: int) -> None:
    """Move the highest ranked of `moves[i:end]` to its front; those passed over keep their order."""
    order = state.order
    best = i
    for k in range(i + 1, end):
        if order[k] > order[best]:
            best = k
    move, rank = moves[best], order[best]
    for k in range(best, i, -1):
        moves[k] = moves[k - 1]
        order[k] = order[k - 1]
    moves[i] = move
    order[i] = rank


@kernel
def static_value(rules: Rules, pointer: Any, weights: NDArray[np.float64], position: Position, ply: int) -> float:
    """The value of a position that is not searched further, for the side to move."""
    if has_move(rules, position):
        return within_limit(evaluate(pointer, position, rules, weights))
    return decided_value(rules, position, ply)


@inlined
def final_value(rules: Rules, state: Any, position: Position, ply: int) -> float:
    """The score of a position without a move, for the side to move; see `players.search` for `point_finals`."""
    if rules.score_decides and state.point_finals:
        difference = own_points(rules, position)
        if ply & 1:
            difference = -difference
        value = 100.0 + difference if difference > 0 else difference - 100.0
        return -value if ply & 1 else value
    return decided_value(rules, position, ply)


@kernel
def decided_value(rules: Rules, position: Position, ply: int) -> float:
    """The score of a position without a move, for the side to move: a win, a loss or a draw on points."""
    if rules.score_decides:
        difference = own_points(rules, position)
        if difference == 0:
            return 0.0
        return WIN - ply if difference > 0 else ply - WIN
    won = rules.losing_wins
    if rules.first_king_wins and position.kings != 0:
        won = position.kings & sides(position)[0] != 0
    return WIN - ply if won else ply - WIN


@kernel
def own_points(rules: Rules, position: Position) -> int:
    """Points of the side to move minus the other side's: 2 for a piece on its far row, 1 for any other."""
    white = popcount(position.white) + popcount(position.white & rules.top)
    black = popcount(position.black) + popcount(position.black & rules.bottom)
    if position.turn == 0:
        return white - black
    return black - white
