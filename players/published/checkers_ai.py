"""`checkers-ai`: iterative deepening alpha-beta under a time limit, English draughts.

Its text: after each iteration the root's moves are ordered by their values, best first. It stops when the last
iteration ended after more than half of the time, with one legal move, when the whole tree was searched, or at the
time limit, when the last finished iteration's move is played. Its evaluation, in two phases, is
`players.evaluation.builtin.checkers_ai`.
"""

from __future__ import annotations

from arena.rules.variants import Variant
from players.player import Limit
from players.published.program import Plain, Published


class CheckersAI(Published):
    """`checkers-ai`: iterative deepening for 1 second, stopped after half of it, in two phases of evaluation.

    Of equal moves the first that was searched is played.
    """

    default = Limit(seconds=1.0)

    def __init__(self, variant: Variant) -> None:
        super().__init__(Plain(variant, "checkers-ai", deepens=True))
