"""What ratings do not tell: the score of each pairing beyond what they expect, and a test of all together.

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
import pandas as pd
from scipy.special import expit, fdtrc, stdtr, stdtrit

from arena.ratings.clusters import pairing_of
from arena.ratings.interval import ELO_PER_LOGIT, Z95, Floats, Interval, Ints
from arena.ratings.joint import POINTS_OF, JointFit, Ratings, game_variance
from arena.ratings.logistic import scores, weighted_squares

_COLUMNS = ("player", "opponent", "games", "score", "expected", *Interval.columns_of("excess"), "chance")
EVEN_GAME = 0.25
"""The variance of a game between equals without draws."""
_TOLD = 1e-6
"""Share of a pairing's variance that its excess keeps, at least: nothing is left of what alone tells a rating."""


class _Pairings(NamedTuple):
    """The pairings of a fit, a row each, from the view of the player with the smaller number."""

    code: Ints  # as `pairing_of` has it
    games: Floats  # distinct ones
    points: Floats
    expected: Floats  # points
    variance: Floats  # of the points
    error_freedom: int  # degrees of freedom of that variance


def residuals(ratings: Ratings) -> pd.DataFrame:
    """COLUMNS, a row for each pairing in the order of the ratings; the first, without names, is of all together.

    `score` and `expected` are points a game, `excess` their difference, in the first row its root mean square
    beyond chance; `games` that repeat others count once. The `chance` is that of so great an excess where ratings
    tell all, in the first row of so great a lack of fit, in the others for all pairings together (S. Holm, 1979).
    Pairings from which alone a rating is known are left out; there are no rows where all are so, as in a match or
    a gauntlet.
    """
    joint = ratings.joint
    pairings = _pairings(joint) if joint is not None else None
    if joint is None or pairings is None or len(pairings.code) <= joint.differences:
        return pd.DataFrame(columns=list(_COLUMNS))
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
    whole = float(fdtrc(freedom, pairings.error_freedom, max(lack, 0.0) / freedom))

    kept = pairings.variance - np.einsum("ij,jk,ik->i", slopes, spread, slopes)
    is_told = kept > _TOLD * pairings.variance
    error = np.sqrt(np.maximum(kept, 0)) / pairings.games
    first, second = np.divmod(pairings.code, size)
    rank = pd.Series(ratings.table["rank"].to_numpy(), ratings.table["player"])[list(joint.names)].to_numpy()
    side = np.where(rank[first] < rank[second], 1, -1)
    upper, lower = np.where(side > 0, (first, second), (second, first))
    mean = side * excess / pairings.games
    half = float(stdtrit(pairings.error_freedom, 0.975)) * error
    score = 0.5 + side * (pairings.points / pairings.games - 0.5)
    names = np.array([*joint.names], dtype=object)
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = 2 * stdtr(pairings.error_freedom, -np.abs(mean) / error)
    table = pd.DataFrame({
        "player": names[upper], "opponent": names[lower], "games": np.rint(pairings.games).astype(int),
        "score": score, "expected": score - mean, "excess": mean, "excess_low": mean - half,
        "excess_high": mean + half, "chance": chance,
    })[is_told].iloc[np.lexsort((rank[lower][is_told], rank[upper][is_told]))]  # fmt: skip
    beyond = math.sqrt(max(float((mean**2 - error**2)[is_told].mean()), 0.0))
    every = {"player": "", "opponent": "", "games": table["games"].sum(), "excess": beyond, "chance": whole}
    rows = table.assign(chance=holm(table["chance"])).to_dict("records")
    return pd.DataFrame([every, *rows], columns=list(_COLUMNS))


def holm(chance: pd.Series) -> pd.Series:
    """The chances of several tests, for all of them together (S. Holm, 1979)."""
    ordered = chance.sort_values(kind="stable")
    return (ordered * np.arange(len(ordered), 0, -1)).cummax().clip(upper=1.0)


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
