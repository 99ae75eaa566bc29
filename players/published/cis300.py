"""`cis300`: negamax with alpha-beta to a level of 1 to 12, English draughts.

Its text: NegaMax(alpha, beta, depth) is the evaluation at depth 0, and the least integer without a move; `value >=
score` takes a move, so of equal values the last, although behind a cut a value is only a bound. Man 5, king 10,
own back row 1, edge 3. Several hops of one capture are searched at one depth: the tree of whole moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from arena.rules.game import Game
from arena.rules.variants import Variant
from players.negamax.player import Negamax
from players.options import does
from players.player import Limit
from players.published.program import Plain, Published
from players.published.search import BLIND, BOUND


class Repaired(Negamax):
    """Negamax that plays the last of truly equal moves: the first, if the root's moves are given in reverse."""

    def root_moves(self, game: Game) -> Sequence[int]:
        return game.legal_moves[::-1]


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
            super().__init__(Plain(variant, "cis300", BLIND, ties=BOUND))
        else:
            super().__init__(Repaired(variant, "cis300", "pvs"))
