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
import pandas as pd
from scipy.special import fdtrc

from arena.ratings.clusters import pairing_of
from arena.ratings.fit import POINTS_OF, JointFit, design, game_variance, scores
from arena.ratings.interval import ELO_PER_LOGIT, Z95, Floats
from arena.ratings.joint import Ratings

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


def misfit(ratings: Ratings) -> Misfit | None:
    """How pairings score otherwise than their ratings expect; games that repeat others count once.

    None where each pairing alone tells a rating, as in a match or a gauntlet.
    """
    joint = ratings.joint
    if joint is None or not len(joint.games.first):
        return None
    pairings, slopes, error_freedom = _pairings(joint)
    freedom = len(pairings) - joint.differences
    if freedom <= 0:
        return None
    games, excess, variance = (pairings[name].to_numpy() for name in ("games", "excess", "variance"))
    curvature = (slopes.T / variance) @ slopes
    curvature[-1, -1] += (ELO_PER_LOGIT * Z95 / ratings.advantage.error) ** 2 if joint.tells_advantage else 0
    spread = np.linalg.pinv(curvature, rcond=1e-10, hermitian=True)
    shift = spread @ slopes.T @ (excess / variance)
    lack = max(float(excess**2 @ (1 / variance) - shift @ curvature @ shift), 0.0)
    chance = float(fdtrc(freedom, error_freedom, lack / freedom))

    kept = variance - np.einsum("ij,jk,ik->i", slopes, spread, slopes)
    is_told = kept > _TOLD * variance
    mean, error = excess / games, np.sqrt(np.maximum(kept, 0)) / games
    beyond = math.sqrt(max(float((mean**2 - error**2)[is_told].mean()), 0.0))
    most = int(np.argmax(np.where(is_told, np.abs(mean) / np.where(is_told, error, 1), 0)))
    player, opponent = (ratings.names[player] for player in divmod(int(pairings.index[most]), len(ratings.names)))
    score = float(pairings["gained"].iloc[most] / games[most] + 0.5)
    expected = score - float(mean[most])
    if score < expected:
        player, opponent, score, expected = opponent, player, 1 - score, 1 - expected
    return Misfit(beyond, chance, player, opponent, score, expected)


def _pairings(joint: JointFit) -> tuple[pd.DataFrame, Floats, int]:
    """The pairings of a fit, from the view of the player with the smaller number, by `pairing_of`.

    Columns: games, distinct ones; gained, points less half of what there were to win; excess; variance. Then the
    derivatives of the points that each is expected to make by the parameters, and the degrees of freedom of phi.
    """
    games, size, expected = joint.games, len(joint.group), joint.expected
    side, of_game = (
        np.where(games.first < games.second, 1, -1),
        pairing_of(games.first, games.second, size)[games.start],
    )
    clusters = pd.DataFrame({
        "gained": np.bincount(games.cluster, games.weight * side * (POINTS_OF[games.outcome] - 0.5)),
        "foreseen": np.bincount(games.cluster, games.weight * side * (expected - 0.5)),
        "games": np.bincount(games.cluster, games.weight),
        "model": np.bincount(games.cluster, games.information * game_variance(games, expected, size)),
        "even": EVEN_GAME * np.bincount(games.cluster, games.information),
    })  # fmt: skip
    times, counted = (
        games.times,
        clusters.mul(games.times, axis=0).assign(model=clusters["model"], even=clusters["even"]),
    )
    table = counted.groupby(of_game).sum()
    table["excess"] = table["gained"] - table["foreseen"]
    pairing = np.searchsorted(table.index, of_game)
    number, model = np.bincount(pairing, times), table["model"].to_numpy()

    rest = (
        clusters["gained"]
        - clusters["foreseen"]
        - clusters["games"] * (table["excess"] / table["games"]).to_numpy()[pairing]
    )
    typical = float(model.sum() / number.sum())
    phi = (float(times @ rest**2) + typical) / (model @ (1 - 1 / number) + typical)
    table["variance"] = phi * (table["model"] + table["even"] / table["games"])
    weight = side * games.weight * times[games.cluster] * expected * (1 - expected)
    slopes = scores(design(games.first, games.second, size), weight, pairing[games.cluster]).toarray()
    return table, slopes * (np.diag(joint.bread) > 0), int(number.sum()) - len(table) + 1
