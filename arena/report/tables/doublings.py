"""Elo against depth and nodes, and what twice as much of either is worth."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd

from arena.ratings.interval import Z95, Floats, Interval
from arena.ratings.joint import Ratings
from arena.report.tables.columns import columns, interval
from arena.report.tables.settings import families
from arena.report.tables.table import Column, RunTable
from players.player import PlayerSpec

FEWEST = 3
"""Players of a family, at different depths or nodes, that make a line."""


def elo_by_depth(standings: pd.DataFrame, specs: Iterable[PlayerSpec]) -> pd.DataFrame:
    """Elo against depth.

    One family for players that differ in name and depth only, if it has at least three depths with games.
    """
    specs = list(specs)
    family = families(specs)
    depth = {spec.name: spec.limit.depth for spec in specs}
    table = standings.loc[(standings["games"] > 0) & standings["player"].isin(list(family))]
    table = table[["player", "elo", "elo_low", "elo_high"]].copy()
    table.insert(0, "depth", table["player"].map(depth).astype("int64"))
    table.insert(0, "family", table["player"].map(family).astype(object))
    table = table[table.groupby("family")["depth"].transform("nunique") >= FEWEST]
    return table.sort_values(["family", "depth"], kind="stable").reset_index(drop=True)


def elo_by_nodes(standings: pd.DataFrame, specs: Iterable[PlayerSpec]) -> pd.DataFrame:
    """Elo against measured nodes per move.

    One family for players that differ in name and one limit only (depth, nodes or seconds), if at least three
    of them have games and searched different numbers of nodes. Families of one name that differ in the limit
    have " by depth", " by nodes" or " by seconds" behind it.
    """
    specs = list(specs)
    known = standings[(standings["games"] > 0) & standings["nodes_per_move"].notna()]
    parts = []
    for limit in ("depth", "nodes", "seconds"):
        family = families(specs, limit)
        table = known.loc[known["player"].isin(list(family))]
        table = table[["player", "nodes_per_move", "elo", "elo_low", "elo_high"]].copy()
        table.insert(0, "family", table["player"].map(family).astype(object))
        parts.append(
            table[table.groupby("family")["nodes_per_move"].transform("nunique") >= FEWEST].assign(limit=limit)
        )
    whole = pd.concat(parts)
    shared = whole.groupby("family")["limit"].transform("nunique") > 1
    whole["family"] = whole["family"].where(~shared, whole["family"] + " by " + whole["limit"])
    whole = whole.sort_values(["family", "nodes_per_move"], kind="stable").drop(columns="limit")
    return whole.reset_index(drop=True)


def gains(ratings: Ratings, by_depth: pd.DataFrame, by_nodes: pd.DataFrame) -> pd.DataFrame:
    """The worth of a doubling of depth and of nodes: the line Elo = elo_at_1 + gain * log2(x), family by family.

    `by_depth` is that of `elo_by_depth`, `by_nodes` that of `elo_by_nodes`.

    Generalized least squares with the covariance of the ratings, on differences to the family's first player, so
    that it does not matter what Elo is relative to. Where the ratings lie further from the line than chance has
    it (chi-square above its degrees of freedom), the error is multiplied by the root of that ratio (R. T. Birge,
    Phys. Rev. 40, 1932).
    """
    rows = []
    for per, table in (("depth", by_depth), ("nodes", by_nodes)):
        column = "depth" if per == "depth" else "nodes_per_move"
        for family, members in table.groupby("family", sort=False):
            names = members["player"].tolist()
            if not any(set(names) <= set(group) for group in ratings.groups):
                continue
            x = members[column].to_numpy(dtype=float)
            elo = members["elo"].to_numpy(dtype=float)
            gain = _slope(np.log2(x), elo, ratings.covariance.loc[names, names].to_numpy(dtype=float))
            at_one = float(np.mean(elo - gain.value * np.log2(x)))
            misfit = float(np.sqrt(np.mean((elo - at_one - gain.value * np.log2(x)) ** 2)))
            rows.append((family, per, len(names), x.min(), x.max(), *gain, at_one, misfit))
    return pd.DataFrame(rows, columns=[column.name for column in GAINS.columns])


def _slope(x: Floats, y: Floats, covariance: Floats) -> Interval:
    """Slope of the line through (x, y), see `gains`."""
    differences = np.hstack([-np.ones((len(x) - 1, 1)), np.eye(len(x) - 1)])
    dx, dy = differences @ x, differences @ y
    inverse = np.linalg.pinv(differences @ covariance @ differences.T, hermitian=True)
    information = float(dx @ inverse @ dx)
    slope = float(dx @ inverse @ dy) / information
    residual = dy - slope * dx
    chi_square, freedom = float(residual @ inverse @ residual), len(dx) - 1
    excess = math.sqrt(max(chi_square / freedom, 1.0)) if freedom else 1.0
    return Interval.around(slope, Z95 * excess / math.sqrt(information))


GAINS = RunTable(
    "gains",
    "Elo per doubling of depth and of nodes, by family",
    lambda run: gains(run.ratings, run.elo_by_depth, run.elo_by_nodes),
    columns(
        "family",
        Column("per", "what is doubled: depth or nodes"),
        Column("players", "players of the family", "players"),
        Column("x_low", "least depth, or nodes per move, of the family", "plies or nodes"),
        Column("x_high", "greatest depth, or nodes per move, of the family", "plies or nodes"),
        *interval(Column("gain", "what a doubling is worth", "Elo")),
        Column("elo_at_1", "Elo of the fitted line at depth 1, or at one node", "Elo"),
        Column("misfit", "root mean square distance of the ratings from the line", "Elo"),
    ),
)
TABLES = (
    GAINS,
    RunTable(
        "elo_by_depth",
        "Elo against depth, by family",
        lambda run: elo_by_depth(run.standings, run.compared),
        columns("family depth player elo elo_low elo_high"),
        note="Empty if no family of players has three depths.",
    ),
    RunTable(
        "elo_by_nodes",
        "Elo against nodes per move, by family",
        lambda run: elo_by_nodes(run.standings, run.compared),
        columns("family player nodes_per_move elo elo_low elo_high"),
        note="Empty if no family has three players.",
    ),
)
