"""Ratings of the same players in several runs: joint Elo, and gains over a reference.

Each run has games and a joint rating of its own (`arena.ratings.joint`), so that errors in two runs count
as independent. Elo in each is relative to the mean of the same players, weighted by information, or to the same
anchor.

Joint Elo. The plain mean over k runs, each of the same weight however many games it has: theta = sum of
theta_v / k, with the covariance sum of C_v / k^2.

Gains. What a player gains over a reference in run v is g_v = theta_v(player) - theta_v(reference), with the
variance s_v^2 from C_v. Whether the g_v of a player differ is Cochran's test of homogeneity (`differing`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import chdtrc

from arena.ratings.interval import Z95, Floats, Interval
from arena.ratings.joint import TIE_DECIMALS, Ratings, elo_table

JOINT = "joint"
"""Stands for the mean over all runs in the place of one's name."""


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

    @property
    def joint(self) -> Ratings:
        """The mean over all runs, with its covariance."""
        spread = self.covariance.sum(axis=0) / len(self.runs) ** 2
        table = elo_table(self.players, self.elo.mean(axis=0), spread).assign(games=1)
        by_name = pd.DataFrame(spread, self.players, self.players)
        return Ratings(table, by_name, Interval(0.0, 0.0, 0.0), (self.players,), ())


def across(ratings: Mapping[str, Ratings], anchor: str | None = None) -> Across | None:
    """The ratings of several runs, by their names, on one scale; None with fewer than two players in all.

    A player counts if it is rated in each among those connected through games to the anchor, or to most players.
    """
    everyone = dict.fromkeys(name for of_run in ratings.values() for name in of_run.table["player"])
    connected = [_connected(of_run, anchor) for of_run in ratings.values()]
    common = [name for name in everyone if all(name in names for names in connected)]
    if len(common) < 2:
        return None
    size = len(common)
    tables = [of_run.table.set_index("player")["elo"].loc[common].to_numpy(float) for of_run in ratings.values()]
    spreads = [of_run.covariance.loc[common, common].to_numpy(float) for of_run in ratings.values()]
    centre = np.eye(size) - 1 / size
    information = np.diag(np.linalg.pinv(centre @ sum(spreads) @ centre, hermitian=True)) + 1e-12
    centre = np.eye(size) - (np.array(common) == anchor if anchor in common else information / information.sum())
    elo = np.array([centre @ values for values in tables])
    covariance = np.array([centre @ spread @ centre.T for spread in spreads])
    order = np.lexsort((np.arange(size), -np.round(elo.mean(axis=0), TIE_DECIMALS)))
    return Across(
        tuple(common[place] for place in order),
        tuple(ratings),
        elo[:, order],
        covariance[:, order][:, :, order],
        tuple(name for name in everyone if name not in common),
    )


def joint_table(rated: Across) -> pd.DataFrame:
    """A row per player: rank, player, elo, elo_low, elo_high, los over the next, missing for the last one."""
    return rated.joint.table.drop(columns="games")


def by_run(rated: Across) -> pd.DataFrame:
    """A row for each player and run, those of a run together: player, run, elo, elo_low, elo_high."""
    runs = zip(rated.runs, rated.elo, rated.covariance, strict=True)
    parts = [elo_table(rated.players, *figures).assign(run=run) for run, *figures in runs]
    return pd.concat(parts, ignore_index=True)[["player", "run", *Interval.columns_of("elo")]]


def gains_by_run(rated: Across, reference: str) -> pd.DataFrame:
    """What each other player gains over the reference: player, run, gain, gain_low, gain_high.

    A row for each run, then one of JOINT for their mean.
    """
    rows = []
    for player, gain, error in _gains(rated, reference):
        joint = gain.mean(), math.hypot(*error) / len(gain)
        for run, *figures in [*zip(rated.runs, gain, error, strict=True), (JOINT, *joint)]:
            rows.append({"player": player, "run": run, **Interval.around(*figures).columns("gain")})
    return pd.DataFrame(rows, columns=["player", "run", *Interval.columns_of("gain")])


def differing(rated: Across, reference: str) -> pd.DataFrame:
    """Whether what each other player gains over the reference differs from run to run: player, chi_square, chance.

    Chi-square is the sum of (g_v - mean)^2 / s_v^2 about the mean weighted by 1 / s_v^2 (W. G. Cochran, 1954),
    with one degree of freedom less than there are runs. `chance` is that of a greater one where nothing differs,
    for all players together (S. Holm, 1979). Sorted by it; without players of whom some run has no error.
    """
    rows = []
    for player, gain, error in _gains(rated, reference):
        if (error > 0).all():
            weight = (Z95 / error) ** 2
            chi_square = float(weight @ (gain - weight @ gain / weight.sum()) ** 2)
            rows.append((player, chi_square, float(chdtrc(len(gain) - 1, chi_square))))
    table = pd.DataFrame(rows, columns=["player", "chi_square", "chance"])
    table = table.sort_values("chance", kind="stable", ignore_index=True)
    return table.assign(chance=_holm(table["chance"]))


def _holm(chance: pd.Series) -> pd.Series:
    """The chances of several tests in rising order, for all of them together (S. Holm, 1979)."""
    return (chance * np.arange(len(chance), 0, -1)).cummax().clip(upper=1.0)


def _connected(ratings: Ratings, anchor: str | None) -> set[str]:
    """The rated players of the anchor's group, or of the largest one."""
    rated = ratings.table["elo"].notna() & (ratings.table["games"] > 0)
    of_anchor = (group for group in ratings.groups if anchor in group)
    group = next(of_anchor, ratings.groups[0] if ratings.groups else ())
    return set(group) & set(ratings.table.loc[rated, "player"])


def _gains(rated: Across, reference: str) -> Iterator[tuple[str, Floats, Floats]]:
    """Each other player with its Elo less the reference's in each run, and half widths of 95 % intervals."""
    j, spread = rated.players.index(reference), rated.covariance
    for i, player in enumerate(rated.players):
        if i != j:
            scale = spread[:, i, i] + spread[:, j, j]
            variance = scale - 2 * spread[:, i, j]
            # what is 0 but for rounding is 0
            error: Floats = Z95 * np.sqrt(np.where(variance > 1e-9 * scale, variance, 0))
            yield player, rated.elo[:, i] - rated.elo[:, j], error
