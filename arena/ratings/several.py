"""Ratings of the same players in several runs, on one scale: Elo in each run, and the mean over the runs.

Runs by the same rules are one fit (`arena.ratings.joint`), in which a player that is the same in several is one;
runs by other rules have fits of their own, whose errors are independent. Elo in each run is relative to the mean
of the players that all runs have, weighted by information, or to the same anchor. The mean over k runs is plain,
so that each has the same weight however many games it has: theta = sum of theta_v / k, with the covariance
sum of C_vw / k^2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from arena.ratings.contrasts import agreement
from arena.ratings.interval import Z95, Floats, Interval
from arena.ratings.joint import TIE_DECIMALS, Ratings, elo_table

JOINT = "joint"
"""Stands for the mean over all runs in the place of one's name."""
Fit: TypeAlias = tuple[Ratings, Mapping[str, str]]
"""The ratings of a run, which others may share, and by which name each of its players stands in them."""


class Across(NamedTuple):
    """The players that are rated in every one of several runs, in rank order of their mean Elo."""

    players: tuple[str, ...]
    runs: tuple[str, ...]
    elo: Floats
    """Relative to the mean of these players, weighted by information, or to the anchor: `float[runs, players]`."""
    covariance: Floats
    """Elo^2, `float[runs, players, runs, players]`."""
    left_out: tuple[str, ...]
    """Players of some run that another one has no rating of on the same scale."""

    def gain(self, player: str, reference: str) -> tuple[Floats, Floats]:
        """Elo of a player over a reference in each run, `float[runs]`, and the covariance, `float[runs, runs]`."""
        i, j = self.players.index(player), self.players.index(reference)
        over, c = self.elo[:, i] - self.elo[:, j], self.covariance
        return over, c[:, i, :, i] + c[:, j, :, j] - c[:, i, :, j] - c[:, j, :, i]


def across(runs: Mapping[str, Fit], anchor: str | None = None) -> Across | None:
    """The ratings of several runs, by their names, on one scale; None with fewer than two players in all.

    A player counts if it is rated in each among those connected through games to the anchor, or to most players.
    """
    connected = [_connected(*fit, anchor) for fit in runs.values()]
    everyone = dict.fromkeys(name for _, named in runs.values() for name in named)
    common = [name for name in everyone if all(name in names for names in connected)]
    if len(common) < 2:
        return None
    size, labels = len(common), [[named[name] for name in common] for _, named in runs.values()]
    elo, covariance = np.zeros((len(runs), size)), np.zeros((len(runs), size, len(runs), size))
    for v, (ratings, _) in enumerate(runs.values()):
        elo[v] = ratings.table.set_index("player")["elo"].loc[labels[v]]
        for w, (other, _) in enumerate(runs.values()):
            if other is ratings:
                covariance[v, :, w] = ratings.covariance.loc[labels[v], labels[w]]
    centre = np.eye(size) - _zero(common, np.einsum("viwj,vw->ij", covariance, np.eye(len(runs))), anchor)
    elo, covariance = elo @ centre.T, np.einsum("pi,viwj,qj->vpwq", centre, covariance, centre)
    order = np.lexsort((np.arange(size), -np.round(elo.mean(axis=0), TIE_DECIMALS)))
    return Across(
        tuple(common[place] for place in order),
        tuple(runs),
        elo[:, order],
        covariance[:, order][:, :, :, order],
        tuple(name for name in everyone if name not in common),
    )


def _zero(players: Sequence[str], spread: Floats, anchor: str | None) -> Floats:
    """The weights of the players in what is 0: all that of the anchor, else by the information on each of them."""
    if anchor in players:
        return np.array([float(player == anchor) for player in players])
    to_mean = np.eye(len(players)) - 1 / len(players)
    information = np.diag(np.linalg.pinv(to_mean @ spread @ to_mean, hermitian=True)) + 1e-12
    weights: Floats = information / information.sum()
    return weights


def mean(rated: Across) -> Ratings:
    """The mean over the runs as ratings, without counts of games: `table` has rank, player, Elo and los."""
    elo, covariance = rated.elo.mean(axis=0), rated.covariance.mean(axis=(0, 2))
    table = elo_table(rated.players, elo, covariance).assign(games=1)
    spread = pd.DataFrame(covariance, rated.players, rated.players)
    return Ratings(table, spread, Interval(0.0, 0.0, 0.0), (rated.players,), {})


def by_run(rated: Across) -> pd.DataFrame:
    """A row for each player and run, those of a run together: player, run, elo, elo_low, elo_high."""
    tables = [
        elo_table(rated.players, rated.elo[v], rated.covariance[v, :, v]).assign(run=run)
        for v, run in enumerate(rated.runs)
    ]
    return pd.concat(tables, ignore_index=True)[["player", "run", *Interval.columns_of("elo")]]


def gains_by_run(rated: Across, reference: str) -> pd.DataFrame:
    """What each other player gains over the reference: player, run, gain, gain_low, gain_high.

    A row for each run, then one of JOINT for their mean.
    """
    rows = []
    for player in (name for name in rated.players if name != reference):
        gain, spread = rated.gain(player, reference)
        values, variances = [*gain, gain.mean()], [*np.diag(spread), spread.mean()]
        for run, value, variance in zip((*rated.runs, JOINT), values, variances, strict=True):
            # what is 0 but for rounding is 0
            interval = Interval.around(float(value), Z95 * math.sqrt(variance if variance > 1e-6 else 0))
            rows.append((player, run, *interval))
    return pd.DataFrame(rows, columns=["player", "run", *Interval.columns_of("gain")])


def differing(rated: Across, reference: str) -> dict[str, float]:
    """The chance, by other player, of gains over the reference so far apart where they are the same in all runs.

    That is Cochran's test, for all players together (S. Holm, 1979), in rising order.
    """
    names = [name for name in rated.players if name != reference]
    chances = holm([agreement(*rated.gain(name, reference)) for name in names])
    return dict(sorted(zip(names, chances, strict=True), key=lambda row: row[1]))


def holm(chances: Sequence[float]) -> list[float]:
    """The chances of several tests, for all of them together (S. Holm, 1979)."""
    order = np.argsort(chances, kind="stable")
    rising = np.asarray(chances, float)[order] * np.arange(len(order), 0, -1)
    together = np.minimum(np.maximum.accumulate(rising), 1.0)
    each: list[float] = together[np.argsort(order, kind="stable")].tolist()
    return each


def _connected(ratings: Ratings, named: Mapping[str, str], anchor: str | None) -> set[str]:
    """The rated players of a run in the anchor's group, or in that of most of them."""
    table = ratings.table
    rated = {*table.loc[table["elo"].notna() & (table["games"] > 0), "player"]}
    groups = [{name for name, label in named.items() if label in rated & {*group}} for group in ratings.groups]
    of_anchor = (group for group in groups if anchor in group)
    return next(of_anchor, max(groups, key=len, default=set()))
