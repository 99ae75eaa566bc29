"""Search effort of each player: nodes and time per move and at a depth, and what its search counted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from arena.base.number import quantity
from arena.report.tables.columns import columns, seconds, whole
from arena.report.tables.settings import families
from arena.report.tables.survey import time_of
from arena.report.tables.table import Column, RunTable
from players.player import PlayerSpec

QUANTILES = {"p05": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}


def branching(totals: pd.DataFrame, players: Sequence[str], specs: Iterable[PlayerSpec]) -> pd.DataFrame:
    """Search effort of each player that searched a node, in the order of `players`; `totals`: see `tables.survey`.

    A family is a set of players, described by `specs`, that differ in name and depth only. Its effective branching
    factor is the geometric mean of the ratios of mean nodes at successive depths, per ply: with nodes N and
    depths d, (N_last / N_first) ** (1 / (d_last - d_first)). Each player's nodes come from its own games, so
    positions differ from depth to depth, and an odd number of plies between the first and the last depth
    carries the odd-even effect of alpha-beta.
    """
    specs, totals = list(specs), totals.assign(seconds=time_of(totals))
    counted = ["moves", "legal_moves", "nodes", "leaves", "seconds"]
    sums = totals.groupby("player")[counted].sum()
    sums = sums[sums["nodes"] > 0]
    table = sums[["moves"]].assign(legal_moves=sums["legal_moves"] / sums["moves"])
    for name in ("nodes", "leaves", "seconds"):
        table[f"{name}_per_move"] = sums[name] / sums["moves"]
    limit = pd.Series({spec.name: spec.limit.depth for spec in specs}, dtype="Int64").reindex(table.index)
    table["depth"] = limit
    reached = totals[totals["searched"] & (totals["depth"] == totals["player"].map(limit))].set_index("player")
    for name in ("nodes", "seconds"):
        table[f"{name}_at_depth"] = (reached[name] / reached["moves"]).reindex(table.index)
    table["family"] = pd.Series(families(specs), dtype=object).reindex(table.index)
    factors = {name: _branching_factor(rows) for name, rows in table.groupby("family")}
    table["branching_factor"] = table["family"].map(factors).astype(float)
    return by_player(table.reset_index(), players)


def timed(search: pd.DataFrame) -> pd.DataFrame:
    """The rows of `branching` that show time against depth: families with measured time."""
    return search[search["family"].notna() & (search["seconds_at_depth"] > 0)]


def search_time(moves: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Seconds per move of each player that moved: moves, mean and the quantiles p05, p25, p50, p75, p95."""
    seconds = time_of(moves).groupby(moves["player"], observed=True)
    table = pd.DataFrame({"moves": seconds.size(), "mean": seconds.mean()})
    levels = list(QUANTILES.values())
    quantiles = seconds.quantile(np.array(levels)).unstack().reindex(columns=levels)
    table[list(QUANTILES)] = quantiles
    return by_player(table.reset_index(), players)


def by_player(table: pd.DataFrame, players: Sequence[str], then: str | None = None) -> pd.DataFrame:
    """Rows in the order of `players`, then by the column `then`; names as plain text."""
    table = table.assign(player=table["player"].astype(str).astype(object))
    order = table["player"].map({name: i for i, name in enumerate(players)})
    table = table.assign(_order=order).sort_values(["_order", then] if then else ["_order"], kind="stable")
    return table.drop(columns="_order").reset_index(drop=True)


def _branching_factor(rows: pd.DataFrame) -> float:
    nodes = rows.dropna(subset="nodes_at_depth").groupby("depth")["nodes_at_depth"].mean()
    if len(nodes) < 2:
        return math.nan
    return float((nodes.iloc[-1] / nodes.iloc[0]) ** (1 / (nodes.index[-1] - nodes.index[0])))


_EFFORT = columns(
    "player moves legal_moves nodes_per_move",
    Column("leaves_per_move", "mean calls of the evaluation for a move", "leaves", "Leaves/move", quantity),
    "seconds_per_move",
    Column("depth", "depth that limits the player; empty without such a limit", "plies", "Depth limit", whole),
    Column(
        "nodes_at_depth",
        "mean positions entered for a move searched to the depth in full",
        "nodes",
        "Nodes at depth",
        quantity,
    ),
    Column(
        "seconds_at_depth",
        "mean `seconds_per_move` of the moves searched to the depth in full",
        "s",
        "Time at depth",
        seconds,
    ),
    "family",
    "branching_factor",
)
TABLES = (
    RunTable(
        "search",
        "nodes, leaves and time per move by player",
        lambda run: branching(run.survey.totals, run.players, run.compared),
        _EFFORT,
        note="Players that search, with the effective branching factor.",
        shown="player nodes_per_move leaves_per_move seconds_per_move | depth nodes_at_depth seconds_at_depth "
        "branching_factor",
        always=True,
        latex=True,
    ),
    RunTable(
        "time_to_depth",
        "the rows of `search` that show time against depth",
        lambda run: timed(run.search),
        _EFFORT,
        written=False,
    ),
    RunTable(
        "search_time",
        "quantiles of the time per move by player",
        lambda run: search_time(run.survey.sample, run.players),
        columns(
            "player moves",
            Column("mean", "mean time of a move", "s"),
            *(
                Column(name, f"time that {round(100 * share)} % of the moves took at most", "s")
                for name, share in QUANTILES.items()
            ),
        ),
        written=False,
    ),
)
