"""`game3`: minimax with alpha-beta to depth 4 on a board of 8x8, one hop a turn.

Its text: a node is a call; moves are listed by row and column of the piece, then of where it arrives; a move
replaces the best only if it is strictly better. A man is worth 1, a king 3, and 10 each piece more; a position
that repeats the one four plies before is 1000 worse. Wins are infinite, so all alike.
"""

from __future__ import annotations

from typing import Annotated, Literal

from arena.rules.position import BLACK, Position
from arena.rules.rules import Rules
from arena.rules.variants import Variant
from players.evaluation.evaluator import evaluator
from players.evaluation.features import kings, men
from players.negamax.state import RULE_OFF
from players.negamax.switches import TIES_FIRST, TIES_RANDOM
from players.options import does
from players.player import Limit
from players.published.program import Plain, Published
from players.published.search import EVALUATED, FINAL_ALIKE

_PENALTY = 1000.0


@evaluator
def game3_as_printed(position: Position, rules: Rules) -> float:
    """`game3` with its program's errors: for Black a man 9, a king 7; for White `game3` of the opposite sign."""
    own, other = position.turn, 1 - position.turn
    more_men = men(position, rules, own) - men(position, rules, other)
    more_kings = kings(position, rules, own) - kings(position, rules, other)
    if own == BLACK:
        return 1.0 * (9 * more_men + 7 * more_kings)
    return -1.0 * (11 * more_men + 13 * more_kings)


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
            Plain(
                variant,
                f"{__name__}:game3_as_printed" if as_printed in (True, "sign") else "game3",
                EVALUATED if evaluates_finals else FINAL_ALIKE,
                ties=TIES_RANDOM if ties == "random" else TIES_FIRST,
                by_squares=True,
                repetition_penalty=0.0 if as_printed in (True, "repetition") else _PENALTY,
                no_capture=no_capture or RULE_OFF,
            )
        )
