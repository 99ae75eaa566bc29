"""The cost of each player's search, and its worth in games, against one reference player.

The reference is the anchor of the configuration, or its first player. Cost comes from the run's suite of random
positions, worth from the joint rating of its games. A value that does not exist is missing (an empty cell).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit as student_quantile

from arena.experiment.model import Experiment
from arena.ratings.interval import UNKNOWN, Interval
from arena.ratings.joint import Ratings
from arena.report.tables.survey import time_of

COLUMNS = [
    "player", "depth", "positions", "nodes", "seconds", "branching_factor",
    *(name for kind in ("node_ratio", "time_ratio", "elo_difference") for name in Interval.columns_of(kind)),
]  # fmt: skip


def reference_of(experiment: Experiment) -> str:
    """Name of the player that the others are compared with."""
    return experiment.reference or experiment.players[0].name


def ablation(answers: pd.DataFrame, ratings: Ratings, experiment: Experiment) -> pd.DataFrame:
    """One row per player, the reference first, then in their order; none without a suite of random positions.

    The branching factor is the depth-th root of the nodes; ratios are over the positions that both searched to the
    depth they were asked for, if there was one. `answers` is that of `arena.ledger.read.RunData`.
    """
    suite, reference = experiment.random_suite, reference_of(experiment)
    searches = answers[answers["suite"] == suite.title] if suite else answers[:0]
    if suite is None or searches.empty:
        return pd.DataFrame(columns=COLUMNS)
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
        error = float(student_quantile(ratios - 1, 0.975) * differences.std(ddof=1) / np.sqrt(ratios))
    return Interval(*(float(np.exp(log)) for log in (mean, mean - error, mean + error)))


def elo_difference(ratings: Ratings, player: str, reference: str) -> Interval:
    """Elo of a player minus that of the reference, with the covariance of the two in its interval.

    Unknown where no games connect them; without an interval for the reference itself.
    """
    if player == reference:
        return UNKNOWN if ratings.contrast({player: 0.0}) is None else Interval(0.0, np.nan, np.nan)
    return ratings.difference(player, reference) or UNKNOWN
