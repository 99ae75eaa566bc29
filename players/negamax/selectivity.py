"""What is searched deeper, less deep or not at all: extensions, reductions and cuts, each with its switch.

`search_below` of `players.negamax.tree` asks here. Scores are from the view of the side to move.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arena.rules.jit.kernel import inlined
from arena.rules.jit.native import call_at, popcount
from arena.rules.rules import Rules
from players.negamax.leaves import UNKNOWN, is_threatened, leaf_value
from players.negamax.score import LIMIT
from players.negamax.state import MAX_DEPTH, MAX_PLY, Node
from players.negamax.switches import EARLY

PROBCUT_DEPTH = 4
"""Plies from which `probcut` looks."""
PROBCUT_BASE = 3
"""Plies for which its margin is, besides those that are left."""


@inlined
def extension(state: Any, ply: int, count: int) -> int:
    """Plies by which a node with `count` moves is searched deeper."""
    return int(state.extensions and count == 1 and ply < 2 * state.depth and ply < MAX_PLY - MAX_DEPTH // 2)


@inlined
def cut_value(rules: Rules, state: Any, node: Node, end: int, left: int, alpha: float, beta: float) -> float:
    """The value of a node without captures whose `left` plies need no search, as they hardly matter; else UNKNOWN.

    Nothing is cut in windows of wins and losses, nor where as few pieces as `full_width` are left: there they may
    be far from what the evaluation says. Room for moves begins at `moves[end]`.
    """
    futile = state.futility and left <= state.futility_depth
    probing = state.probcut > 0.0 and left >= PROBCUT_DEPTH and is_null(alpha, beta)
    if not (futile or probing) or abs(alpha) >= LIMIT or abs(beta) >= LIMIT:
        return UNKNOWN
    if popcount(node.position.white | node.position.black) <= state.full_width:
        return UNKNOWN
    static = leaf_value(rules, state, node.position)
    if futile and is_futile(state, static, left, alpha, beta) and not is_threatened(rules, node.position):
        state.leaves += 1
        return static
    return probable_value(rules, state, node, end, static, left, alpha, beta) if probing else UNKNOWN


@inlined
def is_null(alpha: float, beta: float) -> bool:
    """Whether no value lies between alpha and beta."""
    return bool(np.nextafter(alpha, np.inf) >= beta)


@inlined
def is_futile(state: Any, static: float, left: int, alpha: float, beta: float) -> bool:
    """Whether a node's evaluation is so far outside the window that its `left` plies will hardly change that."""
    slack = left * state.man
    return bool(static - state.futility_above * slack >= beta or static + state.futility_below * slack <= alpha)


@inlined
def probable_value(
    rules: Rules, state: Any, node: Node, end: int, static: float, left: int, alpha: float, beta: float
) -> float:
    """What a search to two fifths of the depth says if it is outside a null window by the margin; else UNKNOWN.

    It is only made if the evaluation is. Source: M. Buro, "ProbCut: an effective selective extension of the
    alpha-beta algorithm", ICCA Journal 18(2), 1995.
    """
    margin = state.probcut * (left + PROBCUT_BASE) * state.man
    shallow, probe = 2 * left // 5, Node(node.position, node.key, node.ply, end)
    value = UNKNOWN
    if static - margin >= beta:
        high = beta + margin
        value = call_at(state.search, rules, state, probe, shallow, np.nextafter(high, -np.inf), high)
        value = value - margin * (value < LIMIT) if value >= high else UNKNOWN
    elif static + margin <= alpha:
        low = alpha - margin
        value = call_at(state.search, rules, state, probe, shallow, low, np.nextafter(low, np.inf))
        value = value + margin * (value > -LIMIT) if value <= low else UNKNOWN
    state.pv[node.ply, 0] = -1
    return value


class Attempt(NamedTuple):
    """How a move is searched: cheaply at first, and again if it turns out better than alpha."""

    reduced: int
    """Plies less than all that are left."""
    high: float
    """The upper end of the window, beta at most."""


@inlined
def first_attempt(state: Any, left: int, tried: int, capturing: bool, alpha: float, beta: float) -> Attempt:
    """The first search of a move, before which `tried` others were searched."""
    if not (state.pvs or state.lmr) or tried == 0 or alpha == -np.inf:
        return Attempt(0, beta)
    reduced = reduction(state, left, tried, capturing, is_null(alpha, beta))
    return Attempt(reduced, np.nextafter(alpha, np.inf) if reduced > 0 or state.pvs else beta)


@inlined
def next_attempt(state: Any, attempt: Attempt, alpha: float, beta: float) -> Attempt:
    """The next search of a move, to the full depth, the window still closed or not."""
    return Attempt(0, np.nextafter(alpha, np.inf) if attempt.reduced > 0 and state.pvs else beta)


@inlined
def is_final(attempt: Attempt, value: float, beta: float) -> bool:
    """Whether a value above alpha needs no other search."""
    return attempt.reduced == 0 and (attempt.high == beta or value >= beta)


@inlined
def reduction(state: Any, left: int, tried: int, capturing: bool, null: bool) -> int:
    """Plies by which the first search of a move is reduced, before which `tried` moves were searched.

    `null` says whether the node's window is. Captures are not reduced, nor the last 2 plies.
    """
    if not state.lmr or capturing or left < 3:
        return 0
    if state.lmr == EARLY and null:
        return 2 if tried >= 3 and left >= 4 else 1
    if tried < 3:
        return 0
    return 2 if tried >= 6 and left >= 5 else 1
