"""What ratings do not tell: how far pairings score otherwise than expected, also those of a newcomer.

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

Newcomers. Against players whose Elo is given a player scores more or less than their Elo says, by some 50 Elo
beyond chance, and the given Elo has an error of its own, which does the same. So its opponents are a sample as its
games are: the meat of its variance is that of k opponents as clusters, k / (k - 1) times the sum of the squared
slopes (K.-Y. Liang and S. Zeger, Biometrika 73, 1986), with the interval of Student's t for k - 1 degrees of
freedom; but no less than that of the games alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import fdtrc

from arena.ratings.fit import game_variance, student_factor, summed
from arena.ratings.interval import ELO_PER_LOGIT, Z95
from arena.ratings.joint import Ratings, elo_table, rate
from arena.rules.result import Colour

EVEN_GAME = 0.25
"""The variance of a game between equals without draws."""
_MEASURED = 1e-6
"""Share of a pairing's variance that its excess keeps, at least: nothing is left of what alone tells a rating."""
FEWEST_OPPONENTS = 5
"""Opponents of a newcomer from which on their differences are measured."""


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
    freedom = 0 if joint is None else joint.games.pairing.max(initial=-1) + 1 - joint.differences
    if joint is None or freedom <= 0:
        return None
    games = joint.games
    side = np.where(games.first < games.second, games.weight, -games.weight)  # view of the smaller number
    beyond, of = np.bincount(games.cluster, side * (games.points - joint.score)), games.pairing[games.start]
    weight, number, pairing = np.bincount(games.cluster, games.weight), np.bincount(of), of[games.cluster]
    played, excess = np.bincount(of, weight), np.bincount(of, beyond)
    model = np.bincount(pairing, games.information * game_variance(games, joint.score))
    even = EVEN_GAME * np.bincount(pairing, games.information)

    rest, typical = beyond - weight * (excess / played)[of], float(model.sum() / number.sum())
    phi = (float(rest @ rest) + typical) / (model @ (1 - 1 / number) + typical)
    variance = phi * (model + even / played)
    slopes = summed(joint.rows, side * joint.steepness, pairing).toarray() * (np.diag(joint.bread) > 0)
    curvature = (slopes.T / variance) @ slopes
    curvature[-1, -1] += (ELO_PER_LOGIT * Z95 / ratings.advantage.error) ** 2 if joint.tells_advantage else 0
    spread = np.linalg.pinv(curvature, rcond=1e-10, hermitian=True)
    shift = spread @ slopes.T @ (excess / variance)
    lack = max(float(excess**2 @ (1 / variance) - shift @ curvature @ shift), 0.0)
    chance = float(fdtrc(freedom, int(number.sum()) - len(number) + 1, lack / freedom))

    kept = variance - np.einsum("ij,jk,ik->i", slopes, spread, slopes)
    is_measured = kept > _MEASURED * variance
    mean, error = excess / played, np.sqrt(np.maximum(kept, 0)) / played
    most = int(np.argmax(np.where(is_measured, np.abs(mean) / np.where(is_measured, error, 1), 0)))
    its = pairing == most
    player, opponent = sorted({*games.first[its], *games.second[its]}, reverse=bool(mean[most] < 0))
    score = 0.5 + float(np.copysign(1, mean[most]) * side[its] @ (games.points[its] - 0.5) / played[most])
    return Misfit(
        math.sqrt(max(float((mean**2 - error**2)[is_measured].mean()), 0.0)),
        chance,
        ratings.names[player],
        ratings.names[opponent],
        score,
        score - abs(float(mean[most])),
    )


def placed(games: pd.DataFrame, players: Sequence[str], first: Colour, anchor: Mapping[str, float]) -> Ratings:
    """Rate the players as `arena.ratings.joint.rate` does; of a gauntlet with the spread by opponents, too.

    There each game is of a newcomer against a player of given Elo, and each newcomer met FEWEST_OPPONENTS or more.
    """
    alone = rate(games, players, first=first, anchor=anchor)
    joint, is_given = alone.joint, np.isin(alone.names, [*anchor])
    if joint is None or len(anchor) < FEWEST_OPPONENTS:
        return alone
    games_of, size = joint.games, len(is_given)
    if not (is_given[games_of.first] ^ is_given[games_of.second]).all():
        return alone
    slopes = summed(joint.rows, games_of.weight * (games_of.points - joint.score), games_of.pairing).toarray()
    opponents = (summed(abs(joint.rows), games_of.weight, games_of.pairing).toarray()[:, :size] > 0).sum(axis=0)
    apart = ELO_PER_LOGIT**2 * (slopes[:, :size] ** 2).sum(axis=0) * np.diag(joint.bread)[:size] ** 2
    own, wider = np.diag(joint.covariance)[:size], np.ones(size)
    for player in np.flatnonzero(~is_given & (opponents >= FEWEST_OPPONENTS) & (own > 0)):
        few = student_factor(opponents[player] - 1) * opponents[player] / (opponents[player] - 1)
        wider[player] = max(math.sqrt(few * apart[player] / own[player]), 1.0)
    times = pd.Series(wider, alone.names)[alone.table["player"]].to_numpy()
    return _widened(alone, times) if (wider > 1).any() else alone


def _widened(ratings: Ratings, times: np.ndarray) -> Ratings:
    """The ratings with the standard errors so many times as large, in the order of the table."""
    names = ratings.table["player"]
    covariance = ratings.covariance.loc[names, names] * np.outer(times, times)
    wider = elo_table(names.tolist(), ratings.table["elo"].to_numpy(float), covariance.to_numpy(float))
    wider.loc[names.isin([group[-1] for group in ratings.groups]), "los"] = 0.5
    table = ratings.table.assign(**{name: wider[name] for name in ("elo_low", "elo_high", "los")})
    return replace(ratings, table=table, covariance=covariance)
