"""The Elo of newcomers among players whose Elo is given, with what these differ in as opponents.

A player scores more against some opponents than their Elo says, and less against others, by some 50 Elo beyond
chance, and the given Elo has an error of its own, which does the same. So its opponents are a sample as its games
are. With U_i its points against opponent i less those expected, and I_i the sum of s (1 - s) over these games, s
being the expected score, its variance in logits is that of k opponents as clusters,
k / (k - 1) sum of U_i^2 / (sum of I_i)^2 (K.-Y. Liang and S. Zeger, Biometrika 73, 1986), with the interval of
Student's t for k - 1 degrees of freedom; but no less than that of the games alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import expit

from arena.ratings.fit import student_factor
from arena.ratings.interval import ELO_PER_LOGIT
from arena.ratings.joint import Ratings, elo_table, rate
from arena.rules.result import WHITE_POINTS, Colour

FEWEST_OPPONENTS = 5
"""Opponents of a newcomer from which on their differences are measured."""


def placed(games: pd.DataFrame, players: Sequence[str], first: Colour, anchor: Mapping[str, float]) -> Ratings:
    """Rate the players as `arena.ratings.joint.rate` does; of a gauntlet with the spread by opponents, too.

    There each game is of a newcomer against a player of given Elo, and each newcomer met FEWEST_OPPONENTS or more.
    """
    alone = rate(games, players, first=first, anchor=anchor)
    is_white = ~games["white"].isin(anchor)
    if len(anchor) < FEWEST_OPPONENTS or not (is_white ^ ~games["black"].isin(anchor)).all():
        return alone
    points = games["result"].map(WHITE_POINTS).astype(float)
    sides = pd.DataFrame({
        "newcomer": games["white"].where(is_white, games["black"]),
        "opponent": games["black"].where(is_white, games["white"]),
        "points": points.where(is_white, 1 - points),
    })  # fmt: skip
    elo = alone.table.set_index("player")["elo"].astype(float)
    met = sides.groupby(["newcomer", "opponent"])["points"].agg(["sum", "size"]).reset_index()
    score = expit((met["newcomer"].map(elo) - met["opponent"].map(anchor)) / ELO_PER_LOGIT)
    met["beyond"], met["information"] = met["sum"] - met["size"] * score, met["size"] * score * (1 - score)
    wider = pd.Series(1.0, elo.index)
    own_variance = pd.Series(np.diag(alone.covariance.loc[elo.index, elo.index]), elo.index).to_dict()
    for name, of in met.groupby("newcomer"):
        newcomer, opponents = str(name), len(of)
        own = own_variance[newcomer]
        if opponents >= FEWEST_OPPONENTS and own > 0:
            variance = (
                opponents / (opponents - 1) * float((of["beyond"] ** 2).sum()) / of["information"].sum() ** 2
            )
            wider[newcomer] = max(ELO_PER_LOGIT * np.sqrt(student_factor(opponents - 1) * variance / own), 1.0)
    return _widened(alone, wider.to_numpy()) if (wider > 1).any() else alone


def _widened(ratings: Ratings, times: np.ndarray) -> Ratings:
    """The ratings with the standard errors so many times as large, in the order of the table."""
    names = ratings.table["player"]
    covariance = ratings.covariance.loc[names, names] * np.outer(times, times)
    wider = elo_table(names.tolist(), ratings.table["elo"].to_numpy(float), covariance.to_numpy(float))
    wider.loc[names.isin([group[-1] for group in ratings.groups]), "los"] = 0.5
    table = ratings.table.assign(**{name: wider[name] for name in ("elo_low", "elo_high", "los")})
    return replace(ratings, table=table, covariance=covariance)
