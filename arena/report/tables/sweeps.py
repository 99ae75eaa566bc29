"""Elo against depth and nodes, and what twice as much of either is worth."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd
from scipy.special import chdtrc as chi_square_tail

from arena.ratings.interval import Z95, Floats, Interval
from arena.ratings.joint import Ratings
from arena.report.tables import shared, units
from arena.report.tables.settings import families
from arena.report.tables.table import Column, Table, with_interval
from players.player import PlayerSpec

FEWEST = 3
"""Different depths, or nodes, of a family's players that make a line: any two points lie on one."""
MISFIT = 0.05
"""Chance of ratings as far from their line, below which it does not describe them, if they are FAR from it."""
FAR = 25.0
"""Elo from the line, on the mean: with a great many games any distance is certain."""

SWEEPS = Table.of(
    "sweeps",
    Column("per", "what the players differ in: depth or nodes"),
    shared.FAMILY,
    Column("x", "depth limit, or measured nodes per move", units.PLIES_OR_NODES),
    shared.PLAYER, *shared.ELO,
)  # fmt: skip
GAINS = Table.of(
    "gains", shared.FAMILY,
    Column("per", "what is doubled: depth or nodes"),
    Column("players", "players of the family", units.PLAYERS),
    Column("x_low", "least depth, or nodes per move, of the family", units.PLIES_OR_NODES),
    Column("x_high", "greatest depth, or nodes per move, of the family", units.PLIES_OR_NODES),
    *with_interval("gain", "what a doubling is worth", units.ELO),
    Column("elo_at_1", "Elo of the fitted line at depth 1, or at one node", units.ELO),
    Column("misfit", "root mean square distance of the ratings from the line", units.ELO),
    Column("fits", "whether the line describes the ratings: True or False"),
)  # fmt: skip


def sweeps(standings: pd.DataFrame, specs: Iterable[PlayerSpec]) -> pd.DataFrame:
    """Elo against the depth limit, and against measured nodes per move.

    A family against depth are players that differ in name and depth only; against nodes, in name and one limit
    (depth, nodes or seconds). It needs FEWEST different depths, or nodes, with games. Families of one name that
    differ in the limit have " by depth", " by nodes" or " by seconds" behind it.
    """
    specs = list(specs)
    rated = standings[standings["games"] > 0]
    by_depth = rated.assign(x=rated["player"].map({spec.name: spec.limit.depth for spec in specs}))
    by_nodes = rated[rated["nodes_per_move"].notna()].rename(columns={"nodes_per_move": "x"})
    of_depth = _members(by_depth, specs, "depth").assign(per="depth")
    of_nodes = pd.concat(
        [_members(by_nodes, specs, limit).assign(limit=limit) for limit in ("depth", "nodes", "seconds")]
    )
    shared = of_nodes.groupby("family")["limit"].transform("nunique") > 1
    of_nodes["family"] = of_nodes["family"].where(~shared, of_nodes["family"] + " by " + of_nodes["limit"])
    table = pd.concat([of_depth, of_nodes.assign(per="nodes")]).astype({"x": float})
    return table.sort_values(["per", "family", "x"], kind="stable", ignore_index=True)[SWEEPS.names]


def _members(table: pd.DataFrame, specs: list[PlayerSpec], limit: str) -> pd.DataFrame:
    """The players of families that differ in this limit, if their `x` makes a line."""
    return of_lines(table.assign(family=table["player"].map(families(specs, limit)).astype(object)), "x")


def of_lines(table: pd.DataFrame, x: str) -> pd.DataFrame:
    """The rows of families with FEWEST different values of a column, or more."""
    table = table[table["family"].notna() & table[x].notna()]
    return table[table.groupby("family")[x].transform("nunique") >= FEWEST]


def gains(ratings: Ratings, sweeps: pd.DataFrame) -> pd.DataFrame:
    """The worth of a doubling of depth and of nodes: the line Elo = elo_at_1 + gain * log2(x), family by family.

    Generalized least squares with the covariance of the ratings, on differences to the family's first player, so
    that it does not matter what Elo is relative to. Where the ratings lie further from the line than chance has
    it (chi-square above its degrees of freedom), the error is multiplied by the root of that ratio (R. T. Birge,
    Phys. Rev. 40, 1932). The line fits unless the misfit is both certain (MISFIT) and FAR.
    """
    rows = []
    for (per, family), members in sweeps.groupby(["per", "family"], sort=False):
        names = members["player"].tolist()
        if not any(set(names) <= set(group) for group in ratings.groups):
            continue
        x, elo = members["x"].to_numpy(dtype=float), members["elo"].to_numpy(dtype=float)
        gain, chance = _slope(np.log2(x), elo, ratings.covariance.loc[names, names].to_numpy(dtype=float))
        at_one = float(np.mean(elo - gain.value * np.log2(x)))
        misfit = float(np.sqrt(np.mean((elo - at_one - gain.value * np.log2(x)) ** 2)))
        fits = chance > MISFIT or misfit <= FAR
        rows.append((family, per, len(names), x.min(), x.max(), *gain, at_one, misfit, fits))
    return pd.DataFrame(rows, columns=GAINS.names).astype({"fits": bool})


def _slope(x: Floats, y: Floats, covariance: Floats) -> tuple[Interval, float]:
    """The slope of the line through (x, y), and the chance of ratings as far from a line that is right."""
    differences = np.hstack([-np.ones((len(x) - 1, 1)), np.eye(len(x) - 1)])
    dx, dy = differences @ x, differences @ y
    inverse = np.linalg.pinv(differences @ covariance @ differences.T, hermitian=True)
    information = float(dx @ inverse @ dx)
    slope = float(dx @ inverse @ dy) / information
    residual = dy - slope * dx
    chi_square, freedom = float(residual @ inverse @ residual), len(dx) - 1
    excess = math.sqrt(max(chi_square / freedom, 1.0)) if freedom else 1.0
    chance = float(chi_square_tail(freedom, chi_square)) if freedom else 1.0
    return Interval.around(slope, Z95 * excess / math.sqrt(information)), chance
