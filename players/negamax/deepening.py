"""The search for a move: its memory, and one kernel with iterations, windows and limits around the tree."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from arena.rules.jit.kernel import address_of, entry, inlined, is_compiling, kernel
from arena.rules.jit.native import monotonic
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.zobrist import key
from players.memory import Record, address_of_array
from players.negamax.ordering import list_moves
from players.negamax.score import LIMIT, WIN
from players.negamax.state import STATE, Answer, Node, begin_search
from players.negamax.switches import COST, HALF, RANDOM
from players.negamax.transposition import new_table
from players.negamax.tree import search_below, search_root

_WIDEST = 64
"""Men of half a window beyond which it is opened."""
_MOST_GROWTH = 4.0
"""Times by which the nodes of an iteration are expected to grow from the last one, at most."""


class SearchRecord(Record):
    """The memory of a player's searches: Python writes the settings and reads the answer."""

    def __init__(self, kind: np.dtype[Any], settings: Mapping[str, Any]) -> None:
        """A record of a type that has the fields of Answer.

        `settings` are fields of it; an array whose address is among them must live as long as the record.
        """
        super().__init__(kind, settings)
        assert kind.fields is not None
        places = [kind.fields[name][1] // 8 for name in Answer._fields]
        assert places == list(range(places[0], places[0] + len(places))), (
            "the fields of Answer stand in their order"
        )
        self._answer = self.array.view("i8")[places[0] : places[0] + len(places)]
        self.line, self.tied_moves = self.array["line"][0], self.array["tied_moves"][0]
        """The best line, the chosen move first, and the moves of equal value, in the order of the root's moves."""

    def answer(self) -> Answer:
        """What the search reports."""
        if is_compiling():
            return Answer._make(self._answer.tolist())
        return Answer(**{name: int(self.states[0][name]) for name in Answer._fields})


class Workspace(SearchRecord):
    """The record of negamax, and its transposition table."""

    def __init__(self, megabytes: int, settings: Mapping[str, Any]) -> None:
        """Room for searches with a table of `megabytes` megabytes, 0 for none."""
        self.table = new_table(megabytes)
        table = {"table": address_of_array(self.table), "table_words": self.table.size}
        super().__init__(STATE, {**table, **settings})

    def forget(self) -> None:
        """Empty the table and the history of moves."""
        state = self.states[0]
        state["oldest"] = state["generation"] + 1
        if state["order_history"]:
            state["history"][:] = 0


class Compiled(NamedTuple):
    """The search, compiled for a rule set."""

    search: Any
    """`search`, to be called from Python."""
    address: Any
    """Of `search_below`, for the field `search` of the state."""


@cache
def compiled_search(rules: Any) -> Compiled:
    """The search for a rule set; compiled, or loaded from the cache, at the first call."""
    states, position, earlier = Workspace(0, {}).states, Position(0, 0, 0, 0), np.zeros((0, 4), np.int64)
    state, node = states[0], Node(position, 0, 0, 0)
    address = address_of(search_below, types.float64, rules, state, node, 1, -WIN, WIN)
    return Compiled(
        entry(search, types.float64, rules, states, position, earlier, (0, 0), 0, 1, 1, WIN, WIN), address
    )


@kernel
def search(
    rules: Rules,
    states: Any,
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
    seconds: `hard`, and `soft`, after which no iteration is begun with `stop_half`. The answer is left in the one
    state in `states`, see Answer.
    """
    state = states[0]
    begin_search(state, position, earlier, counts, nodes, hard)
    began = state.polled
    if count == 0:
        count = list_moves(rules, state, position, 0)
    for i in range(count):
        state.root_index[i] = i
        state.root_values[i] = -np.inf
    root_key = key(position)
    answer, last = np.inf, 1
    for reached in range(1 if state.iterative else depth, depth + 1):
        state.depth = reached
        state.horizon = 0
        leaves, before = state.leaves, state.nodes
        value = iterate(rules, state, position, root_key, reached, count, answer)
        if state.best >= 0 and (not state.stopped or state.partial or not state.found):
            answer = value
            keep(state, count, reached - state.stopped)
        if state.stopped or (count == 1 and hard < np.inf):
            break
        if state.stop == HALF and monotonic() - began >= soft:
            break
        if state.stop == COST and is_too_late(state, before, last, monotonic() - began, min(hard, 2 * soft)):
            break
        last = max(state.nodes - before, 1)
        if abs(value) > LIMIT or (state.leaves == leaves and not state.horizon):
            break
        if state.root_order:
            sort_root(state, count)
    return answer


@kernel
def iterate(
    rules: Rules, state: Any, position: Position, root_key: int, depth: int, count: int, answer: float
) -> float:
    """The value of a search to `depth`, by windows around the last value that was found if so switched."""
    width = state.aspiration * state.man
    alpha, beta, value = -np.inf, np.inf, answer
    if abs(answer) <= LIMIT and state.mtdf:
        while alpha < beta and not state.stopped:
            bound = np.nextafter(value, np.inf) if value == alpha else value
            value = search_root(
                rules, state, position, root_key, depth, np.nextafter(bound, -np.inf), bound, count
            )
            if value < bound:
                beta = value
            else:
                alpha = value
        low = np.nextafter(value, -np.inf)
        value = search_root(rules, state, position, root_key, depth, low, np.inf, count)
        if state.best >= 0 or state.stopped:
            return value
        width, alpha, beta = 0.0, -np.inf, np.inf
    if abs(answer) <= LIMIT and width:
        alpha, beta = answer - width, answer + width
    while True:
        value = search_root(rules, state, position, root_key, depth, alpha, beta, count)
        if state.stopped or alpha < value < beta or (alpha == -np.inf and beta == np.inf):
            return value
        width *= 4
        if value <= alpha:
            alpha = answer - width
        if value >= beta:
            beta = answer + width
        if width > _WIDEST * state.man:
            alpha, beta = -np.inf, np.inf


@inlined
def is_too_late(state: Any, before: int, last: int, spent: float, seconds: float) -> bool:
    """Whether the next iteration's first move would be searched after `seconds`, of which some are spent.

    It is to grow, as the iteration that took all nodes from `before` on has grown from one of `last` nodes.
    """
    growth = min((state.nodes - before) / last, _MOST_GROWTH)
    return bool(spent + spent / state.nodes * growth * (state.first - before) >= seconds)


@inlined
def keep(state: Any, count: int, completed: int) -> None:
    """Make the iteration that was finished, or the part of it that was, the answer."""
    state.found = 1
    state.completed = completed
    length = 0
    while state.pv[0, length] != -1:
        state.line[length] = state.pv[0, length]
        length += 1
    state.line_length = length
    state.tie_count = 0
    if state.ties == RANDOM:
        for index in range(count):
            for i in range(count):
                if state.root_index[i] == index and state.tied[i]:
                    state.tied_moves[state.tie_count] = state.moves[i]
                    state.tie_count += 1


@kernel
def sort_root(state: Any, count: int) -> None:
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
