"""The joint fit: strengths of all players and the advantage of moving first, with their covariance by clusters.

Model. The player who moves first is expected to score 1 / (1 + e^-(s - t + h)), with s and t the strengths of the
two and h the advantage (R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs", Biometrika 39,
1952; R. R. Davidson and R. J. Beaver, "On extending the Bradley-Terry model to incorporate within-pair order
effects", Biometrics 33, 1977). A draw is half a point: a quasi-likelihood (R. W. M. Wedderburn, 1974). Parameters
stand in one vector, `float[players + 1]`: the strength of each player, then h.

Prior. Virtual results keep one-sided results finite: each player's win over an opponent 800 Elo below the middle
of its group and loss to one 800 above, and half a win and half a loss of who moves first between equals.

Covariance. The sandwich (P. J. Huber, 1967) is bread @ meat @ bread: the bread is the inverse of minus the second
derivatives of the log likelihood, the meat the sum of squares of its slope in each cluster of games that are not
independent (`arena.ratings.clusters`). Where the clusters that tell a difference all ended alike they show no
spread, and the model's variance replaces theirs. For few clusters the squares grow by clusters / (clusters -
fitted differences), and so that normal quantiles give the intervals of Student's t.

Elo. 400 / ln 10 times a strength, times 4 / ((1 + e^h) (1 + e^-h)), so that between equals the expected score over
both colours grows with Elo as on the logistic curve (R. Coulom's BayesElo scales so).

Zero. The mean of each group's players, weighted by the information that its games have on each one's strength:
one of whom games tell little makes no other one uncertain.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, stdtrit

from arena.ratings.clusters import Clusters, clustered, components, pairing_of
from arena.ratings.interval import ELO_PER_LOGIT, Z95, Bools, Floats, Ints

POINTS_OF = np.array([1.0, 0.5, 0.0])  # of a win, draw and loss
DRAW = 1  # index into POINTS_OF
VIRTUAL_LEAD = math.log(100)  # of the opponents of the prior's results, 800 Elo in logits
RIDGE = 1e-6  # curvature that remains at prior 0, so that what the games leave open has a value


class JointFit(NamedTuple):
    """Parameters as fitted to all games, and what their covariance is made of."""

    games: Clusters
    theta: Floats
    bread: Floats
    """The inverse of minus the second derivatives, 0 for parameters that are given."""
    slopes: csr_array
    """Of the log likelihood in each cluster, `float[clusters, parameters]`."""
    scale: Floats
    """By what the squares of these count: 0 for clusters that show no spread."""
    known: Floats
    """The part of the meat that no cluster estimates: the model's and the prior's."""
    elo: Floats
    """Of each player and, last, of moving first."""
    to_elo: Floats
    """Its derivatives by the parameters."""
    group: Ints
    """Of each player: those with the same number are connected through games."""
    by_prior: Bools
    """Of each player: whether the prior alone keeps its Elo finite."""
    differences: int
    """How many differences of strengths were fitted."""
    clusters: float
    """Independent clusters that tell of them: those with a player whose Elo is not given."""
    left: float
    """Degrees of freedom: `clusters` less `differences`, 1 at least."""

    @property
    def expected(self) -> Floats:
        """The score that each row of games has on average."""
        expected: Floats = expit(design(self.games.first, self.games.second, len(self.group)) @ self.theta)
        return expected

    @property
    def tells_advantage(self) -> bool:
        """Whether the advantage of moving first was fitted."""
        return bool(self.bread[-1, -1] > 0)

    @property
    def covariance(self) -> Floats:
        """Of the Elo of each player and of moving first."""
        outer = self.to_elo @ self.bread
        covariance: Floats = outer @ (weighted_squares(self.slopes, self.scale) + self.known) @ outer.T
        return covariance

    def student(self, weights: Floats) -> tuple[float, float]:
        """The standard error of a weighted sum of the players' Elo, and the degrees of freedom of Student's t.

        Its variance is a sum over pairings, each of which is estimated from its own clusters (F. E. Satterthwaite,
        "An approximate distribution of estimates of variance components", Biometrics 2, 1946).
        """
        direction = self.bread @ (self.to_elo[:-1].T @ weights)
        first, second, times = self.games.first, self.games.second, self.games.times
        of_cluster = pairing_of(first, second, len(self.group))[self.games.start]
        pairing = np.unique(of_cluster, return_inverse=True)[1]
        part = np.bincount(pairing, self.scale * (self.slopes @ direction) ** 2) / student_factor(self.left)
        freedom = np.bincount(pairing, times) * self.left / self.clusters
        variance = float(part.sum() + direction @ self.known @ direction)
        doubt = max(float(part**2 @ (1 / freedom)), 1e-9 * variance**2)
        return math.sqrt(variance), variance**2 / doubt


def joint_fit(rated: pd.DataFrame, rated_as: Ints, anchors: Mapping[int, float], prior: float) -> JointFit:
    """Fit coded games (`arena.ratings.clusters.clustered`) of players, each of whom is *rated_as* one of them.

    One anchor is what Elo is relative to in its group; several keep their Elo, and then no advantage is fitted.
    """
    size = len(rated_as)
    games = clustered(rated, size)
    given = np.full(size + 1, math.nan)
    if len(anchors) > 1:
        given[[*anchors]] = np.fromiter(anchors.values(), float) / ELO_PER_LOGIT
    rows, number = design(games.first, games.second, size), games.weight * games.times[games.cluster]
    if len(anchors) > 1 or not _tells_advantage(rows):
        given[size] = 0.0
    theta, bread = _most_likely(rows, number * POINTS_OF[games.outcome], number, given, prior)
    expected, group = expit(rows @ theta), components(games.first, games.second, size)

    free = np.isnan(given[:-1])
    differences = int(np.count_nonzero(free)) - len({*group} - {*group[~free]})
    tells = np.bincount(games.cluster, free[games.first] | free[games.second]) > 0
    clusters, alike = float(games.times @ tells), _alike(games, size)
    left = max(clusters - differences, 1.0)
    few = clusters / left * student_factor(left)
    by_model = games.information * game_variance(games, expected, size) * alike[games.cluster]
    information = abs(rows[:, :size]).T @ (number * expected * (1 - expected)) + 1e-12
    over_zero = (np.eye(size) - _zero(group, information, anchors))[rated_as]
    scale, strengths = 4 * expit(theta[-1]) * expit(-theta[-1]), over_zero @ theta[:-1]
    to_elo = np.eye(size + 1)
    to_elo[:size, :size], to_elo[:size, size] = scale * over_zero, -np.tanh(theta[-1] / 2) * scale * strengths
    return JointFit(
        games,
        theta,
        bread,
        slopes=scores(rows, games.weight * (POINTS_OF[games.outcome] - expected), games.cluster),
        scale=few * games.times * ~alike,
        known=weighted_squares(rows, by_model) + np.diag(_prior(theta, prior)[2]),
        elo=ELO_PER_LOGIT * np.append(scale * strengths, theta[-1]),
        to_elo=ELO_PER_LOGIT * to_elo,
        group=group[rated_as],
        by_prior=_by_prior(games, group, information, [*anchors])[rated_as],
        differences=differences,
        clusters=clusters,
        left=left,
    )


def student_factor(freedom: float) -> float:
    """By what a variance grows so that normal quantiles give Student's 95 % interval, of two degrees at least."""
    return float(stdtrit(max(freedom, 2.0), 0.975) / Z95) ** 2


def design(first: Ints, second: Ints, size: int) -> csr_array:
    """The derivatives of s - t + h by the parameters, a row for each two players, `float[rows, players + 1]`."""
    row, ones = np.arange(len(first)), np.ones(len(first))
    columns = np.concatenate([first, second, np.full(len(first), size)])
    values = np.concatenate([ones, -ones, ones])
    return coo_array((values, (np.tile(row, 3), columns)), shape=(len(first), size + 1)).tocsr()


def scores(rows: csr_array, excess: Floats, cluster: Ints) -> csr_array:
    """The slope of the log likelihood in each cluster: the sum of excess points times row."""
    of_row = (cluster, np.arange(len(cluster)))
    of_cluster = coo_array((excess, of_row), shape=(cluster.max(initial=-1) + 1, len(cluster))).tocsr()
    total: csr_array = of_cluster @ rows
    return total


def weighted_squares(rows: csr_array, weight: Floats) -> Floats:
    """The weighted sum of v v' over rows v."""
    total: Floats = (rows.T @ (diags_array(weight) @ rows)).toarray()
    return total


def _tells_advantage(rows: csr_array) -> bool:
    """Whether no strengths are 1 apart, first less second, in every game: they would pass for the advantage."""
    summed = weighted_squares(rows, np.ones(rows.shape[0]))
    ranks = [np.linalg.matrix_rank(part, hermitian=True) for part in (summed, summed[:-1, :-1])]
    return bool(ranks[0] > ranks[1])


def _most_likely(
    rows: csr_array, points: Floats, games: Floats, given: Floats, prior: float
) -> tuple[Floats, Floats]:
    """The most likely parameters, and the inverse of minus the second derivatives there.

    Parameters are fitted where *given* is nan, by Newton's method, whose steps are halved while they overshoot.
    """
    free = np.isnan(given)
    theta, bread = np.where(free, 0.0, given), np.zeros((len(given), len(given)))

    def loss(theta: Floats) -> float:
        x = rows @ theta
        likelihood = points * np.logaddexp(0, -x) + (games - points) * np.logaddexp(0, x)
        return float(likelihood.sum() + _prior(theta, prior)[0].sum())

    for _ in range(200):
        expected, (_, slope, curvature) = expit(rows @ theta), _prior(theta, prior)
        slope = rows.T @ (games * expected - points) + slope
        hessian = weighted_squares(rows, games * expected * (1 - expected)) + np.diag(curvature)
        bread[np.ix_(free, free)] = np.linalg.inv(hessian[np.ix_(free, free)])
        step = -bread @ slope
        now, decrease = loss(theta), -float(slope @ step)
        while decrease > 1e-14 and loss(theta + step) > now + 1e-12 * abs(now):
            step, decrease = step / 2, decrease / 2
        theta = theta + step
        if decrease < 1e-14:
            break
    return theta, bread


def _prior(theta: Floats, prior: float) -> tuple[Floats, Floats, Floats]:
    """Minus the log prior of each parameter, and its first and second derivatives.

    The second is the prior's part of the meat, too, as virtual results are independent.
    """
    is_strength = np.arange(len(theta)) < len(theta) - 1
    lead, weight = np.where(is_strength, VIRTUAL_LEAD, 0.0), np.where(is_strength, prior, prior / 2)
    won, lost = expit(theta + lead), expit(theta - lead)
    loss = weight * (np.logaddexp(0, -theta - lead) + np.logaddexp(0, theta - lead)) + RIDGE * theta**2 / 2
    slope = weight * (won + lost - 1) + RIDGE * theta
    return loss, slope, weight * (won * (1 - won) + lost * (1 - lost)) + RIDGE


def game_variance(games: Clusters, expected: Floats, size: int) -> Floats:
    """The variance of a game's score in each row of *games*, were it as the model has it.

    A game of expected score p is drawn in at most 2 min(p, 1 - p) of cases; where it is in a share c of these, its
    score has the variance p (1 - p) - c min(p, 1 - p) / 2. Each pairing has a share of its own, to which two games
    are added, one that is not drawn and one that is as often as all games are.
    """
    number, room = games.weight * games.times[games.cluster], 2 * np.minimum(expected, 1 - expected)
    pairing = np.unique(pairing_of(games.first, games.second, size), return_inverse=True)[1]
    drawn, possible = np.bincount(pairing, number * (games.outcome == DRAW)), np.bincount(pairing, number * room)
    overall = min(drawn.sum() / (possible.sum() + 1), 1.0)
    share = np.minimum((drawn + overall) / (possible + 2), 1.0)[pairing]
    variance: Floats = expected * (1 - expected) - share * room / 4
    return variance


def _alike(games: Clusters, size: int) -> Bools:
    """Which clusters show no spread of the difference that they measure.

    Pairings whose clusters differ connect players into parts. Between parts, all clusters of a pairing ended
    alike, and no other results measure the difference.
    """
    lead = np.where(games.first < games.second, 1, -1) * (POINTS_OF[games.outcome] - 0.5)
    mean = np.bincount(games.cluster, games.weight * lead) / np.bincount(games.cluster, games.weight)
    first, second = games.first[games.start], games.second[games.start]
    means = pd.Series(mean).groupby(pairing_of(first, second, size))
    differ = (means.transform("max") > means.transform("min") + 1e-9).to_numpy()
    part = components(first[differ], second[differ], size)
    alike: Bools = part[first] != part[second]
    return alike


def _zero(group: Ints, information: Floats, anchors: Collection[int]) -> Floats:
    """The players' weights in what is 0 for each: their information, or an anchor alone in its group.

    Several anchors have given strengths, and those of their groups stay as they are.
    """
    same = group[:, None] == group
    share: Floats = same * information
    share /= share.sum(axis=1, keepdims=True)
    for anchor in anchors:
        share[same[anchor]] = np.arange(len(group)) == anchor if len(anchors) == 1 else 0
    return share


def _by_prior(games: Clusters, group: Ints, information: Floats, anchors: list[int]) -> Bools:
    """Which players have no finite strength but for the prior.

    They are those that no chain of points, there and back, connects to the anchors, or else to the players of most
    information (L. R. Ford, "Solution of a ranking problem from binary comparisons", 1957).
    """
    lost, won = games.outcome > 0, games.outcome < 2
    gave = np.concatenate([games.second[won], games.first[lost], anchors]).astype(np.int64)
    got = np.concatenate([games.first[won], games.second[lost], np.roll(anchors, 1)]).astype(np.int64)
    points = coo_array((np.ones(len(gave)), (gave, got)), shape=(len(group), len(group)))
    part = connected_components(points, connection="strong")[1] if len(group) else group
    told = np.bincount(part, information)[part]
    told[np.isin(part, part[anchors])] = math.inf
    most = pd.Series(told).groupby(group).transform("idxmax").to_numpy(np.int64)
    is_apart: Bools = part != part[most]
    return is_apart
