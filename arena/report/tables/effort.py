"""What moves cost: sums over all moves, effort by player, the swings of games, an ablation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from arena.experiment.model import Experiment
from arena.ratings.interval import UNKNOWN, Interval
from arena.ratings.joint import Ratings
from players.player import PlayerSpec

DECIDED = 4.0
"""Men from which on a score counts as a decided game: more, and a certain win, surprise no further."""
_SUMMED = ["moves", "nodes", "cutoffs_max", "cutoffs_min", "cutoffs_first", "tt_probes", "tt_hits", "seconds"]
_GREATEST = ["deepest", "overrun", "longest"]
_SECONDS = ["seconds", "cpu_seconds", "overrun", "pondered_seconds"]
_EFFORT = [
    "player", "family", "depth_limit", "moves", "nodes_per_move", "seconds_per_move", "wall_seconds_per_move",
    "nodes_per_second", "mean_depth", "deepest", "nodes_at_depth", "branching_factor", "first_move_cutoffs",
    "tt_hits", "time_used", "overrun_max", "time_losses",
]  # fmt: skip
_ABLATION = [
    "player", "depth", "positions", "nodes", "seconds", "branching_factor",
    *(name for kind in ("node_ratio", "time_ratio", "elo_difference") for name in Interval.columns_of(kind)),
]  # fmt: skip


class Survey(NamedTuple):
    """The moves as a report keeps them."""

    totals: pd.DataFrame
    """The table of `totals` of all moves."""
    swings: pd.Series
    """The greatest swing of each game: `swings`."""


def survey(moves: Iterable[pd.DataFrame]) -> Survey:
    """Read the moves of a run once, in the parts of `arena.ledger.read.RunData`."""
    sums, swung = zip(*((totals(part), swings(part)) for part in moves), strict=True)
    return Survey(_summed(pd.concat(sums)), pd.concat(swung))


def time_of(table: pd.DataFrame) -> pd.Series:
    """The seconds of each row of players' moves: processor time, wall time for a player that lacks it in some row.

    The wall time of a user's own code has in it how it is handed each position, and is handed back its move.
    """
    player, cpu = table["player"].astype(str), table["cpu_seconds"].astype(float)
    is_known = cpu.notna().groupby(player).all() & (cpu.groupby(player).sum() > 0)
    return cpu.where(player.map(is_known).astype(bool), table["seconds"].astype(float))


def totals(moves: pd.DataFrame) -> pd.DataFrame:
    """Sums of moves, a row for each player, depth reached and whether it searched a node.

    Columns: player (text), depth (plies), searched, moves, sums of nodes, cutoffs and lookups, of seconds,
    pondered_seconds and cpu_seconds (missing unless it is known of all the moves), the greatest deepest (plies)
    and overrun (seconds; missing where no move had a time limit), and the longest move (seconds).
    """
    table = moves[["player", "depth", *_SUMMED[1:], *_SECONDS[1:], "deepest"]]
    table = table.astype(dict.fromkeys(_SECONDS, float))
    return _summed(table.assign(searched=moves["nodes"] > 0, moves=1, longest=table["seconds"]))


def _summed(table: pd.DataFrame) -> pd.DataFrame:
    """Sums and greatest values by player, depth and whether it searched, of moves or of rows of `totals`."""
    grouped = table.groupby(["player", "depth", "searched"], observed=True)
    sums = grouped[[*_SUMMED, "pondered_seconds"]].sum()
    seconds = grouped["cpu_seconds"]
    sums["cpu_seconds"] = seconds.sum().where(seconds.count() == seconds.size())  # missing where one of them is
    sums[_GREATEST] = grouped[_GREATEST].max()
    sums = sums.reset_index()
    return sums.assign(player=sums["player"].astype(str).astype(object))


def swings(moves: pd.DataFrame) -> pd.Series:
    """The greatest swing of each game, in men, by the game's number; none for games without two such scores.

    A swing is the difference between two scores that one player gave one after the other in a game, each in men
    and cut off at ±DECIDED; a certain win or loss counts as ±DECIDED. So 2 × DECIDED is the greatest: of a player
    that thought the game won and, at its next move, lost. `moves` are those of `arena.ledger.read.RunData`.
    """
    certain = moves["plies_to_win"].to_numpy(dtype=float, na_value=np.nan)
    score = moves["score_men"].to_numpy(dtype=float, na_value=np.nan)
    score = np.where(np.isnan(certain), score, np.copysign(DECIDED, certain)).clip(-DECIDED, DECIDED)
    scores = moves[["game", "colour"]].assign(score=score).dropna(subset="score")
    swing = scores.groupby(["game", "colour"], observed=True)["score"].diff().abs()
    greatest: pd.Series = swing.groupby(scores["game"]).max().dropna()
    return greatest


def effort(
    games: pd.DataFrame,
    totals: pd.DataFrame,
    players: Sequence[str],
    specs: Iterable[PlayerSpec],
    families: Mapping[str, str],
    numbers: pd.DataFrame,
) -> pd.DataFrame:
    """A row for each player that moved, in the order of `players`, over all its moves; missing what none recorded.

    `totals` are those of `survey`; `numbers` are the players' own, those of `arena.ledger.read.RunData`.

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
    table["depth_limit"] = _limit_of(limits, "depth").reindex(table.index).astype("Int64")
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
    table["time_used"] = searched["time"] / searched["moves"] / _limit_of(limits, "seconds").reindex(table.index)
    table["overrun_max"] = grouped["overrun"].max()
    beaten = games["white"].where(games["result"].astype(str) == "black", games["black"]).astype(str)
    losses = beaten[games["termination"].astype(str) == "time"].value_counts().reindex(table.index, fill_value=0)
    table["time_losses"] = losses.where(table["overrun_max"].notna()).astype("Int64")
    own = numbers.astype({"player": str}).groupby(["player", "extra"])["value"].mean().unstack()
    table = table.reset_index()[_EFFORT]
    return by_player(table.merge(own.add_prefix("extra_"), "left", left_on="player", right_index=True), players)


def _limit_of(limits: Mapping[str, object], kind: str) -> pd.Series:
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


def reference_of(experiment: Experiment) -> str:
    """Name of the player that the others are compared with."""
    return experiment.reference or experiment.players[0].name


def ablation(answers: pd.DataFrame, ratings: Ratings, experiment: Experiment) -> pd.DataFrame:
    """One row per player, the reference first, then in their order; none without a suite of random positions.

    Cost is that of searches of these positions, worth that of the joint rating.

    The branching factor is the depth-th root of the nodes; ratios are over the positions that both searched to the
    depth they were asked for, if there was one. `answers` is that of `arena.ledger.read.RunData`.
    """
    suite, reference = experiment.random_suite, reference_of(experiment)
    searches = answers[answers["suite"] == suite.title] if suite else answers[:0]
    if suite is None or searches.empty:
        return pd.DataFrame(columns=_ABLATION)
    asked = {spec.name: suite.depth or spec.limit.depth or 0 for spec in experiment.players}
    reached = searches[(searches["depth"] >= searches["player"].map(asked)) & (searches["nodes"] > 0)]
    reached = reached.assign(seconds=time_of(reached))
    reached = reached[reached["seconds"] > 0]
    names = [player.name for player in experiment.players]
    depths, logs = reached.groupby("player")["depth"].mean(), {}
    for cost in ("nodes", "seconds"):
        table = reached.pivot(index="position", columns="player", values=cost).reindex(columns=names)
        logs[cost] = table.astype(float).map(math.log, na_action="ignore")
    rows: list[dict[str, Any]] = []
    for name in sorted(names, key=lambda name: name != reference):
        nodes, seconds = (float(np.exp(log[name].mean())) for log in logs.values())
        depth = float(depths.get(name, np.nan))
        row: dict[str, Any] = {
            "player": name,
            "depth": depth,
            "positions": int(logs["nodes"][name].notna().sum()),
            "nodes": nodes,
            "seconds": seconds,
            "branching_factor": nodes ** (1 / depth) if depth else np.nan,
        }
        for column, log in zip(("node_ratio", "time_ratio"), logs.values(), strict=True):
            ratio = paired_ratio((log[name] - log[reference]).dropna().to_numpy(dtype=float))
            row |= (ratio if name != reference else Interval(ratio.value, np.nan, np.nan)).columns(column)
        row |= elo_difference(ratings, name, reference).columns("elo_difference")
        rows.append(row)
    return pd.DataFrame(rows)


def paired_ratio(differences: NDArray[np.float64]) -> Interval:
    """The geometric mean of ratios whose logarithms are given, with Student's 95 % interval on the logarithms.

    Fewer than two have no interval.
    """
    ratios = len(differences)
    if ratios == 0:
        return UNKNOWN
    mean, error = float(differences.mean()), np.nan
    if ratios > 1:
        error = float(stdtrit(ratios - 1, 0.975) * differences.std(ddof=1) / np.sqrt(ratios))
    return Interval(*(float(np.exp(log)) for log in (mean, mean - error, mean + error)))


def elo_difference(ratings: Ratings, player: str, reference: str) -> Interval:
    """Elo of a player minus that of the reference, with the covariance of the two in its interval.

    Unknown where no games connect them; without an interval for the reference itself.
    """
    if player == reference:
        return UNKNOWN if ratings.contrast({player: 0.0}) is None else Interval(0.0, np.nan, np.nan)
    return ratings.difference(player, reference) or UNKNOWN
