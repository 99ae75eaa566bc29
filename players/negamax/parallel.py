"""A search by several threads: Lazy SMP, where helpers search the same position with the same transposition table.

Threads learn from each other by the table alone: what one has found orders and cuts the trees of the others. Every
other helper begins one ply deeper, so that not all search the same tree at the same time, as in M. Sedlak's Cheng
(Chess Programming Wiki, "Lazy SMP"). Apart from the table each has a state of its own, and an evaluation with its
own memory. No lock guards the table: see `players.negamax.transposition`.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np

from players.negamax.state import ANSWERED, COUNTED
from players.negamax.workspace import Workspace

MOST_THREADS = 64
"""Threads of a search."""
_PRESS_SECONDS, _PRESSES = 0.0005, 4
"""Seconds after which helpers are asked again to stop, as one that just begins does not heed it, and how often.

Nobody waits longer: one that has no core to stop on would make the player late.
"""
_DEEPEST, _COMPLETED, _FOUND = map(ANSWERED.index, ("deepest", "completed", "found"))


class Asked(NamedTuple):
    """What a search is asked for, as `players.negamax.deepening.search` takes it, but for its seconds."""

    position: Any
    earlier: Any
    without_capture: int
    moves: int
    depth: int
    nodes: int


class Helpers:
    """The threads that help with one player's searches, kept from move to move; they end with this object."""

    def __init__(self, main: Workspace, rules: Any, settings: Sequence[Any]) -> None:
        """`main` is the workspace of the caller's thread, `settings` are the player's, once for each helper."""
        self._rules, self._settings, self._search = rules, settings, settings[0].search
        self._main, self._workspaces = main, [Workspace(0, main.table) for _ in settings]
        for number, (workspace, one) in enumerate(zip(self._workspaces, settings, strict=True)):
            workspace.begin_game(one.stored)
            workspace.states["skipped"] = 1 - number % 2
        self._threads = ThreadPoolExecutor(len(settings), "negamax")
        self._searching: dict[int, Future[float]] = {}
        """The latest search of each helper, by its number."""
        self._taking: list[int] = []
        """The helpers that take part in a search, and after it those that ended in time."""
        self._asked: Asked | None = None

    def search(self, asked: Asked, soft: float, hard: float) -> tuple[float, Workspace, list[int]]:
        """Search with all threads, of which each may enter the same share of the nodes; the value, and `answer`.

        Raises what a helper raises.
        """
        share = asked.nodes // (1 + len(self._workspaces))
        own = asked._replace(nodes=asked.nodes - share * len(self._workspaces))
        self._begin(asked._replace(nodes=share), hard)
        try:
            value = self._search(self._rules, self._main.states, *own, soft, hard)
        finally:
            self._end()
        values = {id(self._main): value}
        values |= {id(self._workspaces[number]): self._searching[number].result() for number in self._taking}
        best, answer = self.answer()
        return values[id(best)], best, answer

    def answer(self) -> tuple[Workspace, list[int]]:
        """The workspace of the best thread, and its ANSWERED with the work of all threads counted.

        The best is the one that completed the most plies, the caller's among equals: a deeper search is better,
        whoever made it.
        """
        everyone = [self._main, *(self._workspaces[number] for number in self._taking)]
        reported = [workspace.answer() for workspace in everyone]
        ranks = [(one[_FOUND], one[_COMPLETED]) for one in reported]
        best = ranks.index(max(ranks))
        answer = [sum(counts) for counts in zip(*reported, strict=True)]
        answer[_DEEPEST] = max(one[_DEEPEST] for one in reported)
        return everyone[best], answer[: len(COUNTED)] + reported[best][len(COUNTED) :]

    def _begin(self, asked: Asked, hard: float) -> None:
        """Have the helpers search, except those that are still in an earlier search."""
        self._asked, self._taking = asked, []
        for number, workspace in enumerate(self._workspaces):
            before = self._searching.get(number)
            if before is not None and not before.done():
                workspace.stop()
                continue
            workspace.clear_answer()
            workspace.follow(self._main, asked.moves)
            self._searching[number] = self._threads.submit(self._help, workspace, asked, hard)
            self._taking.append(number)

    def _help(self, workspace: Workspace, asked: Asked, hard: float) -> float:
        if asked is not self._asked:
            return np.inf
        value: float = self._search(self._rules, workspace.states, *asked, np.inf, hard)
        return value

    def _end(self) -> None:
        """Stop the helpers; those that have not begun never begin, and those that are late take no part."""
        self._asked = None
        begun = [number for number in self._taking if not self._searching[number].cancel()]
        for _ in range(_PRESSES):
            for number in begun:
                self._workspaces[number].stop()
            if not wait([self._searching[number] for number in begun], _PRESS_SECONDS).not_done:
                break
        self._taking = [number for number in begun if self._searching[number].done()]
