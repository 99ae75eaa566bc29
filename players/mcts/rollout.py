"""The value of a new position of the tree: a random game, an evaluation through tanh, or a shallow search."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from arena.rules.jit.kernel import inlined, kernel
from arena.rules.jit.native import call_at, words
from arena.rules.movegen import apply, generate
from arena.rules.moves import sides
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.zobrist import key
from players.mcts.state import EVALUATION, RANDOM, chance_below
from players.negamax.leaves import leaf_value
from players.negamax.score import LIMIT, WIN, decided_value
from players.negamax.state import Node

GAME_PLIES = 200
"""Plies after which a random game is a draw."""


@inlined
def leaf_of_tree(rules: Rules, state: Any, shallow: Any, position: Position, ply: int) -> float:
    """The value of a position at `ply` for the side to move, from -1 to 1; beyond that a win or loss that a search
    found: 2 and the plies to it, or -2 minus them."""
    state.leaves += 1
    if state.rollout == RANDOM:
        return random_game(rules, state, position, ply)
    if state.rollout == EVALUATION:
        value = leaf_value(rules, shallow, position)
    else:
        value = shallow_value(rules, state, shallow, position, ply, state.rollout_depth, -WIN, WIN)
        if abs(value) > LIMIT:
            plies = WIN - abs(value)
            return 2.0 + plies if value > 0 else -2.0 - plies
    return math.tanh(value / state.scale)


@inlined
def shallow_value(
    rules: Rules, state: Any, shallow: Any, position: Position, ply: int, depth: int, alpha: float, beta: float
) -> float:
    """Value a position at `ply` by negamax to `depth` plies, within a window; nothing if `shallow` stopped."""
    n = state.base + ply
    shallow.path[0, 0] = position.white
    shallow.path[0, 1] = position.black
    shallow.path[0, 2] = position.kings
    shallow.progress[0, 0] = state.progress[n, 0]
    shallow.progress[0, 1] = state.progress[n, 1]
    shallow.base = 0
    shallow.depth = depth
    return call_at(
        shallow.search,
        rules,
        shallow,
        Node(position, key(position) if shallow.tt else 0, 0, 0),
        depth,
        alpha,
        beta,
    )


@kernel
def random_game(rules: Rules, state: Any, position: Position, ply: int) -> float:
    """The result, for the side to move at `ply` of the line, of a game of random moves: 1, 0 or -1."""
    moves = words(state.moves)
    n = state.base + ply
    without_progress, without_capture = state.progress[n, 0], state.progress[n, 1]
    sign = 1.0
    for _ in range(GAME_PLIES):
        count = generate(rules, position, moves, 0)
        if count == 0:
            return sign * np.sign(decided_value(rules, position, 0))
        if state.no_progress and without_progress >= state.no_progress:
            return 0.0
        if state.no_capture and without_capture >= state.no_capture:
            return 0.0
        move = moves[chance_below(state, count) if count > 1 else 0]
        own, other = sides(position)
        without_capture = 0 if move & other else without_capture + 1
        without_progress = 0 if move & (other | own & ~position.kings) else without_progress + 1
        position = apply(rules, position, move)
        sign = -sign
    return 0.0
