"""Elo against depth, nodes and numbers of the settings, and what twice the depth or the nodes is worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from arena.ratings.contrasts import line
from arena.ratings.interval import Interval
from arena.ratings.joint import Family, Ratings
from arena.ratings.several import holm
from arena.report.tables.settings import families, swept_numbers
from arena.report.tables.views import LEAST
from players.player import PlayerSpec

DEPTH, NODES = "depth", "nodes"
"""What a doubling is worth something of."""
FEWEST = 3
"""Different depths, or nodes, of a family's players that make a line: any two points lie on one."""

_POINTS = ["per", "family", "x", "player", *Interval.columns_of("elo")]
_LINES = [*Interval.columns_of("gain"), "elo_at_1", "agreement", "fits", "shown"]
_OF_FAMILY = ["per", "family"]


def points(standings: pd.DataFrame, specs: Iterable[PlayerSpec]) -> pd.DataFrame:
    """Elo against the depth limit, against measured nodes per move, and against each number of the settings.

    A family against depth are players that differ in name and depth only; against nodes, in name and one limit
    (depth, nodes or seconds); against a number, in name and the number. It needs FEWEST different values with
    games. Families of one name that differ in the limit have " by depth", " by nodes" or " by seconds" behind it.
    """
    specs = list(specs)
    rated = standings[standings["games"] > 0]
    by_depth = rated.assign(x=rated["player"].map({spec.name: spec.limit.depth for spec in specs}))
    by_nodes = rated[rated["nodes_per_move"].notna()].rename(columns={"nodes_per_move": "x"})
    of_nodes = pd.concat(
        [_members(by_nodes, specs, limit).assign(limit=limit) for limit in ("depth", "nodes", "seconds")]
    )
    shared = of_nodes.groupby("family")["limit"].transform("nunique") > 1
    of_nodes["family"] = of_nodes["family"].where(~shared, of_nodes["family"] + " by " + of_nodes["limit"])
    parts = [_members(by_depth, specs, "depth").assign(per=DEPTH), of_nodes.assign(per=NODES)]
    for name, members in swept_numbers(specs, FEWEST).items():
        family, x = (rated["player"].map({who: each[i] for who, each in members.items()}) for i in (0, 1))
        parts.append(of_lines(rated.assign(family=family, x=x), "x").assign(per=name))
    ordered = [part.sort_values(["family", "x"], kind="stable") for part in parts]
    table = pd.concat(ordered, ignore_index=True).astype({"x": float})
    return table[_POINTS]


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
    """The family's rows of `points`."""
    weights: Mapping[str, float]
    """Of players, in the gain."""
    agreement: float
    """The probability of ratings so far from a line that is right."""


def doublings(ratings: Ratings, points: pd.DataFrame) -> list[Doubling]:
    """The line of each family whose players games connect, against depth and against nodes.

    By generalized least squares with the covariance of the ratings (`arena.ratings.contrasts.line`).
    """
    found = []
    for _, members in points[points["per"].isin((DEPTH, NODES))].groupby(_OF_FAMILY, sort=False):
        names = members["player"].tolist()
        if any(set(names) <= set(group) for group in ratings.groups):
            x, elo = np.log2(members[["x"]].to_numpy(float)), members["elo"].to_numpy(float)
            weights, agreement = line(x, elo, ratings.covariance.loc[names, names].to_numpy(float))
            found.append(Doubling(members, dict(zip(names, weights[0].tolist(), strict=True)), agreement))
    return found


def sweep(ratings: Ratings, points: pd.DataFrame, doublings: Sequence[Doubling], family: Family) -> pd.DataFrame:
    """The points, and with each the line of its family, missing where no games connect it.

    A line fits where `agreement`, for all lines together (S. Holm, 1979), is LEAST or more.
    """
    rows, together = [], holm([doubling.agreement for doubling in doublings])
    for (members, weights, _), agreement in zip(doublings, together, strict=True):
        if (gain := ratings.contrast(weights)) is not None:
            at_one = float((members["elo"] - gain.value * np.log2(members["x"])).mean())
            what = members[_OF_FAMILY].iloc[0]
            rows.append((*what, *gain, at_one, agreement, agreement >= LEAST, family.shows(weights)))
    table = points.merge(pd.DataFrame(rows, columns=_OF_FAMILY + _LINES), "left", on=_OF_FAMILY)
    return table.assign(fits=table["fits"].eq(True), shown=table["shown"].eq(True))


def lines(sweep: pd.DataFrame) -> pd.DataFrame:
    """One row of `sweep` for each family that has a line."""
    return sweep[sweep["gain"].notna()].drop_duplicates(_OF_FAMILY)
