"""The fit of all strengths at once, and how sure it is.

The player who moves first is expected to score 1 / (1 + e^-(s - t + h)), with s and t the strengths of the two
players and h the advantage of moving first (R. A. Bradley and M. E. Terry, "Rank Analysis of Incomplete Block
Designs", 1952). A draw is half a point, and the fit a quasi-likelihood (R. W. M. Wedderburn, 1974), which says
nothing of how points come about.

Parameters stand in one vector, `float[players + 1]`: the strength of each player, then h. For the prior and the
clusters see `arena.ratings.joint`.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.special import expit, stdtrit

from arena.ratings.clusters import DRAW, POINTS, Cells, ClusteredGames, components
from arena.ratings.match import ELO_PER_LOGIT, Z95
from arena.ratings.types import Bools, Floats, Ints

VIRTUAL_LEAD = math.log(100)  # of the opponents of the prior's results, 800 Elo in logits
NORMAL_LEVEL = 0.975  # of the quantile Z95
RIDGE = 1e-6  # curvature that remains at prior 0, so that what the games leave open has a value


class Fit(NamedTuple):
    """The optimum over the parameters."""

    parameters: Floats
    free: Bools  # parameters that were fitted
    hessian: Floats  # of minus the log posterior
    prior_hessian: Floats


class Estimates(NamedTuple):
    """Elo of every player and, last, of moving first, with half widths of 95 % intervals: `float[players + 1]`."""

    elo: Floats
    error: Floats
    covariance: Floats  # of the players' Elo, `float[players, players]`
    one_sided: int  # pairings whose results were all alike, so that the model's variance replaces theirs


def maximize(
    cells: Cells, size: int, advantage: bool, prior: float, fixed: Mapping[int, float] = MappingProxyType({})
) -> Fit:
    """Maximize the log posterior, which is concave, by Newton's method with halved steps.

    *fixed* is the Elo of players that have it already.
    """
    design = _design(cells.first, cells.second, size)
    points, games = cells.points, cells.games
    lead = np.append(np.full(size, VIRTUAL_LEAD), 0.0)
    weight = np.append(np.full(size, prior), prior / 2)
    free = np.append(~np.isin(np.arange(size), list(fixed)), advantage)

    def loss(x: Floats) -> float:
        d = design @ x
        penalty = weight * (np.logaddexp(0, x - lead) + np.logaddexp(0, -x - lead)) + RIDGE / 2 * x**2
        likelihood = points * np.logaddexp(0, -d) + (games - points) * np.logaddexp(0, d)
        return float(penalty.sum() + likelihood.sum())

    x = np.zeros(size + 1)
    x[list(fixed)] = np.fromiter(fixed.values(), float) / ELO_PER_LOGIT
    for _ in range(200):
        score, lost, won = expit(design @ x), expit(x - lead), expit(-x - lead)
        gradient = design.T @ (games * score - points) + weight * (lost - won) + RIDGE * x
        of_prior = np.diag(weight * (lost * (1 - lost) + won * (1 - won)) + RIDGE)
        hessian = _squares(design, games * score * (1 - score)) + of_prior
        step = _solved(hessian, -gradient[:, None], free)[:, 0]
        decrease = -float(gradient @ step)
        if decrease < 1e-14:
            break
        now = loss(x)
        while loss(x + step) > now + 1e-12 * abs(now) and decrease > 1e-14:
            step, decrease = step / 2, decrease / 2
        x = x + step
    return Fit(x, free, hessian, of_prior)


def estimate(games: ClusteredGames, cells: Cells, fit: Fit, reference: Floats, groups: int) -> Estimates:
    """The fit's Elo with intervals by clusters of games (the sandwich).

    *reference*, `float[players, players]`, turns strengths into differences to what is 0.

    The sum over clusters is scaled by clusters / (clusters - fitted strength differences), of which there are
    fitted players less *groups* without a fixed one, and so that normal quantiles give the intervals of Student's
    t with these degrees of freedom. The prior counts as independent results.
    """
    size = len(reference)
    strengths, slopes = _over_both_colours(fit, cells)
    elo = ELO_PER_LOGIT * np.append(reference @ strengths, fit.parameters[size])
    jacobian = ELO_PER_LOGIT * np.vstack([reference @ slopes, np.eye(size + 1)[size]])

    design = _design(games.first, games.second, size)
    expected = expit(design @ fit.parameters)
    excess = games.weight * (POINTS[games.outcome] - expected)
    member = (games.cluster, np.arange(len(excess)))
    of_cluster = coo_array((excess, member), shape=(len(games.times), len(excess))).tocsr() @ design
    clusters = games.times.sum()
    left = clusters - (np.count_nonzero(fit.free[:size]) - groups)
    scale = clusters / max(left, 1) * (stdtrit(max(left, 2), NORMAL_LEVEL) / Z95) ** 2 * games.times

    variance = _game_variance(games, expected, size)
    alike, pairings = _alike(games, size)
    by_clusters = _squares(of_cluster, scale)
    by_model = _squares(of_cluster, scale * ~alike)
    by_model += _squares(design, games.information * variance * alike[games.cluster])
    inner = _solved(fit.hessian, jacobian.T, fit.free)
    spreads = [inner.T @ (middle + fit.prior_hessian) @ inner for middle in (by_clusters, by_model)]
    of_advantage = max(spread[-1, -1] for spread in spreads)
    of_clusters, of_model = (spread[:-1, :-1] for spread in spreads)
    replaced = np.trace(of_model) > np.trace(of_clusters)
    covariance = of_model if replaced else of_clusters
    error = Z95 * np.sqrt(np.maximum([*np.diag(covariance), of_advantage], 0))
    return Estimates(elo, error, covariance, pairings if replaced else 0)


def _over_both_colours(fit: Fit, cells: Cells) -> tuple[Floats, Floats]:
    """Strengths whose differences mean the expected score over both colours; their derivatives by the parameters.

    `float[players]` and `float[players, parameters]`. With s(d) = 1 / (1 + e^-d), two players whose strengths
    differ by d expect (s(d + h) + s(d - h)) / 2 over both colours, which is nearer to 1/2 than s(d). The strengths
    returned are the fit without h to these scores, weighted by the games of each two players; with two players it
    is exact.
    """
    size = len(fit.parameters) - 1
    strengths, h = fit.parameters[:size], fit.parameters[size]
    if h == 0:
        return strengths, np.eye(size, size + 1)
    d = strengths[cells.first] - strengths[cells.second]
    ahead, behind = expit(d + h), expit(d - h)
    evened = maximize(cells._replace(points=cells.games * (ahead + behind) / 2), size, advantage=False, prior=0.0)
    by_ahead, by_behind = ahead * (1 - ahead), behind * (1 - behind)
    design = _design(cells.first, cells.second, size)
    by_difference = _squares(design, cells.games * (by_ahead + by_behind) / 2)[:size, :size]
    by_h = (design.T @ (cells.games * (by_ahead - by_behind) / 2))[:size]
    slopes = np.linalg.solve(evened.hessian[:size, :size], np.column_stack([by_difference, by_h]))
    return evened.parameters[:size], slopes


def _design(first: Ints, second: Ints, size: int) -> csr_array:
    """The derivatives of s - t + h by the parameters, a row for each two players, `float[rows, players + 1]`."""
    row, ones = np.arange(len(first)), np.ones(len(first))
    columns = np.concatenate([first, second, np.full(len(first), size)])
    values = np.concatenate([ones, -ones, ones])
    return coo_array((values, (np.tile(row, 3), columns)), shape=(len(first), size + 1)).tocsr()


def _squares(rows: csr_array, weight: Floats) -> Floats:
    """The weighted sum of v v' over rows v."""
    found: Floats = (rows.T @ (diags_array(weight) @ rows)).toarray()
    return found


def _solved(hessian: Floats, right: Floats, free: Bools) -> Floats:
    """The solution of hessian @ solution = right, 0 for parameters that are not *free*."""
    found = np.zeros_like(right)
    found[free] = np.linalg.solve(hessian[np.ix_(free, free)], right[free])
    return found


def _game_variance(games: ClusteredGames, expected: Floats, size: int) -> Floats:
    """The variance of a game's score in each row of *games*.

    A game of expected score p is drawn in at most 2 min(p, 1 - p) of cases; where it is in a share c of these, its
    score has the variance p (1 - p) - c min(p, 1 - p) / 2. Each pairing has a share of its own, to which two games
    are added, one that is not drawn and one that is as often as all games are.
    """
    number, room = games.weight * games.times[games.cluster], 2 * np.minimum(expected, 1 - expected)
    low, high = np.minimum(games.first, games.second), np.maximum(games.first, games.second)
    pairing = pd.factorize(low * size + high)[0]
    drawn, possible = np.bincount(pairing, number * (games.outcome == DRAW)), np.bincount(pairing, number * room)
    overall = min(drawn.sum() / (possible.sum() + 1), 1.0)
    share = np.minimum((drawn + overall) / (possible + 2), 1.0)[pairing]
    variance: Floats = expected * (1 - expected) - share * room / 4
    return variance


def _alike(games: ClusteredGames, size: int) -> tuple[Bools, int]:
    """Which clusters show no spread of the difference that they measure, and in how many pairings.

    Pairings whose clusters differ connect players into parts. Between parts, all clusters of a pairing ended
    alike, and no other results measure the difference.
    """
    start = np.unique(games.cluster, return_index=True)[1]
    low = np.minimum(games.first, games.second)
    lead = np.where(games.first == low, 1, -1) * (POINTS[games.outcome] - 0.5)
    mean = np.bincount(games.cluster, games.weight * lead) / np.bincount(games.cluster, games.weight)
    low, high = low[start], np.maximum(games.first, games.second)[start]
    pairing = low * size + high
    means = pd.Series(mean).groupby(pairing)
    differ = (means.transform("max") > means.transform("min") + 1e-9).to_numpy()
    part = components(low[differ], high[differ], size)
    alike: Bools = part[low] != part[high]
    return alike, len(np.unique(pairing[alike]))
