"""The rating that decides what a schedule plays next, and by how much a pair of games is expected to narrow it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

from arena.experiment.formats.base import Pairing, Tie
from arena.ratings import RatingModel
from arena.ratings.joint import Ratings, rate
from arena.ratings.match import ELO_PER_LOGIT, Z95
from arena.ratings.types import Floats
from arena.rules.result import Colour, result_of

TRUSTED = 10
"""Pairs of a player below which its interval, a matter of chance itself, does not end the run."""


def rated(
    names: Sequence[str],
    played: Sequence[Pairing],
    points: Sequence[float],
    first: Colour,
    anchor: str | None,
    model: RatingModel = "bradley-terry",
    *,
    openings: bool = False,
) -> Ratings:
    """The joint rating of games from White's `points`, by their pairs, and by their `openings` if that is true.

    Games that repeat another move for move, which a report counts once, count as often as they were played.
    """
    games = pd.DataFrame(
        {
            "white": [names[pairing.white] for pairing in played],
            "black": [names[pairing.black] for pairing in played],
            "result": [result_of(value) for value in points],
            "pair": [pairing.pair for pairing in played],
            "opening": [pairing.opening if openings else None for pairing in played],
        }
    )
    return rate(games, names, first=first, anchor=anchor, model=model)


def widest(ratings: Ratings) -> float:
    """Half the width in Elo of the widest 95 % interval, to six decimals, so that every machine finds the same."""
    table = ratings.table
    return round(float((table["elo_high"] - table["elo_low"]).max() / 2), 6)


def most_informative(
    elo: Floats,
    covariance: Floats,
    draw_rate: float,
    used: NDArray[np.int64],
    openings: int,
    top: Sequence[int],
    error: float,
    most: int,
) -> list[Tie]:
    """Up to `most` ties, one pair of games each, in the order of what they are worth; none if all is done.

    All is done when the 95 % intervals of the players `top` are within +-`error` Elo, each from TRUSTED pairs at
    least, or when the openings of the pairs that could help are used up. `elo`, `float64[players]`, and
    `covariance`, `float64[players, players]`, are those of the ratings; `used[i, j]` are the pairs that players i
    and j have played, `int64[players, players]`.
    """
    used, covariance = used.copy(), covariance.copy()
    information = pair_information(elo, draw_rate)
    ties: list[Tie] = []
    while len(ties) < most:
        width = Z95 * np.sqrt(np.maximum(np.diag(covariance), 0))
        trusted = used.sum(axis=1) >= TRUSTED
        wide = [player for player in top if width[player] > error or not trusted[player]]
        if not ties and not wide:
            return []
        wide = wide or list(top)
        is_wide = np.isin(np.arange(len(elo)), wide)
        open_to = (is_wide[:, None] | is_wide) & (used < openings)
        gain = np.triu(np.where(open_to, worth(covariance, information, wide), 0.0), 1)
        if not gain.any():
            break
        # Equal but for rounding is equal, so that every machine takes the same one.
        best = int(np.argmax(np.round(gain / gain.max(), 6)))
        one, other = divmod(best, len(elo))
        ties.append((one, other))
        used[one, other] += 1
        used[other, one] += 1
        covariance = _after(covariance, information[one, other], one, other)
    return ties


def worth(covariance: Floats, information: Floats, of: Sequence[int]) -> Floats:
    """The reduction of the summed variance of the players `of`, in Elo^2, by a pair of games of each two players.

    All matrices are `float[players, players]`, in Elo: `covariance` of the ratings, `information` of a pair on the
    difference of the two players. The update is that of a normal distribution by one measured difference.
    """
    variance = np.diag(covariance)
    spread = variance[:, None] + variance - 2 * covariance
    shift = (covariance[of][:, :, None] - covariance[of][:, None, :]) ** 2
    gain: Floats = shift.sum(axis=0) * information / (1 + information * spread)
    return gain


def pair_information(elo: Floats, draw_rate: float) -> Floats:
    """Information that a pair of games of each two players has on their difference, 1 / Elo^2.

    That of the expected score, without first-move advantage, from games of which equal players draw `draw_rate`,
    below 1: see `arena.ratings.dispersion`.
    """
    score = expit((elo[:, None] - elo) / ELO_PER_LOGIT)
    coin = score * (1 - score)
    variance = coin - draw_rate * np.minimum(score, 1 - score) / 2
    information: Floats = 2 * coin**2 / variance / ELO_PER_LOGIT**2
    return information


def _after(covariance: Floats, information: float, one: int, other: int) -> Floats:
    shift = covariance[:, one] - covariance[:, other]
    spread = shift[one] - shift[other]
    after: Floats = covariance - np.outer(shift, shift) * information / (1 + information * spread)
    return after
