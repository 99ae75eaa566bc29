"""The searchers of published programs, under the names of the rule sets that they came with.

Each has its program's evaluation and search, repaired where these err, and counts what the program printed;
`as_printed` plays with the error. Limits in the configuration are kept as well; without any, the program's own
setting holds. Where the text of a program leaves open in which order moves are searched, it is the generator's.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Annotated, Any, Literal

from arena.rules.game import Game
from arena.rules.result import Draws
from arena.rules.variants import Variant
from players.negamax.player import Negamax
from players.options import does
from players.player import Choice, Limit


class Published(Negamax):
    """A search with the switches of a program, and the program's limit where none is given."""

    default = Limit()

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        return super().choose(game, self.own_limit(limit), rng)

    def check_limit(self, limit: Limit) -> None:
        super().check_limit(self.own_limit(limit))

    def own_limit(self, limit: Limit) -> Limit:
        """The limit that holds: without a depth the program's own depth, without any limit its own limit."""
        if limit == Limit() or (limit.depth is None and self.default.depth is not None):
            return limit._replace(depth=self.default.depth, seconds=limit.seconds or self.default.seconds)
        return limit


class Game3(Published):
    """`game3`: alpha-beta to depth 4; a position that repeats the one four plies before is 1000 worse.

    Moves are searched by row and column, and all wins are worth the same.
    """

    default = Limit(depth=4)

    def __init__(
        self,
        variant: Variant,
        as_printed: Annotated[
            bool | Literal["sign", "finals"],
            does(
                "play as the program did; or with one of its two errors: `sign`, for Black a man is 9 "
                "and a king 7, with Red to move all has the wrong sign; `finals`, finished games are evaluated"
            ),
        ] = False,
        ties: Annotated[
            Literal["first", "random"],
            does("which of equally good moves: the first, as the program, or any, as its text says"),
        ] = "first",
    ) -> None:
        super().__init__(
            replace(variant, draws=Draws(no_capture=variant.draws.no_capture)),
            "players.evaluation.builtin:game3_as_printed" if as_printed in (True, "sign") else "game3",
            "alphabeta",
            order_squares=True,
            ties=ties,
            draws=as_printed in (True, "finals"),
            finals="evaluation" if as_printed in (True, "finals") else "alike",
            repetition_penalty=0.0 if as_printed is True else 1000.0,
        )


class CheckersAI(Published):
    """`checkers-ai`: iterative deepening for 1 second, stopped after half of it, in two phases of evaluation.

    Of equal moves the first that was searched is played.
    """

    default = Limit(seconds=1.0)

    def __init__(self, variant: Variant) -> None:
        super().__init__(variant, "checkers-ai", "iddfs", ties="searched", stop_decided=False)


class Simplified(Published):
    """`simplified`: alpha-beta to depth 6 with +7/+5/+3; finished games count +-100 and the points' difference."""

    default = Limit(depth=6)

    def __init__(self, variant: Variant) -> None:
        super().__init__(variant, "simple", "alphabeta", finals="points")


class Cis300(Published):
    """`cis300`: negamax to a level of 1 to 12 plies, 8 by default; of truly equal moves the last.

    Sooner wins are better, and lost positions at the horizon are seen. A table and an order of moves find the same
    move sooner than plain alpha-beta.
    """

    default = Limit(depth=8)

    def __init__(
        self,
        variant: Variant,
        as_printed: Annotated[
            bool,
            does(
                "search as the program did: plain alpha-beta, of equal values, bounds too, the last, "
                "all wins alike, none seen at the horizon"
            ),
        ] = False,
    ) -> None:
        if as_printed:
            super().__init__(variant, "cis300", "alphabeta", ties="bound", finals="blind")
        else:
            super().__init__(variant, "cis300", "pvs", ties="last", stop_single=False)


PUBLISHED: dict[str, type[Any]] = {
    "game3": Game3,
    "checkers-ai": CheckersAI,
    "simplified": Simplified,
    "cis300": Cis300,
}
