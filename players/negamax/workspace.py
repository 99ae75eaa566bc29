"""The memory of a negamax search, as Python sees it: it writes the settings, and reads the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.rules.jit.kernel import is_compiling
from players.memory import Record, address_of_array
from players.negamax.state import ANSWERED, STATE
from players.negamax.transposition import new_table


class Workspace(Record):
    """The memory of a player's searches."""

    def __init__(self, megabytes: int, settings: Mapping[str, Any]) -> None:
        """Room for searches with a transposition table of `megabytes` megabytes, 0 for none.

        `settings` are fields of STATE; what those with an address are of must be kept as long as the workspace.
        """
        self.table = new_table(megabytes)
        table = {"table": address_of_array(self.table), "table_words": self.table.size}
        super().__init__(STATE, {**table, **settings})
        assert STATE.fields is not None
        first = STATE.fields[ANSWERED[0]][1] // 8
        self._answer = self.array.view("i8")[first : first + len(ANSWERED)]
        self.line, self.tied_moves = self.array["line"][0], self.array["tied_moves"][0]
        """The best line, the chosen move first, and the moves of equal value, in the generator's order."""

    def forget(self) -> None:
        """Empty the table and the history of moves."""
        state = self.states[0]
        state["oldest"] = state["generation"] + 1
        if state["order_history"]:
            state["history"][:] = 0

    def answer(self) -> list[Any]:
        """The values of ANSWERED."""
        if is_compiling():
            return self._answer.tolist()
        return [int(self.states[0][name]) for name in ANSWERED]
