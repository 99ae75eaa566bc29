"""Errors of graded decisions: rates with intervals, and points from scores.

A decision is a move in a position in which some move loses value. Intervals hold 95 %; decisions of games in one
cluster (`arena.ratings.clusters`: two games of an opening with colours swapped, and copies of a game) are not
independent. What cannot be known is nan.
"""

import math

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit, stdtrit

from arena.ratings.interval import UNKNOWN, Z95, Floats, Interval

INACCURACY, MISTAKE, BLUNDER = 0.05, 0.10, 0.15
"""Points lost by a move from which on it has these names, as lila counts them (modules/tree/Advice.scala)."""
HALF_POINT, WHOLE = 0.5, 1.0
"""Points lost by a move where the tables judge: a win or a draw thrown away, a win turned into a loss."""
THROWN_AWAY = {"win_to_draw": (1, 0.5), "draw_to_loss": (0.5, 0), "win_to_loss": (1, 0)}
"""What a position was worth to the mover, and what was left of it, in points."""
SCALES = 1e-3, 20.0
"""The least and the greatest scale that `fitted_scale` finds, per man."""


def wilson(share: npt.ArrayLike, trials: npt.ArrayLike) -> tuple[Floats, Floats]:
    """The ends of the 95 % interval of each share, 0 to 1, of more than 0 independent trials (E. Wilson 1927)."""
    p, n = np.asarray(share, float), np.asarray(trials, float)
    middle = (p + Z95**2 / (2 * n)) / (1 + Z95**2 / n)
    half = Z95 / (1 + Z95**2 / n) * np.sqrt(p * (1 - p) / n + Z95**2 / (4 * n**2))
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


def hit_rate(hits: npt.ArrayLike, cluster: npt.ArrayLike) -> Interval:
    """The share of trials that hit, with Wilson's interval for as many independent trials as have its variance.

    The variance is that of clusters, by Student's t for their number, and at least that of independent trials (E.
    Korn and B. Graubard 1998). Where all trials or none hit it cannot be seen, and each cluster counts as one.
    """
    hit, clusters = np.asarray(hits, float), len(np.unique(np.asarray(cluster)))
    if not len(hit):
        return UNKNOWN
    share, trials = float(hit.mean()), float(clusters)
    if 0 < share < 1 and clusters > 1:
        variance = max(cluster_variance(hit, cluster), share * (1 - share))
        few = (float(stdtrit(clusters - 1, 0.975)) / Z95) ** 2
        trials = len(hit) * share * (1 - share) / (few * variance)
    low, high = (float(end) for end in wilson(share, trials))
    return Interval(share, min(low, share), max(high, share))


def mean(values: npt.ArrayLike, cluster: npt.ArrayLike) -> Interval:
    """The mean of values of 0 or more; its interval, missing for a single cluster and without variance, too."""
    value = np.asarray(values, float)
    if not len(value):
        return UNKNOWN
    variance = cluster_variance(value, cluster)
    error = Z95 * math.sqrt(variance / len(value)) if variance > 0 else math.nan
    interval = Interval.around(float(value.mean()), error)
    return interval._replace(low=max(interval.low, 0.0))


def cluster_variance(values: npt.ArrayLike, cluster: npt.ArrayLike) -> float:
    """The variance of one value, of which the mean of n has the n-th part: that of a ratio of sums of clusters.

    W. Cochran, Sampling Techniques (1977), section 9A.2; nan for a single cluster.
    """
    value = np.asarray(values, float)
    sums = np.bincount(pd.factorize(np.asarray(cluster))[0], value - value.mean())
    clusters = len(sums)
    return clusters / (clusters - 1) * float(sums @ sums) / len(value) if clusters > 1 else math.nan


def points_of_men(men: npt.ArrayLike, k: npt.ArrayLike) -> Floats:
    """The points that a score in men makes expect, s = 1 / (1 + exp(-k men)), 0 to 1; both are the mover's.

    K. Regan and G. Haworth, "Intrinsic chess ratings", AAAI 2011, have errors on such a scale.
    """
    points: Floats = expit(np.asarray(k, float) * np.asarray(men, float))
    return points


def fitted_scale(men: npt.ArrayLike, points: npt.ArrayLike) -> float | None:
    """The scale k, by logistic regression of the points that movers got in the end on a judge's scores before it.

    Without intercept, so that an even position is worth half a point; a draw counts as half a win. None where
    scores do not go with results: k would not lie within SCALES.
    """
    x, y = np.asarray(men, float), np.asarray(points, float)

    def slope(k: float) -> float:
        return float(x @ (y - points_of_men(x, k)))

    low, high = SCALES
    return float(brentq(slope, low, high)) if slope(low) > 0 > slope(high) else None


def errors_by_player(decisions: pd.DataFrame) -> pd.DataFrame:
    """What each player threw away in positions of the tables.

    `decisions` are those that can err, judged by the tables: player, cluster, best and played.
    """
    rows = []
    for player, mine in decisions.groupby("player", observed=True):
        best, after = (mine[name].to_numpy(float) for name in ("best", "played"))
        rate = hit_rate(best > after, mine["cluster"]).columns("error_rate")
        row = {"player": player, "decisions": len(mine), "errors": int((best > after).sum()), **rate}
        for name, (value, left) in THROWN_AWAY.items():
            row[name] = int(((best == value) & (after == left)).sum())
        rows.append(row)
    return pd.DataFrame(rows)


def losses_by_player(decisions: pd.DataFrame) -> pd.DataFrame:
    """What each player lost by a judge's scores.

    `decisions` are those of judges: player, cluster and lost (points).
    """
    rows = []
    for player, mine in decisions.groupby("player", observed=True):
        lost, cluster = mine["lost"].to_numpy(float), mine["cluster"]
        row = {"player": player, "decisions": len(mine), **mean(lost, cluster).columns("lost_per_move")}
        counts = np.histogram(lost, [INACCURACY, MISTAKE, BLUNDER, np.inf])[0].tolist()
        row |= dict(zip(("inaccuracies", "mistakes", "blunders"), counts, strict=True))
        rows.append(row | hit_rate(lost >= BLUNDER, cluster).columns("blunder_rate"))
    return pd.DataFrame(rows)
