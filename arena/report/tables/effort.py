"""Search effort: nodes and time per move, by depth and player, and the effective branching factor."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from arena.player import PlayerSpec
from arena.report.tables.order import by_player
from arena.report.tables.settings import families
from players.loading import ENGINE, own_code

QUANTILES = {"p05": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}
CALL = 13e-6
"""Seconds of a move that are no search, of players that come along: alpha-beta to depth 1 with the preset full."""
SEAT = 85e-6
"""The same of a player with a user's own code, which plays in a process of its own (`arena bench overhead`)."""
PROGRAM = 600e-6
"""The same of an outside program (`arena bench overhead`)."""
MOST_CALL = 0.2
"""Share of a move's time that the call may have where nodes per second still tell the search's speed."""


def call_seconds(specs: Iterable[PlayerSpec]) -> dict[str, float]:
    """Seconds of each player's move that are no search: CALL, SEAT or PROGRAM."""
    return {
        spec.name: PROGRAM if spec.type == ENGINE else SEAT if own_code(spec) and not spec.in_process else CALL
        for spec in specs
    }


def nodes_per_second(nodes: pd.Series, seconds: pd.Series, call: pd.Series) -> pd.Series:
    """Nodes over seconds, each of a move; missing if no time was measured or over MOST_CALL of it is `call`."""
    return nodes / seconds.where((seconds > 0) & (call <= MOST_CALL * seconds))


def by_depth(totals: pd.DataFrame, players: Sequence[str], call: Mapping[str, float]) -> pd.DataFrame:
    """Search effort for each player and depth reached, over the moves that searched at least one node.

    Columns: player, depth (plies), moves, the means legal_moves, nodes_per_move, leaves_per_move and
    seconds_per_move, and nodes_per_second (see there). Rows are in the order of `players`, then of depth.
    `totals` is that of `tables.survey`, `call` that of `call_seconds`.
    """
    searched = totals[totals["searched"]]
    table = searched[["player", "depth", "moves"]].assign(legal_moves=searched["legal_moves"] / searched["moves"])
    for name in ("nodes", "leaves", "seconds"):
        table[f"{name}_per_move"] = searched[name] / searched["moves"]
    of_call = table["player"].map(call).astype(float)
    table["nodes_per_second"] = nodes_per_second(table["nodes_per_move"], table["seconds_per_move"], of_call)
    return by_player(table, players, then="depth")


def branching(effort: pd.DataFrame, specs: Iterable[PlayerSpec]) -> pd.DataFrame:
    """One row of `by_depth` per player, with its family and the family's effective branching factor.

    A family is a set of players, described by `specs`, that differ in name and depth only. A player of a family is
    represented by the moves searched to its configured depth (and left out if there are none), any other
    player by those of the median depth of all its moves; its `family` is missing. The effective branching
    factor is the geometric mean of the ratios of mean nodes per move at successive depths, per ply: with nodes N
    and depths d, (N_last / N_first) ** (1 / (d_last - d_first)). Each player's nodes come from its own games, so
    positions differ from depth to depth, and an odd number of plies between the first and the last depth
    carries the odd-even effect of alpha-beta.
    """
    specs = list(specs)
    family = families(specs)
    depth = {spec.name: spec.limit.depth for spec in specs}
    member = effort["player"].isin(list(family))
    configured = member & (effort["depth"] == effort["player"].map(depth))
    others = effort[~member].sort_values("depth", kind="stable")
    moves = others.groupby("player", observed=True)["moves"]
    half = moves.cumsum() >= moves.transform("sum") / 2
    usual = others[half].drop_duplicates("player")
    table = pd.concat([effort[configured], usual])
    table = by_player(table, list(dict.fromkeys(effort["player"])), then="depth")
    table["family"] = table["player"].map(family).astype(object)
    factors = {name: _branching_factor(rows) for name, rows in table.groupby("family")}
    table["branching_factor"] = table["family"].map(factors).astype(float)
    return table


def timed(search: pd.DataFrame) -> pd.DataFrame:
    """The rows of `branching` that show time against depth: families with measured time."""
    return search[search["family"].notna() & (search["seconds_per_move"] > 0)]


def search_time(moves: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Seconds per move of each player that moved: moves, mean and the quantiles p05, p25, p50, p75, p95."""
    seconds = moves.groupby("player", observed=True)["seconds"]
    table = pd.DataFrame({"moves": seconds.size(), "mean": seconds.mean()})
    levels = list(QUANTILES.values())
    quantiles = seconds.quantile(np.array(levels)).unstack().reindex(columns=levels)
    table[list(QUANTILES)] = quantiles
    return by_player(table.reset_index(), players)


def _branching_factor(rows: pd.DataFrame) -> float:
    """Effective branching factor of one family (see `branching`); nan with fewer than two depths."""
    nodes = rows.groupby("depth")["nodes_per_move"].mean()
    if len(nodes) < 2:
        return math.nan
    return float((nodes.iloc[-1] / nodes.iloc[0]) ** (1 / (nodes.index[-1] - nodes.index[0])))
