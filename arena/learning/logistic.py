"""Logistic regression of results, and how certain a loss is."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from arena.ratings.interval import Floats, Ints

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


class LogisticFit(NamedTuple):
    """A logistic regression: P(win) = 1 / (1 + exp(-theta . x))."""

    theta: Floats
    errors: Floats
    """Standard errors of theta, games being independent and positions of one game not."""
    loss: float
    """Mean cross-entropy of the results, in nats, without the penalty."""
    held_out: Loss
    """The same of each game under the fit to all others, to first order."""


def logistic_fit(x: Floats, points: Floats, games: Ints, penalty: float) -> LogisticFit:
    """Fit results by ridge-penalised logistic regression with Newton's method in a trust region.

    `x` is `float64[n, columns]`, `points` the result of each position's game from the side to move's view (0,
    1/2, 1), `games` its number. The penalty, penalty / 2 * sum((theta * spread)^2), counts each column in its
    root mean square; one that is 0 throughout keeps weight 0. Errors are the sandwich estimate with games as
    clusters (Huber 1967). Texel's tuning (P. Osterlund, 2014) with the likelihood in place of squared errors.
    """
    from scipy.optimize import minimize

    spread = np.sqrt((x**2).mean(axis=0))
    spread[spread == 0] = np.inf
    z = x / spread

    def objective(beta: Floats) -> tuple[float, Floats]:
        logits = z @ beta
        loss = float(np.logaddexp(0, logits).sum() - points @ logits)
        gradient = z.T @ (_sigmoid(logits) - points)
        return loss + penalty / 2 * float(beta @ beta), gradient + penalty * beta

    def curvature(beta: Floats) -> Floats:
        chance = _sigmoid(z @ beta)
        hessian: Floats = (z * (chance * (1 - chance))[:, None]).T @ z + penalty * np.eye(len(beta))
        return hessian

    options: Any = {"gtol": 1e-6}
    start = np.zeros(x.shape[1])
    beta = minimize(objective, start, jac=True, hess=curvature, method="trust-exact", options=options).x
    _, cluster = np.unique(games, return_inverse=True)
    scores = np.zeros((cluster.max() + 1, len(beta)))
    np.add.at(scores, cluster, z * (_sigmoid(z @ beta) - points)[:, None])
    bread = np.linalg.inv(curvature(beta))
    errors = np.sqrt(np.diag(bread @ (scores.T @ scores) @ bread))
    loss = objective(beta)[0] - penalty / 2 * float(beta @ beta)
    others = z @ beta + (z * (scores @ bread)[cluster]).sum(axis=1)
    held_out = mean_loss(np.logaddexp(0, others) - points * others, cluster)
    return LogisticFit(beta / spread, errors / spread, loss / len(points), held_out)


def _sigmoid(logits: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(logits, -500, 500)))
