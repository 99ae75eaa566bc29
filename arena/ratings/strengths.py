"""Strengths of players who win, draw and lose: the models of Bradley and Terry and of Davidson, and their fit.

With d the strength of the player who moves first minus that of the other plus the first-move advantage h,

* R. A. Bradley and M. E. Terry, "Rank Analysis of Incomplete Block Designs", 1952, for expected scores: the first
  player is expected to score 1 / (1 + e^-d). A draw is half a point, and the fit a quasi-likelihood (R. W. M.
  Wedderburn, 1974), which says nothing of how points come about;
* R. R. Davidson, "On Extending the Bradley-Terry Model to Accommodate Ties", 1970:

      win : draw : loss = e^(d/2) : nu : e^(-d/2)

Parameters stand in one vector: the strength of each player, h, ln nu, and then, where games name their opening,
how far the advantage differs in each opening: `float[players + 2 + openings]`. These are normal about 0 with a
standard deviation that maximizes Laplace's approximation of the likelihood without them, a quasi-likelihood over
its dispersion. For the prior see `arena.ratings.joint`.
"""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_softmax, softmax

from arena.ratings import RatingModel
from arena.ratings.clusters import Cells
from arena.ratings.dispersion import mean_dispersion
from arena.ratings.match import ELO_PER_LOGIT
from arena.ratings.types import Bools, Floats, Ints

POINTS = np.array([0.5, 0.0, -0.5])  # of a win, draw and loss, less those of a draw
NO_DRAWS = -800.0  # ln nu of Bradley-Terry: e^-800 is 0 in double precision
MIN_SPREAD, MAX_SPREAD = 0.02, 4.0  # of the standard deviation of openings, in logits
MANY_OPENINGS = 64  # from which on eliminating them first is the faster way to solve for all parameters
VIRTUAL_LEAD = math.log(100)  # of the opponents of the prior's results, 800 Elo in logits
RIDGE = 1e-6  # curvature that remains at prior 0, so that what the games leave open has a value


class StrengthFit(NamedTuple):
    """The optimum over the parameters."""

    parameters: Floats  # `float[players + 2 + openings]`
    model: RatingModel
    size: int  # players
    spread: float  # standard deviation of the openings' part of the advantage, in logits; 0 without openings
    dispersion: float  # of a game's score, beside which the openings are normal
    free: Bools  # parameters that were fitted, the others are fixed
    hessian: Floats  # of minus the log posterior
    prior_hessian: Floats
    met: Floats  # games of each two players, `float[players, players]`

    @property
    def scale(self) -> float:
        """Elo of a unit of strength; under Davidson's model 400 / ln 10 * 2 / (2 + nu)."""
        return ELO_PER_LOGIT * (1 - self.draw_rate)

    @property
    def draw_rate(self) -> float:
        """Of equal players without first-move advantage under Davidson's model, 0 under the other."""
        return float(expit(self.parameters[self.size + 1] - math.log(2)))

    def elo(self, reference: Floats) -> tuple[Floats, Floats]:
        """Elo of every player and, last, of moving first; and its derivatives by the parameters.

        *reference*, `float[players, players]`, turns strengths into differences to what is 0. The derivative of
        Davidson's scale by ln nu is -scale * draw rate.
        """
        strengths, slopes = both_colours(self)
        jacobian = np.zeros((self.size + 1, len(self.parameters)))
        jacobian[:-1] = self.scale * reference @ slopes
        jacobian[-1, self.size] = self.scale
        elo = self.scale * np.append(reference @ strengths, self.parameters[self.size])
        jacobian[:, self.size + 1] = -self.draw_rate * elo
        return elo, jacobian

    def probability(self, first: Ints, second: Ints, opening: Ints) -> Floats:
        """Probabilities of win, draw and loss of the first player, `float[n, 3]`; 0 draws with a draw as halves.

        An *opening* counts as unknown if none are fitted.
        """
        if len(self.parameters) == self.size + 2:
            opening = np.full_like(opening, -1)
        return softmax(logits(self.parameters, self.size, first, second, opening), axis=1)


def maximize(
    cells: Cells,
    size: int,
    model: RatingModel,
    advantage: bool,
    prior: float,
    fixed: Mapping[int, float] = MappingProxyType({}),
    start: StrengthFit | None = None,
) -> StrengthFit:
    """Maximize the log posterior; *start* is a fit to begin at, whose spread of the openings is kept.

    *fixed* is the Elo of players that have it already. Openings are left out if the *advantage* is.
    """
    if start is not None:
        return _newton(cells, start.parameters, size, model, advantage, prior, start.spread, start.dispersion)[0]
    x = np.zeros(size + 2)
    x[size + 1] = math.log(2) if model == "davidson" else NO_DRAWS
    x[list(fixed)] = np.fromiter(fixed.values(), float) / ELO_PER_LOGIT
    plain = _newton(cells, x, size, model, advantage, prior, fixed=list(fixed))[0]
    openings = int(cells.opening.max(initial=-1)) + 1
    if not (advantage and openings):
        return plain
    x = np.append(plain.parameters, np.zeros(openings))
    dispersion = 1.0
    if model == "bradley-terry":
        expected = plain.probability(cells.first, cells.second, cells.opening)[:, 0]
        dispersion = mean_dispersion(expected, cells.counts[:, 1], cells.counts.sum(axis=1))

    def minus_likelihood(log_spread: float) -> float:
        nonlocal x
        spread = math.exp(log_spread)
        fit, loss = _newton(cells, x, size, model, advantage, prior, spread, dispersion, tolerance=1e-4)
        x = fit.parameters
        curvature = np.diag(fit.hessian)[size + 2 :]
        return loss / dispersion + openings * log_spread + float(np.log(curvature).sum()) / 2

    bounds = (math.log(MIN_SPREAD), math.log(MAX_SPREAD))
    best = minimize_scalar(minus_likelihood, bounds=bounds, method="bounded", options={"xatol": 0.05})
    return _newton(cells, x, size, model, advantage, prior, math.exp(float(best.x)), dispersion)[0]


def both_colours(fit: StrengthFit) -> tuple[Floats, Floats]:
    """Strengths whose differences mean the expected score over both colours; their derivatives by the parameters.

    `float[players]` and `float[players, parameters]`. With s(d) = 1 / (1 + e^-d), two players whose strengths
    differ by d expect (s(d + h) + s(d - h)) / 2 over both colours in an opening that favours neither, which is
    nearer to 1/2 than s(d). The strengths returned are the fit without h to these scores, weighted by the games of
    each two players; with two players it is exact. Davidson's are as fitted.
    """
    size, h = fit.size, fit.parameters[fit.size]
    slopes = np.zeros((size, len(fit.parameters)))
    slopes[:, :size] = np.eye(size)
    if fit.model == "davidson" or h == 0:
        return fit.parameters[:size], slopes
    one, other = np.nonzero(np.triu(fit.met, 1))
    games = fit.met[one, other]
    d = fit.parameters[one] - fit.parameters[other]
    ahead, behind = expit(d + h), expit(d - h)
    score = (ahead + behind) / 2
    counts = games[:, None] * np.column_stack([score, np.zeros_like(score), 1 - score])
    cells = Cells(one, other, np.full_like(one, -1), counts)
    start = np.append(fit.parameters[:size], [0.0, NO_DRAWS])
    found = _newton(cells, start, size, fit.model, advantage=False, prior=0.0)[0]

    by_ahead, by_behind = ahead * (1 - ahead), behind * (1 - behind)
    moments = np.zeros((len(games), 6))
    moments[:, 0] = games * (by_ahead + by_behind) / 2
    right = np.zeros((size, size + 1))
    right[:, :size] = outer_sum(one, other, cells.opening, moments, size, 0)[:size, :size]
    of_h = games * (by_ahead - by_behind) / 2
    right[:, size] = np.bincount(one, of_h, size) - np.bincount(other, of_h, size)
    slopes[:, : size + 1] = np.linalg.solve(found.hessian[:size, :size], right)
    return found.parameters[:size], slopes


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
    spread: float = 0.0,
    dispersion: float = 1.0,
    tolerance: float = 1e-14,
    fixed: Sequence[int] = (),
) -> tuple[StrengthFit, float]:
    """The optimum and minus its log posterior, which is convex, by Newton's method with halved steps."""
    # By hand: scipy.optimize.minimize(method="trust-exact"), its fastest here, takes 1.2 to 1.4 times as long.
    first, second, opening, counts = cells
    openings = len(start) - size - 2
    ends = size + 2 + np.arange(openings)
    if not openings:
        opening = np.full(len(first), -1)
    known = opening >= 0
    centre, weight, lead = np.zeros(len(start)), np.full(len(start), prior), np.zeros(len(start))
    lead[:size], weight[size], centre[size + 1] = VIRTUAL_LEAD, prior / 2, math.log(2)
    ridge = np.full(len(start), RIDGE)
    weight[ends], ridge[ends] = 0, dispersion / spread**2 if spread else 0
    free = ~np.isin(np.arange(len(start)), fixed)
    free[size : size + 2] = advantage, model == "davidson"
    if model == "bradley-terry":
        counts = counts @ np.array([[1, 0, 0], [0.5, 0, 0.5], [0, 0, 1]])
    played = counts.sum(axis=1)

    def loss(x: Floats) -> float:
        u = x - centre
        penalty = weight * (np.logaddexp(0, u - lead) + np.logaddexp(0, -u - lead)) + ridge / 2 * u**2
        likelihood = counts * log_softmax(logits(x, size, first, second, opening), axis=1)
        return float(penalty[free].sum() - likelihood.sum())

    x = start.copy()
    for _ in range(200):
        probability = softmax(logits(x, size, first, second, opening), axis=1)
        excess = counts - played[:, None] * probability
        points = excess @ POINTS
        u = x - centre
        lost, won = expit(u - lead), expit(-u - lead)
        gradient = weight * (lost - won) + ridge * u
        gradient[:size] += np.bincount(second, points, size) - np.bincount(first, points, size)
        gradient[size : size + 2] -= points.sum(), excess[:, 1].sum()
        gradient[ends] -= np.bincount(opening[known], points[known], openings)
        of_prior = weight * (lost * (1 - lost) + won * (1 - won)) + ridge
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
    met = np.bincount(first * size + second, played, size * size).astype(float).reshape(size, size)
    return StrengthFit(x, model, size, spread, dispersion, free, hessian, np.diag(of_prior), met + met.T), loss(x)


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
