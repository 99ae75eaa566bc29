"""The memory of a search, as Python sees it: it writes the settings, and reads the answer."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.rules.jit.kernel import is_compiling
from players.negamax.state import ANSWERED, MAX_MOVES, PLIES, STATE
from players.negamax.transposition import new_table

_WORD = {name: field[1] // 8 for name, field in (STATE.fields or {}).items()}
"""The offset of each field, in words of eight bytes."""


class PlainState(SimpleNamespace):
    """A record of STATE for kernels that are not compiled, as Python reads a record's fields only as items."""

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value)


def stored_settings(settings: Mapping[str, Any]) -> Any:
    """Values of the fields of STATE before `table`, as a workspace stores them at once."""
    if not is_compiling():
        return settings
    record = np.zeros(1, STATE)
    for name, value in settings.items():
        record[name] = value
    return record.view(np.int64)[: _WORD["table"]]


def with_weights(stored: Any, weights: NDArray[np.float64]) -> Any:
    """What `stored_settings` made, with other weights, which must be kept as long as a search uses them."""
    if not is_compiling():
        return {**stored, "weights": weights}
    changed = stored.copy()
    changed[_WORD["weights"]] = weights.ctypes.data
    return changed


class Workspace:
    """The memory of a player's searches."""

    def __init__(self, megabytes: int) -> None:
        """Room for a search with a transposition table of `megabytes` megabytes, 0 for none."""
        table = new_table(megabytes)
        self.states: Any = np.zeros(1, STATE)
        """The one record of STATE."""
        self._words = self.states.view(np.int64)
        self._answer = self._part(ANSWERED[0], len(ANSWERED))
        self._line, self._tied_moves = self._part("line", PLIES), self._part("tied_moves", MAX_MOVES)
        self.table = table
        if is_compiling():
            self.states["table"], self.states["table_words"] = table.ctypes.data, table.size
        else:
            fields = {name: self.states[name][0] for name in STATE.names or ()}
            self.states = [PlainState(**fields | {"table": table, "table_words": table.size})]

    def begin_game(self, settings: Any) -> None:
        """Take on a player's settings, from `stored_settings`, and forget what earlier searches found out."""
        state = self.states[0]
        if is_compiling():
            self._words[: settings.size] = settings
        else:
            vars(state).update(settings)
        state["oldest"] = state["generation"] + 1
        if state["order_history"]:
            state["history"][:] = 0

    def stop(self) -> None:
        """End the search under way, from another thread; one that has not begun does not heed it."""
        self.states[0]["node_limit"] = 0

    def clear_answer(self) -> None:
        """Set the fields of ANSWERED to 0, before a search."""
        if is_compiling():
            self._answer.fill(0)
        else:
            vars(self.states[0]).update(dict.fromkeys(ANSWERED, 0))

    def answer(self) -> list[int]:
        """The values of ANSWERED."""
        if is_compiling():
            integers: list[int] = self._answer.tolist()
            return integers
        return [int(getattr(self.states[0], name)) for name in ANSWERED]

    def line(self, length: int) -> list[int]:
        """The best line, the chosen move first."""
        integers: list[int] = self._line[:length].tolist()
        return integers

    def tied_moves(self, count: int) -> list[int]:
        """The moves of equal value, in the generator's order."""
        integers: list[int] = self._tied_moves[:count].tolist()
        return integers

    def _part(self, first: str, count: int) -> NDArray[np.int64]:
        """The words of a field, and of those that follow it."""
        return self._words[_WORD[first] : _WORD[first] + count]
