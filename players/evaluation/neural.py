"""Neural evaluation: a small network of whole numbers, whose first layer is kept as a running sum.

A view of a position has an input for each kind of piece (own men, own kings, other men, other kings) on each
square; for Black the board is turned and colours are exchanged. The first layer is the sum, in either view, of a
row of weights for each piece on the board, and of a bias; how many numbers that is, a multiple of LANES, is the
network's width. Both sums, the side to move's first, are clamped to 0 and ONE and lead to a second layer of
OUTPUTS numbers, clamped the same way, and that to the value. The later layers have weights for each of
NETWORK_PHASES, by the pieces left.

The sums of the position that was valued last are kept beside the weights, and only the rows of pieces that have
come or gone since are added and subtracted: two threads must not value positions with the same array at the same
time. All numbers are whole, so a value is the same whatever was valued before.

A network's file `.npz` has two arrays. `network` is int16: a row of the width for each input (kinds of pieces in
the order above, each of as many squares as the board has bits), the first layer's bias, and for each phase, fewest
pieces first, the weights of the second layer, its biases, the last weights, and 2 * OUTPUTS of which the first is
the last bias. The weights of the second layer stand in parts, for LANES sums of either view: each of the OUTPUTS
numbers has 2 * LANES in the first part, then each in the next. `unit` is float64: hundredths of a man that 1 of
the last layer is worth.

Y. Nasu, "Efficiently updatable neural-network-based evaluation functions for computer shogi" (2018), has the idea.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.rules.jit.kernel import inlined
from arena.rules.jit.native import lowest_square, popcount, view
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import VARIANTS
from players.evaluation.evaluator import evaluator
from players.memory import aligned
from players.player import NETWORKS

LANES = 64  # the width of a network's first layer is a multiple of this
OUTPUTS = 16  # numbers of the second layer
KINDS = 4  # of pieces in a view
NETWORK_PHASES = 4
SHIFT = 8
ONE = 1 << SHIFT  # the number that stands for 1 in every layer and weight

_HEAD = 8
"""Words of 64 bits before the numbers of a network, as many as a processor fetches at once: its width, its unit,
and the pieces that the sums are of which are kept."""
UNIT_WORD, PIECES_WORD = 1, 2
"""Their words; the width is the first."""
_FIRST = 4 * _HEAD  # the offset of a network's numbers, of 16 bits each


@evaluator
def neural(position: Position, rules: Rules, weights: NDArray[np.float64]) -> float:
    """The value that a network gives a position, in hundredths of a man; see `players.evaluation.neural`."""
    return network_value(position, rules, weights)


@inlined
def network_value(position: Position, rules: Rules, weights: NDArray[np.float64]) -> float:
    """What `neural` says, to other evaluations: `weights` is a `runnable` network."""
    width = int(weights[0])
    if width == LANES:  # compiled for this number, it is faster
        return value_of_width(position, rules, weights, LANES)
    return value_of_width(position, rules, weights, width)


@inlined
def value_of_width(position: Position, rules: Rules, weights: NDArray[np.float64], width: int) -> float:
    """`network_value` of a network of that width."""
    small = view(weights, np.int16)
    keep_up(position, rules, weights, small, width)
    sums = sums_at(rules, width)
    own, other = sums + position.turn * width, sums + (1 - position.turn) * width
    phase = phase_of(rules, popcount(position.white | position.black))
    at = _FIRST + bias_at(rules, width) + width + phase * phase_size(width)
    return two_layers(small, own, other, at, width) * weights[UNIT_WORD]


@inlined
def squares(rules: Rules) -> int:
    """Inputs of a kind of piece: the bits of a board."""
    return rules.rows * rules.per_row + rules.rows // 2 - 1


@inlined
def bias_at(rules: Rules, width: int) -> int:
    """Where the first layer's bias is among a network's numbers: behind the rows of the inputs."""
    return KINDS * squares(rules) * width


@inlined
def phase_size(width: int) -> int:
    """Numbers of a phase: the second layer's weights, its biases, the last weights, and 2 * OUTPUTS of which the
    first is the last bias."""
    return (2 * width + 4) * OUTPUTS


@inlined
def network_size(rules: Rules, width: int) -> int:
    """How many numbers the network of a width has for a board."""
    return bias_at(rules, width) + width + NETWORK_PHASES * phase_size(width)


@inlined
def sums_at(rules: Rules, width: int) -> int:
    """The offset of the sums that are kept, White's first."""
    return _FIRST + network_size(rules, width)


@inlined
def word_count(rules: Rules, width: int) -> int:
    """Words of a network that evaluates: HEAD, its numbers, and the sums that are kept."""
    return (sums_at(rules, width) + 2 * width) // 4


@inlined
def network_words(weights: NDArray[np.float64], rules: Rules) -> int:
    """Words of the `runnable` network with which some memory begins; where the first is 0, there is none."""
    return word_count(rules, int(weights[0]))


@inlined
def phase_of(rules: Rules, pieces: int) -> int:
    """The phase for a number of pieces: even parts, up to the pieces of a board with two empty rows."""
    return min(pieces * NETWORK_PHASES // (rules.per_row * (rules.rows - 2) + 1), NETWORK_PHASES - 1)


@inlined
def keep_up(position: Position, rules: Rules, weights: NDArray[np.float64], small: Any, width: int) -> None:
    """Bring what is kept up to date with a position: again if more pieces have changed than there are."""
    white_men, white_kings = position.white & ~position.kings, position.white & position.kings
    black_men, black_kings = position.black & ~position.kings, position.black & position.kings
    pieces = view(weights, np.int64)
    changes = popcount(pieces[PIECES_WORD] ^ white_men) + popcount(pieces[PIECES_WORD + 1] ^ white_kings)
    changes += popcount(pieces[PIECES_WORD + 2] ^ black_men) + popcount(pieces[PIECES_WORD + 3] ^ black_kings)
    if changes > popcount(position.white | position.black):
        forget_sums(rules, weights, small, width)
    update(rules, small, width, pieces[PIECES_WORD], white_men, 0)
    update(rules, small, width, pieces[PIECES_WORD + 1], white_kings, 1)
    update(rules, small, width, pieces[PIECES_WORD + 2], black_men, 2)
    update(rules, small, width, pieces[PIECES_WORD + 3], black_kings, 3)
    pieces[PIECES_WORD], pieces[PIECES_WORD + 1] = white_men, white_kings
    pieces[PIECES_WORD + 2], pieces[PIECES_WORD + 3] = black_men, black_kings


@inlined
def forget_sums(rules: Rules, weights: NDArray[np.float64], small: Any, width: int) -> None:
    """Keep the sums of an empty board, which are the bias."""
    for kind in range(KINDS):
        weights[PIECES_WORD + kind] = 0.0
    for side in range(2):
        copy(small, sums_at(rules, width) + side * width, _FIRST + bias_at(rules, width), width)


@inlined
def update(rules: Rules, small: Any, width: int, before: int, after: int, kind: int) -> None:
    """Bring the sums from some pieces of a kind, as White sees it, to others."""
    white = sums_at(rules, width)
    black = white + width
    own = kind * squares(rules)
    turned = (kind ^ 2) * squares(rules) + squares(rules) - 1
    come, gone = after & ~before, before & ~after
    while come != 0 and gone != 0:
        square, left = lowest_square(come), lowest_square(gone)
        come &= come - 1
        gone &= gone - 1
        exchange(small, white, _FIRST + (own + square) * width, _FIRST + (own + left) * width, width)
        exchange(small, black, _FIRST + (turned - square) * width, _FIRST + (turned - left) * width, width)
    while come != 0:
        square = lowest_square(come)
        come &= come - 1
        add(small, white, _FIRST + (own + square) * width, width)
        add(small, black, _FIRST + (turned - square) * width, width)
    while gone != 0:
        square = lowest_square(gone)
        gone &= gone - 1
        subtract(small, white, _FIRST + (own + square) * width, width)
        subtract(small, black, _FIRST + (turned - square) * width, width)


@inlined
def copy(small: Any, to: int, at: int, width: int) -> None:
    """Copy the `width` numbers from `at` on to `to` on."""
    for lane in range(width):
        small[to + lane] = small[at + lane]


@inlined
def add(small: Any, to: int, at: int, width: int) -> None:
    """Add the `width` numbers from `at` on to those from `to` on."""
    for lane in range(width):
        small[to + lane] += small[at + lane]


@inlined
def subtract(small: Any, to: int, at: int, width: int) -> None:
    """Subtract the `width` numbers from `at` on from those from `to` on."""
    for lane in range(width):
        small[to + lane] -= small[at + lane]


@inlined
def exchange(small: Any, to: int, at: int, gone: int, width: int) -> None:
    """Add the `width` numbers from `at` on, and subtract those from `gone` on."""
    for lane in range(width):
        small[to + lane] += small[at + lane] - small[gone + lane]


@inlined
def two_layers(small: Any, own: int, other: int, weights: int, width: int) -> int:
    """The output for the first layer's sums, `width` from `own` and `width` from `other` on, in 1 / ONE of a unit;
    the numbers of a phase stand from `weights` on. All sums fit in 32 bits."""
    biases = weights + 2 * width * OUTPUTS
    last = biases + OUTPUTS
    value = int(small[last + OUTPUTS]) << SHIFT
    for output in range(OUTPUTS):
        total = np.int32(0)
        row = weights + 2 * LANES * output
        for start in range(0, width, LANES):
            for lane in range(LANES):
                active = min(max(small[own + start + lane], np.int16(0)), np.int16(ONE))
                total = np.int32(total + np.int32(active) * np.int32(small[row + lane]))
            for lane in range(LANES):
                active = min(max(small[other + start + lane], np.int16(0)), np.int16(ONE))
                total = np.int32(total + np.int32(active) * np.int32(small[row + LANES + lane]))
            row += 2 * LANES * OUTPUTS
        hidden = min(max((int(total) >> SHIFT) + int(small[biases + output]), 0), ONE)
        value += hidden * int(small[last + output])
    return value


class NetworkFile(NamedTuple):
    """The contents of a network's file."""

    network: NDArray[np.int16]
    unit: float

    def width(self, rules: Rules) -> int:
        """The width under which the network is for the size of board of some rules; 0 if it is not for that."""
        fixed = network_size(rules, 0)
        width, rest = divmod(self.network.size - fixed, network_size(rules, 1) - fixed)
        return width if width > 0 and width % LANES == 0 and rest == 0 and self.network.ndim == 1 else 0

    def runnable(self, rules: Rules, more: int = 0) -> NDArray[np.float64]:
        """The memory in which `neural` evaluates: the network, its sums, of an empty board, and `more` words."""
        width = self.width(rules)
        memory = aligned(word_count(rules, width) + more, np.float64)
        memory[0], memory[UNIT_WORD] = width, self.unit
        memory.view(np.int16)[_FIRST:][: self.network.size] = self.network
        bias = self.network[bias_at(rules, width) :][:width]
        memory.view(np.int16)[sums_at(rules, width) :][: 2 * width] = np.tile(bias, 2)
        return memory


def network_in(file: Mapping[str, Any]) -> NetworkFile:
    """The network in an opened file. Raises KeyError or ValueError if it holds none."""
    network, unit = file["network"], file["unit"]
    if network.dtype != np.int16 or unit.shape != () or not np.isfinite(unit):
        raise ValueError("no network")
    return NetworkFile(network, float(unit))


@cache
def network_for(rules: Rules) -> NetworkFile | None:
    """The network in `players/evaluation/networks` for some rules, None if there is none."""
    for path in sorted(NETWORKS.glob("*.npz")):
        if VARIANTS[path.stem].rules == rules:
            with np.load(path) as file:
                return network_in(file)
    return None


def trained_variants() -> list[str]:
    """The variants whose rules there are networks for in `players/evaluation/networks`."""
    return [path.stem for path in sorted(NETWORKS.glob("*.npz"))]
