"""The players of published programs: a search, and the program's own limit where none is given."""

from __future__ import annotations

import random
from typing import Any

from arena.rules.game import Game
from arena.rules.variants import Variant
from players.evaluation.build import Description, build_evaluation
from players.memory import address_of_array
from players.negamax.player import Searcher, SearchRecord
from players.negamax.score import WIN, plies_to_win
from players.negamax.state import RULE_OFF
from players.player import Choice, Limit
from players.published.search import PLIES_AWAY, ProgramState, compiled_search


class Plain(Searcher):
    """Plain alpha-beta with a program's `settings`, see `players.published.search.ProgramSettings`."""

    name = "the program"
    kept = True

    def __init__(
        self, variant: Variant, evaluation: Description, finals: int = PLIES_AWAY, **settings: Any
    ) -> None:
        self.evaluation = build_evaluation(evaluation, variant)
        self._variant, self._rules = variant, variant.rules
        self._search = compiled_search(self._rules)
        self._deepens = settings.get("deepens", False)
        self._sees_history = settings.get("repetition_penalty", 0.0) != 0.0
        self.workspace = SearchRecord(
            ProgramState,
            {
                "finals": finals,
                "mirrored": variant.mirrored,
                "no_capture": RULE_OFF,
                "evaluation": self.evaluation.address,
                "weights": address_of_array(self.evaluation.weights),
                **settings,
            },
        )

    def plies_to_win(self, score: float, depth: int) -> int:
        """Where all wins are alike, the most that they are in a search of so many plies."""
        if abs(score) < WIN:
            return plies_to_win(score)
        plies = depth - (depth % 2 == (score < 0))
        return plies if score > 0 else -plies


class Published:
    """A program: its search, which keeps the limits of the configuration, and its own limit without any."""

    default = Limit()

    def __init__(self, search: Searcher) -> None:
        self.search = search
        self.kept, self.stop, self.progress = search.kept, search.stop, search.progress

    @property
    def man_value(self) -> float | None:
        """What a man is worth in the evaluation's unit."""
        return self.search.man_value

    def begin(self) -> None:
        self.search.begin()

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        return self.search.choose(game, self.own_limit(limit), rng)

    def check_limit(self, limit: Limit) -> None:
        self.search.check_limit(self.own_limit(limit))

    def own_limit(self, limit: Limit) -> Limit:
        """The limit that holds: without a depth the program's own depth, without any limit its own limit."""
        if limit == Limit() or (limit.depth is None and self.default.depth is not None):
            return limit._replace(depth=self.default.depth, seconds=limit.seconds or self.default.seconds)
        return limit
