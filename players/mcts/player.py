"""The players `mcts` and `hybrid`: their options and limits, and what they report of the compiled search.

The hybrid rejects losing moves early, and values leaves by the mix, or a network.
"""

from __future__ import annotations

import math
import random
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.rules.game import Game
from arena.rules.variants import Variant
from players.evaluation.build import Description
from players.evaluation.mix import HEAD, JUDGED, STANCE, assess, head_of, is_mix
from players.mcts.options import (
    DEFAULTS,
    KINDS,
    POLICIES,
    ROLLOUTS,
    Minimax,
    Monitor,
    RejectDepth,
    RejectMargin,
    Rollout,
    Table,
    TreeOptions,
    Trust,
    way_of,
)
from players.mcts.search import compiled_tree_search
from players.mcts.state import TreeWorkspace
from players.negamax.player import budget, earlier_positions, give_moves, is_kept, settings_of
from players.negamax.score import wins_in
from players.negamax.state import COUNTED, MAX_DEPTH, draw_rules
from players.negamax.workspace import Workspace
from players.options import takes
from players.player import AnswerError, Choice, Limit

MIX: dict[str, Any] = {"mix": {}}
"""The evaluation if none is named: `players.evaluation.mix` with its own weights."""

_NOTHING_PLAYED = np.zeros(0, np.int64)


class Mcts:
    """Monte-Carlo tree search by UCT, compiled; it plays the move that was visited most.

    A simulation, which counts as a node, goes down the tree by UCB1, or with a `policy` by PUCT, adds a position
    and values it by `rollout`. Positions that a policy values count neither as nodes nor as leaves.
    The score is the expected result, from -1 to 1. The same `rng` and number of simulations give the same choice.
    """

    limits = ("nodes", "seconds", "clock", "increment")
    shallow: tuple[str, dict[str, Any]] = (
        "alphabeta",
        {"order_captures": True, "quiescence": "captures", "draws": True},
    )
    """The preset and the switches of negamax in a shallow search; these remember nothing."""

    @takes(KINDS, DEFAULTS)
    def __init__(
        self,
        variant: Variant,
        rollout: Rollout = "random",
        evaluation: Description = "simple",
        **options: Any,
    ) -> None:
        chosen = TreeOptions(**options)
        way, depth = way_of("rollout", rollout, ROLLOUTS)
        policy, policy_depth = way_of("policy", chosen.policy, POLICIES)
        self._settings = settings_of(variant, evaluation, *self.shallow)
        self._simulations, self._keeps = chosen.simulations, chosen.keep_tree
        self._rules = variant.constants
        self._search = compiled_tree_search(self._rules)
        self._memory, self._shallow = TreeWorkspace(chosen.tree), Workspace(self._settings.switches.tt)
        self.kept = is_kept(evaluation, max(chosen.tree, self._settings.switches.tt))
        self.begin()
        self._man = float(self._shallow.states[0]["man"])
        self._memory.set(
            {
                "rollout": way,
                "rollout_depth": depth,
                "exploration": chosen.exploration,
                "first_play": chosen.first_play,
                "policy": policy,
                "policy_depth": policy_depth,
                "temperature": chosen.temperature * self._man,
                "scale": chosen.scale * self._man,
                "solver": chosen.solver,
                **draw_rules(variant.draws),
            }
        )

    def begin(self) -> None:
        """Forget what was found in earlier games."""
        self._shallow.begin_game(self._settings.stored)
        self._searched: tuple[Any, list[int]] | None = None
        """The start and the moves of the game whose tree there is."""

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Simulate until the first limit is met or the position is proven, and choose a move.

        A clock is spent a twentieth of what is left, and most of the increment, at a time. Raises ValueError as
        `check_limit`; AnswerError if the evaluation has no value.
        """
        self.check_limit(limit)
        return self._search_tree(game, *self._budget(limit), rng)

    def _budget(self, limit: Limit) -> tuple[int, float]:
        """Simulations and seconds of a move, at most."""
        soft, hard = budget(limit)
        return min(limit.nodes or 2**62, self._simulations or 2**62), min(2 * soft, hard)

    def _search_tree(self, game: Game, nodes: int, seconds: float, rng: random.Random) -> Choice:
        """Search the tree for so many simulations and seconds at most, and choose a move."""
        value = self._search(
            self._rules,
            self._memory.states,
            self._shallow.states,
            game.position,
            earlier_positions(game),
            (game.without_progress, game.without_capture),
            give_moves(game, self._memory.states),
            self._played(game),
            nodes,
            seconds,
            rng.getrandbits(62),
        )
        counted = self._memory.counted()
        if counted["undefined"]:
            raise AnswerError("has an evaluation that is not a number (nan)")
        line = self._memory.line(counted["line_length"])
        return Choice(
            line[0],
            value,
            len(line),
            counted["deepest"],
            counted["nodes"],
            counted["leaves"],
            pv=line,
            wins_in=self._memory.proven(line[0]),
            extra={"tree": counted["tree"]},
        )

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
    """Tree search, minimax and a network in one, as the published program `casual-10x10` describes its hybrid.

    Minimax, which is negamax with the preset `full`, first searches for a share of the limit. The tree begins with
    its values, and rejects moves far below the best: at the root by these, below it by a shallow search. All of
    them value positions by the mix. Positions of minimax and simulations count as nodes, positions of the shallow
    search do not. Cutoffs and lookups in the table are those of minimax.
    """

    @takes(KINDS, DEFAULTS)
    def __init__(
        self,
        variant: Variant,
        minimax: Minimax = 0.85,
        trust: Trust = 200,
        reject_depth: RejectDepth = 3,
        reject_margin: RejectMargin = 0.3,
        monitor: Monitor = 5,
        tt: Table = 16,
        evaluation: Description = MIX,
        rollout: Rollout = "evaluation",
        **options: Any,
    ) -> None:
        self.shallow, self._mixed = ("full", {"tt": tt}), is_mix(evaluation)
        super().__init__(variant, rollout, evaluation, **options)
        self._share, self._scale = minimax, self._memory.states[0]["scale"]
        self._stopped, self._monitor = False, monitor if self._mixed else 0
        weights = self._settings.evaluation.weights
        self._mix = head_of(weights, variant.rules) if self._mixed else np.zeros(HEAD)
        self._memory.set(
            {"trust": trust, "reject_depth": reject_depth, "reject_margin": reject_margin * self._man}
        )

    def begin(self) -> None:
        """Forget what was found in earlier games."""
        super().begin()
        if self._mixed:
            head_of(self._settings.evaluation.weights, self._rules)[STANCE] = JUDGED

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Search by minimax, then the tree, until the first limit is met or the position is decided.

        The limit is shared as `minimax` says; for the rest see `Mcts.choose`.
        """
        self.check_limit(limit)
        nodes, seconds = self._budget(limit)
        began, self._stopped = monotonic(), False
        assessed = self._assess(game)
        first = self._minimax(game, int(min(self._share * nodes, nodes)), self._share * seconds)
        nodes, seconds = nodes - first.nodes, seconds - (monotonic() - began)
        if first.score is None:
            found = self._search_tree(game, nodes, seconds, rng)
        elif first.wins_in:
            found = first._replace(score=math.copysign(1.0, first.wins_in))
        elif self._stopped or len(game.legal_moves) == 1 or min(nodes, seconds) <= 0:
            found = first._replace(score=math.tanh(first.score / self._scale))
        else:
            self._memory.set({"advised": first.move, "advice": first.score})
            tree = self._search_tree(game, nodes, seconds, rng)
            self._memory.set({"advised": 0})
            found = tree._replace(
                nodes=tree.nodes + first.nodes,
                leaves=tree.leaves + first.leaves,
                deepest=max(tree.deepest, first.deepest),
                cutoffs_max=first.cutoffs_max,
                cutoffs_min=first.cutoffs_min,
                cutoffs_first=first.cutoffs_first,
                tt_probes=first.tt_probes,
                tt_hits=first.tt_hits,
            )
        return found._replace(extra={**(found.extra or {}), "assessed": assessed}) if assessed else found

    def stop(self) -> None:
        """End the search under way, from another thread; what is found so far is its answer."""
        self._stopped = True
        self._shallow.states[0]["node_limit"] = 0
        super().stop()

    def _assess(self, game: Game) -> int:
        """Set in the mix the last assessment of the formation, which is made every `monitor` moves of the game.

        Returns the finding, SOUND or WEAK, if it is made before this move, else 0. A new finding makes the search
        forget its tree and table.
        """
        if not self._monitor:
            return 0
        since = len(game.moves) // 2 % self._monitor
        before = self._mix[STANCE]
        stance = assess(game.positions[-1 - 2 * since], self._rules, self._mix)
        if before not in (stance, JUDGED):
            self._searched = None
            self._shallow.begin_game(self._settings.stored)
        return 0 if since else stance

    def _minimax(self, game: Game, nodes: int, seconds: float) -> Choice:
        """The answer of minimax within `nodes` positions and `seconds`; without a score if it finds nothing."""
        nothing = Choice(game.legal_moves[0])
        if nodes <= 0 or seconds <= 0:
            return nothing
        self._shallow.clear_answer()
        score = self._settings.search(
            self._rules,
            self._shallow.states,
            game.position,
            earlier_positions(game),
            (game.without_progress, game.without_capture),
            give_moves(game, self._shallow.states),
            MAX_DEPTH,
            nodes,
            np.inf,
            seconds,
        )
        *counted, completed, found, _, length = self._shallow.answer()
        if not found:
            return nothing._replace(nodes=counted[COUNTED.index("nodes")])
        line = self._shallow.line(length)
        return Choice._make((line[0], score, completed, *counted, tuple(line), wins_in(score, completed), None))
