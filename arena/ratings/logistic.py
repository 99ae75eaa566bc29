"""Logistic regression of points, by Newton's method, and its covariance by clusters of games.

The expected score of a game is 1 / (1 + e^-(x theta)), where x is its row of the design and theta the parameters.
A draw is half a point: a quasi-likelihood (R. W. M. Wedderburn, 1974). Ratings and the scale of a judge's scores
are such fits.

Covariance. The sandwich (P. J. Huber, 1967) is bread @ meat @ bread. The bread is the inverse Hessian, the meat
the sum over clusters of the squared score, which is the slope of the log likelihood in a cluster's games.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.special import expit

from arena.ratings.interval import Bools, Floats, Ints

Design: TypeAlias = csr_array | Floats
"""A row for each observation, a column for each parameter: `float[rows, parameters]`."""


class LogisticFit(NamedTuple):
    """The parameters under which the log likelihood is the largest."""

    theta: Floats
    bread: Floats
    """The inverse of minus the second derivatives, `float[parameters, parameters]`, 0 for those that are given."""

    def covariance(self, meat: Floats, jacobian: Floats | None = None) -> Floats:
        """The covariance of the parameters, or of what has these derivatives by them, `float[n, parameters]`."""
        outer = self.bread if jacobian is None else jacobian @ self.bread
        covariance: Floats = outer @ meat @ outer.T
        return covariance


def logistic_fit(
    design: Design,
    points: Floats,
    games: Floats | float = 1.0,
    *,
    lead: Floats | float = 0.0,
    ridge: float = 0.0,
    given: Floats | None = None,
) -> LogisticFit:
    """Maximize sum of points log p + (games - points) log (1 - p) - ridge / 2 theta^2, which is concave.

    A row stands for so many *games* with so many points; *lead* is added to its x theta. Parameters are fitted
    where *given* is nan. Newton's steps are halved while they overshoot.
    """
    parameters = design.shape[1]
    given = np.full(parameters, np.nan) if given is None else given
    free = np.isnan(given)

    def loss(theta: Floats) -> float:
        x = design @ theta + lead
        likelihood = points * np.logaddexp(0, -x) + (games - points) * np.logaddexp(0, x)
        return float(likelihood.sum() + ridge * theta @ theta / 2)

    theta = np.where(free, 0.0, given)
    for _ in range(200):
        expected = expit(design @ theta + lead)
        gradient = design.T @ (games * expected - points) + ridge * theta
        hessian = weighted_squares(design, games * expected * (1 - expected)) + ridge * np.eye(parameters)
        bread = _inverse(hessian, free)
        step = -bread @ gradient
        now, decrease = loss(theta), -float(gradient @ step)
        while decrease > 1e-14 and loss(theta + step) > now + 1e-12 * abs(now):
            step, decrease = step / 2, decrease / 2
        theta = theta + step
        if decrease < 1e-14:
            break
    return LogisticFit(theta, bread)


def scores(design: Design, excess: Floats, cluster: Ints) -> Design:
    """The score of each cluster, the sum of excess points times row, `float[clusters, parameters]`."""
    rows = np.arange(len(cluster))
    sums = coo_array((excess, (cluster, rows)), shape=(cluster.max(initial=-1) + 1, len(rows))).tocsr()
    total: Design = sums @ design
    return total


def meat(of_cluster: Design, times: Floats | float = 1.0) -> Floats:
    """The sum over clusters of the squared score, each as often as *times* says."""
    return weighted_squares(of_cluster, np.broadcast_to(times, of_cluster.shape[0]))


def weighted_squares(rows: Design, weight: Floats) -> Floats:
    """The weighted sum of v v' over rows v."""
    if isinstance(rows, np.ndarray):
        total: Floats = (rows.T * weight) @ rows
    else:
        total = (rows.T @ (diags_array(weight) @ rows)).toarray()
    return total


def _inverse(matrix: Floats, free: Bools) -> Floats:
    """The inverse of a part of a matrix, 0 outside."""
    inverse = np.zeros_like(matrix)
    inverse[np.ix_(free, free)] = np.linalg.inv(matrix[np.ix_(free, free)])
    return inverse
