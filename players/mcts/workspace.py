"""The memory of a tree search, as Python sees it: it writes the settings, and reads the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from arena.rules.jit.kernel import is_compiling
from players.mcts.rollout import new_formations
from players.mcts.state import COUNTERS, TREE_SEARCH
from players.mcts.tree import COUNT, DRAWN, FIRST, MOVE, PROVEN, ROOT, WIDTH, new_tree
from players.negamax.workspace import PlainState


class TreeWorkspace:
    """The memory of a tree search, which serves players one after another; each begins with an empty tree."""

    def __init__(self, megabytes: int) -> None:
        """Room for a tree of so many megabytes, and for one of a thousand positions at least."""
        self._tree, self._formations = new_tree(megabytes), new_formations()
        self.states: Any = np.zeros(1, TREE_SEARCH)
        """The one record of TREE_SEARCH."""
        if not is_compiling():
            self.states = [PlainState(**{name: self.states[name][0] for name in TREE_SEARCH.names or ()})]
        for name, array in (("tree", self._tree), ("formations", self._formations)):
            self.states[0][name] = array.ctypes.data if is_compiling() else array
        self.set({"tree_words": self._tree.size})

    def begin_game(self, settings: Mapping[str, Any]) -> None:
        """Take on a player's settings, by the names of SETTINGS, and forget all formation values."""
        self.set(settings)
        self._formations[:] = 0

    def set(self, values: Mapping[str, Any]) -> None:
        """Set fields of the state."""
        for name, value in values.items():
            self.states[0][name] = value

    def counted(self) -> dict[str, int]:
        """The values of COUNTERS, by their names, and the positions in the tree."""
        state = self.states[0]
        return {name: int(state[name]) for name in COUNTERS} | {"tree": int(state["used"]) // WIDTH}

    def proven(self, move: int) -> int:
        """Plies to the win that a move of the root is proven to be, less than 0 to a loss; 0 if it is neither."""
        first, count = (int(self._tree[ROOT + word]) for word in (FIRST, COUNT))
        children = self._tree[first : first + count * WIDTH].reshape(count, WIDTH)
        proven = int(children[children[:, MOVE] == move, PROVEN][0])
        return 0 if proven == DRAWN else proven

    def line(self, length: int) -> tuple[int, ...]:
        """The principal line, the chosen move first."""
        return tuple(map(int, self.states[0]["line"][:length]))
