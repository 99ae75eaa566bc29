"""`simplified`: alpha-beta to a fixed depth with +7/+5/+3, under rules without kings in which points decide.

Its text: a finished game is worth +100 or -100 plus (own final score - other final score), where a draw is no win.
"""

from __future__ import annotations

from arena.rules.variants import Variant
from players.player import Limit
from players.published.program import Plain, Published
from players.published.search import FINAL_POINTS


class Simplified(Published):
    """`simplified`: alpha-beta to depth 6 with +7/+5/+3; finished games count +-100 and the points' difference."""

    default = Limit(depth=6)

    def __init__(self, variant: Variant) -> None:
        super().__init__(Plain(variant, "simple", FINAL_POINTS))
