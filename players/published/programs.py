"""The players of published programs, under the names of the rule sets that they came with, and their table.

Each has its program's evaluation and search, repaired where these err (`as_printed` plays with the error), and
counts what the program printed. Limits of the configuration hold beside the program's own. Where a text leaves
open in which order moves are searched, it is the generator's.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from arena.rules.game import Game
from arena.rules.position import BLACK, Position
from arena.rules.rules import Rules
from arena.rules.variants import Variant
from players.evaluation.build import Description, build_evaluation
from players.evaluation.evaluator import evaluator
from players.evaluation.features import kings, men
from players.memory import Record, address_of_array
from players.negamax.player import Negamax, Searcher
from players.negamax.score import WIN, plies_to_win
from players.negamax.state import RULE_OFF, SearchResult
from players.negamax.switches import TIES_FIRST, TIES_RANDOM
from players.options import does
from players.player import Choice, Limit
from players.published.search import (
    BLIND,
    BOUND,
    EVALUATED,
    FINAL_ALIKE,
    FINAL_POINTS,
    PLIES_AWAY,
    ProgramState,
    compiled_search,
)

_PENALTY = 1000.0  # of `game3`, for a position that repeats the one four plies before


class AlphaBeta(Searcher):
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
        self.workspace = Record(
            ProgramState,
            SearchResult,
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
        self.kept, self.stop, self.progress, self.begin = search.kept, search.stop, search.progress, search.begin

    @property
    def man_value(self) -> float | None:
        """What a man is worth in the evaluation's unit."""
        return self.search.man_value

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        return self.search.choose(game, self.own_limit(limit), rng)

    def check_limit(self, limit: Limit) -> None:
        self.search.check_limit(self.own_limit(limit))

    def own_limit(self, limit: Limit) -> Limit:
        """The limit that holds: without a depth the program's own depth, without any limit its own limit."""
        if limit == Limit() or (limit.depth is None and self.default.depth is not None):
            return limit._replace(depth=self.default.depth, seconds=limit.seconds or self.default.seconds)
        return limit


@evaluator
def game3_as_printed(position: Position, rules: Rules) -> float:
    """`game3` with its program's errors: for Black a man 9, a king 7; for White `game3` of the opposite sign."""
    own, other = position.turn, 1 - position.turn
    more_men = men(position, rules, own) - men(position, rules, other)
    more_kings = kings(position, rules, own) - kings(position, rules, other)
    if own == BLACK:
        return 1.0 * (9 * more_men + 7 * more_kings)
    return -1.0 * (11 * more_men + 13 * more_kings)


# The text of `game3`: a node is a call; moves are listed by row and column of the piece, then of where it arrives;
# a move replaces the best only if it is strictly better. Wins are infinite, so all alike.
class Game3(Published):
    """`game3`: alpha-beta to depth 4; a position that repeats the one four plies before is 1000 worse.

    Moves are searched by row and column, and all wins are worth the same.
    """

    default = Limit(depth=4)

    def __init__(
        self,
        variant: Variant,
        as_printed: Annotated[
            bool | Literal["sign", "finals", "repetition"],
            does(
                "play as the program did; or with one of its three errors: `sign`, for Black a man is 9 "
                "and a king 7, with Red to move all has the wrong sign; `finals`, finished games are evaluated; "
                "`repetition`, the penalty is never given"
            ),
        ] = False,
        ties: Annotated[
            Literal["first", "random"],
            does("which of equally good moves: the first, as the program, or any, as its text says"),
        ] = "first",
    ) -> None:
        evaluates_finals = as_printed in (True, "finals")
        no_capture = variant.draws.no_capture if evaluates_finals else 0
        super().__init__(
            AlphaBeta(
                variant,
                f"{__name__}:game3_as_printed" if as_printed in (True, "sign") else "game3",
                EVALUATED if evaluates_finals else FINAL_ALIKE,
                ties=TIES_RANDOM if ties == "random" else TIES_FIRST,
                by_squares=True,
                repetition_penalty=0.0 if as_printed in (True, "repetition") else _PENALTY,
                no_capture=no_capture or RULE_OFF,
            )
        )


# The text of `checkers-ai`: after each iteration the root's moves are ordered by their values, best first. It
# stops when the last iteration ended after more than half of the time, with one legal move, when the whole tree
# was searched, or at the time limit, when the last finished iteration's move is played.
class CheckersAI(Published):
    """`checkers-ai`: iterative deepening for 1 second, stopped after half of it, in two phases of evaluation.

    Of equal moves the first that was searched is played.
    """

    default = Limit(seconds=1.0)

    def __init__(self, variant: Variant) -> None:
        super().__init__(AlphaBeta(variant, "checkers-ai", deepens=True))


# The text of `simplified`: a finished game is worth +100 or -100 plus (own final score - other final score),
# where a draw is no win.
class Simplified(Published):
    """`simplified`: alpha-beta to depth 6 with +7/+5/+3; finished games count +-100 and the points' difference."""

    default = Limit(depth=6)

    def __init__(self, variant: Variant) -> None:
        super().__init__(AlphaBeta(variant, "simple", FINAL_POINTS))


class Repaired(Negamax):
    """Negamax that plays the last of truly equal moves: the first, if the root's moves are given in reverse."""

    def root_moves(self, game: Game) -> Sequence[int]:
        return game.legal_moves[::-1]


# The text of `cis300`: NegaMax(alpha, beta, depth) is the evaluation at depth 0, and the least integer without a
# move; `value >= score` takes a move, so of equal values the last, although behind a cut a value is only a
# bound. Several hops of one capture are searched at one depth: the tree of whole moves.
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
            super().__init__(AlphaBeta(variant, "cis300", BLIND, ties=BOUND))
        else:
            super().__init__(Repaired(variant, "cis300", "pvs"))


PUBLISHED: dict[str, type[Any]] = {
    "game3": Game3,
    "checkers-ai": CheckersAI,
    "simplified": Simplified,
    "cis300": Cis300,
}
