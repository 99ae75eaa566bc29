"""The fit of the tables of `patterns`: logistic regression on millions of positions, one after the other.

A position counts for White: its features are those that `players.evaluation.patterns` sums, and its target is
between White's points in the game and those that the search which chose the move expected. Each
position is learned a second time turned round, colours exchanged, with 1 minus its target.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from arena.learning.columns import MAN
from arena.learning.method import logistic_fit
from arena.learning.samples import HELD_OUT, FitError, Samples, round_samples
from arena.learning.store import Played
from arena.ratings.types import Floats, Ints
from arena.rules.jit.kernel import inlined, kernel
from arena.rules.jit.native import lowest_square, popcount
from arena.rules.position import WHITE, Position
from arena.rules.rules import Rules
from arena.rules.variants import Variant
from players.evaluation.build import build_evaluation
from players.evaluation.evaluator import evaluate
from players.evaluation.patterns import (
    BLOCKS,
    COUNTS,
    KING,
    LARGEST,
    SIZE,
    SQUARES,
    TURN,
    block_index,
    counts_index,
    four_rows,
    last_bit,
    patterns,
    weight_count,
)
from players.evaluation.patterns import MAN as MAN_PAIR

RATE = 0.05
"""How far a weight may go at first, in logits; falls to 0 over the epochs. The best of a few that were tried."""
FEATURES = 4 + 28 + 50
"""The most features that a position can have: 28 blocks on 10x10, and a king on each of its squares."""
_FIRST_SQUARES = 1e-3
"""What AdaGrad's sums of squared slopes begin with, so that first steps are no longer than others."""


def samples(rounds: Sequence[Sequence[Played]], results: float) -> Samples:
    """Positions with targets from the games of some rounds, all played by
    `arena.learning.games.play_scored`.

    A target is results * points + (1 - results) * sigmoid(score / k), with the k under which the scores of a
    round predict its results best. Raises FitError for a round whose scores do not predict them, and if there is
    no position held out.
    """
    found = [part for number, games in enumerate(rounds, 1) for part in round_samples(number, games, results)]
    data = Samples(*(np.concatenate(part) for part in zip(*found, strict=True)))
    if not data.held_out.any():
        raise FitError(f"there is no quiet position in every {HELD_OUT}th game; play more games")
    return data


def fit_tables(variant: Variant, data: Samples, epochs: int, penalty: float, seed: Sequence[int]) -> Floats:
    """Learn tables, in hundredths of a man, by AdaGrad (Duchi, Hazan and Singer 2011).

    It goes over the positions `epochs` times, in orders that `seed` decides. The loss is the cross-entropy of the
    targets; a weight is drawn to 0 by `penalty` times itself whenever its feature occurs. Begins with what a
    regression finds that men and kings are worth. Raises FitError if no weight is other than 0.
    """
    rules = variant.constants
    learned = ~data.held_out
    positions, targets = _both_ways(rules, data.positions[learned], data.targets[learned])
    weights = _material_weights(variant, positions, targets)
    squares = np.full(len(weights), _FIRST_SQUARES)
    rng = np.random.default_rng(seed)
    for epoch in range(epochs):
        rate = RATE * (1 - epoch / epochs)
        order = rng.permutation(len(positions))
        descend(rules, positions, targets, order, weights, squares, rate, penalty)
    return _scaled(variant, weights)


def held_out_loss(variant: Variant, data: Samples, evaluation: str | Mapping[str, Any]) -> float:
    """The mean cross-entropy, in nats, of the targets of positions held out, by an evaluation in its best unit."""
    address, weights = build_evaluation(evaluation, variant)
    values = white_values(address, weights, variant.constants, data.positions[data.held_out])
    return logistic_fit(values[:, None], data.targets[data.held_out], np.arange(len(values)), 1e-3).loss


@kernel
def descend(
    rules: Rules,
    positions: Ints,
    targets: Floats,
    order: Ints,
    weights: Floats,
    squares: Floats,
    rate: float,
    penalty: float,
) -> None:
    """Change `weights`, in logits, by one pass of AdaGrad, whose sums of squares are `squares`."""
    places, counts = np.empty(FEATURES, np.int64), np.empty(FEATURES)
    start = rules.per_row * (rules.rows - 2)
    for i in order:
        white, black, kings, turn = positions[i, 0], positions[i, 1], positions[i, 2], positions[i, 3]
        n = active(rules, white, black, kings, turn, places, counts)
        opening = popcount(white | black) / start
        error = 1 / (1 + np.exp(-_logit(weights, places, counts, n, opening))) - targets[i]
        for j in range(n):
            at = places[j]
            for phase in range(2):
                slope = error * counts[j] * (1 - opening if phase else opening) + penalty * weights[at + phase]
                squares[at + phase] += slope * slope
                weights[at + phase] -= rate * slope / np.sqrt(squares[at + phase])


@kernel
def active(rules: Rules, white: int, black: int, kings: int, turn: int, places: Ints, counts: Floats) -> int:
    """The features of a position that are not 0: where the pair of weights of each begins, and how often it counts
    for White. Fills `places` and `counts`, and returns how many there are."""
    white_men, black_men, white_kings, black_kings = white & ~kings, black & ~kings, white & kings, black & kings
    places[0], counts[0] = TURN, 1 - 2 * turn
    places[1], counts[1] = COUNTS + 2 * counts_index(white_men, black_men, white_kings, black_kings), 1
    places[2], counts[2] = MAN_PAIR, popcount(white_men) - popcount(black_men)
    places[3], counts[3] = KING, popcount(white_kings) - popcount(black_kings)
    n = 4
    while white_kings != 0:
        places[n], counts[n] = SQUARES + 2 * lowest_square(white_kings), 1
        white_kings &= white_kings - 1
        n += 1
    while black_kings != 0:
        places[n], counts[n] = SQUARES + 2 * (last_bit(rules) - lowest_square(black_kings)), -1
        black_kings &= black_kings - 1
        n += 1
    base = BLOCKS
    for row in range(rules.rows - 3):
        white_rows, black_rows = four_rows(white_men, rules, row), four_rows(black_men, rules, row)
        for column in range(rules.per_row - 1):
            places[n], counts[n] = base + 2 * block_index(white_rows, black_rows, column), 1
            base += 2 * SIZE
            n += 1
    return n


@kernel
def turned(rules: Rules, positions: Ints) -> Ints:
    """The positions seen from the other side of the board, colours exchanged."""
    found = np.zeros_like(positions)
    last = last_bit(rules)
    for i in range(len(positions)):
        for bit in range(last + 1):
            opposite = 1 << (last - bit)
            if positions[i, 0] >> bit & 1:
                found[i, 1] |= opposite
            if positions[i, 1] >> bit & 1:
                found[i, 0] |= opposite
            if positions[i, 2] >> bit & 1:
                found[i, 2] |= opposite
        found[i, 3] = 1 - positions[i, 3]
    return found


@kernel
def white_values(address: Any, weights: Floats, rules: Rules, positions: Ints) -> Floats:
    """The values of positions in an evaluation, from White's view, `float64[n]`."""
    values = np.empty(len(positions))
    for i in range(len(positions)):
        position = Position(positions[i, 0], positions[i, 1], positions[i, 2], positions[i, 3])
        value = evaluate(address, position, rules, weights)
        values[i] = -value if position.turn else value
    return values


@kernel
def material(positions: Ints) -> Floats:
    """White's men minus Black's, and White's kings minus Black's, `float64[n, 2]`."""
    found = np.empty((len(positions), 2))
    for i in range(len(positions)):
        white, black, kings = positions[i, 0], positions[i, 1], positions[i, 2]
        found[i, 0] = popcount(white & ~kings) - popcount(black & ~kings)
        found[i, 1] = popcount(white & kings) - popcount(black & kings)
    return found


@inlined
def _logit(weights: Floats, places: Ints, counts: Floats, n: int, opening: float) -> float:
    """The sum of `n` features' weights, between opening and ending."""
    total = 0.0
    for j in range(n):
        at = places[j]
        total += counts[j] * (weights[at] * opening + weights[at + 1] * (1 - opening))
    return total


def _both_ways(rules: Rules, positions: Ints, targets: Floats) -> tuple[Ints, Floats]:
    return np.concatenate([positions, turned(rules, positions)]), np.concatenate([targets, 1 - targets])


def _material_weights(variant: Variant, positions: Ints, targets: Floats) -> Floats:
    """Weights of men and kings alone, in logits, fitted to a part of the positions."""
    balance = material(positions[::HELD_OUT])
    man, king = logistic_fit(balance, targets[::HELD_OUT], np.arange(len(balance)), 1.0).theta
    weights = np.zeros(weight_count(variant.rules))
    weights[MAN_PAIR : MAN_PAIR + 2], weights[KING : KING + 2] = man, king
    return weights


def _scaled(variant: Variant, weights: Floats) -> Floats:
    """Weights in hundredths of what a man of the start is worth, or in less if a file could not hold them."""
    rules, start = variant.constants, variant.start._replace(turn=WHITE)
    address = patterns.address(rules)

    men = [1 << bit for bit in range(64) if start.black >> bit & 1]
    less = [start, *(start._replace(black=start.black & ~man) for man in men)]
    values = white_values(address, weights, rules, np.array(less, dtype=np.int64))
    worth = abs(float(values[1:].mean() - values[0]))
    largest = float(np.abs(weights).max())
    if largest == 0:
        raise FitError("the fit found no weight other than 0; play more games")
    unit = min(MAN / worth if worth else np.inf, LARGEST / largest)
    return weights * unit
