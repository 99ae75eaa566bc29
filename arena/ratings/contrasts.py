"""Contrasts: differences of ratings with their intervals, in one run and across runs.

Each run has games and a joint rating of its own (`arena.ratings.joint`), so that errors in two runs count
as independent. Elo in each is relative to the mean of the same players, or to the same anchor.

Joint Elo. The plain mean over k runs, each of the same weight however many games it has: theta = sum of
theta_v / k, with the covariance sum of C_v / k^2.

Gains. What a player gains over a reference in run v is g_v = theta_v(player) - theta_v(reference), with the
variance s_v^2 from C_v; the difference of two runs has the variance s_v^2 + s_w^2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from arena.ratings.joint import TIE_DECIMALS, Ratings
from arena.ratings.match import Z95, los
from arena.ratings.types import Floats

JOINT = "joint"
"""Stands for the mean over all runs in the place of one's name."""
CERTAIN = 0.975
"""Likelihood of superiority above which a lead is called certain: the 95 % interval excludes 0."""


class Contrast(NamedTuple):
    """A weighted sum of ratings, in Elo, with its 95 % interval and the probability that it is positive."""

    value: float
    low: float
    high: float
    los: float


def contrast(ratings: Ratings, weights: Mapping[str, float]) -> Contrast | None:
    """The sum of weight times Elo over players; the weights sum to 0.

    None unless all these players have ratings and are connected through games.
    """
    return contrasts(ratings, [weights])[0]


def contrasts(ratings: Ratings, several: Iterable[Mapping[str, float]]) -> list[Contrast | None]:
    """`contrast` of each of several weights."""
    played = ratings.table.loc[(ratings.table["games"] > 0) & ratings.table["elo"].notna()]
    elo = dict(zip(played["player"], played["elo"].astype(float), strict=True))
    group = {name: number for number, members in enumerate(ratings.groups) for name in members}
    place = {name: i for i, name in enumerate(ratings.covariance.index)}
    covariance = ratings.covariance.to_numpy(dtype=float)
    found: list[Contrast | None] = []
    for weights in several:
        if not weights.keys() <= elo.keys() or len({group.get(name, name) for name in weights}) > 1:
            found.append(None)
            continue
        c, at = np.array(list(weights.values())), [place[name] for name in weights]
        value = float(c @ np.array([elo[name] for name in weights]))
        error = math.sqrt(max(float(c @ covariance[np.ix_(at, at)] @ c), 0.0))
        found.append(Contrast(value, value - Z95 * error, value + Z95 * error, los(value, error)))
    return found


class Across(NamedTuple):
    """The players that are rated in every one of several runs, in rank order of their joint Elo."""

    players: tuple[str, ...]
    runs: tuple[str, ...]
    elo: Floats
    """Relative to the mean of these players, or to the anchor: `float[runs, players]`."""
    covariance: Floats
    """Elo^2, `float[runs, players, players]`."""
    left_out: tuple[str, ...]
    """Players of some run that another one has no rating of on the same scale."""

    def joint(self) -> tuple[Floats, Floats]:
        """The mean Elo over runs and its covariance: `float[players]`, `float[players, players]`."""
        return self.elo.mean(axis=0), self.covariance.sum(axis=0) / len(self.runs) ** 2


def across(ratings: Mapping[str, Ratings], anchor: str | None = None) -> Across | None:
    """The ratings of several runs, by their names, on one scale; None with fewer than two players in all.

    A player counts if it is rated in each among those connected through games to the anchor, or to most players.
    """
    everyone = dict.fromkeys(name for found in ratings.values() for name in found.table["player"])
    connected = [_connected(found, anchor) for found in ratings.values()]
    common = [name for name in everyone if all(name in names for names in connected)]
    if len(common) < 2:
        return None
    if anchor in common:
        reference = np.zeros((len(common), len(common)))
        reference[:, common.index(anchor)] = 1
    else:
        reference = np.full((len(common), len(common)), 1 / len(common))
    centre = np.eye(len(common)) - reference
    tables = [found.table.set_index("player")["elo"].loc[common].to_numpy(float) for found in ratings.values()]
    spreads = [found.covariance.loc[common, common].to_numpy(float) for found in ratings.values()]
    elo = np.array([centre @ values for values in tables])
    covariance = np.array([centre @ spread @ centre.T for spread in spreads])
    order = np.lexsort((np.arange(len(common)), -np.round(elo.mean(axis=0), TIE_DECIMALS)))
    return Across(
        tuple(common[place] for place in order),
        tuple(ratings),
        elo[:, order],
        covariance[:, order][:, :, order],
        tuple(name for name in everyone if name not in common),
    )


def joint_table(found: Across) -> pd.DataFrame:
    """A row per player: rank, player, elo, elo_low, elo_high, los over the next, missing for the last one."""
    elo, spread = found.joint()
    error = Z95 * np.sqrt(np.maximum(np.diag(spread), 0))
    ahead = [
        los(elo[i] - elo[i + 1], _deviation(spread[i, i] + spread[i + 1, i + 1] - 2 * spread[i, i + 1]))
        for i in range(len(elo) - 1)
    ]
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(elo) + 1),
            "player": list(found.players),
            "elo": elo,
            "elo_low": elo - error,
            "elo_high": elo + error,
            "los": [*ahead, math.nan],
        }
    )


def by_run(found: Across) -> pd.DataFrame:
    """A row for each player and run, those of a run together: player, run, elo, elo_low, elo_high."""
    parts = []
    for name, elo, spread in zip(found.runs, found.elo, found.covariance, strict=True):
        error = Z95 * np.sqrt(np.maximum(np.diag(spread), 0))
        figures = {"run": name, "elo": elo, "elo_low": elo - error, "elo_high": elo + error}
        parts.append(pd.DataFrame({"player": list(found.players), **figures}))
    return pd.concat(parts, ignore_index=True)


def gains(found: Across, reference: str) -> pd.DataFrame:
    """What each other player gains over the reference: player, run, gain, gain_low, gain_high.

    A row for each run, then one of JOINT for their mean.
    """
    rows = []
    for player in _others(found, reference):
        gain, deviation = _gain(found, player, reference)
        joint = gain.mean(), _deviation((deviation**2).sum()) / len(gain)
        for run, value, error in [*zip(found.runs, gain, deviation, strict=True), (JOINT, *joint)]:
            rows.append((player, run, value, value - Z95 * error, value + Z95 * error))
    return pd.DataFrame(rows, columns=["player", "run", "gain", "gain_low", "gain_high"])


def gain_differences(found: Across, reference: str) -> pd.DataFrame:
    """How far gains over the reference differ between each two runs: more in `run` than in `than`.

    Columns: player, run, than, difference, difference_low, difference_high. The one with the greater gain is
    `run`; the clearest difference of a player stands first.
    """
    rows: list[tuple[str, str, str, float, float, float]] = []
    for player in _others(found, reference):
        gain, deviation = _gain(found, player, reference)
        of_one = []
        for one, other in combinations(range(len(gain)), 2):
            more, less = (one, other) if gain[one] >= gain[other] else (other, one)
            difference, error = gain[more] - gain[less], _deviation(deviation[one] ** 2 + deviation[other] ** 2)
            bounds = difference - Z95 * error, difference + Z95 * error
            clear = -los(difference, error), -difference
            of_one.append((clear, (player, found.runs[more], found.runs[less], difference, *bounds)))
        rows += [row for _, row in sorted(of_one, key=lambda each: each[0])]
    names = ["player", "run", "than", "difference", "difference_low", "difference_high"]
    return pd.DataFrame(rows, columns=names)


def _connected(found: Ratings, anchor: str | None) -> set[str]:
    """The rated players of the anchor's group, or of the largest one."""
    rated = found.table["elo"].notna() & (found.table["games"] > 0)
    of_anchor = (group for group in found.groups if anchor in group)
    group = next(of_anchor, found.groups[0] if found.groups else ())
    return set(group) & set(found.table.loc[rated, "player"])


def _others(found: Across, reference: str) -> list[str]:
    return [player for player in found.players if player != reference]


def _gain(found: Across, player: str, reference: str) -> tuple[Floats, Floats]:
    """A player's Elo less the reference's in each run, and its standard deviation: `float[runs]` both."""
    i, j, spread = found.players.index(player), found.players.index(reference), found.covariance
    gain: Floats = found.elo[:, i] - found.elo[:, j]
    variance = spread[:, i, i] + spread[:, j, j] - 2 * spread[:, i, j]
    # What is 0 but for rounding is 0.
    scale = spread[:, i, i] + spread[:, j, j]
    deviation: Floats = np.sqrt(np.where(variance > 1e-9 * scale, variance, 0))
    return gain, deviation


def _deviation(variance: float) -> float:
    return math.sqrt(max(float(variance), 0.0))
