"""Search effort of each player: nodes, depth and time of its moves, what its search counted, and its clock."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from arena.report.tables.survey import time_of
from players.player import PlayerSpec

_COLUMNS = [
    "player", "family", "depth_limit", "moves", "nodes_per_move", "seconds_per_move", "wall_seconds_per_move",
    "nodes_per_second", "mean_depth", "deepest", "nodes_at_depth", "branching_factor", "first_move_cutoffs",
    "tt_hits", "time_used", "overrun_max", "time_losses",
]  # fmt: skip


def effort(
    games: pd.DataFrame,
    totals: pd.DataFrame,
    players: Sequence[str],
    specs: Iterable[PlayerSpec],
    families: Mapping[str, str],
    numbers: pd.DataFrame,
) -> pd.DataFrame:
    """A row for each player that moved, in the order of `players`, over all its moves; missing what none recorded.

    `totals` are those of `tables.survey`; `numbers` are the players' own, those of `arena.ledger.read.RunData`.

    Moves that searched entered at least one node. Games lost on time are missing unless a move had a time limit.

    The effective branching factor of a family is the geometric mean of the ratios of mean nodes at successive
    depths, per ply: with nodes N and depths d, (N_last / N_first) ** (1 / (d_last - d_first)). Each player's nodes
    come from its own games, so positions differ from depth to depth, and an odd number of plies between the first
    and the last depth carries the odd-even effect of alpha-beta.
    """
    limits = {spec.name: spec.limit for spec in specs}
    totals = totals.assign(time=time_of(totals), plies=totals["depth"] * totals["moves"])
    grouped = totals.groupby("player")
    every = grouped.sum(numeric_only=True)
    table = every[["moves"]].assign(family=pd.Series(families, dtype=object).reindex(every.index))
    table["depth_limit"] = _limits(limits, "depth").reindex(table.index).astype("Int64")
    table["nodes_per_move"] = _counted(every["nodes"]) / every["moves"]
    table["seconds_per_move"] = every["time"] / every["moves"]
    table["wall_seconds_per_move"] = every["seconds"] / every["moves"]
    searched = totals[totals["searched"]].groupby("player").sum(numeric_only=True).reindex(table.index)
    table["nodes_per_second"] = searched["nodes"] / _counted(searched["time"])
    table["mean_depth"] = searched["plies"] / searched["moves"]
    table["deepest"] = _counted(grouped["deepest"].max()).astype("Int64")
    limit = totals["player"].map(table["depth_limit"])
    reached = totals[totals["searched"] & (totals["depth"] == limit).fillna(False)].groupby("player")
    table["nodes_at_depth"] = reached["nodes"].sum() / reached["moves"].sum()
    factors = {name: _branching_factor(rows) for name, rows in table.groupby("family")}
    table["branching_factor"] = table["family"].map(factors).astype(float)
    table["first_move_cutoffs"] = _counted(every["cutoffs_first"]) / (every["cutoffs_max"] + every["cutoffs_min"])
    table["tt_hits"] = every["tt_hits"] / _counted(every["tt_probes"])
    table["time_used"] = searched["time"] / searched["moves"] / _limits(limits, "seconds").reindex(table.index)
    table["overrun_max"] = grouped["overrun"].max()
    beaten = games["white"].where(games["result"].astype(str) == "black", games["black"]).astype(str)
    losses = beaten[games["termination"].astype(str) == "time"].value_counts().reindex(table.index, fill_value=0)
    table["time_losses"] = losses.where(table["overrun_max"].notna()).astype("Int64")
    own = numbers.astype({"player": str}).groupby(["player", "extra"])["value"].mean().unstack()
    table = table.reset_index()[_COLUMNS]
    return by_player(table.merge(own.add_prefix("extra_"), "left", left_on="player", right_index=True), players)


def _limits(limits: Mapping[str, object], kind: str) -> pd.Series:
    values = {player: getattr(limit, kind) for player, limit in limits.items()}
    return pd.Series(values, dtype="Float64").astype(float)


def _counted(counts: pd.Series) -> pd.Series:
    """Counts, missing where they are 0, as of a player that does not count."""
    return counts.where(counts > 0)


def _branching_factor(rows: pd.DataFrame) -> float:
    nodes = rows.dropna(subset="nodes_at_depth").groupby("depth_limit")["nodes_at_depth"].mean()
    if len(nodes) < 2:
        return math.nan
    return float((nodes.iloc[-1] / nodes.iloc[0]) ** (1 / (nodes.index[-1] - nodes.index[0])))


def by_player(table: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Rows in the order of `players`; names as plain text."""
    table = table.assign(player=table["player"].astype(str).astype(object))
    order = {name: place for place, name in enumerate(players)}
    return table.sort_values("player", key=lambda names: names.map(order), kind="stable", ignore_index=True)
