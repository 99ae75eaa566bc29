"""The players `mcts` and `hybrid`: their options and limits, and what they report of the compiled search.

The hybrid rejects losing moves early, and values leaves by the mix, or a network.
"""

from __future__ import annotations

import math
import random
from time import monotonic
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from arena.rules.game import Game
from arena.rules.variants import Variant
from players.evaluation.build import Description
from players.evaluation.mix import HEAD, JUDGED, STANCE, assess, head_of, is_mix
from players.mcts.search import BY_EVALUATION, BY_GAME, BY_SEARCH, TreeWorkspace, compiled_tree_search
from players.mcts.tree import WIDTH
from players.memory import MOST_KEPT
from players.negamax.player import Negamax, budget, earlier_positions, give_moves
from players.negamax.state import MAX_DEPTH, draw_rules
from players.options import does
from players.player import EFFORT, Choice, Limit

MIX: dict[str, Any] = {"mix": {}}  # the evaluation if none is named: `players.evaluation.mix` with its own weights

_Depth: TypeAlias = Annotated[int, does("plies that negamax searches", "plies", least=0, most=16)]
Rollout: TypeAlias = Annotated[
    Literal["random", "evaluation"] | Annotated[dict[Literal["depth"], _Depth], Field(min_length=1)],
    does("how a new position is valued: random moves; the evaluation; negamax to that depth, then captures"),
]
_NOTHING_PLAYED = np.zeros(0, np.int64)


class Mcts:
    """Monte-Carlo tree search by UCT, compiled; it plays the move that was visited most.

    A simulation, which counts as a node, goes down the tree by UCB1, adds a position and values it by `rollout`.
    The score is the expected result, from -1 to 1.
    """

    limits = ("nodes", "seconds", "clock", "increment")
    shallow: tuple[str, dict[str, Any]] = (
        "alphabeta",
        {"order": "captures", "quiescence": "captures", "draws": True},
    )
    """The preset and the switches of negamax in a shallow search; these remember nothing."""

    def __init__(
        self,
        variant: Variant,
        rollout: Rollout = "random",
        evaluation: Description = "simple",
        exploration: Annotated[
            float, does("the constant of UCB1: how often moves that look worse are tried", least=0)
        ] = 0.7,
        scale: Annotated[float, does("an evaluation v counts tanh(v / scale)", "men", 0.01)] = 3.0,
        solver: Annotated[
            bool, does("proven wins, losses and draws are passed up the tree and not searched again")
        ] = True,
        keep_tree: Annotated[bool, does("the subtree of the position after both moves is kept")] = True,
        tree: Annotated[
            int, does("memory of the tree; it stops growing when full", "megabytes", least=1, most=65_536)
        ] = 64,
    ) -> None:
        preset, switches = self.shallow
        self._negamax = Negamax(variant, evaluation, preset, **switches)
        self.kept = self._negamax.switches.tt + tree <= MOST_KEPT
        self._rules, self._keeps = variant.rules, keep_tree
        self._search = compiled_tree_search(self._rules)
        self._shallow = self._negamax.workspace
        self._man = float(self._shallow.states[0]["man"])
        self._memory = TreeWorkspace(
            tree,
            {
                "rollout": {"random": BY_GAME, "evaluation": BY_EVALUATION}.get(str(rollout), BY_SEARCH),
                "rollout_depth": rollout["depth"] if isinstance(rollout, dict) else 0,
                "exploration": exploration,
                "scale": scale * self._man,
                "solver": solver,
                **draw_rules(variant.draws),
            },
        )
        self.begin()

    def begin(self) -> None:
        self._negamax.begin()
        self._searched: tuple[Any, list[int]] | None = None
        """The start and the moves of the game whose tree there is."""

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Simulate until the first limit is met or the position is proven; `budget` shares out a clock. Raises
        AnswerError if the evaluation has no finite value in a position that was valued."""
        self.check_limit(limit)
        return self._search_tree(game, *self._budget(limit), rng)

    def _budget(self, limit: Limit) -> tuple[int, float]:
        """Simulations and seconds of a move, at most."""
        soft, hard = budget(limit)
        return limit.nodes or 2**62, min(2 * soft, hard)

    def _search_tree(
        self, game: Game, nodes: int, seconds: float, rng: random.Random, advised: int = 0, advice: float = 0.0
    ) -> Choice:
        """Search the tree for so many simulations and seconds at most, from what minimax has found, whose best
        move and value are given, if any."""
        self._memory.set({"advised": advised, "advice": advice})
        value = self._search(
            self._rules,
            self._memory.states,
            self._shallow.states,
            game.position,
            earlier_positions(game),
            (game.without_progress, game.without_capture),
            give_moves(self._negamax.root_moves(game), self._memory.states),
            self._played(game),
            nodes,
            seconds,
            rng.getrandbits(62),
        )
        if self._shallow.states[0]["undefined"]:
            raise self._negamax.undefined_value()
        answer = self._memory.answer()
        line = tuple(self._memory.line[: answer.line_length].tolist())
        return Choice(
            line[0],
            value,
            depth=len(line),
            deepest=answer.deepest,
            nodes=answer.nodes,
            leaves=answer.leaves,
            pv=line,
            plies_to_win=self._memory.proven(line[0]),
            extra={"tree": answer.used // WIDTH},
        )

    def stop(self) -> None:
        self._memory.stop()

    def check_limit(self, limit: Limit) -> None:
        if limit.depth is not None:
            raise ValueError("a tree search has no depth to limit; give it nodes (simulations), seconds or clock")
        if limit.nodes is limit.seconds is limit.clock is None:
            raise ValueError("a tree search needs a limit: nodes (simulations), seconds or clock")

    def _played(self, game: Game) -> NDArray[np.int64]:
        """The moves since the last search of this game; none if there was none, or its tree is not kept."""
        before, self._searched = self._searched, (game.start, list(game.moves)) if self._keeps else None
        if before is None or before[0] != game.start:
            return _NOTHING_PLAYED
        count = len(before[1])
        if game.moves[:count] != before[1]:
            return _NOTHING_PLAYED
        return np.array(game.moves[count:], np.int64)


class Hybrid(Mcts):
    """Tree search, minimax and a network in one, as the published program `casual-10x10` describes its hybrid.

    Minimax, which is negamax with the preset `full`, first searches for a share of the limit. The tree begins with
    its values, and rejects moves far below the best: at the root by these, below it by a shallow search. Positions
    of minimax and simulations count as nodes; cutoffs and lookups in the table are minimax's.
    """

    def __init__(
        self,
        variant: Variant,
        minimax: Annotated[
            float, does("minimax first searches for this share, 0: none", "of the limit", least=0, most=0.95)
        ] = 0.85,
        trust: Annotated[
            int, does("visits with which the tree begins at minimax's best move", "visits", least=1)
        ] = 200,
        reject_depth: Annotated[
            int, does("a shallow search that shows which moves lose, 0: none is rejected", "plies", 0, 16)
        ] = 3,
        reject_margin: Annotated[
            float, does("moves this far below the best are rejected, until all others are proven lost", "men", 0)
        ] = 0.3,
        monitor: Annotated[
            int,
            does("from one assessment of the formation to the next, 0: judged in each position", "moves", least=0),
        ] = 5,
        tt: Annotated[
            int, does("transposition table of minimax and the shallow search", "megabytes", least=0, most=65_536)
        ] = 16,
        evaluation: Description = MIX,
        rollout: Rollout = "evaluation",
        **options: Any,
    ) -> None:
        self.shallow, self._mixed = ("full", {"tt": tt}), is_mix(evaluation)
        super().__init__(variant, rollout, evaluation, **options)
        self._share, self._scale = minimax, self._memory.states[0]["scale"]
        self._stopped, self._monitor = False, monitor if self._mixed else 0
        weights = self._negamax.evaluation.weights
        self._mix = head_of(weights, variant.rules) if self._mixed else np.zeros(HEAD)
        self._memory.set(
            {"trust": trust, "reject_depth": reject_depth, "reject_margin": reject_margin * self._man}
        )

    def begin(self) -> None:
        super().begin()
        if self._mixed:
            head_of(self._negamax.evaluation.weights, self._rules)[STANCE] = JUDGED

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Search by minimax, then the tree, until the first limit is met or the position is decided."""
        self.check_limit(limit)
        nodes, seconds = self._budget(limit)
        began, self._stopped = monotonic(), False
        assessed = self._assess(game)
        share = int(min(self._share * nodes, nodes)), self._share * seconds
        first = Choice(game.legal_moves[0])
        if min(share) > 0:
            first = self._negamax.search(game, MAX_DEPTH, share[0], math.inf, share[1], rng)
        nodes, seconds = nodes - first.nodes, seconds - (monotonic() - began)
        if first.score is None:
            choice = self._search_tree(game, nodes, seconds, rng)
        elif first.plies_to_win:
            choice = first._replace(score=math.copysign(1.0, first.plies_to_win))
        elif self._stopped or len(game.legal_moves) == 1 or min(nodes, seconds) <= 0:
            choice = first._replace(score=math.tanh(first.score / self._scale))
        else:
            tree = self._search_tree(game, nodes, seconds, rng, first.move, first.score)
            counts = {name: getattr(tree, name) + getattr(first, name) for name in EFFORT[2:]}
            choice = tree._replace(deepest=max(tree.deepest, first.deepest), **counts)
        return choice._replace(extra={**(choice.extra or {}), "assessed": assessed}) if assessed else choice

    def stop(self) -> None:
        self._stopped = True
        self._negamax.stop()
        super().stop()

    def _assess(self, game: Game) -> int:
        """Set in the mix the last assessment of the formation, which is made every `monitor` moves; a new one
        makes the search forget its tree and table. Returns it, SOUND or WEAK, if it is made before this move, else
        0."""
        if not self._monitor:
            return 0
        since = len(game.moves) // 2 % self._monitor
        before = self._mix[STANCE]
        stance = assess(game.positions[-1 - 2 * since], self._rules, self._mix)
        if before not in (stance, JUDGED):
            self._searched = None
            self._negamax.begin()
        return 0 if since else stance
