"""Negamax to a fixed depth, with or without alpha-beta.

Nodes are counted the same way everywhere: every position entered counts once, the root and the leaves included.
Scores are from the view of the side to move. A side that has lost scores -(WIN - plies from the root), so that a
quicker win is worth more; evaluations are held within +-LIMIT.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from arena.player import Choice, Limit
from arena.rules.game import Game
from arena.rules.jit import kernel, popcount, prepare
from arena.rules.movegen import apply, generate, has_move
from arena.rules.moves import Moves, new_buffer, sides
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import Variant
from players.evaluators import build_evaluation
from players.features import evaluate

WIN = 1_000_000.0
"""Score of a game won at the root; a win in n plies scores WIN - n."""
LIMIT = 900_000.0
"""Evaluations beyond are cut to this, so that none looks like a win."""
MAX_DEPTH = 64

NODES, LEAVES, CUTOFFS_MAX, CUTOFFS_MIN, ROOT_MOVES = range(5)
"""Indices into the counters of a search; the last is given to it."""


class Negamax:
    """Negamax to the limit's depth; `alpha_beta: false` makes it plain minimax. Of equal moves the first is
    chosen, in the generator's order."""

    needs = ("depth",)

    def __init__(
        self, variant: Variant, evaluation: str | dict[str, Any] = "simple", alpha_beta: bool = True
    ) -> None:
        self._variant = variant
        self._evaluation = build_evaluation(evaluation, variant)
        self._alpha_beta = alpha_beta
        self._memory = Memory(
            new_buffer(),
            np.zeros((MAX_DEPTH + 2, MAX_DEPTH + 2), np.int64),
            np.zeros(5, np.int64),
            self._evaluation.weights,
        )
        prepare(_negamax, types.float64, *self._arguments(variant.start, 1))

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Search `limit.depth` plies and choose the best move.

        Raises ValueError unless the depth is 1 to MAX_DEPTH.
        """
        if limit.depth is None or not 1 <= limit.depth <= MAX_DEPTH:
            raise ValueError(f"negamax searches 1 to {MAX_DEPTH} plies, not {limit.depth}")
        memory = self._memory
        memory.counters[:] = 0
        memory.moves[: len(game.legal_moves)] = game.legal_moves
        memory.counters[ROOT_MOVES] = len(game.legal_moves)
        score = _negamax(*self._arguments(game.position, limit.depth))
        pv = memory.pv[0, : limit.depth].tolist()
        nodes, leaves, cutoffs_max, cutoffs_min, _ = memory.counters.tolist()
        length = pv.index(-1) if -1 in pv else len(pv)
        return Choice(
            pv[0],
            score,
            limit.depth,
            nodes=nodes,
            leaves=leaves,
            cutoffs_max=cutoffs_max,
            cutoffs_min=cutoffs_min,
            pv=tuple(pv[:length]),
        )

    def _arguments(self, position: Position, depth: int) -> tuple[Any, ...]:
        rules, pointer = self._variant.constants, self._evaluation.pointer
        return rules, pointer, self._memory, position, depth, -WIN, WIN, 0, self._alpha_beta, 0


class Memory(NamedTuple):
    """The arrays that one search works in."""

    moves: Moves
    pv: NDArray[np.int64]
    """int64[MAX_DEPTH + 2, MAX_DEPTH + 2]: row p is the best line found from ply p, ended by -1."""
    counters: NDArray[np.int64]
    weights: NDArray[np.float64]
    """The evaluation's weights, if it takes any."""


@kernel
def _negamax(
    rules: Rules,
    pointer: Any,
    memory: Memory,
    position: Position,
    depth: int,
    alpha: float,
    beta: float,
    ply: int,
    alpha_beta: bool,
    start: int,
) -> float:
    """The value v of a position searched `depth` > 0 plies: exact if alpha < v < beta, else a bound (fail-soft).

    Move lists start at `memory.moves[start]`; the root's is there before, `ROOT_MOVES` of them, as the game may
    know of moves that its history forbids. The best line is left in `memory.pv[ply]`.
    """
    memory.counters[NODES] += 1
    memory.pv[ply, 0] = -1
    end = memory.counters[ROOT_MOVES]
    if ply > 0:
        end = generate(rules, position, memory.moves, start)
    if end == start:
        return final_value(rules, position, ply)
    if depth == 1:
        return _frontier(rules, pointer, memory, position, alpha, beta, ply, alpha_beta, start, end)
    best = -np.inf
    for i in range(start, end):
        move = memory.moves[i]
        child = apply(rules, position, move)
        value = -_negamax(rules, pointer, memory, child, depth - 1, -beta, -alpha, ply + 1, alpha_beta, end)
        if value > best:
            best = value
            if value > alpha:
                memory.pv[ply, 0] = move
                for k in range(depth - 1):
                    memory.pv[ply, k + 1] = memory.pv[ply + 1, k]
                    if memory.pv[ply + 1, k] == -1:
                        break
                if alpha_beta:
                    alpha = value
                    if alpha >= beta:
                        memory.counters[CUTOFFS_MAX + (ply & 1)] += 1
                        break
    return best


@kernel
def _frontier(
    rules: Rules,
    pointer: Any,
    memory: Memory,
    position: Position,
    alpha: float,
    beta: float,
    ply: int,
    alpha_beta: bool,
    start: int,
    end: int,
) -> float:
    """`_negamax` at depth 1 for the moves in `memory.moves[start:end]`: each is made and evaluated."""
    best = -np.inf
    best_move = -1
    nodes = leaves = 0
    for i in range(start, end):
        child = apply(rules, position, memory.moves[i])
        nodes += 1
        if has_move(rules, child):
            leaves += 1
            value = -min(max(evaluate(pointer, child, rules, memory.weights), -LIMIT), LIMIT)
        else:
            value = -final_value(rules, child, ply + 1)
        if value > best:
            best = value
            if value > alpha:
                best_move = memory.moves[i]
                if alpha_beta:
                    alpha = value
                    if alpha >= beta:
                        memory.counters[CUTOFFS_MAX + (ply & 1)] += 1
                        break
    memory.counters[NODES] += nodes
    memory.counters[LEAVES] += leaves
    memory.pv[ply, 0] = best_move
    memory.pv[ply, 1] = -1
    return best


@kernel
def static_value(rules: Rules, pointer: Any, weights: NDArray[np.float64], position: Position, ply: int) -> float:
    """The value of a position that is not searched further, for the side to move."""
    if has_move(rules, position):
        return min(max(evaluate(pointer, position, rules, weights), -LIMIT), LIMIT)
    return final_value(rules, position, ply)


@kernel
def final_value(rules: Rules, position: Position, ply: int) -> float:
    """The score of a position without a move, for the side to move."""
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
