"""Pattern evaluation: what every small part of the board is worth, learned from games.

The men on each block of four rows by two squares, a number in base 3, have their worth in a table of the block;
so have the balance of men and kings, and a king's square. Every worth is a pair, with all pieces of the start on
the board and with none; in between it is weighed by their number. Weights are hundredths of a man.

M. Buro, "Experiments with Multi-ProbCut and a new high-quality evaluation function for Othello" (1997), has the
idea; Scan (F. Letouzey) brought it to draughts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.rules.jit.kernel import inlined
from arena.rules.jit.native import lowest_square, popcount
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import VARIANTS
from players.evaluation.evaluator import evaluator

SIZE = 3**8
"""Ways in which a block of eight squares can be filled with men."""
MAN, KING, TURN, SQUARES = 0, 2, 4, 6
"""Offsets of the weights of a man, of a king, of the move and of a king's square; one pair each of 64 squares."""
COUNTS = SQUARES + 2 * 64
"""The offset of the table of the balance of men and kings, counts from 0 to 7 of four kinds of pieces."""
BLOCKS = COUNTS + 2 * 8**4
"""The offset of the tables of the blocks."""

TABLES = Path(__file__).parent / "tables"
STEPS = 20
"""Weights in a file are whole numbers of this part of a hundredth of a man."""
LARGEST = 1000.0
"""The largest weight in a file, in hundredths of a man."""

_TERNARY = np.array([sum(3**i for i in range(8) if byte >> i & 1) for byte in range(256)])
_GATHER = 1 << 6 | 1 << 12 | 1 << 18 | 1 << 24
"""Multiplied with four bytes, gathers the two lowest bits of each in the fourth byte."""


@inlined
def four_rows(men: int, rules: Rules, row: int) -> int:
    """The men of four rows from `row` on, a byte each."""
    h = rules.per_row
    bits = men >> (row * h + row // 2)
    mask = (1 << h) - 1
    odd = row & 1
    lanes = bits & mask
    lanes |= (bits >> (h + odd) & mask) << 8
    lanes |= (bits >> (2 * h + 1) & mask) << 16
    return lanes | (bits >> (3 * h + 1 + odd) & mask) << 24


@inlined
def block_index(white: int, black: int, column: int) -> int:
    """The number in base 3 of the block at `column` of four rows: 0 an empty square, 1 white, 2 black."""
    w = ((white >> column & 0x03030303) * _GATHER) >> 24 & 255
    b = ((black >> column & 0x03030303) * _GATHER) >> 24 & 255
    return _TERNARY[w] + 2 * _TERNARY[b]


@inlined
def last_bit(rules: Rules) -> int:
    """The bit number of the last square."""
    return rules.rows * rules.per_row + rules.rows // 2 - 2


@inlined
def counts_index(white_men: int, black_men: int, white_kings: int, black_kings: int) -> int:
    """The place of the balance of men and kings in its table; more than 7 count as 7."""
    index = min(popcount(white_men), 7) << 9 | min(popcount(black_men), 7) << 6
    return index | min(popcount(white_kings), 7) << 3 | min(popcount(black_kings), 7)


@evaluator
def patterns(position: Position, rules: Rules, weights: NDArray[np.float64]) -> float:
    """The sum of what the blocks, the kings and the move are worth."""
    white_men, black_men = position.white & ~position.kings, position.black & ~position.kings
    men = popcount(white_men) - popcount(black_men)
    white_kings, black_kings = position.white & position.kings, position.black & position.kings
    opening = men * weights[MAN]
    ending = men * weights[MAN + 1]
    at = COUNTS + 2 * counts_index(white_men, black_men, white_kings, black_kings)
    opening += weights[at]
    ending += weights[at + 1]
    if position.kings != 0:
        kings = popcount(white_kings) - popcount(black_kings)
        opening += kings * weights[KING]
        ending += kings * weights[KING + 1]
        while white_kings != 0:
            at = SQUARES + 2 * lowest_square(white_kings)
            white_kings &= white_kings - 1
            opening += weights[at]
            ending += weights[at + 1]
        while black_kings != 0:
            at = SQUARES + 2 * (last_bit(rules) - lowest_square(black_kings))
            black_kings &= black_kings - 1
            opening -= weights[at]
            ending -= weights[at + 1]
    base = BLOCKS
    for row in range(rules.rows - 3):
        white_rows, black_rows = four_rows(white_men, rules, row), four_rows(black_men, rules, row)
        for column in range(rules.per_row - 1):
            at = base + 2 * block_index(white_rows, black_rows, column)
            opening += weights[at]
            ending += weights[at + 1]
            base += 2 * SIZE
    if position.turn != 0:
        opening, ending = -opening, -ending
    opening += weights[TURN]
    ending += weights[TURN + 1]
    left = popcount(position.white | position.black)
    start = rules.per_row * (rules.rows - 2)
    return ending + (opening - ending) * left / start


def block_count(rules: Rules) -> int:
    """How many blocks a board has."""
    return (rules.rows - 3) * (rules.per_row - 1)


def weight_count(rules: Rules) -> int:
    """How many numbers the weights for a board are."""
    return BLOCKS + 2 * block_count(rules) * SIZE


@cache
def learned(rules: Rules) -> NDArray[np.float64] | None:
    """The weights in `players/evaluation/tables` for some rules, None if there are none."""
    for path in sorted(TABLES.glob("*.npz")):
        if VARIANTS[path.stem].rules == rules:
            return load_weights(path)
    return None


def learned_variants() -> list[str]:
    """The variants whose rules there are weights for in `players/evaluation/tables`."""
    return [path.stem for path in sorted(TABLES.glob("*.npz"))]


def load_weights(path: Path) -> NDArray[np.float64]:
    """The weights that `save_weights` wrote, `float64[weight_count]`."""
    with np.load(path) as file:
        return weights_in(file)


def weights_in(file: Mapping[str, Any]) -> NDArray[np.float64]:
    """The weights in an opened file. Raises KeyError if it holds none."""
    return np.ascontiguousarray(file["weights"] / STEPS, np.float64)


def save_weights(path: Path, weights: NDArray[np.float64]) -> None:
    """Write weights in hundredths of a man, rounded to 1/STEPS, those beyond +-LARGEST cut."""
    steps = np.round(np.clip(weights, -LARGEST, LARGEST) * STEPS)
    np.savez_compressed(path, weights=steps.astype(np.int16))
