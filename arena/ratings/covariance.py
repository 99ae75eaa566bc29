"""How sure a fit is: its covariance by clusters of games (the sandwich), and fits to resampled clusters.

See `arena.ratings.joint`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from arena.ratings.clusters import ClusteredGames, components
from arena.ratings.dispersion import dispersion
from arena.ratings.match import Z95
from arena.ratings.strengths import (
    POINTS,
    StrengthFit,
    game_moments,
    maximize,
    outer_sum,
    solved,
)
from arena.ratings.types import Bools, Floats, Ints

NORMAL_LEVEL = 0.975  # of the quantile Z95


class Estimates(NamedTuple):
    """Elo of every player and, last, of moving first, with 95 % intervals: `float[players + 1]` each."""

    values: Floats
    low: Floats
    high: Floats
    covariance: Floats  # of the players' Elo, `float[players, players]`
    one_sided: int  # pairings whose results were all alike, so that the model's variance replaces theirs

    def shared(self, one: Ints) -> "Estimates":
        """With the rating of the player *one*, `int64[players]`, for every player."""
        values, low, high = (np.append(of[one], of[-1]) for of in (self.values, self.low, self.high))
        return self._replace(values=values, low=low, high=high, covariance=self.covariance[np.ix_(one, one)])

    def shifted(self, shift: Floats) -> "Estimates":
        """Every player's Elo and interval moved by *shift*, `float[players]`."""
        shift = np.append(shift, 0.0)
        return self._replace(values=self.values + shift, low=self.low + shift, high=self.high + shift)


def centred(group: Ints, anchors: Sequence[int]) -> Floats:
    """Matrix that turns strengths into differences to the group's mean, or to the anchor in its group.

    Where several anchors are fixed, strengths stay as they are.
    """
    same = group[:, None] == group
    share = same / np.maximum(same.sum(axis=1, keepdims=True), 1)
    for anchor in anchors:
        share[same[anchor]] = np.arange(len(group)) == anchor if len(anchors) == 1 else 0
    matrix: Floats = np.eye(len(group)) - share
    return matrix


def sandwich(games: ClusteredGames, fit: StrengthFit, reference: Floats, groups: int) -> Estimates:
    """The fit's Elo with normal intervals from its `covariance`; *reference* is that of `StrengthFit.elo`.

    *groups* are those without a fixed player.
    """
    values, jacobian = fit.elo(reference)
    spread, variance, one_sided = covariance(games, fit, jacobian, groups)
    error = Z95 * np.sqrt(np.maximum([*np.diag(spread), variance], 0))
    return Estimates(values, values - error, values + error, spread, one_sided)


def bootstrapped(estimates: Estimates, found: Floats) -> Estimates:
    """The same Elo with quantiles and covariance of resampled fits, `float[resamples, players + 1]`."""
    low = np.minimum(np.quantile(found, 0.025, axis=0), estimates.values)
    high = np.maximum(np.quantile(found, 0.975, axis=0), estimates.values)
    spread = np.atleast_2d(np.cov(found[:, :-1], rowvar=False))
    return estimates._replace(low=low, high=high, covariance=spread)


def covariance(
    results: ClusteredGames, fit: StrengthFit, jacobian: Floats, groups: int
) -> tuple[Floats, float, int]:
    """Covariance of the Elo ratings, variance of the advantage, and pairings where the model's stands in.

    The sum over clusters is scaled by clusters / (clusters - fitted strength differences), of which there are
    fitted players less *groups*, and so that normal quantiles give the intervals of Student's t with these degrees
    of freedom. The prior counts as independent results. A cluster is taken to be of one opening.
    """
    size, openings = fit.size, len(fit.parameters) - fit.size - 2
    opening = results.opening
    probability = fit.probability(results.first, results.second, opening)
    excess = POINTS[results.outcome] - probability @ POINTS
    draw_excess = (results.outcome == 1) - probability[:, 1]

    # One row per cluster, from the view of the player with the lower code.
    start = np.empty(len(results.times), np.int64)
    start[results.cluster[::-1]] = np.arange(len(results.cluster))[::-1]
    low = np.minimum(results.first, results.second)[start]
    high = np.maximum(results.first, results.second)[start]
    sign = np.where(results.first < results.second, 1.0, -1.0)
    columns = (sign * excess, excess, draw_excess, sign * POINTS[results.outcome], np.ones(len(sign)))
    a, b, c, points, games = (
        np.bincount(results.cluster, results.weight * column).astype(float) for column in columns
    )
    clusters = results.times.sum()
    moments = np.column_stack([a * a, a * b, a * c, b * b, b * c, c * c]) * results.times[:, None]
    left = clusters - (np.count_nonzero(fit.free[:size]) - groups)
    moments *= clusters / max(left, 1) * (stdtrit(max(left, 2), NORMAL_LEVEL) / Z95) ** 2
    alike = _alike(low, high, points / games, size)

    observed = outer_sum(low, high, opening[start], moments, size, openings)
    kept, game = ~alike, alike[results.cluster]
    per_game = (results.information * _dispersion(results, fit, probability))[game, None]
    per_game = per_game * game_moments(probability[game])
    expected = outer_sum(low[kept], high[kept], opening[start][kept], moments[kept], size, openings) + outer_sum(
        results.first[game], results.second[game], opening[game], per_game, size, openings
    )
    free = np.ix_(fit.free, fit.free)
    inner = solved(fit.hessian, jacobian.T, fit.free, size + 2)[fit.free]
    by_clusters, by_model = (
        inner.T @ (middle + fit.prior_hessian)[free] @ inner for middle in (observed, expected)
    )
    variance = max(by_clusters[-1, -1], by_model[-1, -1])
    by_clusters, by_model = by_clusters[:-1, :-1], by_model[:-1, :-1]
    if np.trace(by_model) <= np.trace(by_clusters):
        return by_clusters, variance, 0
    return by_model, variance, len(np.unique(low[alike] * size + high[alike]))


def resample(
    results: ClusteredGames,
    fit: StrengthFit,
    reference: Floats,
    advantage: bool,
    prior: float,
    count: int,
    rng: np.random.Generator,
) -> Floats:
    """Elo of every player and, last, of moving first in *count* fits to clusters drawn with replacement.

    `float[count, players + 1]`. Each draw has as many clusters as *results*, and the fit's spread of openings.
    """
    results = _by_kind(results)
    clusters = round(results.times.sum())
    found = np.empty((count, len(reference) + 1))
    for number in range(count):
        times = rng.multinomial(clusters, results.times / clusters).astype(float)
        cells = results.cells(len(reference), times)
        found[number] = maximize(cells, len(reference), fit.model, advantage, prior, start=fit).elo(reference)[0]
    return found


def _alike(low: Ints, high: Ints, score: Floats, size: int) -> Bools:
    """Which clusters show no spread of the difference that they measure, `bool[clusters]`.


    *score* is a cluster's mean result. Pairings whose clusters differ connect players into parts. Between parts,
    all clusters of a pairing ended alike, and no other results measure the difference.
    """
    pairing_of, pairing = pd.factorize(low * size + high)
    least, most = np.full(len(pairing), np.inf), np.full(len(pairing), -np.inf)
    np.minimum.at(least, pairing_of, score)
    np.maximum.at(most, pairing_of, score)
    differ = (most > least + 1e-9)[pairing_of]
    part = components(low[differ], high[differ], size)
    apart: Bools = part[low] != part[high]
    return apart


def _dispersion(results: ClusteredGames, fit: StrengthFit, probability: Floats) -> Floats:
    """Variance of each game's score over that of the fit's model, `float[rows]`: 1 under Davidson's.

    *probability*, `float[rows, 3]`, is that of the fit.
    """
    if fit.model == "davidson":
        return np.ones(len(results.first))
    low, high = np.minimum(results.first, results.second), np.maximum(results.first, results.second)
    games = results.weight * results.times[results.cluster]
    pairing = pd.factorize(low * fit.size + high)[0]
    return dispersion(0.5 + probability @ POINTS, games * (results.outcome == 1), games, pairing)


def _by_kind(results: ClusteredGames) -> ClusteredGames:
    """The same games with one cluster for all that hold the same rows, recognized by a 64-bit hash."""
    columns = ("first", "second", "outcome", "opening", "weight")
    rows = pd.DataFrame({column: getattr(results, column) for column in columns})
    hashes = pd.util.hash_pandas_object(rows, index=False).groupby(results.cluster)
    kind, kinds = pd.factorize(hashes.sum().to_numpy())
    kept = np.unique(kind, return_index=True)[1]
    row = np.isin(results.cluster, kept)
    cluster = kind[results.cluster[row]]
    times = np.bincount(kind, results.times, len(kinds)).astype(float)
    return ClusteredGames(
        results.first[row],
        results.second[row],
        results.outcome[row],
        results.opening[row],
        cluster,
        results.weight[row],
        results.information[row],
        times,
    )
