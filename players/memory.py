"""Memory that kernels and Python share: arrays in whole lines of the processor's cache, and records of a state."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.rules.jit.kernel import is_compiling

MOST_KEPT = 80
"""Megabytes of a player that is kept between games, at most: a process keeps up to 16 players."""
_LINE = 64
"""Bytes of a line of the cache."""


def aligned(words: int, kind: type[Any]) -> NDArray[Any]:
    """An array of `words` numbers of 64 bits, all 0, that begins with a line of the cache.

    The system gives memory as it is first written to, which would take most of a short first search: so zeros are
    written here, but to more than a kept player may have, of which short games need little.
    """
    size = words + _LINE // 8
    room = np.full(size, 0, kind) if words * 8 <= MOST_KEPT * 2**20 else np.zeros(size, kind)
    skipped = -room.ctypes.data % _LINE // 8
    return room[skipped : skipped + words]


def address_of_array(array: NDArray[Any]) -> Any:
    """The address under which a record holds an array; where kernels are not compiled, the array itself."""
    return array.ctypes.data if is_compiling() else array


class PlainState(SimpleNamespace):
    """A record for kernels that are not compiled; Python reads the fields of a numpy record only as items."""

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value)


class Record:
    """One record that kernels read and write, all zeros at first."""

    def __init__(self, kind: np.dtype[Any], values: Mapping[str, Any]) -> None:
        self.array: Any = np.zeros(1, kind)
        fields = {name: self.array[name][0] for name in kind.names or ()}
        self.states: Any = self.array if is_compiling() else [PlainState(**fields)]
        """The record in an array of length 1, as kernels take it."""
        self.set(values)

    def set(self, values: Mapping[str, Any]) -> None:
        """Set fields."""
        for name, value in values.items():
            self.states[0][name] = value

    def stop(self) -> None:
        """End the search under way, from another thread; a search that has not begun does not heed it."""
        self.states[0]["node_limit"] = 0
