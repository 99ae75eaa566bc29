"""Telemetry: what searches and clocks recorded, by player."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from arena.report.tables.order import by_player


def telemetry(
    games: pd.DataFrame, totals: pd.DataFrame, sample: pd.DataFrame, players: Sequence[str]
) -> pd.DataFrame:
    """Search and clock of each player that moved, over all its moves; missing what no move recorded.

    `totals` and `sample` are those of `tables.survey`; the percentile rests on the sample.

    Columns: player, nodes_per_second and mean_depth (over the moves that searched at least one node), deepest
    (plies), first_move_cutoffs (share of the beta cutoffs that the first move tried gave), tt_hits (share of the
    lookups that found the position), overrun_p99 and overrun_max (seconds beyond the limit of time, over the
    moves that had one), time_losses (games lost on time, if any move had a limit of time).
    """
    searched = totals[totals["searched"]]
    plies = (searched["depth"] * searched["moves"]).groupby(searched["player"], observed=True).sum()
    effort = searched.groupby("player", observed=True)[["moves", "nodes", "seconds"]].sum()
    grouped = totals.groupby("player", observed=True)
    total = grouped[["cutoffs_max", "cutoffs_min", "cutoffs_first", "tt_probes", "tt_hits"]].sum()
    overrun = sample["overrun"].astype(float).groupby(sample["player"], observed=True)
    beaten = games["white"].where(games["result"].astype(str) == "0-1", games["black"]).astype(str)
    table = pd.DataFrame(index=total.index)
    table["nodes_per_second"] = effort["nodes"] / effort["seconds"].where(effort["seconds"] > 0)
    table["mean_depth"] = plies / effort["moves"]
    table["deepest"] = _counted(grouped["deepest"].max()).astype("Int64")
    table["first_move_cutoffs"] = _counted(total["cutoffs_first"]) / (total["cutoffs_max"] + total["cutoffs_min"])
    table["tt_hits"] = total["tt_hits"] / _counted(total["tt_probes"])
    table["overrun_p99"], table["overrun_max"] = overrun.quantile(0.99), grouped["overrun"].max()
    losses = beaten[games["termination"].astype(str) == "time"].value_counts()
    losses = losses.reindex(table.index.astype(str), fill_value=0).set_axis(table.index)
    table["time_losses"] = losses.where(table["overrun_max"].notna()).astype("Int64")
    return by_player(table.reset_index(), players)


def _counted(counts: pd.Series) -> pd.Series:
    """Counts, missing where they are 0, as of a player that does not count."""
    return counts.where(counts > 0)
