"""Contrasts: differences of ratings, with 95 % intervals from the ratings' covariance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from arena.ratings.joint import Ratings
from arena.ratings.match import Z95, los


class Contrast(NamedTuple):
    """A weighted sum of ratings, in Elo, with its 95 % interval and the probability that it is positive."""

    value: float
    low: float
    high: float
    los: float


def contrast(ratings: Ratings, weights: Mapping[str, float]) -> Contrast | None:
    """The sum of weight times Elo over players; the weights sum to 0.

    None unless all these players have games and are connected through games.
    """
    played = ratings.table.loc[ratings.table["games"] > 0].set_index("player")["elo"]
    names = list(weights)
    if not set(names) <= set(played.index) or not any(set(names) <= set(group) for group in ratings.groups):
        return None
    c = np.array([weights[name] for name in names])
    value = float(c @ played[names].to_numpy(dtype=float))
    covariance = ratings.covariance.loc[names, names].to_numpy(dtype=float)
    error = math.sqrt(max(float(c @ covariance @ c), 0.0))
    return Contrast(value, value - Z95 * error, value + Z95 * error, los(value, error))
