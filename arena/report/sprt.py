"""The sequential test of a match: its log-likelihood ratio pair by pair, and what it decided.

It takes in the complete pairs at the head of the schedule, in the order of the schedule and not of time, so the
order in which workers finish games has no part in the decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pandas as pd

from arena.ratings.match import Verdict, sprt
from arena.report.tables import POINTS


def sprt_path(games: pd.DataFrame, settings: Mapping[str, Any]) -> pd.DataFrame:
    """The state of the test after each pair until it is decided: pair (from 1), llr, lower, upper.

    `games` has the columns game (from 1) and result, of a match in which games 2 k - 1 and 2 k are a pair and the
    first player is White in its first game; `settings` are the arguments of `arena.ratings.match.sprt`. From the
    first game that is missing on, nothing counts. About a millisecond a pair.
    """
    points = dict(zip(games["game"].tolist(), games["result"].map(POINTS).tolist(), strict=True))
    counts = [0] * 5
    rows = []
    pair, decided = 0, False
    while not decided and {2 * pair + 1, 2 * pair + 2} <= points.keys():
        pair += 1
        counts[round(2 * (points[2 * pair - 1] + 1 - points[2 * pair]))] += 1
        state = sprt(counts, **settings)
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


def sentence(path: pd.DataFrame, config: Mapping[str, Any]) -> str:
    """The decision in words.

    Accepting H1 rejects that the first player is elo0 stronger or less, at an error of alpha; accepting H0 rejects
    that it is elo1 stronger or more, at an error of beta.
    """
    settings = config["sprt"]
    first, second = (str(player["name"]) for player in config["players"][:2])
    unit = "normalized Elo" if settings["model"] == "normalized" else "Elo"
    pairs = f"{len(path)} pair" + ("" if len(path) == 1 else "s")
    decided = verdict(path)
    if decided == "continue":
        ratio = f": LLR {path['llr'].iloc[-1]:.2f}" if len(path) else ""
        return (
            f"The test of {settings['elo0']:g} against {settings['elo1']:g} {unit} is open after {pairs}{ratio}."
        )
    if decided == "H1":
        bound, than, or_, error = settings["elo0"], "more", "or less", settings["alpha"]
    else:
        bound, than, or_, error = settings["elo1"], "less", "or more", settings["beta"]
    shown = f"{bound:g}".replace("-", "−")
    return (
        f"{decided} accepted after {pairs}: {first} is {than} than {shown} {unit} stronger than {second} "
        f"(chance of error {100 * error:g} % if it is {shown} {or_})."
    )
