"""The sequential test of a match: its log-likelihood ratio pair by pair, and what it decided."""

from __future__ import annotations

from typing import cast

import pandas as pd

from arena.experiment.formats.sequential import SequentialTest
from arena.experiment.formats.sprt import Sprt
from arena.ratings.match import Verdict
from arena.report.tables.points import white_points


def sprt_path(games: pd.DataFrame, settings: Sprt) -> pd.DataFrame:
    """The state of the test after each pair until it is decided: pair (from 1), llr, lower, upper.

    `games` has the columns game (from 1) and result, of a match as
    `arena.experiment.formats.sequential.SequentialTest` takes it. From the first game that is missing on, nothing
    counts.
    """
    points = dict(zip(games["game"].tolist(), white_points(games).tolist(), strict=True))
    states = SequentialTest(settings).advance(points)
    rows = [(pair, state.llr, state.lower, state.upper) for pair, state in enumerate(states, 1)]
    return pd.DataFrame(rows, columns=["pair", "llr", "lower", "upper"])


def verdict(path: pd.DataFrame) -> Verdict:
    """What the test of `sprt_path` has decided."""
    if not len(path):
        return "continue"
    last = path.iloc[-1]
    decided = "H1" if last["llr"] >= last["upper"] else "H0" if last["llr"] <= last["lower"] else "continue"
    return cast(Verdict, decided)
