"""What ratings do not tell: how far pairings score otherwise than expected, and whether that is chance.

One number a player cannot say that rock beats scissors, scissors paper and paper rock: all three are rated alike.
The excess of a pairing is its points less those that the joint fit expects of the same games.

Variance. That of the excess of a pairing is phi times the one that the model gives its games. Phi compares what
clusters of games (`arena.ratings.clusters`) really vary by inside their pairings with what the model says, over
all pairings: pairs of games and copies have the variance that they show, and players that beat one another in
turn do not raise it. One cluster that varies as the model says is added, as clusters that all ended alike show
none; so is an even game to the variance of each pairing, as one loss where none is expected says little.

Test. Strengths are fitted to the excesses by weighted least squares; what is left, over its degrees of freedom,
pairings less differences of strengths, is to phi as Fisher's F: lack of fit against pure error. The advantage of
moving first is free as far as its own interval is wide.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import expit, fdtrc

from arena.ratings.clusters import pairing_of
from arena.ratings.interval import ELO_PER_LOGIT, Z95, Floats, Ints
from arena.ratings.joint import POINTS_OF, JointFit, Ratings, game_variance
from arena.ratings.logistic import scores, weighted_squares

EVEN_GAME = 0.25
"""The variance of a game between equals without draws."""
_TOLD = 1e-6
"""Share of a pairing's variance that its excess keeps, at least: nothing is left of what alone tells a rating."""


class Misfit(NamedTuple):
    """What all pairings score beyond their ratings, and the pairing of which that is the most certain."""

    excess: float
    """Points a game, the root mean square beyond chance."""
    chance: float
    """The chance of so great a lack of fit where ratings tell all."""
    player: str
    """Scores more than expected."""
    opponent: str
    score: float
    """Points a game of the player against the opponent."""
    expected: float
    """Points a game that the joint fit expects of the player in the same games."""


class _Pairings(NamedTuple):
    """The pairings of a fit, a row each, from the view of the player with the smaller number."""

    code: Ints  # as `pairing_of` has it
    games: Floats  # distinct ones
    points: Floats
    expected: Floats  # points
    variance: Floats  # of the points
    error_freedom: int  # degrees of freedom of that variance


def misfit(ratings: Ratings) -> Misfit | None:
    """How pairings score otherwise than their ratings expect; games that repeat others count once.

    None where each pairing alone tells a rating, as in a match or a gauntlet.
    """
    joint = ratings.joint
    pairings = _pairings(joint) if joint is not None else None
    if joint is None or pairings is None or len(pairings.code) <= joint.differences:
        return None
    excess, size = pairings.points - pairings.expected, len(joint.names)
    slopes = _slopes(joint, pairings.code)
    advantage = ratings.advantage.error / Z95 / ELO_PER_LOGIT
    slopes[:, ~joint.is_free] = 0
    curvature = weighted_squares(slopes, 1 / pairings.variance)
    curvature[size, size] += 1 / advantage**2 if advantage > 0 else 0
    spread = np.linalg.pinv(curvature, rcond=1e-10, hermitian=True)
    shift = spread @ slopes.T @ (excess / pairings.variance)
    lack = float(excess**2 @ (1 / pairings.variance) - shift @ curvature @ shift)
    freedom = len(excess) - joint.differences
    chance = float(fdtrc(freedom, pairings.error_freedom, max(lack, 0.0) / freedom))

    kept = pairings.variance - np.einsum("ij,jk,ik->i", slopes, spread, slopes)
    is_told = kept > _TOLD * pairings.variance
    mean, error = excess / pairings.games, np.sqrt(np.maximum(kept, 0)) / pairings.games
    beyond = math.sqrt(max(float((mean**2 - error**2)[is_told].mean()), 0.0))
    most = int(np.argmax(np.where(is_told, np.abs(mean) / np.where(is_told, error, 1), 0)))
    first, second = (joint.names[player] for player in divmod(int(pairings.code[most]), size))
    score, expected = (
        float(points[most] / pairings.games[most]) for points in (pairings.points, pairings.expected)
    )
    if score < expected:
        first, second, score, expected = second, first, 1 - score, 1 - expected
    return Misfit(beyond, chance, first, second, score, expected)


def _pairings(joint: JointFit) -> _Pairings | None:
    """The pairings of a fit; None without games."""
    games, size = joint.games, len(joint.names)
    if not len(games.first):
        return None
    expected = expit(joint.design(games.first, games.second) @ joint.fit.theta)
    side = np.where(games.first < games.second, 1, -1)
    start = np.unique(games.cluster, return_index=True)[1]
    code, of_cluster = np.unique(pairing_of(games.first, games.second, size)[start], return_inverse=True)
    of_game = of_cluster[games.cluster]
    # points less half of what there were to win, from the view of the player with the smaller number
    gained = np.bincount(games.cluster, games.weight * side * (POINTS_OF[games.outcome] - 0.5))
    foreseen = np.bincount(games.cluster, games.weight * side * (expected - 0.5))
    weight = np.bincount(games.cluster, games.weight)
    number = np.bincount(of_cluster, games.times)
    total: Floats = np.bincount(of_cluster, games.times * weight).astype(float)
    excess = np.bincount(of_cluster, games.times * (gained - foreseen))

    rest = gained - foreseen - weight * (excess / total)[of_cluster]
    model = np.bincount(of_game, games.information * game_variance(games, expected, size))
    typical = float(model.sum() / number.sum())
    phi = (games.times @ rest**2 + typical) / (model @ (1 - 1 / number) + typical)
    even = EVEN_GAME * np.bincount(of_game, games.information) / total
    points = np.bincount(of_cluster, games.times * gained) + total / 2
    error_freedom = int(number.sum()) - len(code) + 1
    return _Pairings(code, total, points, points - excess, phi * (model + even), error_freedom)


def _slopes(joint: JointFit, code: Ints) -> Floats:
    """The derivatives of the points that each pairing is expected to make by the parameters of the fit."""
    cells = joint.cells
    design = joint.design(cells.first, cells.second)
    expected = expit(design @ joint.fit.theta)
    side = np.where(cells.first < cells.second, 1, -1)
    place = np.searchsorted(code, pairing_of(cells.first, cells.second, len(joint.names)))
    of_pairing = scores(design, side * cells.games * expected * (1 - expected), place)
    return of_pairing if isinstance(of_pairing, np.ndarray) else of_pairing.toarray()
