"""The sequential test of a match: its log-likelihood ratio pair by pair, and what it decided.

It takes in the complete pairs at the head of the schedule, in the order of the schedule and not of time, so the
order in which workers finish games has no part in the decision.
"""

from __future__ import annotations

from typing import cast

import pandas as pd

from arena.formats.sprt import Sprt
from arena.ratings.match import Verdict, sprt
from arena.report.tables.points import white_points
from arena.result import pair_points


def sprt_path(games: pd.DataFrame, settings: Sprt) -> pd.DataFrame:
    """The state of the test after each pair until it is decided: pair (from 1), llr, lower, upper.

    `games` has the columns game (from 1) and result, of a match in which games 2 k - 1 and 2 k are a pair and the
    first player is White in its first game. From the first game that is missing on, nothing counts. About a
    millisecond a pair.
    """
    points = dict(zip(games["game"].tolist(), white_points(games).tolist(), strict=True))
    counts = [0] * 5
    rows = []
    pair, decided = 0, False
    while not decided and {2 * pair + 1, 2 * pair + 2} <= points.keys():
        pair += 1
        counts[round(2 * pair_points(points[2 * pair - 1], points[2 * pair]))] += 1
        state = sprt(counts, **settings.model_dump())
        rows.append((pair, state.llr, state.lower, state.upper))
        decided = state.verdict != "continue"
    return pd.DataFrame(rows, columns=["pair", "llr", "lower", "upper"])


def verdict(path: pd.DataFrame) -> Verdict:
    """What the test of `sprt_path` has decided."""
    if not len(path):
        return "continue"
    last = path.iloc[-1]
    decided = "H1" if last["llr"] >= last["upper"] else "H0" if last["llr"] <= last["lower"] else "continue"
    return cast(Verdict, decided)
