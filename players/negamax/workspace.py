"""The memory of a search, as Python sees it: it writes the settings, and reads the answer."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from arena.rules.jit.kernel import is_compiling
from players.negamax.state import ANSWERED, COUNTED, STATE
from players.negamax.transposition import new_table


class PlainState(SimpleNamespace):
    """A record of STATE for kernels that are not compiled, as Python reads a record's fields only as items."""

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value)


class Workspace:
    """The memory of a player's searches."""

    def __init__(self, megabytes: int, settings: Mapping[str, Any] | None = None) -> None:
        """Room for a search with a transposition table of `megabytes` megabytes, 0 for none.

        `settings` are fields of STATE; what those with an address are of must be kept as long as the workspace.
        """
        table = new_table(megabytes)
        self.states: Any = np.zeros(1, STATE)
        """The one record of STATE."""
        assert STATE.fields is not None
        first = STATE.fields[ANSWERED[0]][1] // 8
        self._answer = self.states.view(np.int64)[first : first + len(ANSWERED)]
        if not is_compiling():
            self.states = [PlainState(**{name: self.states[name][0] for name in STATE.names or ()})]
        self._line, self._tied_moves = self.states[0]["line"], self.states[0]["tied_moves"]
        self.table = table
        address = table.ctypes.data if is_compiling() else table
        fields: dict[str, Any] = {"table": address, "table_words": table.size, **(settings or {})}
        for name, value in fields.items():
            self.states[0][name] = value

    def begin_game(self) -> None:
        """Forget what earlier searches found out."""
        state = self.states[0]
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

    def answer(self) -> tuple[dict[str, int], dict[str, Any]]:
        """The values of ANSWERED, and those of COUNTED alone, by their names."""
        state = self.states[0]
        numbers = self._answer.tolist() if is_compiling() else [int(state[name]) for name in ANSWERED]
        answer = dict(zip(ANSWERED, numbers, strict=True))
        return answer, {name: answer[name] for name in COUNTED}

    def line(self, length: int) -> list[int]:
        """The best line, the chosen move first."""
        integers: list[int] = self._line[:length].tolist()
        return integers

    def tied_moves(self, count: int) -> list[int]:
        """The moves of equal value, in the generator's order."""
        integers: list[int] = self._tied_moves[:count].tolist()
        return integers
