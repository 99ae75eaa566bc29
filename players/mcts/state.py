"""The state of a tree search: one record that its kernels read and write, beside that of the shallow searches."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from players.memory import Floats, Integers
from players.negamax.state import HISTORY, MAX_MOVES, DrawRules, SearchLine

LINE = 256
"""Plies from the root beyond which no position is added to the tree."""


class TreeAnswer(NamedTuple):
    """What a tree search reports, read from its record by these names; counters mean what they do in `Choice`."""

    nodes: int
    leaves: int
    deepest: int
    line_length: int
    used: int


class TreeSettings(DrawRules):
    """What a player sets: its options once, minimax's advice at each search."""

    rollout: int
    rollout_depth: int
    exploration: float
    scale: float  # in the evaluation's unit
    solver: int
    reject_depth: int
    reject_margin: float  # in the evaluation's unit
    trust: int
    tree: int  # the address of the tree
    tree_words: int
    advised: int  # the root's best move by minimax, 0 for none
    advice: float  # and its value


class TreeState(SearchLine, TreeSettings):
    """Everything that a tree search reads and writes; `begin_tree_search` clears down to `random`."""

    leaves: int
    deepest: int
    line_length: int  # how many there are of `line`
    used: int  # words of the tree in use: its root's, or what is kept of the last search
    random: int  # the state of the random stream
    path: Annotated[Integers, (HISTORY + LINE + 2, 3)]
    progress: Annotated[Integers, (HISTORY + LINE + 2, 2)]
    nodes_of_line: Annotated[Integers, (LINE + 2,)]  # the nodes from the root down
    line: Annotated[Integers, (LINE + 2,)]  # the principal line
    values: Annotated[Floats, (MAX_MOVES,)]  # of one position's moves, by shallow searches
