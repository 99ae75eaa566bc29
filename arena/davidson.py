"""Davidson's model of wins, draws and losses: its fit to the games of many players, and the fit's covariance.

R. R. Davidson, "On Extending the Bradley-Terry Model to Accommodate Ties", 1970. With d the strength of the
player who moves first minus that of the other plus the first-move advantage h,

    win : draw : loss = e^(d/2) : nu : e^(-d/2)

from the first player's view. Bradley-Terry is nu = 0 with a draw counted as half a win and half a loss.
Parameters stand in one vector, `float[players + 2]`: the strength of each player, h, ln nu. Prior and
covariance are those that the text of `arena.ratings` describes.
"""

import math
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, log_softmax, softmax

from arena.stats import ELO_PER_LOGIT

RatingModel: TypeAlias = Literal["davidson", "bradley-terry"]
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

POINTS = np.array([0.5, 0.0, -0.5])  # of a win, draw and loss, less those of a draw
NO_DRAWS = -800.0  # ln nu of Bradley-Terry: e^-800 is 0 in double precision
RIDGE = 1e-6  # curvature left at prior 0, so that what the games leave open is still determined


class Results(NamedTuple):
    """Results of games, a row for each game or for several that ended alike; `[rows]` but for `times`."""

    first: Ints  # player who moves first
    second: Ints
    outcome: Ints  # index into POINTS, from the first player's view
    cluster: Ints  # 0, 1, ... : results that are not independent share a number
    weight: Floats  # games that the row counts as in each of the clusters that it is part of
    information: Floats  # games whose variance, under the model, is that of the row in all those clusters
    times: Floats  # `float[clusters]`: independent clusters like this one

    def cells(self, size: int, times: Floats | None = None) -> "Cells":
        """Games by first and second player; with *times*, as if there were so many of each cluster."""
        cell, cells = pd.factorize(self.first * size + self.second, sort=True)
        games = self.weight * (self.times if times is None else times)[self.cluster]
        counts = np.bincount(cell * 3 + self.outcome, games, minlength=3 * len(cells))
        first, second = np.divmod(cells, max(size, 1))
        return Cells(first, second, counts.reshape(-1, 3).astype(float))


class Cells(NamedTuple):
    """Encounters of two players with given colours."""

    first: Ints
    second: Ints
    counts: Floats  # of wins, draws and losses of the first player, `float[cells, 3]`


class Fit(NamedTuple):
    """Optimum over the parameters."""

    parameters: Floats
    free: NDArray[np.bool_]  # parameters that were fitted, the others are fixed
    hessian: Floats  # of minus the log posterior
    prior_hessian: Floats

    @property
    def draw_rate(self) -> float:
        """Of equal players without first-move advantage."""
        return float(expit(self.parameters[-1] - math.log(2)))

    def elo(self, reference: Floats) -> tuple[Floats, Floats]:
        """Elo of every player and, last, of moving first; and its derivatives by the parameters.

        *reference*, `float[players, players]`, turns strengths into differences to what is 0. The scale is
        400 / ln 10 * 2 / (2 + nu); its derivative by ln nu is -scale * draw rate.
        """
        size = len(reference)
        scale = ELO_PER_LOGIT * (1 - self.draw_rate)
        jacobian = np.zeros((size + 1, size + 2))
        jacobian[:-1, :-2] = scale * reference
        jacobian[-1, -2] = scale
        elo = jacobian @ self.parameters
        jacobian[:, -1] = -self.draw_rate * elo
        return elo, jacobian


def maximize(
    cells: Cells, size: int, model: RatingModel, advantage: bool, prior: float, start: Floats | None = None
) -> Fit:
    """Maximize the log posterior, which is concave, by Newton's method with halved steps, from *start*."""
    first, second, counts = cells
    centre, weight = np.zeros(size + 2), np.full(size + 2, prior)
    centre[-1], weight[-1] = math.log(2), 2 * prior
    free = np.ones(size + 2, bool)
    free[-2:] = advantage, model == "davidson"
    x = centre.copy() if start is None else start.copy()
    if model == "bradley-terry":
        counts = counts @ np.array([[1, 0, 0], [0.5, 0, 0.5], [0, 0, 1]])
        x[-1] = NO_DRAWS

    def loss(x: Floats) -> float:
        u = (x - centre)[free]
        penalty = weight[free] * np.logaddexp(u / 2, -u / 2) + RIDGE / 2 * u**2
        return float(penalty.sum() - (counts * log_softmax(logits(x, first, second), axis=1)).sum())

    for _ in range(200):
        probability = softmax(logits(x, first, second), axis=1)
        excess = counts - counts.sum(axis=1, keepdims=True) * probability
        points = excess @ POINTS
        u = x - centre
        gradient = weight / 2 * np.tanh(u / 2) + RIDGE * u
        gradient[:-2] += np.bincount(second, points, size) - np.bincount(first, points, size)
        gradient[-2:] -= points.sum(), excess[:, 1].sum()
        prior_hessian = np.diag(weight / 4 * (1 - np.tanh(u / 2) ** 2) + RIDGE)
        hessian = information(first, second, counts.sum(axis=1), probability, size) + prior_hessian
        step = np.zeros_like(x)
        step[free] = np.linalg.solve(hessian[np.ix_(free, free)], -gradient[free])
        decrease = -float(gradient @ step)
        if decrease < 1e-14:
            break
        now = loss(x)
        while loss(x + step) > now + 1e-12 * abs(now) and decrease > 1e-14:
            step, decrease = step / 2, decrease / 2
        x = x + step
    return Fit(x, free, hessian, prior_hessian)


def covariance(results: Results, fit: Fit, jacobian: Floats, groups: int) -> tuple[Floats, float, int]:
    """Covariance of the Elo ratings, variance of the advantage, and pairings where the model's stands in.

    The sum over clusters is scaled by clusters / (clusters - fitted strength differences), of which there are
    players less *groups*. The prior counts as independent results.
    """
    size = len(fit.parameters) - 2
    probability = softmax(logits(fit.parameters, results.first, results.second), axis=1)
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
    moments *= clusters / max(clusters - (size - groups), 1)
    alike = _alike(low, high, points / games, size)

    observed = _outer_sum(low, high, moments, size)
    game = alike[results.cluster]
    expected = _outer_sum(low[~alike], high[~alike], moments[~alike], size) + information(
        results.first[game], results.second[game], results.information[game], probability[game], size
    )
    free = np.ix_(fit.free, fit.free)
    inner = np.linalg.solve(fit.hessian[free], jacobian[:, fit.free].T)
    by_clusters, by_model = (
        inner.T @ (middle + fit.prior_hessian)[free] @ inner for middle in (observed, expected)
    )
    variance = max(by_clusters[-1, -1], by_model[-1, -1])
    by_clusters, by_model = by_clusters[:-1, :-1], by_model[:-1, :-1]
    if np.trace(by_model) <= np.trace(by_clusters):
        return by_clusters, variance, 0
    return by_model, variance, len(np.unique(low[alike] * size + high[alike]))


def resample(
    results: Results,
    fit: Fit,
    reference: Floats,
    model: RatingModel,
    advantage: bool,
    prior: float,
    count: int,
    rng: np.random.Generator,
) -> Floats:
    """Elo of every player and, last, of moving first in *count* fits to clusters drawn with replacement.

    `float[count, players + 1]`. Each draw has as many clusters as *results*.
    """
    results = _by_kind(results)
    clusters = round(results.times.sum())
    found = np.empty((count, len(reference) + 1))
    for number in range(count):
        times = rng.multinomial(clusters, results.times / clusters).astype(float)
        cells = results.cells(len(reference), times)
        found[number] = maximize(cells, len(reference), model, advantage, prior, fit.parameters).elo(reference)[0]
    return found


def logits(parameters: Floats, first: Ints, second: Ints) -> Floats:
    """Logarithms of win : draw : loss of the first player, `float[n, 3]`."""
    half = (parameters[first] - parameters[second] + parameters[-2]) / 2
    return np.column_stack([half, np.full_like(half, parameters[-1]), -half])


def information(first: Ints, second: Ints, games: Floats, probability: Floats, size: int) -> Floats:
    """Expected outer product of the scores of independent games, `float[size + 2, size + 2]`.

    Row by row: the players, the number of games and the probabilities of win, draw and loss `float[n, 3]`.
    """
    return _outer_sum(first, second, games[:, None] * game_moments(probability), size)


def game_moments(probability: Floats) -> Floats:
    """Expected products (aa, ab, ac, bb, bc, cc) of a game's score, `float[n, 6]`, see `_outer_sum`."""
    mean, draw = probability @ POINTS, probability[:, 1]
    spread, shared = probability @ POINTS**2 - mean**2, -mean * draw
    return np.column_stack([spread, spread, shared, spread, shared, draw * (1 - draw)])


def components(a: Ints, b: Ints, size: int) -> Ints:
    """Component of each node of the graph with edges a-b, numbered from the largest, then by first member."""
    if not size:
        return np.zeros(0, np.int64)
    labels = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(size, size)), directed=False)[1]
    _, start, inverse, count = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    number = np.empty(len(count), np.int64)
    number[np.lexsort((start, -count))] = np.arange(len(count))
    return number[inverse]


def _outer_sum(i: Ints, j: Ints, moments: Floats, size: int) -> Floats:
    """Sum of v v' over rows, v being a at player i, -a at player j, b at h and c at ln nu, else 0.

    *moments* holds the products (aa, ab, ac, bb, bc, cc), `float[rows, 6]`.
    """
    total = np.zeros((size + 2, size + 2))
    aa, ab, ac, bb, bc, cc = moments.T
    for row, column, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
        np.add.at(total, (row, column), sign * aa)
    for shared, products in ((-2, ab), (-1, ac)):
        total[:-2, shared] = np.bincount(i, products, size) - np.bincount(j, products, size)
        total[shared, :-2] = total[:-2, shared]
    total[-2:, -2:] = [[bb.sum(), bc.sum()], [bc.sum(), cc.sum()]]
    return total


def _alike(low: Ints, high: Ints, score: Floats, size: int) -> NDArray[np.bool_]:
    """Which clusters tell no spread of the difference they measure; *score* is a cluster's mean result.

    Pairings whose clusters differ connect players into parts. Between parts, all clusters of a pairing ended
    alike, and no other results measure the difference.
    """
    pairing_of, pairing = pd.factorize(low * size + high)
    least, most = np.full(len(pairing), np.inf), np.full(len(pairing), -np.inf)
    np.minimum.at(least, pairing_of, score)
    np.maximum.at(most, pairing_of, score)
    differ = (most > least + 1e-9)[pairing_of]
    part = components(low[differ], high[differ], size)
    return part[low] != part[high]


def _by_kind(results: Results) -> Results:
    """The same results with one cluster for all those that hold the same, told by a 64-bit hash."""
    rows = pd.DataFrame({"first": results.first, "second": results.second, "outcome": results.outcome})
    hashes = pd.util.hash_pandas_object(rows.assign(weight=results.weight), index=False).groupby(results.cluster)
    kind, kinds = pd.factorize(hashes.sum().to_numpy())
    kept = np.unique(kind, return_index=True)[1]
    row = np.isin(results.cluster, kept)
    cluster = kind[results.cluster[row]]
    times = np.bincount(kind, results.times, len(kinds)).astype(float)
    return Results(
        results.first[row],
        results.second[row],
        results.outcome[row],
        cluster,
        results.weight[row],
        results.information[row],
        times,
    )
