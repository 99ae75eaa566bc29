"""Telemetry: what searches and clocks recorded, by player."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from arena.report.tables.effort import CALL, call_seconds, nodes_per_second
from arena.report.tables.order import by_player
from arena.report.tables.survey import Survey
from players.player import PlayerSpec

TOO_LONG = 1.2
"""Mean time a move, over its limit, above which equal time limits are no equal time."""


def telemetry(
    games: pd.DataFrame, survey: Survey, players: Sequence[str], specs: Iterable[PlayerSpec]
) -> pd.DataFrame:
    """Search and clock of each player that moved, over all its moves; missing what no move recorded.

    Columns: player, nodes_per_second and nodes_per_wall_second (see `tables.effort.nodes_per_second`; the first by
    processor time where that is known of all moves), mean_depth (over the moves that searched at least one node),
    cpu_seconds_per_move (over all moves), deepest (plies), first_move_cutoffs (share of the beta cutoffs that the
    first move tried gave), tt_hits (share of the lookups that found the position), time_used (mean seconds of the
    moves that searched, over the limit `seconds`, where there is one), overrun_p99 and overrun_max (seconds beyond
    the time limit, over the moves that had one; the percentile rests on the sample), time_losses (games lost on
    time, if any move had a time limit).
    """
    specs, totals, sample = list(specs), survey.totals, survey.sample
    searched = totals[totals["searched"]]
    plies = (searched["depth"] * searched["moves"]).groupby(searched["player"]).sum()
    effort = summed(searched)
    grouped = totals.groupby("player")
    total = grouped[["cutoffs_max", "cutoffs_min", "cutoffs_first", "tt_probes", "tt_hits"]].sum()
    overrun = sample["overrun"].astype(float).groupby(sample["player"].astype(str))
    beaten = games["white"].where(games["result"].astype(str) == "0-1", games["black"]).astype(str)
    table = pd.DataFrame(index=total.index)
    seconds, nodes, cpu = (effort[name] / effort["moves"] for name in ("seconds", "nodes", "cpu_seconds"))
    call = pd.Series(call_seconds(specs), dtype=float).reindex(effort.index)
    by_wall = nodes_per_second(nodes, seconds, call)
    # What goes between the processes takes next to no processor time of the player's.
    by_processor = nodes_per_second(nodes, cpu, call.clip(upper=CALL))
    table["nodes_per_second"] = by_processor.where(cpu.notna(), by_wall)
    table["nodes_per_wall_second"] = by_wall
    every = summed(totals)
    table["cpu_seconds_per_move"] = every["cpu_seconds"] / every["moves"]
    table["mean_depth"] = plies / effort["moves"]
    table["deepest"] = _counted(grouped["deepest"].max()).astype("Int64")
    table["first_move_cutoffs"] = _counted(total["cutoffs_first"]) / (total["cutoffs_max"] + total["cutoffs_min"])
    table["tt_hits"] = total["tt_hits"] / _counted(total["tt_probes"])
    allowed = pd.Series({spec.name: spec.limit.seconds for spec in specs}, dtype=float)
    table["time_used"] = seconds / allowed.reindex(effort.index)
    table["overrun_p99"], table["overrun_max"] = overrun.quantile(0.99), grouped["overrun"].max()
    losses = beaten[games["termination"].astype(str) == "time"].value_counts()
    losses = losses.reindex(table.index, fill_value=0)
    table["time_losses"] = losses.where(table["overrun_max"].notna()).astype("Int64")
    return by_player(table.reset_index(), players)


def summed(totals: pd.DataFrame) -> pd.DataFrame:
    """Moves, nodes, seconds and cpu_seconds of each player; the last is missing unless known of all its moves."""
    grouped = totals.groupby("player")
    known = totals["cpu_seconds"].notna().groupby(totals["player"]).all()
    found = grouped[["moves", "nodes", "seconds", "cpu_seconds"]].sum()
    return found.assign(cpu_seconds=found["cpu_seconds"].where(known & (found["cpu_seconds"] > 0)))


def _counted(counts: pd.Series) -> pd.Series:
    """Counts, missing where they are 0, as of a player that does not count."""
    return counts.where(counts > 0)
