"""The hybrid player: a tree search that rejects losing moves early, and values leaves by the mix, or a network."""

from __future__ import annotations

from typing import Any

from arena.rules.variants import Variant
from players.evaluation.build import Description
from players.mcts.options import (
    Cache,
    Exploration,
    FirstPlay,
    KeepTree,
    RejectDepth,
    RejectMargin,
    Rollout,
    Scale,
    Simulations,
    Solver,
    TreeSize,
)
from players.mcts.player import Mcts

MIX: dict[str, Any] = {"mix": {}}
"""The evaluation if none is named: `players.evaluation.mix` with its own weights."""


class Hybrid(Mcts):
    """Monte-Carlo tree search that rejects losing moves by a shallow search and values leaves by a weighted mix.

    As the published program `casual-10x10` describes its hybrid. The shallow search is negamax by the same
    evaluation; its positions are not counted. `tt_probes` and `tt_hits` are those of the kept formation values.
    """

    def __init__(
        self,
        variant: Variant,
        reject_depth: RejectDepth = 3,
        reject_margin: RejectMargin = 1.0,
        cache: Cache = True,
        evaluation: Description = MIX,
        rollout: Rollout = "evaluation",
        simulations: Simulations = None,
        exploration: Exploration = 0.7,
        first_play: FirstPlay = 1.0,
        scale: Scale = 3.0,
        solver: Solver = True,
        keep_tree: KeepTree = True,
        tree: TreeSize = 64,
    ) -> None:
        super().__init__(
            variant, rollout, evaluation, simulations, exploration, first_play, scale, solver, keep_tree, tree
        )
        self._memory.set(
            {
                "reject_depth": reject_depth,
                "reject_margin": reject_margin * self._man,
                "cached": cache and isinstance(evaluation, dict) and "mix" in evaluation,
            }
        )
