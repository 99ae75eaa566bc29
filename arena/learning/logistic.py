"""Logistic regression of results, and how certain a loss is."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import expit, stdtrit

from arena.ratings.interval import Floats, Ints
from arena.ratings.logistic import logistic_fit, meat, scores

COIN = math.log(2)
"""The loss of a coin, which expects half a point of every position, in nats: the same for all targets."""


class Loss(NamedTuple):
    """A mean cross-entropy over positions, in nats."""

    mean: float
    error: float
    """Half width of its 95 % interval, games being independent, but not their positions; infinite for one game."""

    def __str__(self) -> str:
        return f"{self.mean:.4f}" + (f" ± {self.error:.4f}" if math.isfinite(self.error) else " of one game")

    @property
    def beats_coin(self) -> bool:
        """Whether it is certainly below a coin's, in the digits that are shown."""
        return round(self.mean + self.error, 4) < round(COIN, 4)


def mean_loss(losses: Floats, games: Ints) -> Loss:
    """The mean of the losses of positions, with a Student's interval whose clusters are games."""
    _, cluster = np.unique(games, return_inverse=True)
    mean, count = float(losses.mean()), int(cluster.max()) + 1
    if count < 2:
        return Loss(mean, math.inf)
    sums = np.bincount(cluster, losses - mean)
    error = math.sqrt(float(sums @ sums) * count / (count - 1)) / len(losses)
    return Loss(mean, float(stdtrit(count - 1, 0.975)) * error)


class WeightsFit(NamedTuple):
    """A logistic regression of results on positions: P(win) = 1 / (1 + exp(-theta . x))."""

    theta: Floats
    errors: Floats
    """Standard errors of theta, games being independent and positions of one game not."""
    loss: float
    """Mean cross-entropy of the results, in nats, without the penalty."""
    held_out: Loss
    """The same of each game under the fit to all others, to first order."""


def fit_weights(x: Floats, points: Floats, games: Ints, penalty: float) -> WeightsFit:
    """Fit results by ridge-penalised logistic regression (`arena.ratings.logistic`), with games as clusters.

    `x` is `float64[n, columns]`, `points` the result of each position's game from the side to move's view (0,
    1/2, 1), `games` its number. The penalty, penalty / 2 * sum((theta * spread)^2), counts each column in its
    root mean square; one that is 0 throughout keeps weight 0. Texel's tuning (P. Osterlund, 2014) with the
    likelihood in place of squared errors.
    """
    spread = np.sqrt((x**2).mean(axis=0))
    fit = logistic_fit(x, points, ridge=penalty * spread**2, given=np.where(spread > 0, np.nan, 0.0))
    _, cluster = np.unique(games, return_inverse=True)
    logits = x @ fit.theta
    of_game = scores(x, points - expit(logits), cluster)
    errors = np.sqrt(np.diag(fit.covariance(meat(of_game))))
    others = logits - (x * (of_game @ fit.bread)[cluster]).sum(axis=1)
    held_out = mean_loss(np.logaddexp(0, others) - points * others, cluster)
    return WeightsFit(fit.theta, errors, float((np.logaddexp(0, logits) - points * logits).mean()), held_out)
