"""What an error costs; who failed in suites."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from arena.base.number import known, signed
from arena.base.wording import first_few
from arena.ledger.record import TABLES_JUDGE
from arena.report.sentences.cautions import MOST_NAMED

_WORTH = {1.0: "a win", 0.5: "a draw", 0.0: "a loss"}
"""Points of a position of the tables in words."""


def cost(error: Mapping[Any, Any], called: Callable[[str], str] = str) -> str:
    """What a row of `Run.grades` lost: "a win turned into a draw", "1.2 men (+0.5 to −0.7) by the scores of x".

    `called` replaces the judge's name.
    """
    if error["judge"] == TABLES_JUDGE:
        return f"{_WORTH[error['best']]} turned into {_WORTH[error['played']]}"
    best, played = error["best_men"], error["played_men"]
    lost = f"{error['lost']:.2f} points"
    if known(best) and known(played):
        lost = f"{best - played:.1f} men ({signed(best, 1)} to {signed(played, 1)})"
    return f"{lost} by the scores of {called(error['judge'])}"


def unsolved(suites: pd.DataFrame) -> str:
    """Which players failed in some positions of suites; "" for none."""
    rows = [
        f"{row['player']} in {row['failures']} of {row['positions']} positions of {row['suite']}"
        for row in suites[suites["failures"] > 0].to_dict("records")
    ]
    return f" Failed, which solves nothing: {first_few(rows, MOST_NAMED, '; ')}." if rows else ""
