"""The players `mcts` and `hybrid`: their options and limits, and what they report of the compiled search.

The hybrid rejects losing moves early, and values leaves by the mix, or a network.
"""

from __future__ import annotations

import random
import weakref
from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.rules.game import Game
from arena.rules.variants import Variant
from players.evaluation.build import Description
from players.mcts.options import (
    DEFAULTS,
    KINDS,
    Cache,
    RejectDepth,
    RejectMargin,
    Rollout,
    TreeOptions,
    rollout_of,
)
from players.mcts.search import TreeWorkspace, compiled_tree_search
from players.negamax.player import budget, earlier_positions, give_moves, settings_of
from players.negamax.workspace import Workspace
from players.options import takes
from players.player import AnswerError, Choice, Limit

SHALLOW_SEARCH = {"order_captures": True, "quiescence": "captures", "draws": True}
"""Negamax's switches, beside those of `alphabeta`, in a shallow search: none remembers anything."""
MIX: dict[str, Any] = {"mix": {}}
"""The evaluation if none is named: `players.evaluation.mix` with its own weights."""

_NOTHING_PLAYED = np.zeros(0, np.int64)
_IDLE_MEGABYTES = 256
"""Megabytes of trees that a process keeps for players to come."""

_idle: defaultdict[int, list[tuple[TreeWorkspace, Workspace]]] = defaultdict(list)
"""Memory that no player uses, by the megabytes of its tree."""


class Mcts:
    """Monte-Carlo tree search by UCT, compiled; it plays the move that was visited most.

    A simulation, which counts as a node, goes down the tree by UCB1, adds a position and values it by `rollout`.
    The score is the expected result, from -1 to 1. The same `rng` and number of simulations give the same choice.
    """

    limits = ("nodes", "seconds", "clock", "increment")

    @takes(KINDS, DEFAULTS)
    def __init__(
        self,
        variant: Variant,
        rollout: Rollout = "random",
        evaluation: Description = "simple",
        **options: Any,
    ) -> None:
        chosen = TreeOptions(**options)
        way, depth = rollout_of(rollout)
        self._settings = settings_of(variant, evaluation, "alphabeta", SHALLOW_SEARCH)
        self._simulations, self._keeps = chosen.simulations, chosen.keep_tree
        self._rules = variant.constants
        self._search = compiled_tree_search(self._rules)
        try:
            self._memory, self._shallow = _idle[chosen.tree].pop()
        except IndexError:
            self._memory, self._shallow = TreeWorkspace(chosen.tree), Workspace(0)
        self._shallow.begin_game(self._settings.stored)
        self._man = float(self._shallow.states[0]["man"])
        self._memory.begin_game(
            {
                "rollout": way,
                "rollout_depth": depth,
                "exploration": chosen.exploration,
                "first_play": chosen.first_play,
                "scale": chosen.scale * self._man,
                "solver": chosen.solver,
                "reject_depth": 0,
                "reject_margin": 0.0,
                "cached": False,
                "repetition": variant.draws.repetition,
                "no_progress": variant.draws.no_progress,
                "no_capture": variant.draws.no_capture,
            }
        )
        self._searched: tuple[Any, list[int]] | None = None
        """The start and the moves of the game whose tree there is."""
        weakref.finalize(self, _give_back, self._memory, self._shallow, chosen.tree).atexit = False

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Simulate until the first limit is met or the position is proven, and choose a move.

        A clock is spent a twentieth of what is left, and most of the increment, at a time. Raises ValueError as
        `check_limit`; AnswerError if the evaluation has no value.
        """
        self.check_limit(limit)
        nodes = min(limit.nodes or 2**62, self._simulations or 2**62)
        soft, hard = budget(limit)
        value = self._search(
            self._rules,
            self._memory.states,
            self._shallow.states,
            game.position,
            earlier_positions(game),
            game.without_capture,
            give_moves(game, self._memory.states[0]["moves"]),
            self._played(game),
            nodes,
            min(2 * soft, hard),
            rng.getrandbits(62),
        )
        counted = self._memory.counted()
        if counted["undefined"]:
            raise AnswerError("has an evaluation that is not a number (nan)")
        line = self._memory.line(counted["line_length"])
        found = {name: counted[name] for name in ("nodes", "leaves", "deepest", "tt_probes", "tt_hits", "tree")}
        return Choice(line[0], value, depth=len(line), pv=line, wins_in=self._memory.proven(line[0]), **found)

    def stop(self) -> None:
        """End the search under way, from another thread; what is found so far is its answer."""
        self._memory.states[0]["node_limit"] = 0

    def check_limit(self, limit: Limit) -> None:
        """Raise ValueError for a limit that the search cannot do with."""
        if limit.depth is not None:
            raise ValueError("a tree search has no depth to limit; give it nodes (simulations), seconds or clock")
        if self._simulations is limit.nodes is limit.seconds is limit.clock is None:
            raise ValueError("a tree search needs a limit: nodes (simulations), seconds or clock")

    def _played(self, game: Game) -> NDArray[np.int64]:
        """The moves since the last search of this game; none if there was none, or its tree is not kept."""
        before, self._searched = self._searched, (game.start, list(game.moves)) if self._keeps else None
        if before is None or before[0] != game.start:
            return _NOTHING_PLAYED
        known = len(before[1])
        if game.moves[:known] != before[1]:
            return _NOTHING_PLAYED
        return np.array(game.moves[known:], np.int64)


class Hybrid(Mcts):
    """Monte-Carlo tree search that rejects losing moves by a shallow search and values leaves by a weighted mix.

    As the published program `casual-10x10` describes its hybrid. The shallow search is negamax by the same
    evaluation; its positions are not counted. `tt_probes` and `tt_hits` are those of the kept formation values.
    """

    @takes(KINDS, DEFAULTS)
    def __init__(
        self,
        variant: Variant,
        reject_depth: RejectDepth = 3,
        reject_margin: RejectMargin = 1.0,
        cache: Cache = True,
        evaluation: Description = MIX,
        rollout: Rollout = "evaluation",
        **options: Any,
    ) -> None:
        super().__init__(variant, rollout, evaluation, **options)
        self._memory.set(
            {
                "reject_depth": reject_depth,
                "reject_margin": reject_margin * self._man,
                "cached": cache and isinstance(evaluation, dict) and "mix" in evaluation,
            }
        )


def _give_back(memory: TreeWorkspace, shallow: Workspace, megabytes: int) -> None:
    """Keep memory for the next player, unless much is kept already."""
    if megabytes + sum(size * len(of_size) for size, of_size in _idle.items()) <= _IDLE_MEGABYTES:
        _idle[megabytes].append((memory, shallow))
