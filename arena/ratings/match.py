"""Statistics of a match between two players from its counts: score, Elo, and how many games it needs.

Counts stand in the order of a player's points, worst result first; their length says what they count.

* 3, trinomial: games ``[losses, draws, wins]``.
* 5, pentanomial: pairs of games with colours swapped ``[LL, LD, WL + DD, WD, WW]``.

The same match from the opponent's view is ``counts[::-1]``. Scores are the fraction of points, 0 to 1.

A count of zero enters variances, Elo and likelihoods as 0.001, the convention of fastchess and fishtest, so
every figure is finite. For one-sided counts (only wins, say) the figures derived from the variance are then
finite but not trustworthy: the estimate and its width depend on that 0.001. For such data use
`arena.ratings.joint.rate`, which has a prior.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.ratings.interval import ELO_PER_LOGIT, Z95, Interval, elo_from_score, los
from arena.ratings.types import Floats

NELO_SCALE = 800 / math.log(10)  # M. Van den Bergh, "Comments on normalized Elo"
REGULARISATION = 1e-3  # results that an empty count stands for
SCORE_LIMIT = 1e-3  # confidence limits of a score stay this far from 0 and 1, as in OpenBench

Counts: TypeAlias = Sequence[int] | Sequence[float] | NDArray[np.integer] | NDArray[np.floating]


class Summary(NamedTuple):
    """Figures of a match."""

    games: int
    score: float  # fraction of points
    elo: Interval
    nelo: Interval  # normalized Elo
    los: float  # probability that the player is the stronger one
    draw_ratio: float  # drawn games / games; for pairs, those that ended level (WL or DD) / pairs


def summary(counts: Counts) -> Summary:
    """Score, Elo, normalized Elo and LOS of a match from its counts (see the module docstring).

    Elo's half width is half the distance between the Elos of the score's limits, s +- z sqrt(v / n), these
    kept at least 0.001 away from 0 and 1; n is games or pairs. `score` and `draw_ratio` are of the counts as
    given. Normalized Elo is (s - 1/2) / sqrt(v) * 800 / ln 10, for pairs with 2 v.

    Without games: score 0.5, Elo 0 +- 1200, LOS 0.5, draw ratio 0.

    Raises ValueError for a length other than 3 or 5 or a count that is negative or not finite.
    """
    given = checked(counts)
    weights = regularised(given)
    points, middle = np.linspace(0, 1, len(given)), len(given) // 2
    given_total, total = float(given.sum()), float(weights.sum())

    lead = float(weights @ (points - 0.5)) / total
    score = 0.5 + lead
    error = math.sqrt(float(weights @ (points - score) ** 2)) / total
    low = max(score - Z95 * error, min(score, SCORE_LIMIT))
    unit = NELO_SCALE / (error * math.sqrt(middle * total))
    high = min(score + Z95 * error, max(score, 1 - SCORE_LIMIT))
    return Summary(
        games=round(middle * given_total),  # a result is of 1 game or 2
        score=float(given @ points) / given_total if given_total else 0.5,
        elo=Interval.around(elo_from_score(score), (elo_from_score(high) - elo_from_score(low)) / 2),
        nelo=Interval.around(lead * unit, Z95 * error * unit),
        los=float(los(lead, error)),
        draw_ratio=float(given[middle]) / given_total if given_total else 0.0,
    )


def resolution(games: float, draw_rate: float) -> float:
    """Half width in Elo of the 95 % interval that *games* independent games of equal players leave.

    *draw_rate* is the fraction of draws, 0 to 1. The variance of a game's score is (1 - draw_rate) / 4 and
    the slope of the Elo curve at a score of 1/2 is 1600 / ln 10.

    Raises ValueError for games <= 0 or an impossible rate.
    """
    if not games > 0:
        raise ValueError(f"the number of games must be above 0, not {games}")
    return Z95 * 4 * ELO_PER_LOGIT * math.sqrt(_even_variance(draw_rate) / games)


def games_needed(elo_error: float, draw_rate: float) -> int:
    """Fewest games, at least 1, for which `resolution` is at most *elo_error*.

    Raises ValueError for elo_error <= 0 or an impossible rate.
    """
    if not elo_error > 0:
        raise ValueError(f"the half width in Elo must be above 0, not {elo_error}")
    return max(1, math.ceil((Z95 * 4 * ELO_PER_LOGIT / elo_error) ** 2 * _even_variance(draw_rate)))


def _even_variance(draw_rate: float) -> float:
    if not 0 <= draw_rate <= 1:
        raise ValueError(f"a draw rate is a fraction from 0 to 1, not {draw_rate}")
    return (1 - draw_rate) / 4


def checked(counts: Counts) -> Floats:
    """The counts as an array. Raises ValueError for what are none."""
    given = np.asarray(counts, float)
    if given.shape not in ((3,), (5,)):
        raise ValueError(
            "counts must be 3 (losses, draws, wins) or 5 (pairs LL, LD, WL+DD, WD, WW), "
            f"not of shape {given.shape}"
        )
    if not (np.isfinite(given).all() and (given >= 0).all()):
        raise ValueError(f"counts must be finite and not negative: {given.tolist()}")
    return given


def regularised(counts: Floats) -> Floats:
    """The counts with REGULARISATION in place of none."""
    return np.maximum(counts, REGULARISATION)
