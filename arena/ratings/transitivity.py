"""Facts that one number per player cannot show: residuals of pairings, cycles, and Nash averaging.

A joint rating assumes that players stand on one line. Where A beats B, B beats C and C beats A, ratings
cannot show it; these tables do.
"""

import numpy as np
import pandas as pd
from scipy.optimize import linprog, minimize
from scipy.special import logsumexp, ndtri, softmax

from arena.ratings.clusters import Cells, clustered, encode
from arena.ratings.dispersion import dispersion
from arena.ratings.joint import Ratings
from arena.ratings.match import ELO_PER_LOGIT
from arena.ratings.strengths import POINTS, RIDGE, game_moments, logits, outer_sum
from arena.ratings.types import Floats, Ints
from arena.rules.result import Colour

MAX_CYCLES = 10  # that are listed


def residuals(games: pd.DataFrame, ratings: Ratings, first: Colour = "white") -> pd.DataFrame:
    """How each pairing differs from what *ratings*, fitted to *games* with the same *first*, expect of it.

    Columns: player (of higher rank), opponent, games (distinct ones), score and expected (fractions of the
    player's points), difference, z; a row per pairing, the largest |z| first. z is the difference over its
    standard deviation, with games taken as independent and what the fit itself took up subtracted (the adjusted
    residual of S. J. Haberman, "The Analysis of Residuals in Cross-Classified Tables", 1973); 0 where the fit
    takes up everything. The deviation is that of games drawn as often as these, see `arena.ratings.dispersion`, or
    that of Davidson's model.
    """
    names = ratings.table["player"].tolist()
    cells = clustered(encode(games, names, first), len(names)).cells(len(names))
    x = ratings.parameters
    free = np.ones(len(names) + 2, bool)
    free[-2:] = ratings.advantage_error > 0, ratings.model == "davidson"
    sign = np.where(cells.first < cells.second, 1.0, -1.0)
    opening = cells.opening if len(x) > len(names) + 2 else np.full(len(cells.first), -1)
    probability = softmax(logits(x, len(names), cells.first, cells.second, opening), axis=1)
    played = cells.counts.sum(axis=1)
    pairing, low, high = _pairings(cells, len(names))
    moments = played[:, None] * game_moments(probability)
    varied = moments
    if ratings.model != "davidson":
        varied = moments * dispersion(0.5 + probability @ POINTS, cells.counts[:, 1], played, pairing)[:, None]
    unknown = np.full_like(opening, -1)
    hessian, middle = (
        outer_sum(cells.first, cells.second, unknown, products, len(names), 0) for products in (moments, varied)
    )
    hessian += RIDGE * np.eye(len(hessian))
    inverse = np.zeros_like(hessian)
    inverse[np.ix_(free, free)] = np.linalg.inv(hessian[np.ix_(free, free)])

    # One row per pairing, from the view of the player with the lower code, who is of higher rank.
    columns = (played, sign * (cells.counts @ POINTS), sign * played * (probability @ POINTS))
    total, observed, expected = (np.bincount(pairing, column, len(low)) for column in columns)
    parameter = np.column_stack([low, high, np.full_like(low, len(names)), np.full_like(low, len(names) + 1)])
    _, of_fit = _products(pairing, sign, moments, len(low))
    variance, shared = _products(pairing, sign, varied, len(low))
    spread = inverse @ middle @ inverse
    rows, columns_of = parameter[:, :, None], parameter[:, None, :]
    left = variance + np.einsum("pi,pij,pj->p", of_fit, spread[rows, columns_of], of_fit)
    left -= 2 * np.einsum("pi,pij,pj->p", of_fit, inverse[rows, columns_of], shared)
    z = np.where(left > 1e-6 * variance, (observed - expected) / np.sqrt(np.maximum(left, 1e-300)), 0)

    table = pd.DataFrame(
        {
            "player": np.array(names, dtype=object)[low],
            "opponent": np.array(names, dtype=object)[high],
            "games": np.round(total).astype(np.int64),
            "score": 0.5 + observed / total,
            "expected": 0.5 + expected / total,
            "z": z,
        }
    )
    table.insert(5, "difference", table["score"] - table["expected"])
    order = (-table["z"].abs().round(9)).argsort(kind="stable")
    return table.iloc[order].reset_index(drop=True)


def cycles(games: pd.DataFrame, players: list[str], at_most: int = MAX_CYCLES) -> pd.DataFrame:
    """Players of whom a beats b, b beats c and c beats a: columns a, b, c, z, the strongest cycles first.

    z is the smallest of the three leads, each in standard errors: the sum of the leads of all clusters (pairs, or
    games that stand alone) over the root of the sum of their squares. a is the first of the three in *players*.
    Which colour the players had is not taken into account.
    """
    lead = _leads(games, players)
    found: list[tuple[float, int, int, int]] = []
    for a in range(len(players)):
        weight = np.minimum(np.minimum(lead[a, a + 1 :, None], lead[a + 1 :, a + 1 :]), lead[a + 1 :, a])
        least = found[-1][0] if len(found) == at_most else 0
        b, c = np.nonzero(weight > least)
        best = np.argsort(-weight[b, c], kind="stable")[:at_most]
        found += [(weight[i, j], a, a + 1 + i, a + 1 + j) for i, j in zip(b[best], c[best], strict=True)]
        found = sorted(found, key=lambda row: (-row[0], *row[1:]))[:at_most]
    rows = [(*(players[number] for number in row[1:]), float(row[0])) for row in found]
    return pd.DataFrame(rows, columns=["a", "b", "c", "z"])


def threshold(pairings: int) -> float:
    """The |z| that at most 5 % of tournaments with these pairings exceed anywhere by chance (Bonferroni's bound).

    It holds for the leads of a cycle, too: where there is no cycle, one of its three leads is due to chance.
    """
    return float(-ndtri(0.025 / max(pairings, 1)))


def nash_averages(games: pd.DataFrame, ratings: Ratings, first: Colour = "white") -> pd.DataFrame:
    """Nash averaging (D. Balduzzi et al., "Re-evaluating Evaluation", 2018): player, skill, weight, by skill.

    The players are the strategies of a game whose payoff is the Elo of the score of one against another, with one
    virtual draw a pairing, or of the score that *ratings* expect where they never met. weight is the player's
    share of the equilibrium of greatest entropy, skill the payoff against it: 0 for whoever takes part, below 0
    for others. A copy of a player, and a player that all others beat, change nobody's skill.
    """
    names = ratings.table["player"].tolist()
    cells = clustered(encode(games, names, first), len(names)).cells(len(names))
    size = len(names)
    x = ratings.parameters.copy()
    x[size] = x[size + 2 :] = 0
    one, other = (index.ravel() for index in np.indices((size, size)))
    expected = (softmax(logits(x, size, one, other, np.full_like(one, -1)), axis=1) @ POINTS).reshape(size, size)
    points, played = np.zeros((size, size)), np.zeros((size, size))
    gained = cells.counts @ POINTS
    for i, j, lead in ((cells.first, cells.second, gained), (cells.second, cells.first, -gained)):
        np.add.at(points, (i, j), lead)
        np.add.at(played, (i, j), cells.counts.sum(axis=1))
    score = 0.5 + np.where(played > 0, points / (played + 1), np.clip(expected, -0.4999, 0.4999))
    payoffs = ELO_PER_LOGIT * (np.log(score) - np.log1p(-score))
    weight = nash(payoffs)
    table = pd.DataFrame({"player": names, "skill": payoffs @ weight, "weight": weight})
    order = np.lexsort((np.arange(size), -table["weight"].round(9), -table["skill"].round(6)))
    return table.iloc[order].reset_index(drop=True)


def nash(payoffs: Floats) -> Floats:
    """The equilibrium of greatest entropy of a symmetric zero-sum game, `float[n]`.

    *payoffs* is `float[n, n]`, antisymmetric, of row against column. One linear program finds an equilibrium;
    only strategies that earn 0 against it can be part of any other. Among these, another program finds every one
    that is part of some equilibrium; they earn 0 against all equilibria, others not more. Under these constraints
    the entropy is greatest for a softmax, whose exponents minimize its convex dual. A thousand strategies take up
    to 20 seconds.
    """
    size = len(payoffs)
    if not size:
        return np.zeros(0)
    scaled = payoffs / max(float(np.abs(payoffs).max()), 1e-300)
    one = linprog(np.zeros(size), scaled, np.zeros(size), np.ones((1, size)), [1])
    able = np.flatnonzero(scaled @ np.asarray(one.x) > -1e-7)
    # x, not normed, earns at least 0 against all; t <= x and t <= 1 is 1 for all that can be above 0.
    few = len(able)
    constraints = np.block([[scaled[:, able], np.zeros((size, few))], [-np.eye(few), np.eye(few)]])
    bounds = [(0, None)] * few + [(0, 1)] * few
    found = linprog(np.repeat([0.0, -1.0], few), constraints, np.zeros(size + few), bounds=bounds)
    taking_part = np.zeros(size, bool)
    taking_part[able] = np.asarray(found.x)[few:] > 0.5
    earns = scaled[:, taking_part]

    def dual(exponent: Floats) -> float:
        return float(logsumexp(-exponent @ earns))

    def slope(exponent: Floats) -> Floats:
        return -earns @ softmax(-exponent @ earns)

    limits = [(-np.inf if part else 0.0, np.inf) for part in taking_part]
    best = minimize(
        dual, np.zeros(size), jac=slope, method="L-BFGS-B", bounds=limits, options={"ftol": 1e-15, "gtol": 1e-10}
    )
    weight = np.zeros(size)
    weight[taking_part] = softmax(-best.x @ earns)
    return weight


def _products(pairing: Ints, sign: Floats, moments: Floats, pairings: int) -> tuple[Floats, Floats]:
    """By pairing, the variance of its points, and their products with the scores of four parameters.

    `float[pairings]` and `float[pairings, 4]`: those of the strengths of the player with the lower code and of the
    other, of h and of ln nu. *moments* are those of each cell's games, see `game_moments`, and *sign* is 1 where
    the player with the lower code moves first, else -1.
    """
    columns = (moments[:, 0], sign * moments[:, 1], sign * moments[:, 2])
    variance, with_h, with_draws = (np.bincount(pairing, column, pairings).astype(float) for column in columns)
    return variance, np.column_stack([variance, -variance, with_h, with_draws])


def _pairings(cells: Cells, size: int) -> tuple[Ints, Ints, Ints]:
    """The number of each cell's pairing, and of each pairing the player with the lower code and the other."""
    low, high = np.minimum(cells.first, cells.second), np.maximum(cells.first, cells.second)
    number, pairings = pd.factorize(low * size + high)
    return number, *np.divmod(pairings, max(size, 1))


def _leads(games: pd.DataFrame, players: list[str]) -> Floats:
    """Lead of the row player over the column player in standard errors, `float[players, players]`; 0 if none."""
    size = len(players)
    results = clustered(encode(games, players, "white"), size)
    sign = np.where(results.first < results.second, 1.0, -1.0)
    points = np.bincount(results.cluster, sign * results.weight * POINTS[results.outcome], len(results.times))
    start = np.empty(len(results.times), np.int64)
    start[results.cluster] = np.arange(len(results.cluster))
    low = np.minimum(results.first, results.second)[start]
    high = np.maximum(results.first, results.second)[start]
    total, squares = np.zeros((size, size)), np.zeros((size, size))
    np.add.at(total, (low, high), results.times * points)
    np.add.at(squares, (low, high), results.times * points**2)
    lead = total / np.sqrt(np.where(squares > 0, squares, 1))
    return lead - lead.T
