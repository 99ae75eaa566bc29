"""Logistic regression of results."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arena.ratings.types import Floats, Ints


class LogisticFit(NamedTuple):
    """A logistic regression: P(win) = 1 / (1 + exp(-theta . x))."""

    theta: Floats
    errors: Floats
    """Standard errors of theta, games being independent and positions of one game not."""
    loss: float
    """Mean cross-entropy of the results, in nats, without the penalty."""


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
    return LogisticFit(beta / spread, errors / spread, loss / len(points))


def _sigmoid(logits: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(logits, -500, 500)))
