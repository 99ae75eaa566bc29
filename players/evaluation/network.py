"""Networks of `neural`: their file, those that come along, and the memory that the evaluation runs in.

A file `.npz` has two arrays. `network` is int16: a row of LANES for each input (kinds of pieces in the order of
`neural`, each of as many squares as the board has bits), the first layer's bias, and for each phase, fewest pieces
first, the 2 * LANES weights of each of OUTPUTS numbers, their biases, the last weights, and 2 * OUTPUTS of which
the first is the last bias. `unit` is float64: hundredths of a man that 1 of the last layer is worth.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.rules.jit.lanes import LANES
from arena.rules.rules import Rules
from arena.rules.variants import VARIANTS
from players.evaluation.neural import KINDS, squares, sums_at, unit_at, word_count

NETWORKS = Path(__file__).parent / "networks"
_ALIGNED = 64
"""Bytes that a processor fetches at once; a network's memory begins with such a part."""


class NetworkFile(NamedTuple):
    """What a network's file holds."""

    network: NDArray[np.int16]
    unit: float

    def fits(self, rules: Rules) -> bool:
        """Whether the network is for the size of board of some rules."""
        return self.network.shape == (network_size(rules),)

    def runnable(self, rules: Rules) -> NDArray[np.float64]:
        """The memory in which `neural` evaluates: the network, and what it keeps, for now of the empty board."""
        memory = _aligned(word_count(rules))
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
    copied = _aligned(memory.size)
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


def _aligned(words: int) -> NDArray[np.float64]:
    """So many words of memory, all 0."""
    room = np.zeros(words + _ALIGNED // 8)
    skipped = -room.ctypes.data % _ALIGNED // 8
    return room[skipped : skipped + words]
