"""Davidson's model of wins, draws and losses, and its fit to the games of many players.

R. R. Davidson, "On Extending the Bradley-Terry Model to Accommodate Ties", 1970. With d the strength of the
player who moves first minus that of the other plus the first-move advantage h,

    win : draw : loss = e^(d/2) : nu : e^(-d/2)

from the first player's view. Bradley-Terry is nu = 0 with a draw counted as half a win and half a loss.
Parameters stand in one vector: the strength of each player, h, ln nu, and then, where games name their opening,
how far the advantage differs in each opening: `float[players + 2 + openings]`. These are normal about 0 with a
standard deviation that maximizes Laplace's approximation of the likelihood without them. For the prior see
`arena.ratings.joint`.
"""

import math
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_softmax, softmax

from arena.ratings.arrays import Bools, Floats, Ints
from arena.ratings.match import ELO_PER_LOGIT

RatingModel: TypeAlias = Literal["davidson", "bradley-terry"]

POINTS = np.array([0.5, 0.0, -0.5])  # of a win, draw and loss, less those of a draw
NO_DRAWS = -800.0  # ln nu of Bradley-Terry: e^-800 is 0 in double precision
MIN_SPREAD, MAX_SPREAD = 0.02, 4.0  # of the standard deviation of openings, in logits
MANY_OPENINGS = 64  # from which on eliminating them first is the faster way to solve for all parameters
RIDGE = 1e-6  # curvature that remains at prior 0, so that what the games leave open has a value


class ClusteredGames(NamedTuple):
    """Games as the fit takes them, a row for each or for several that ended alike; `[rows]` but for `times`."""

    first: Ints  # player who moves first
    second: Ints
    outcome: Ints  # index into POINTS, from the first player's view
    opening: Ints  # 0, 1, ... ; -1 where it is not known
    cluster: Ints  # 0, 1, ... : games that are not independent share a number
    weight: Floats  # games that the row counts as in each of the clusters that it is part of
    information: Floats  # games whose variance, under the model, is that of the row in all those clusters
    times: Floats  # `float[clusters]`: independent clusters like this one

    def cells(self, size: int, times: Floats | None = None) -> "Cells":
        """Games by opening, first and second player; with *times*, as if there were so many of each cluster."""
        key = ((self.opening + 1) * size + self.first) * size + self.second
        cell, cells = pd.factorize(key, sort=True)
        games = self.weight * (self.times if times is None else times)[self.cluster]
        counts = np.bincount(cell * 3 + self.outcome, games, minlength=3 * len(cells))
        opening, players = np.divmod(cells, max(size, 1) ** 2)
        first, second = np.divmod(players, max(size, 1))
        return Cells(first, second, opening - 1, counts.reshape(-1, 3).astype(float))


class Cells(NamedTuple):
    """Encounters of two players with given colours in one opening."""

    first: Ints
    second: Ints
    opening: Ints  # -1 where it is not known
    counts: Floats  # of wins, draws and losses of the first player, `float[cells, 3]`


class DavidsonFit(NamedTuple):
    """The optimum over the parameters."""

    parameters: Floats  # `float[players + 2 + openings]`
    size: int  # players
    spread: float  # standard deviation of the openings' part of the advantage, in logits; 0 without openings
    free: Bools  # parameters that were fitted, the others are fixed
    hessian: Floats  # of minus the log posterior
    prior_hessian: Floats

    @property
    def draw_rate(self) -> float:
        """Of equal players without first-move advantage."""
        return float(expit(self.parameters[self.size + 1] - math.log(2)))

    @property
    def scale(self) -> float:
        """Elo of a unit of strength: 400 / ln 10 * 2 / (2 + nu)."""
        return ELO_PER_LOGIT * (1 - self.draw_rate)

    def elo(self, reference: Floats) -> tuple[Floats, Floats]:
        """Elo of every player and, last, of moving first; and its derivatives by the parameters.

        *reference*, `float[players, players]`, turns strengths into differences to what is 0. The derivative of
        the scale by ln nu is -scale * draw rate.
        """
        jacobian = np.zeros((self.size + 1, len(self.parameters)))
        jacobian[:-1, : self.size] = self.scale * reference
        jacobian[-1, self.size] = self.scale
        elo = jacobian @ self.parameters
        jacobian[:, self.size + 1] = -self.draw_rate * elo
        return elo, jacobian

    def probability(self, first: Ints, second: Ints, opening: Ints) -> Floats:
        """Probabilities of win, draw and loss of the first player, `float[n, 3]`."""
        return softmax(logits(self.parameters, self.size, first, second, opening), axis=1)


def maximize(
    cells: Cells,
    size: int,
    model: RatingModel,
    advantage: bool,
    prior: float,
    start: DavidsonFit | None = None,
) -> DavidsonFit:
    """Maximize the log posterior; *start* is a fit to begin at, whose spread of the openings is kept.

    Openings are left out if the *advantage* is.
    """
    openings = int(cells.opening.max(initial=-1)) + 1 if advantage and start is None else 0
    x = np.zeros(size + 2 + openings)
    x[size + 1] = math.log(2) if model == "davidson" else NO_DRAWS
    if start is not None:
        return _newton(cells, start.parameters, size, model, advantage, prior, start.spread)[0]
    if not openings:
        return _newton(cells, x, size, model, advantage, prior, 0.0)[0]

    def minus_likelihood(log_spread: float) -> float:
        nonlocal x
        spread = math.exp(log_spread)
        fit, loss = _newton(cells, x, size, model, advantage, prior, spread, tolerance=1e-4)
        x = fit.parameters
        curvature = np.diag(fit.hessian)[size + 2 :]
        return loss + openings * log_spread + float(np.log(curvature).sum()) / 2

    bounds = (math.log(MIN_SPREAD), math.log(MAX_SPREAD))
    best = minimize_scalar(minus_likelihood, bounds=bounds, method="bounded", options={"xatol": 0.05})
    return _newton(cells, x, size, model, advantage, prior, math.exp(float(best.x)))[0]


def logits(parameters: Floats, size: int, first: Ints, second: Ints, opening: Ints) -> Floats:
    """Logarithms of win : draw : loss of the first player, `float[n, 3]`; an unknown *opening* is -1."""
    of_opening = np.append(parameters[size + 2 :], 0.0)[opening]
    half = (parameters[first] - parameters[second] + parameters[size] + of_opening) / 2
    return np.column_stack([half, np.full_like(half, parameters[size + 1]), -half])


def game_moments(probability: Floats) -> Floats:
    """Expected products (aa, ab, ac, bb, bc, cc) of a game's score, `float[n, 6]`, see `outer_sum`.

    Row by row from the probabilities of win, draw and loss of the first player, `float[n, 3]`.
    """
    mean, draw = probability @ POINTS, probability[:, 1]
    spread, shared = probability @ POINTS**2 - mean**2, -mean * draw
    return np.column_stack([spread, spread, shared, spread, shared, draw * (1 - draw)])


def outer_sum(i: Ints, j: Ints, opening: Ints, moments: Floats, size: int, openings: int) -> Floats:
    """Sum of v v' over rows, v being a at player i, -a at player j, b at h and the opening, c at ln nu, else 0.

    *moments* holds the products (aa, ab, ac, bb, bc, cc), `float[rows, 6]`.
    """
    total = np.zeros((size + 2 + openings, size + 2 + openings))
    aa, ab, ac, bb, bc, cc = moments.T
    h, draws, ends = size, size + 1, size + 2
    for row, column, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
        total[:size, :size] += sign * np.bincount(row * size + column, aa, size * size).reshape(size, size)
    for shared, products in ((h, ab), (draws, ac)):
        total[:size, shared] = np.bincount(i, products, size) - np.bincount(j, products, size)
        total[shared, :size] = total[:size, shared]
    total[h:ends, h:ends] = [[bb.sum(), bc.sum()], [bc.sum(), cc.sum()]]
    if openings:
        known = opening >= 0
        i, j, ab, bb, bc, opening = (column[known] for column in (i, j, ab, bb, bc, opening))
        for row, products in ((i, ab), (j, -ab)):
            cross = np.bincount(row * openings + opening, products, size * openings)
            total[:size, ends:] += cross.reshape(size, openings)
        total[h, ends:], total[draws, ends:] = (np.bincount(opening, column, openings) for column in (bb, bc))
        total[ends:, :ends] = total[:ends, ends:].T
        total[range(ends, len(total)), range(ends, len(total))] = total[h, ends:]
    return total


def _newton(
    cells: Cells,
    start: Floats,
    size: int,
    model: RatingModel,
    advantage: bool,
    prior: float,
    spread: float,
    tolerance: float = 1e-14,
) -> tuple[DavidsonFit, float]:
    """The optimum and minus its log posterior, which is convex, by Newton's method with halved steps."""
    # By hand: scipy.optimize.minimize(method="trust-exact"), its fastest here, takes 1.2 to 1.4 times as long.
    first, second, opening, counts = cells
    openings = len(start) - size - 2
    ends = size + 2 + np.arange(openings)
    if not openings:
        opening = np.full(len(first), -1)
    known = opening >= 0
    centre, weight, ridge = np.zeros(len(start)), np.full(len(start), prior), np.full(len(start), RIDGE)
    centre[size + 1], weight[size + 1] = math.log(2), 2 * prior
    weight[ends], ridge[ends] = 0, spread**-2 if spread else 0
    free = np.ones(len(start), bool)
    free[size : size + 2] = advantage, model == "davidson"
    if model == "bradley-terry":
        counts = counts @ np.array([[1, 0, 0], [0.5, 0, 0.5], [0, 0, 1]])

    played = counts.sum(axis=1)

    def loss(x: Floats) -> float:
        u = (x - centre)[free]
        penalty = weight[free] * np.logaddexp(u / 2, -u / 2) + ridge[free] / 2 * u**2
        likelihood = counts * log_softmax(logits(x, size, first, second, opening), axis=1)
        return float(penalty.sum() - likelihood.sum())

    x = start.copy()
    for _ in range(200):
        probability = softmax(logits(x, size, first, second, opening), axis=1)
        excess = counts - played[:, None] * probability
        points = excess @ POINTS
        u = x - centre
        gradient = weight / 2 * np.tanh(u / 2) + ridge * u
        gradient[:size] += np.bincount(second, points, size) - np.bincount(first, points, size)
        gradient[size : size + 2] -= points.sum(), excess[:, 1].sum()
        gradient[ends] -= np.bincount(opening[known], points[known], openings)
        of_prior = weight / 4 * (1 - np.tanh(u / 2) ** 2) + ridge
        moments = played[:, None] * game_moments(probability)
        hessian = outer_sum(first, second, opening, moments, size, openings)
        hessian[range(len(x)), range(len(x))] += of_prior
        step = solved(hessian, -gradient[:, None], free, size + 2)[:, 0]
        decrease = -float(gradient @ step)
        if decrease < tolerance:
            break
        now = loss(x)
        while loss(x + step) > now + 1e-12 * abs(now) and decrease > tolerance:
            step, decrease = step / 2, decrease / 2
        x = x + step
    return DavidsonFit(x, size, spread, free, hessian, np.diag(of_prior)), loss(x)


def solved(hessian: Floats, right: Floats, free: Bools, few: int) -> Floats:
    """The solution of hessian @ solution = right, `float[parameters, n]`, 0 for parameters that are not *free*.

    From number *few* on, parameters are openings: free, and the hessian is diagonal among them, so that many of
    them are eliminated first.
    """
    if len(hessian) - few < MANY_OPENINGS:
        found = np.zeros_like(right)
        found[free] = np.linalg.solve(hessian[np.ix_(free, free)], right[free])
        return found
    kept = np.flatnonzero(free[:few])
    cross, own = hessian[few:, kept], hessian.diagonal()[few:, None]
    found = np.zeros_like(right)
    left = hessian[np.ix_(kept, kept)] - cross.T @ (cross / own)
    found[kept] = np.linalg.solve(left, right[kept] - cross.T @ (right[few:] / own))
    found[few:] = (right[few:] - cross @ found[kept]) / own
    return found
