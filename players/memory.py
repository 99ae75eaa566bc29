"""Memory that kernels and Python share: arrays in whole lines of the processor's cache, and records of a state.

Kernels are written for a class, so that mypy knows each field, and read the record that `record_type` makes of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import SimpleNamespace
from typing import Annotated, Any, TypeAlias, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from arena.rules.jit.kernel import is_compiling

MOST_KEPT = 80  # megabytes of a player that is kept between games, at most: a process keeps up to 16 players
_LINE = 64  # bytes of a line of the cache

Integers: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
"""Arrays in a record, whose shape stands beside: `Annotated[Integers, (2, 64)]`."""


def fields_of(kind: type) -> dict[str, Any]:
    """The fields that a class of a record and its bases have, with their types."""
    return get_type_hints(kind, include_extras=True)


@cache
def record_type(kind: type) -> np.dtype[Any]:
    """The numpy type of the record that a class describes: floats, and integers for all else; arrays last, so that
    what is read most stands close together."""
    fields: list[tuple[str, str, tuple[int, ...]]] = []
    for name, described in fields_of(kind).items():
        plain, *notes = get_args(described) if get_origin(described) is Annotated else (described,)
        shape = next((note for note in notes if isinstance(note, tuple)), ())
        fields.append((name, "f8" if plain in (float, Floats) else "i8", shape))
    return np.dtype(sorted(fields, key=lambda field: field[2] != ()), align=True)


def aligned(words: int, kind: type[Any]) -> NDArray[Any]:
    """An array of `words` numbers of 64 bits, all 0, that begins with a line of the cache."""
    size = words + _LINE // 8
    # the system gives memory as it is first written to, which would take most of a short first search: so a kept
    # player's is written here; of a larger one short games need little
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
    """One record that kernels read and write, all zeros at first: Python sets its fields, and reads the answer."""

    def __init__(self, kind: type, answer: Any, values: Mapping[str, Any]) -> None:
        """A record of the fields of the class `kind`, of which some have `values`; an array whose address is one
        must live as long. `answer` is a NamedTuple of fields that stand side by side."""
        self.array: Any = np.zeros(1, record_type(kind))
        fields = {name: self.array[name][0] for name in fields_of(kind)}
        self.states: Any = self.array if is_compiling() else [PlainState(**fields)]
        """The record in an array of length 1, as kernels take it."""
        self.line = self.array["line"][0]
        """The best line that a search found, the chosen move first."""
        first, count = self.array.dtype.names.index(answer._fields[0]), len(answer._fields)
        assert self.array.dtype.names[first : first + count] == answer._fields, "the answer stands in one piece"
        self._answer, self._words = answer, self.array.view("i8")[first : first + count]
        self.set(values)

    def answer(self) -> Any:
        """What the last search reports, as the kind of answer that the record was made with."""
        if self.states is self.array:
            return self._answer._make(self._words.tolist())
        return self._answer._make(int(self.states[0][name]) for name in self._answer._fields)

    def set(self, values: Mapping[str, Any]) -> None:
        """Set fields."""
        for name, value in values.items():
            self.states[0][name] = value

    def stop(self) -> None:
        """End the search under way, from another thread; a search that has not begun does not heed it."""
        self.states[0]["node_limit"] = 0
