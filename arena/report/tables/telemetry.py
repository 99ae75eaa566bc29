"""Telemetry: what the searches of each player recorded, its clock, and its own numbers, over all its moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import pandas as pd

from arena.base.number import fixed, known, percent, quantity
from arena.report.tables.columns import COLUMNS, columns, seconds, whole
from arena.report.tables.effort import by_player
from arena.report.tables.survey import Survey, knows_cpu
from arena.report.tables.table import Column, RunTable, text_of
from players.player import PlayerSpec

TOO_LONG = 1.2
"""Mean time a move, over its limit, above which equal time limits are no equal time."""


def telemetry(
    games: pd.DataFrame, survey: Survey, players: Sequence[str], specs: Iterable[PlayerSpec]
) -> pd.DataFrame:
    """Search and clock of each player that moved, over all its moves; missing what no move recorded.

    Moves that searched entered at least one node. The percentile of the overrun rests on the sample; games lost on
    time are missing unless a move had a time limit.
    """
    totals, sample = survey.totals, survey.sample
    searched = totals[totals["searched"]]
    plies = (searched["depth"] * searched["moves"]).groupby(searched["player"]).sum()
    effort = summed(searched)
    grouped = totals.groupby("player")
    total = grouped[["cutoffs_max", "cutoffs_min", "cutoffs_first", "tt_probes", "tt_hits"]].sum()
    overrun = sample["overrun"].astype(float).groupby(sample["player"].astype(str))
    beaten = games["white"].where(games["result"].astype(str) == "black", games["black"]).astype(str)
    table = pd.DataFrame(index=total.index)
    seconds, nodes, cpu = (effort[name] / effort["moves"] for name in ("seconds", "nodes", "cpu_seconds"))
    table["nodes_per_second"] = nodes / cpu.fillna(seconds).where(lambda time: time > 0)
    table["nodes_per_wall_second"] = nodes / seconds.where(seconds > 0)
    every = summed(totals)
    table["cpu_seconds_per_move"] = every["cpu_seconds"] / every["moves"]
    table["wall_seconds_per_move"] = every["seconds"] / every["moves"]
    table["mean_depth"] = plies / effort["moves"]
    table["deepest"] = _counted(grouped["deepest"].max()).astype("Int64")
    table["first_move_cutoffs"] = _counted(total["cutoffs_first"]) / (total["cutoffs_max"] + total["cutoffs_min"])
    table["tt_hits"] = total["tt_hits"] / _counted(total["tt_probes"])
    allowed = pd.Series({spec.name: spec.limit.seconds for spec in specs}, dtype=float)
    table["time_used"] = cpu.fillna(seconds) / allowed.reindex(effort.index)
    table["overrun_p99"], table["overrun_max"] = overrun.quantile(0.99), grouped["overrun"].max()
    losses = beaten[games["termination"].astype(str) == "time"].value_counts()
    losses = losses.reindex(table.index, fill_value=0)
    table["time_losses"] = losses.where(table["overrun_max"].notna()).astype("Int64")
    return by_player(table.reset_index(), players)


def summed(totals: pd.DataFrame) -> pd.DataFrame:
    """Moves, nodes, seconds and cpu_seconds of each player; the last is missing unless known of all its moves."""
    found = totals.groupby("player")[["moves", "nodes", "seconds", "cpu_seconds"]].sum()
    return found.assign(cpu_seconds=found["cpu_seconds"].where(knows_cpu(totals)))


def _counted(counts: pd.Series) -> pd.Series:
    """Counts, missing where they are 0, as of a player that does not count."""
    return counts.where(counts > 0)


def extras(numbers: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Sum and means of each number of each player's own; `numbers` are those of `arena.ledger.read.RunData`."""
    by = numbers.astype({"player": str}).groupby(["player", "extra"])
    table = by.agg(sum=("value", "sum"), moves=("value", "size"), games=("game", "nunique"))
    table["per_move"], table["per_game"] = table["sum"] / table["moves"], table["sum"] / table["games"]
    order = ["player", "extra", "sum", "per_move", "per_game", "moves", "games"]
    return by_player(table.reset_index()[order], players)


def _telemetry_text(table: pd.DataFrame) -> pd.DataFrame:
    text = text_of(TELEMETRY, table)
    return text[(text.drop(columns="Player") != "").any(axis=1)]


def _figure(value: float) -> str:
    return quantity(value) if abs(value) >= 1000 else f"{float(f'{value:.3g}'):.10f}".rstrip("0").rstrip(".")


def _if_known(form: Callable[[Any], str]) -> Callable[[Any, Any], str]:
    return lambda value, other: form(value) if known(other) else ""


TELEMETRY = RunTable(
    "telemetry",
    "depths, cutoffs, table hits and time over the limit by player",
    lambda run: telemetry(run.games, run.survey, run.players, run.experiment.players),
    columns(
        "player",
        Column(
            "nodes_per_second",
            "positions entered in a second of a move, by processor time where that is known",
            "nodes/s",
            "Nodes/s",
            quantity,
        ),
        Column(
            "nodes_per_wall_second",
            "the same by wall time",
            "nodes/s",
            "Nodes/s, wall",
            _if_known(quantity),
            reads=("nodes_per_wall_second", "cpu_seconds_per_move"),
        ),
        Column(
            "cpu_seconds_per_move",
            "mean processor time of a move; empty unless it is known of all moves",
            "s",
            "CPU/move",
            _if_known(seconds),
            reads=("cpu_seconds_per_move", "mean_depth"),
        ),
        Column(
            "wall_seconds_per_move",
            "mean wall time of a move, in which own code is handed the position from another process",
            "s",
            "Wall/move",
            _if_known(seconds),
            reads=("wall_seconds_per_move", "mean_depth"),
        ),
        Column(
            "mean_depth",
            "mean depth of the moves that searched",
            "plies",
            "Mean depth",
            partial(fixed, decimals=1),
        ),
        COLUMNS["deepest"]._replace(heading="Deepest", text=whole),
        Column(
            "first_move_cutoffs",
            "beta cutoffs that the first move tried gave, of all",
            "0 to 1",
            "First-move cutoffs",
            percent,
        ),
        Column("tt_hits", "lookups that found the position, of all lookups", "0 to 1", "TT hits", percent),
        "time_used",
        Column(
            "overrun_p99",
            "time beyond the limit, 99th percentile of the moves that had one",
            "s",
            "Over limit, 99 %",
            seconds,
        ),
        Column("overrun_max", "time beyond the limit, worst move", "s", "Over limit, worst", seconds),
        Column("time_losses", "games lost on time", "games", "Lost on time", whole),
    ),
    shown="player | nodes_per_second nodes_per_wall_second cpu_seconds_per_move wall_seconds_per_move mean_depth "
    "deepest first_move_cutoffs tt_hits time_used overrun_p99 overrun_max time_losses",
    as_text=_telemetry_text,
    always=True,
)
EXTRAS = RunTable(
    "extras",
    "numbers of the players' own by player and name",
    lambda run: extras(run.data.extras, run.players),
    columns(
        "player",
        Column("extra", "name of the number", heading="Own number"),
        Column("sum", "sum over all moves that have it", "", "Sum", _figure),
        Column("per_move", "mean over these moves", "", "Per move", _figure),
        Column("per_game", "mean over the games with such a move", "", "Per game", _figure),
        Column("moves", "moves that have it", "moves", "Moves", whole),
        Column("games", "games with such a move", "games", "Games", whole),
    ),
    shown="player extra sum per_move per_game moves games",
)
TABLES = (TELEMETRY, EXTRAS)
