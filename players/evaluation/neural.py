"""Neural evaluation: a small network of whole numbers, whose first layer is kept as a running sum.

A view of a position has an input for each kind of piece (own men, own kings, the other side's men and kings) on
each square; for Black the board is turned and colours are exchanged. The first layer is the sum, in either view,
of a row of LANES weights for each piece on the board, and of a bias. Both sums, those of the side to move first,
are held within 0 and ONE and lead to a second layer of OUTPUTS numbers, held likewise, and that to the value. The
weights of the later layers are those of one of PHASES, by the pieces left.

The sums of the position that was valued last are kept, and only the rows of pieces that have come or gone since
are added and subtracted. All numbers are whole, so a value is the same whatever was valued before. What is kept
stands behind the weights: two threads must not value positions with the same array at the same time.

A network's file `.npz` has two arrays. `network` is int16: a row of LANES for each input (kinds of pieces in the
order above, each of as many squares as the board has bits), the first layer's bias, and for each phase, fewest
pieces first, the 2 * LANES weights of each of OUTPUTS numbers, their biases, the last weights, and 2 * OUTPUTS of
which the first is the last bias. `unit` is float64: hundredths of a man that 1 of the last layer is worth.

Y. Nasu, "Efficiently updatable neural-network-based evaluation functions for computer shogi" (2018), has the idea.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.rules.jit.kernel import inlined
from arena.rules.jit.lanes import LANES, OUTPUTS, add, copy, exchange, shorts, subtract, two_layers
from arena.rules.jit.native import bits_of, float_of, lowest_square, popcount
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import VARIANTS
from players.evaluation.evaluator import evaluator
from players.evaluation.patterns import last_bit

KINDS = 4
"""Kinds of pieces in a view."""
PHASES = 4
SHIFT = 8
ONE = 1 << SHIFT
"""The number that stands for 1 in every layer and weight."""
PHASE_SIZE = (2 * LANES + 4) * OUTPUTS
"""Numbers of a phase: the second layer's weights, its biases, the last weights, and 2 * OUTPUTS of which the first
is the last bias."""

_LINE = 8
"""Words of 64 bits that a processor fetches at once; the sums that are kept begin with one."""
NETWORKS = Path(__file__).parent / "networks"
_ALIGNED = 64
"""Bytes that a processor fetches at once; a network's memory begins with such a part."""


@evaluator
def neural(position: Position, rules: Rules, weights: NDArray[np.float64]) -> float:
    """The value that a network gives a position, in hundredths of a man; see `players.evaluation.neural`."""
    return network_value(position, rules, weights)


@inlined
def network_value(position: Position, rules: Rules, weights: NDArray[np.float64]) -> float:
    """What `neural` says, to other evaluations: `weights` is a `runnable` network."""
    small = shorts(weights)
    keep_up(position, rules, weights, small)
    sums = 4 * sums_at(rules)
    own, other = sums + position.turn * LANES, sums + (1 - position.turn) * LANES
    at = phases_at(rules) + phase_of(rules, popcount(position.white | position.black)) * PHASE_SIZE
    return two_layers(small, own, other, at, SHIFT) * weights[unit_at(rules)]


@inlined
def squares(rules: Rules) -> int:
    """Inputs of a kind of piece: the bits of a board."""
    return last_bit(rules) + 1


@inlined
def phases_at(rules: Rules) -> int:
    """The offset of the phases' numbers: behind the rows of the inputs and the first layer's bias."""
    return (KINDS * squares(rules) + 1) * LANES


@inlined
def unit_at(rules: Rules) -> int:
    """The word, of 64 bits, with the unit: what 1 of the last layer is worth, in hundredths of a man."""
    return (phases_at(rules) + PHASES * PHASE_SIZE) // 4


@inlined
def sums_at(rules: Rules) -> int:
    """The word at which the sums that are kept begin, White's first; before them stand the pieces they are of."""
    return (unit_at(rules) + KINDS) // _LINE * _LINE + _LINE


@inlined
def word_count(rules: Rules) -> int:
    """Words of a network: its numbers, the unit, and what is kept."""
    return sums_at(rules) + LANES // 2


@inlined
def phase_of(rules: Rules, pieces: int) -> int:
    """The phase for a number of pieces: even parts, up to the pieces of a board with two empty rows."""
    return min(pieces * PHASES // (rules.per_row * (rules.rows - 2) + 1), PHASES - 1)


@inlined
def keep_up(position: Position, rules: Rules, weights: NDArray[np.float64], small: Any) -> None:
    """Bring what is kept up to date with a position: again if more pieces have changed than there are."""
    at = sums_at(rules) - KINDS
    white_men, white_kings = position.white & ~position.kings, position.white & position.kings
    black_men, black_kings = position.black & ~position.kings, position.black & position.kings
    changes = popcount(bits_of(weights[at]) ^ white_men) + popcount(bits_of(weights[at + 1]) ^ white_kings)
    changes += popcount(bits_of(weights[at + 2]) ^ black_men) + popcount(bits_of(weights[at + 3]) ^ black_kings)
    if changes > popcount(position.white | position.black):
        forget(rules, weights, small)
    update(rules, small, bits_of(weights[at]), white_men, 0)
    update(rules, small, bits_of(weights[at + 1]), white_kings, 1)
    update(rules, small, bits_of(weights[at + 2]), black_men, 2)
    update(rules, small, bits_of(weights[at + 3]), black_kings, 3)
    weights[at], weights[at + 1] = float_of(white_men), float_of(white_kings)
    weights[at + 2], weights[at + 3] = float_of(black_men), float_of(black_kings)


@inlined
def forget(rules: Rules, weights: NDArray[np.float64], small: Any) -> None:
    """Keep the sums of an empty board, which are the bias."""
    for kind in range(KINDS):
        weights[sums_at(rules) - KINDS + kind] = 0.0
    for view in range(2):
        copy(small, 4 * sums_at(rules) + view * LANES, KINDS * squares(rules) * LANES)


@inlined
def update(rules: Rules, small: Any, before: int, after: int, kind: int) -> None:
    """Bring the sums from some pieces of a kind, as White sees it, to others."""
    white = 4 * sums_at(rules)
    black = white + LANES
    own = kind * squares(rules)
    turned = (kind ^ 2) * squares(rules) + last_bit(rules)
    come, gone = after & ~before, before & ~after
    while come != 0 and gone != 0:
        square, left = lowest_square(come), lowest_square(gone)
        come &= come - 1
        gone &= gone - 1
        exchange(small, white, (own + square) * LANES, (own + left) * LANES)
        exchange(small, black, (turned - square) * LANES, (turned - left) * LANES)
    while come != 0:
        square = lowest_square(come)
        come &= come - 1
        add(small, white, (own + square) * LANES)
        add(small, black, (turned - square) * LANES)
    while gone != 0:
        square = lowest_square(gone)
        gone &= gone - 1
        subtract(small, white, (own + square) * LANES)
        subtract(small, black, (turned - square) * LANES)


class NetworkFile(NamedTuple):
    """The contents of a network's file."""

    network: NDArray[np.int16]
    unit: float

    def fits(self, rules: Rules) -> bool:
        """Whether the network is for the size of board of some rules."""
        return self.network.shape == (network_size(rules),)

    def runnable(self, rules: Rules) -> NDArray[np.float64]:
        """The memory in which `neural` evaluates: the network, and what it keeps, for now of the empty board."""
        memory = aligned(word_count(rules))
        memory.view(np.int16)[: self.network.size] = self.network
        memory[unit_at(rules)] = self.unit
        bias = self.network[KINDS * squares(rules) * LANES :][:LANES]
        memory.view(np.int16)[4 * sums_at(rules) :] = np.tile(bias, 2)
        return memory

    def save(self, path: Path) -> None:
        """Write the file; the same network makes the same bytes."""
        with path.open("wb") as file:
            np.savez_compressed(file, network=self.network, unit=np.float64(self.unit))


def copy_of(memory: NDArray[np.float64]) -> NDArray[np.float64]:
    """A `runnable` network as another one that two threads can evaluate by at the same time."""
    copied = aligned(memory.size)
    copied[:] = memory
    return copied


def network_size(rules: Rules) -> int:
    """How many int16 the network for a board is."""
    return 4 * unit_at(rules)


def network_in(file: Mapping[str, Any]) -> NetworkFile:
    """The network in an opened file. Raises KeyError or ValueError if it holds none."""
    network, unit = file["network"], file["unit"]
    if network.dtype != np.int16 or unit.shape != () or not np.isfinite(unit):
        raise ValueError("no network")
    return NetworkFile(network, float(unit))


@cache
def trained(rules: Rules) -> NDArray[np.float64] | None:
    """The `runnable` network in `players/evaluation/networks` for some rules, None if there is none."""
    for path in sorted(NETWORKS.glob("*.npz")):
        if VARIANTS[path.stem].rules == rules:
            with np.load(path) as file:
                return network_in(file).runnable(rules)
    return None


def trained_variants() -> list[str]:
    """The variants whose rules there are networks for in `players/evaluation/networks`."""
    return [path.stem for path in sorted(NETWORKS.glob("*.npz"))]


def aligned(words: int) -> NDArray[np.float64]:
    """`words` words of memory, all 0, aligned."""
    room = np.zeros(words + _ALIGNED // 8)
    skipped = -room.ctypes.data % _ALIGNED // 8
    return room[skipped : skipped + words]
