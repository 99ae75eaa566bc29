"""The searchers of published programs, under the names of the rule sets that they came with.

Each finds the move that its program would, by the program's own evaluation and search, and counts what the program
printed. Limits in the configuration are kept as well; without any, the program's own setting holds.
"""

from __future__ import annotations

import random
from typing import Any

from arena.rules.game import Game
from arena.rules.variants import Variant
from players.negamax.player import Negamax
from players.player import Choice, Limit


class Published(Negamax):
    """A search whose switches are those of a program, and its own limit where none is given."""

    default = Limit()

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Search until the first limit is met and choose the best move; see `Negamax.choose`."""
        return super().choose(game, self.own_limit(limit), rng)

    def check_limit(self, limit: Limit) -> None:
        """Raise ValueError for a limit that the search cannot do with."""
        super().check_limit(self.own_limit(limit))

    def own_limit(self, limit: Limit) -> Limit:
        """The limit that holds: without a depth the program's own depth, without any limit its own limit."""
        if limit == Limit() or (limit.depth is None and self.default.depth is not None):
            return limit._replace(depth=self.default.depth, seconds=limit.seconds or self.default.seconds)
        return limit


class Game3(Published):
    """`game3`: alpha-beta to depth 4; a position that repeats the one four plies before is 1000 worse."""

    default = Limit(depth=4)

    def __init__(self, variant: Variant) -> None:
        super().__init__(variant, "game3", "alphabeta", repetition_penalty=1000.0)


class CheckersAI(Published):
    """`checkers-ai`: iterative deepening for 1 second, stopped after half of it, in two phases of evaluation."""

    default = Limit(seconds=1.0)

    def __init__(self, variant: Variant) -> None:
        super().__init__(variant, "checkers-ai", "iddfs", stop_decided=False)


class Simplified(Published):
    """`simplified`: alpha-beta to depth 6 with +7/+5/+3; finished games count +-100 and the points' difference."""

    default = Limit(depth=6)

    def __init__(self, variant: Variant) -> None:
        super().__init__(variant, "simple", "alphabeta", finals="points")


class Cis300(Published):
    """`cis300`: negamax to a level of 1 to 12 plies, 8 by default; of equal moves the last.

    The move and its value are those of the program's plain alpha-beta; a table and an order of moves find them
    sooner.
    """

    default = Limit(depth=8)

    def __init__(self, variant: Variant) -> None:
        super().__init__(variant, "cis300", "pvs", ties="last", stop_single=False)


PUBLISHED: dict[str, type[Any]] = {
    "game3": Game3,
    "checkers-ai": CheckersAI,
    "simplified": Simplified,
    "cis300": Cis300,
}
