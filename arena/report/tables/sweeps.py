"""Elo against depth and nodes, and what twice as much of either is worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from arena.ratings.contrasts import Family, line
from arena.ratings.joint import Ratings
from arena.report.tables import shared, units
from arena.report.tables.settings import families
from arena.report.tables.table import Column, Table, with_interval
from arena.report.tables.views import LEAST
from players.player import PlayerSpec

FEWEST = 3
"""Different depths, or nodes, of a family's players that make a line: any two points lie on one."""

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
    Column("agreement", "probability of ratings so far from the line where it is right", units.SHARE),
    Column("fits", "whether the line describes the ratings, by a probability of 0.05 or more: True or False"),
    Column("shown", "whether the gain is beyond chance, at 5 % for all that the run compares together"),
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


class Doubling(NamedTuple):
    """The line of a family: Elo = elo_at_1 + gain * log2(x)."""

    members: pd.DataFrame
    """The family's rows of `sweeps`."""
    weights: Mapping[str, float]
    """Of players, in the gain."""
    agreement: float
    """The probability of ratings so far from a line that is right."""


def doublings(ratings: Ratings, sweeps: pd.DataFrame) -> list[Doubling]:
    """The line of each family whose players games connect, against depth and against nodes.

    By generalized least squares with the covariance of the ratings (`arena.ratings.contrasts.line`).
    """
    found = []
    for _, members in sweeps.groupby(["per", "family"], sort=False):
        names = members["player"].tolist()
        if any(set(names) <= set(group) for group in ratings.groups):
            x, elo = np.log2(members[["x"]].to_numpy(float)), members["elo"].to_numpy(float)
            weights, agreement = line(x, elo, ratings.covariance.loc[names, names].to_numpy(float))
            found.append(Doubling(members, dict(zip(names, weights[0].tolist(), strict=True)), agreement))
    return found


def gains(ratings: Ratings, doublings: Sequence[Doubling], family: Family) -> pd.DataFrame:
    """The worth of a doubling of depth and of nodes, family by family; a line fits where `agreement` is LEAST."""
    rows = []
    for members, weights, agreement in doublings:
        if (gain := ratings.contrast(weights)) is not None:
            x = members["x"]
            at_one = float((members["elo"] - gain.value * np.log2(x)).mean())
            what = members["family"].iloc[0], members["per"].iloc[0], len(members), x.min(), x.max()
            rows.append((*what, *gain, at_one, agreement, agreement >= LEAST, family.shows(weights)))
    return pd.DataFrame(rows, columns=GAINS.names).astype({"fits": bool, "shown": bool})
