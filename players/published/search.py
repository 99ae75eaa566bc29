"""The search of the published programs, compiled: plain alpha-beta, and what each of them does in its own way;
it counts and values as `players.negamax` does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from arena.rules.jit.kernel import entry, inlined, kernel
from arena.rules.jit.native import lowest_square, monotonic, view
from arena.rules.movegen import apply, generate, has_move
from arena.rules.moves import BUFFER, points, sides, target_of
from arena.rules.position import Position, row_and_column
from arena.rules.rules import Rules
from players.memory import Integers, record_type
from players.negamax.score import WIN, decided_value, leaf_value
from players.negamax.state import (
    POLL_FIRST,
    Given,
    Node,
    Searched,
    begin,
    clear_answer,
    count_cutoff,
    enter,
    extend_pv,
    has_occurred,
    keep_iteration,
    out_of_budget,
    sort_root,
)
from players.negamax.switches import TIES_RANDOM

BOUND = TIES_RANDOM + 1  # in `ties`: of equal values the last one, those of cut branches, too, which may be worse
PLIES_AWAY, FINAL_POINTS, FINAL_ALIKE, BLIND, EVALUATED = range(5)
"""What a finished game is worth, in `finals`: a win the more the sooner; where points decide, +-100 and the
difference; all wins alike; the same, but none is seen at the horizon; what the evaluation says."""


class ProgramSettings(Given):
    """What a program's player sets once; of the draw rules `no_capture` alone is read."""

    finals: int  # which of the five above
    ties: int  # which of equally good moves is played: TIES_FIRST (as searched), TIES_RANDOM or BOUND
    deepens: int  # whether it searches to depth 1, 2, 3 ..., each time in the order of the last values
    by_squares: int  # whether moves are searched by row and column of the piece, then of its target
    mirrored: int  # whether the variant's board has its columns from right to left
    repetition_penalty: float  # what a position that repeats the one four plies before is worth less


class ProgramState(Searched, ProgramSettings):
    """Everything that a program's search reads and writes."""

    ranks: Annotated[Integers, (BUFFER,)]  # the places of `moves`, written before they are read


@cache
def compiled_search(rules: Any) -> Any:
    """`search` for a rule set, to be called from Python; compiled, or loaded from the cache, at the first call."""
    states, earlier = np.zeros(1, record_type(ProgramState)), np.zeros((0, 4), np.int64)
    arguments = (rules, states, Position(0, 0, 0, 0), earlier, (0, 0), 0, 1, 1, WIN, WIN)
    return entry(search, types.float64, *arguments)


@kernel
def search(
    rules: Rules,
    states: Sequence[ProgramState],
    position: Position,
    earlier: NDArray[np.int64],
    counts: tuple[int, int],
    count: int,
    depth: int,
    nodes: int,
    soft: float,
    hard: float,
) -> float:
    """Search a position until a limit is met, as `players.negamax.search.search` does, whose parameters it has.
    With `deepens` it ends after `soft` seconds, with a single move under a limit of time, or with the whole
    tree."""
    state = states[0]
    begin(state, position, earlier, counts, nodes, hard, POLL_FIRST)
    clear_answer(state)
    began = state.polled
    if count == 0:
        count = list_moves(rules, state, position, 0)
    elif state.by_squares:
        arrange(rules, state, position, 0, count)
    for i in range(count):
        state.root_index[i] = i
    answer = np.inf
    for reached in range(1 if state.deepens else depth, depth + 1):
        leaves = state.leaves
        value = search_root(rules, state, position, reached, count)
        if state.best >= 0 and not (state.stopped and state.found):
            answer = value
            keep_iteration(state, count, reached - state.stopped, state.ties == TIES_RANDOM)
        if state.stopped or (count == 1 and hard < np.inf):
            break
        if monotonic() - began >= soft or state.leaves == leaves:
            break
        sort_root(state, count)
    return answer


@kernel
def search_root(rules: Rules, state: ProgramState, position: Position, depth: int, count: int) -> float:
    """The value of the root, whose moves are the first `count` of `state.moves`; `state.best` is the best one's.
    Where all wins are alike, the first that is found ends the search."""
    moves = view(state.moves, np.int64)
    state.best = -1
    best, alpha, beta = -np.inf, -np.inf, np.inf
    if state.finals in (FINAL_ALIKE, BLIND):
        alpha, beta = -WIN, WIN
    if out_of_budget(state):
        return best
    state.nodes += 1
    state.pv[0, 0] = -1
    state.tied[:count] = 0
    for i in range(count):
        child = descend(rules, state, Node(position, 0, 0, 0), moves[i], count)
        low = np.nextafter(best, -np.inf) if state.ties == TIES_RANDOM else best
        value = -search_below(rules, state, child, depth - 1, -beta, -max(alpha, low))
        if state.stopped:
            break
        state.root_values[i] = value
        if value > best:
            state.tied[:i] = 0
        state.tied[i] = value > low
        if value > best or (value == best and state.ties == BOUND):
            best = value
            state.best = i
            extend_pv(state, 0, moves[i])
            if best >= beta:
                count_cutoff(state, 0, i == 0)
                break
    return best


@kernel
def search_below(rules: Rules, state: ProgramState, node: Node, depth: int, alpha: float, beta: float) -> float:
    """The value of a node searched `depth` plies; the best line is left in `state.pv[node.ply]`."""
    if out_of_budget(state):
        return 0.0
    state.nodes += 1
    state.pv[node.ply, 0] = -1
    state.deepest = max(state.deepest, node.ply)
    if depth == 0:
        if state.finals < BLIND and not has_move(rules, node.position):
            return final_value(rules, state, node)
        state.leaves += 1
        return evaluated(rules, state, node)
    if state.progress[state.base + node.ply, 1] >= state.no_capture:
        return evaluated(rules, state, node)
    moves, start = view(state.moves, np.int64), node.start
    end = list_moves(rules, state, node.position, start)
    if end == start:
        return final_value(rules, state, node)
    best = -np.inf
    for i in range(start, end):
        child = descend(rules, state, node, moves[i], end)
        value = -search_below(rules, state, child, depth - 1, -beta, -alpha)
        if state.stopped:
            return 0.0
        if value > best:
            best = value
            if value > alpha:
                extend_pv(state, node.ply, moves[i])
                alpha = value
                if alpha >= beta:
                    count_cutoff(state, node.ply, i == start)
                    break
    return best


@inlined
def descend(rules: Rules, state: ProgramState, node: Node, move: int, start: int) -> Node:
    """The node that a move leads to, put on the line; its moves are listed from `moves[start]` on."""
    position = apply(rules, node.position, move)
    enter(state, node.ply, node.position, move, position)
    return Node(position, 0, node.ply + 1, start)


@inlined
def evaluated(rules: Rules, state: ProgramState, node: Node) -> float:
    """The evaluation of a node, less the penalty if it repeats the position four plies before."""
    value = leaf_value(rules, state, node.position)
    n = state.base + node.ply
    if state.repetition_penalty != 0.0 and n >= 4 and has_occurred(state, n, n - 4):
        value -= state.repetition_penalty
    return value


@inlined
def final_value(rules: Rules, state: ProgramState, node: Node) -> float:
    """The value of a node without a move, by `finals`."""
    if state.finals == EVALUATED:
        return evaluated(rules, state, node)
    if state.finals == FINAL_POINTS and rules.score_decides:
        white, black = points(rules, node.position)
        sign = -1.0 if node.ply & 1 else 1.0
        # from the view of the root's side, to which a draw is no win
        difference = sign * (white - black if node.position.turn == 0 else black - white)
        return sign * (difference + 100.0 if difference > 0 else difference - 100.0)
    return decided_value(rules, node.position, node.ply if state.finals < FINAL_ALIKE else 0)


@inlined
def list_moves(rules: Rules, state: ProgramState, position: Position, start: int) -> int:
    """Write the legal moves, in the order of the program, to `state.moves[start:end]` and return `end`."""
    end = generate(rules, position, view(state.moves, np.int64), start)
    if state.by_squares:
        arrange(rules, state, position, start, end)
    return end


@kernel
def arrange(rules: Rules, state: ProgramState, position: Position, start: int, end: int) -> None:
    """Order `state.moves[start:end]` by their squares; those with the same ends keep their order."""
    moves, ranks = view(state.moves, np.int64), state.ranks
    own, other = sides(position)
    for i in range(start, end):
        move = moves[i]
        if move == 0:
            return
        target = target_of(rules, own, other, move)
        rank = cell_of(rules, state, move & own) << 8 | cell_of(rules, state, target)
        k = i
        while k > start and ranks[k - 1] > rank:
            moves[k], ranks[k] = moves[k - 1], ranks[k - 1]
            k -= 1
        moves[k], ranks[k] = move, rank


@inlined
def cell_of(rules: Rules, state: ProgramState, bit: int) -> int:
    """The number of a cell of the board, row by row from the top left, as White sees the board."""
    row, column = row_and_column(lowest_square(bit), rules.per_row)
    columns = 2 * rules.per_row
    return row * columns + (columns - 1 - column if state.mirrored else column)
