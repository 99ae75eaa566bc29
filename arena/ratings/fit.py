"""The joint fit: strengths of all players and the advantage of moving first, with their covariance by clusters.

Model. The stronger one of two players d logits apart is expected to score 1 / (1 + e^-d) over both colours (R. A.
Bradley and M. E. Terry, "Rank analysis of incomplete block designs", Biometrika 39, 1952), and its odds with the
first move are e^2h times those with the second (R. R. Davidson and R. J. Beaver, "On extending the Bradley-Terry
model to incorporate within-pair order effects", Biometrics 33, 1977). So 400 / ln 10 times d is the Elo of the
score, whatever h is. A draw is half a point: a quasi-likelihood (R. W. M. Wedderburn, 1974). Parameters stand in
one vector, `float[players + 1]`: the strength of each player, then h.

Fit. Each player has the points that are expected of it (V. P. Godambe, "An optimum property of regular maximum
likelihood estimation", 1960, on such equations), so that who scored as much against the same is as strong. The
row of a game is 1 for who moves first, -1 for the other, and for h what the log odds grow by it over what they
grow by the lead, so that the derivatives of the equations are symmetric.

Prior. Virtual results keep one-sided results finite: each player's win over an opponent 800 Elo below the middle
of its group and loss to one 800 above, and half a win and half a loss of who moves first between equals.

Covariance. The sandwich (P. J. Huber, 1967) is bread @ meat @ bread: the bread is the inverse of the equations'
mean derivatives, the meat the sum of squares of what each cluster of games that are not independent adds to them
(`arena.ratings.clusters`). Where the clusters that tell a difference all ended alike they show no
spread, and the model's variance replaces theirs. For few clusters the squares grow by clusters / (clusters -
fitted differences), and so that normal quantiles give the intervals of Student's t.

Zero. The mean of each group's players, weighted by the information that its games have on each one's strength:
one of whom games tell little makes no other one uncertain.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, stdtrit

from arena.ratings.clusters import Clusters, clustered, components
from arena.ratings.interval import ELO_PER_LOGIT, Z95, Bools, Floats, Ints

VIRTUAL_LEAD = math.log(100)  # of the opponents of the prior's results, 800 Elo in logits
RIDGE = 1e-6  # curvature that remains at prior 0, so that what the games leave open has a value
MOST_ADVANTAGE = 9.0  # logits beyond which floats cannot tell scores from 0 and 1


class JointFit:
    """Parameters fitted to all games, and what their covariance is made of."""

    def __init__(self, rated: pd.DataFrame, rated_as: Ints, anchors: Mapping[int, float], prior: float) -> None:
        """Fit coded games (`arena.ratings.clusters.clustered`) of players, each of whom is *rated_as* one of them.

        One anchor is the zero in its group. Several keep their Elo, and then no advantage is fitted.
        """
        size = len(rated_as)
        self.games = games = clustered(rated, size)
        given = np.full(size + 1, math.nan)
        if len(anchors) > 1:
            given[[*anchors]] = np.fromiter(anchors.values(), float) / ELO_PER_LOGIT
        self.tells_advantage = len(anchors) < 2 and _tells_advantage(games, size)
        given[size] = math.nan if self.tells_advantage else 0.0
        # the bread is the inverse of what all games tell of the parameters, 0 for those that are given
        self.theta, self.bread = _solved(games, given, prior)
        # of each game: what who moves first is expected to score, and by what that grows with the lead
        self.score, self.steepness, ratio = scores(games, self.theta)
        # `float[games, parameters]`: times `steepness` the derivatives of the scores
        self.rows = design(games, ratio, size + 1)

        group, free = components(games.first, games.second, size), np.isnan(given[:-1])
        self.differences = int(np.count_nonzero(free)) - len({*group} - {*group[~free]})
        # those that tell of a difference: with a player whose Elo is not given
        self.clusters = len(np.unique(games.cluster[free[games.first] | free[games.second]]))
        self.left = max(self.clusters - self.differences, 1.0)

        # the meat: what clusters that show a spread estimate, and what the model and the prior know
        alike = _alike(games, size)
        by_model = games.information * game_variance(games, self.score) * alike[games.cluster]
        self._slopes = summed(self.rows, games.weight * (games.points - self.score), games.cluster)
        self._scale = np.where(alike, 0.0, self.clusters / self.left * student_factor(self.left))
        self._known = weighted_squares(self.rows, by_model) + np.diag(_prior(self.theta, prior, self.theta[-1])[2])

        information = abs(self.rows[:, :size]).T @ (games.weight * self.steepness) + 1e-12
        to_elo = np.eye(size + 1)
        to_elo[:size, :size] = (np.eye(size) - _zero(group, information, anchors))[rated_as]
        # turns parameters into the Elo of each player and, last, of moving first
        self.to_elo = ELO_PER_LOGIT * to_elo
        # of each player: its group, and whether the prior alone keeps its Elo finite
        self.group = group[rated_as]
        self.by_prior = _by_prior(games, group, information, [*anchors])[rated_as]

    @cached_property
    def covariance(self) -> Floats:
        """Of the Elo of each player and of moving first."""
        outer = self.to_elo @ self.bread
        covariance: Floats = outer @ (weighted_squares(self._slopes, self._scale) + self._known) @ outer.T
        return covariance

    def student(self, weights: Floats) -> tuple[float, float]:
        """The standard error of a weighted sum of the players' Elo, and the degrees of freedom of Student's t.

        Its variance is a sum over pairings, each of which is estimated from its own clusters (F. E. Satterthwaite,
        "An approximate distribution of estimates of variance components", Biometrics 2, 1946).
        """
        direction = self.bread @ (self.to_elo[:-1].T @ weights)
        pairing = self.games.pairing[self.games.start]
        part = np.bincount(pairing, self._scale * (self._slopes @ direction) ** 2) / student_factor(self.left)
        freedom = np.bincount(pairing, minlength=len(part)) * self.left / self.clusters
        variance = float(part.sum() + direction @ self._known @ direction)
        doubt = max(float(part @ (part / np.maximum(freedom, 1e-9))), 1e-9 * variance**2)
        return math.sqrt(variance), variance**2 / doubt


def student_factor(freedom: float) -> float:
    """By what a variance grows so that normal quantiles give Student's 95 % interval, of two degrees at least."""
    return float(stdtrit(max(freedom, 2.0), 0.975) / Z95) ** 2


def weighted_squares(rows: csr_array, weight: Floats) -> Floats:
    """The weighted sum of v v' over rows v."""
    total: Floats = (rows.T @ (diags_array(weight) @ rows)).toarray()
    return total


def summed(rows: csr_array, weight: Floats, number: Ints) -> csr_array:
    """The weighted sum of the rows of each number."""
    of_row = (number, np.arange(len(number)))
    total: csr_array = coo_array((weight, of_row), shape=(number.max(initial=-1) + 1, len(number))).tocsr() @ rows
    return total


def scores(games: Clusters, theta: Floats) -> tuple[Floats, Floats, Floats]:
    """The score of who moves first in each game, its derivative by the lead, and that by h over that by the lead.

    Scores s + x and s - x of a player with the two colours have the mean s = 1 / (1 + e^-lead) and an odds ratio
    of e^2h, so that x^2 - x / tanh h + s (1 - s) = 0.
    """
    lead = theta[games.first] - theta[games.second]
    h = math.tanh(min(max(theta[-1], -MOST_ADVANTAGE), MOST_ADVANTAGE))
    wins, loses = expit(lead), expit(-lead)
    even = wins * loses
    # the smaller root, in the form without a division by h, which may be 0
    x = 2 * even * h / (1 + np.sqrt(1 - 4 * even * h**2))
    this, other = (wins + x) * (loses - x), (wins - x) * (loses + x)
    return wins + x, 2 * even * this / (this + other), other / even


def design(games: Clusters, ratio: Floats, parameters: int) -> csr_array:
    """The rows of the games: 1 and -1 for the players, *ratio* for h."""
    number = len(games.first)
    columns = np.concatenate([games.first, games.second, np.full(number, parameters - 1)])
    values = np.concatenate([np.ones(number), -np.ones(number), ratio])
    return coo_array((values, (np.tile(np.arange(number), 3), columns)), shape=(number, parameters)).tocsr()


def _tells_advantage(games: Clusters, size: int) -> bool:
    """Whether no strengths are 1 apart, first less second, in every game: they would pass for the advantage."""
    ones = np.ones(len(games.first))
    squares = weighted_squares(design(games, ones, size + 1), ones)
    ranks = [np.linalg.matrix_rank(part, hermitian=True) for part in (squares, squares[:-1, :-1])]
    return bool(ranks[0] > ranks[1])


def _solved(games: Clusters, given: Floats, prior: float) -> tuple[Floats, Floats]:
    """The parameters that solve the equations, and the inverse of what the games tell of them.

    Parameters are fitted where *given* is nan, by Fisher's scoring of likelihoods that are weighted so as to give
    the equations. Its steps are halved while they overshoot.
    """
    free = np.isnan(given)
    theta, bread = np.where(free, 0.0, given), np.zeros((len(given), len(given)))

    def loss(theta: Floats, weight: Floats, h: float) -> float:
        score = scores(games, theta)[0].clip(1e-300, 1 - 1e-16)
        likelihood = games.points * np.log(score) + (1 - games.points) * np.log1p(-score)
        return float(_prior(theta, prior, h)[0].sum() - weight @ likelihood)

    for _ in range(200):
        (score, steepness, ratio), h = scores(games, theta), float(theta[-1])
        rows, weight = design(games, ratio, len(theta)), games.weight * score * (1 - score) / steepness
        _, slope, curvature = _prior(theta, prior, h)
        slope = rows.T @ (games.weight * (score - games.points)) + slope
        inside = weighted_squares(rows, games.weight * steepness) + np.diag(curvature)
        bread[np.ix_(free, free)] = np.linalg.inv(inside[np.ix_(free, free)])
        step = -bread @ slope
        now, decrease = loss(theta, weight, h), -float(slope @ step)
        while decrease > 1e-14 and loss(theta + step, weight, h) > now + 1e-12 * abs(now):
            step, decrease = step / 2, decrease / 2
        theta = theta + step
        if np.abs(step).max() < 1e-10:
            break
    return theta, bread


def _prior(theta: Floats, prior: float, h: float) -> tuple[Floats, Floats, Floats]:
    """Minus the log prior of each parameter, and its first and second derivatives.

    The second is the prior's part of the meat, too, as virtual results are independent. Those of the first move
    count as games between equals do at the advantage *h*.
    """
    is_strength, ratio = np.arange(len(theta)) < len(theta) - 1, 4 * expit(h) * expit(-h)
    lead, weight = np.where(is_strength, VIRTUAL_LEAD, 0.0), np.where(is_strength, prior, ratio * prior / 2)
    won, lost = expit(theta + lead), expit(theta - lead)
    loss = weight * (np.logaddexp(0, -theta - lead) + np.logaddexp(0, theta - lead)) + RIDGE * theta**2 / 2
    slope = weight * (won + lost - 1) + RIDGE * theta
    return loss, slope, weight * (won * (1 - won) + lost * (1 - lost)) + RIDGE


def game_variance(games: Clusters, expected: Floats) -> Floats:
    """The variance of each game's score, as the model has it.

    A game of expected score p is drawn in at most 2 min(p, 1 - p) of cases; where it is in a share c of these, its
    score has the variance p (1 - p) - c min(p, 1 - p) / 2. Each pairing has a share of its own, to which two games
    are added, one that is not drawn and one that is as often as all games are.
    """
    room = 2 * np.minimum(expected, 1 - expected)
    drawn = np.bincount(games.pairing, games.weight * (games.points == 0.5))
    possible = np.bincount(games.pairing, games.weight * room)
    overall = min(drawn.sum() / (possible.sum() + 1), 1.0)
    share = np.minimum((drawn + overall) / (possible + 2), 1.0)[games.pairing]
    variance: Floats = expected * (1 - expected) - share * room / 4
    return variance


def _alike(games: Clusters, size: int) -> Bools:
    """Which clusters show no spread of the difference that they measure.

    Pairings whose clusters differ connect players into parts. Between parts, all clusters of a pairing ended
    alike, and no other results measure the difference.
    """
    lead = np.where(games.first < games.second, 1, -1) * (games.points - 0.5)
    mean = np.bincount(games.cluster, games.weight * lead) / np.bincount(games.cluster, games.weight)
    means = pd.Series(mean).groupby(games.pairing[games.start])
    differ = (means.transform("max") > means.transform("min") + 1e-9).to_numpy()
    first, second = games.first[games.start], games.second[games.start]
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
    lost, won = games.points < 1, games.points > 0
    gave = np.concatenate([games.second[won], games.first[lost], anchors]).astype(np.int64)
    got = np.concatenate([games.first[won], games.second[lost], np.roll(anchors, 1)]).astype(np.int64)
    points = coo_array((np.ones(len(gave)), (gave, got)), shape=(len(group), len(group)))
    part = connected_components(points, connection="strong")[1] if len(group) else group
    of_part = np.bincount(part, information)[part]
    of_part[np.isin(part, part[anchors])] = math.inf
    most = pd.Series(of_part).groupby(group).transform("idxmax").to_numpy(np.int64)
    is_apart: Bools = part != part[most]
    return is_apart
