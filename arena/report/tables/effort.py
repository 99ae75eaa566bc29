"""Search effort of each player: nodes, depth and time of its moves, what its search counted, and its clock."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from arena.report.tables import shared, units
from arena.report.tables.forms import figure, to_0, to_1
from arena.report.tables.survey import Survey, time_of
from arena.report.tables.table import Column, Table
from players.player import PlayerSpec

SHARES = {f"seconds_p{share:02}": share / 100 for share in (50, 95)}
"""The columns of quantiles of time."""

EFFORT_TABLE = Table.read(
    "effort", shared.PLAYER, shared.FAMILY, shared.DEPTH_LIMIT,
    Column("moves", "moves that the row rests on", units.MOVES),
    shared.NODES_PER_MOVE, shared.SECONDS_PER_MOVE,
    Column("wall_seconds_per_move",
        "mean wall time of a move, with handing the position to the process of own code", units.SECONDS),
    *(Column(name, f"time that {100 * share:.0f} % of the moves took at most", units.SECONDS)
        for name, share in SHARES.items()),
    Column("nodes_per_second", "positions entered a second of moves that searched, by processor time if known",
        units.SPEED, "Nodes/s"),
    Column("mean_depth", "mean depth of the moves that searched", units.PLIES, "Mean depth", text=to_1,
        is_wide=True),
    shared.DEEPEST,
    Column("nodes_at_depth", "mean positions entered for a move searched to the depth limit in full", units.NODES,
        "Nodes at depth", is_wide=True),
    shared.BRANCHING_FACTOR,
    Column("first_move_cutoffs", "beta cutoffs that the first move tried gave, of all", units.SHARE,
        "First-move cutoffs", is_wide=True),
    Column("tt_hits", "lookups that found the position, of all lookups", units.SHARE, "Table hits", is_wide=True),
    shared.TIME_USED,
    Column("overrun_p99", "time beyond the limit, 99th percentile of the moves that had one", units.SECONDS),
    Column("overrun_max", "time beyond the limit, worst move", units.SECONDS, "Worst overrun", is_wide=True),
    Column("time_losses", "games lost on time", units.GAMES, "Lost on time", text=to_0, is_wide=True),
    others=Column("extra_*", "mean of a number of the player's own, over moves that have it, as `extra_tokens`",
        text=figure, is_wide=True),
)  # fmt: skip


def effort(
    games: pd.DataFrame,
    survey: Survey,
    players: Sequence[str],
    specs: Iterable[PlayerSpec],
    families: Mapping[str, str],
    numbers: pd.DataFrame,
) -> pd.DataFrame:
    """A row for each player that moved, in the order of `players`, over all its moves; missing what none recorded.

    `numbers` are the players' own, those of `arena.ledger.read.RunData`.

    Moves that searched entered at least one node. Quantiles rest on the sample. Games lost on time are missing
    unless a move had a time limit.

    The effective branching factor of a family is the geometric mean of the ratios of mean nodes at successive
    depths, per ply: with nodes N and depths d, (N_last / N_first) ** (1 / (d_last - d_first)). Each player's nodes
    come from its own games, so positions differ from depth to depth, and an odd number of plies between the first
    and the last depth carries the odd-even effect of alpha-beta.
    """
    limits = {spec.name: spec.limit for spec in specs}
    totals = survey.totals.assign(time=time_of(survey.totals))
    totals["plies"] = totals["depth"] * totals["moves"]
    grouped = totals.groupby("player")
    every = grouped.sum(numeric_only=True)
    table = every[["moves"]].assign(family=pd.Series(families, dtype=object).reindex(every.index))
    table["depth_limit"] = _limits(limits, "depth").reindex(table.index).astype("Int64")
    table["nodes_per_move"] = _counted(every["nodes"]) / every["moves"]
    table["seconds_per_move"] = every["time"] / every["moves"]
    table["wall_seconds_per_move"] = every["seconds"] / every["moves"]
    sample = survey.sample
    times = time_of(sample).groupby(sample["player"].astype(str)).quantile(np.array([*SHARES.values()])).unstack()
    for name, share in SHARES.items():
        table[name] = times.get(share)
    searched = totals[totals["searched"]].groupby("player").sum(numeric_only=True).reindex(table.index)
    table["nodes_per_second"] = searched["nodes"] / _counted(searched["time"])
    table["mean_depth"] = searched["plies"] / searched["moves"]
    table["deepest"] = _counted(grouped["deepest"].max()).astype("Int64")
    limit = totals["player"].map(table["depth_limit"])
    reached = totals[totals["searched"] & (totals["depth"] == limit).fillna(False)].groupby("player")
    table["nodes_at_depth"] = reached["nodes"].sum() / reached["moves"].sum()
    factors = {name: _branching_factor(rows) for name, rows in table.groupby("family")}
    table["branching_factor"] = table["family"].map(factors).astype(float)
    cutoffs = every["cutoffs_max"] + every["cutoffs_min"]
    table["first_move_cutoffs"] = _counted(every["cutoffs_first"]) / cutoffs
    table["tt_hits"] = every["tt_hits"] / _counted(every["tt_probes"])
    table["time_used"] = searched["time"] / searched["moves"] / _limits(limits, "seconds").reindex(table.index)
    overrun = sample["overrun"].astype(float).groupby(sample["player"].astype(str))
    table["overrun_p99"], table["overrun_max"] = overrun.quantile(0.99), grouped["overrun"].max()
    beaten = games["white"].where(games["result"].astype(str) == "black", games["black"]).astype(str)
    losses = beaten[games["termination"].astype(str) == "time"].value_counts().reindex(table.index, fill_value=0)
    table["time_losses"] = losses.where(table["overrun_max"].notna()).astype("Int64")
    own = (
        numbers.astype({"player": str}).groupby(["player", "extra"])["value"].mean().unstack().add_prefix("extra_")
    )
    table = table.reset_index()[EFFORT_TABLE.names].merge(own, "left", left_on="player", right_index=True)
    return by_player(table, players)


def _limits(limits: Mapping[str, object], kind: str) -> pd.Series:
    return pd.Series({player: getattr(limit, kind) for player, limit in limits.items()}, dtype="Float64").astype(
        float
    )


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
