"""The Elo of newcomers among players whose Elo is given, with what these differ in as opponents.

A player scores more against some opponents than their Elo says, and less against others, by some 50 Elo beyond
chance, and the given Elo has an error of its own, which does the same. So its opponents are a sample as its games
are: the meat of its variance is that of k opponents as clusters, k / (k - 1) times the sum of the squared slopes
(K.-Y. Liang and S. Zeger, Biometrika 73, 1986), with the interval of Student's t for k - 1 degrees of freedom; but
no less than that of the games alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from arena.ratings.fit import student_factor, summed
from arena.ratings.interval import ELO_PER_LOGIT
from arena.ratings.joint import Ratings, elo_table, rate
from arena.rules.result import Colour

FEWEST_OPPONENTS = 5
"""Opponents of a newcomer from which on their differences are measured."""


def placed(games: pd.DataFrame, players: Sequence[str], first: Colour, anchor: Mapping[str, float]) -> Ratings:
    """Rate the players as `arena.ratings.joint.rate` does; of a gauntlet with the spread by opponents, too.

    There each game is of a newcomer against a player of given Elo, and each newcomer met FEWEST_OPPONENTS or more.
    """
    alone = rate(games, players, first=first, anchor=anchor)
    joint, is_given = alone.joint, np.isin(alone.names, [*anchor])
    if joint is None or len(anchor) < FEWEST_OPPONENTS:
        return alone
    games_of, size = joint.games, len(is_given)
    if not (is_given[games_of.first] ^ is_given[games_of.second]).all():
        return alone
    slopes = summed(joint.rows, games_of.weight * (games_of.points - joint.score), games_of.pairing).toarray()
    opponents = (summed(abs(joint.rows), games_of.weight, games_of.pairing).toarray()[:, :size] > 0).sum(axis=0)
    apart = ELO_PER_LOGIT**2 * (slopes[:, :size] ** 2).sum(axis=0) * np.diag(joint.bread)[:size] ** 2
    own, wider = np.diag(joint.covariance)[:size], np.ones(size)
    for player in np.flatnonzero(~is_given & (opponents >= FEWEST_OPPONENTS) & (own > 0)):
        few = student_factor(opponents[player] - 1) * opponents[player] / (opponents[player] - 1)
        wider[player] = max(math.sqrt(few * apart[player] / own[player]), 1.0)
    times = pd.Series(wider, alone.names)[alone.table["player"]].to_numpy()
    return _widened(alone, times) if (wider > 1).any() else alone


def _widened(ratings: Ratings, times: np.ndarray) -> Ratings:
    """The ratings with the standard errors so many times as large, in the order of the table."""
    names = ratings.table["player"]
    covariance = ratings.covariance.loc[names, names] * np.outer(times, times)
    wider = elo_table(names.tolist(), ratings.table["elo"].to_numpy(float), covariance.to_numpy(float))
    wider.loc[names.isin([group[-1] for group in ratings.groups]), "los"] = 0.5
    table = ratings.table.assign(**{name: wider[name] for name in ("elo_low", "elo_high", "los")})
    return replace(ratings, table=table, covariance=covariance)
