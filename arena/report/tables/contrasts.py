"""Contrasts: differences of ratings, with 95 % intervals from the ratings' covariance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from arena.ratings.joint import Ratings
from arena.ratings.match import Z95, los

CERTAIN = 0.975
"""Likelihood of superiority above which a lead is called certain: the 95 % interval excludes 0."""


class Contrast(NamedTuple):
    """A weighted sum of ratings, in Elo, with its 95 % interval and the probability that it is positive."""

    value: float
    low: float
    high: float
    los: float


def contrast(ratings: Ratings, weights: Mapping[str, float]) -> Contrast | None:
    """The sum of weight times Elo over players; the weights sum to 0.

    None unless all these players have ratings and are connected through games.
    """
    return contrasts(ratings, [weights])[0]


def contrasts(ratings: Ratings, several: Iterable[Mapping[str, float]]) -> list[Contrast | None]:
    """`contrast` of each of several weights."""
    played = ratings.table.loc[(ratings.table["games"] > 0) & ratings.table["elo"].notna()]
    elo = dict(zip(played["player"], played["elo"].astype(float), strict=True))
    group = {name: number for number, members in enumerate(ratings.groups) for name in members}
    place = {name: i for i, name in enumerate(ratings.covariance.index)}
    covariance = ratings.covariance.to_numpy(dtype=float)
    found: list[Contrast | None] = []
    for weights in several:
        if not weights.keys() <= elo.keys() or len({group.get(name, name) for name in weights}) > 1:
            found.append(None)
            continue
        c, at = np.array(list(weights.values())), [place[name] for name in weights]
        value = float(c @ np.array([elo[name] for name in weights]))
        error = math.sqrt(max(float(c @ covariance[np.ix_(at, at)] @ c), 0.0))
        found.append(Contrast(value, value - Z95 * error, value + Z95 * error, los(value, error)))
    return found
