"""Suites: the share of positions that players solve, by limit and stratum."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from arena.ratings.errors import wilson
from arena.report.tables import shared, units, views
from arena.report.tables.rated_run import RatedRun
from arena.report.tables.settings import families
from arena.report.tables.table import Column, Table, with_interval
from arena.report.tables.views import ALL

RANDOM_CHOICE = "random choice"
"""Who solves as many positions as the share of the legal moves that are best: nobody needs to be asked."""
_KEYS = ["suite", "player", "limit", "at"]

SUITES = Table.of(
    "suites", shared.SUITE, shared.PLAYER, shared.FAMILY, *shared.ELO,
    Column("limit", "kind of the player's limit: depth, nodes or seconds; empty if it has none of them"),
    Column("at", "that limit"),
    Column("stratum", "stratum of the positions, or all"),
    Column("positions", "positions that the player was asked for its move in", units.POSITIONS),
    Column("solved", "those in which it played a best move; of random choice, on average", units.POSITIONS),
    *with_interval("share", "solved over positions (Wilson's interval)", units.SHARE),
    Column("nodes", "mean positions entered for a move", units.NODES),
    Column("seconds", "mean time of a move", units.SECONDS),
    Column("failures", "positions in which the player failed", units.POSITIONS),
    view=views.shares_by_suite,
)  # fmt: skip


def shares(answers: pd.DataFrame) -> pd.DataFrame:
    """The share of positions that each player solves under each limit, of all and of each stratum.

    `answers` has the columns of `arena.ledger.record.SuiteAnswer`. Intervals of 95 % are Wilson's. RANDOM_CHOICE
    has the mean share of the legal moves that are best. Players and strata stand in the order of their first rows.
    """
    known_moves = answers[["suite", "position", "stratum", "legal_moves", "best_moves"]].drop_duplicates()
    chance = known_moves.assign(
        player=RANDOM_CHOICE, limit="", at=math.nan, nodes=math.nan, seconds=math.nan, error="",
        solved=known_moves["best_moves"] / known_moves["legal_moves"],
    )  # fmt: skip
    asked = answers[chance.columns]
    both = pd.concat([chance, asked.astype({"solved": float, "nodes": float, "at": float})], ignore_index=True)
    strata = [both.assign(stratum=ALL)]
    strata += [both] if both["stratum"].nunique() > 1 else []
    rows = pd.concat(strata, ignore_index=True).assign(failed=lambda table: table["error"] != "")
    grouped = rows.groupby([*_KEYS, "stratum"], sort=False, dropna=False)
    table = grouped.agg(
        positions=("solved", "size"),
        solved=("solved", "sum"),
        nodes=("nodes", "mean"),
        seconds=("seconds", "mean"),
        failures=("failed", "sum"),
    ).reset_index()
    n, p = table["positions"].to_numpy(dtype=float), (table["solved"] / table["positions"]).to_numpy(dtype=float)
    low, high = wilson(p, n)
    is_chance = (table["player"] == RANDOM_CHOICE).to_numpy()
    table.insert(7, "share", p)
    table.insert(8, "share_low", np.where(is_chance, np.nan, low))
    table.insert(9, "share_high", np.where(is_chance, np.nan, high))
    return table


def suites(run: RatedRun) -> pd.DataFrame:
    """The share of each suite's positions that each player solves, of all and by stratum, in rank order.

    Below the players stand two baselines without Elo: one looks one ply ahead, and RANDOM_CHOICE.
    """
    answers, names = run.data.answers[run.data.answers["best_moves"] > 0], SUITES.names
    if not len(answers):
        return pd.DataFrame(columns=names)
    limits = {spec.name: spec.limit.first for spec in run.experiment.players}
    kinds, values = zip(*(limits.get(player, ("", None)) for player in answers["player"]), strict=True)
    table = shares(answers.assign(limit=kinds, at=np.array(values, float)))
    rank = {name: place for place, name in enumerate([*run.players, RANDOM_CHOICE])}
    suite = {name: place for place, name in enumerate(answers["suite"].drop_duplicates())}
    strata = {name: place for place, name in enumerate([ALL, *answers["stratum"].drop_duplicates()])}
    table = table.sort_values(
        ["suite", "player", "stratum"],
        key=lambda names: names.map(suite | strata | dict.fromkeys(table["player"], len(rank)) | rank),
    )
    table["family"] = table["player"].map(families(run.compared, "nodes") | families(run.compared))
    table = table.merge(run.ratings.table[["player", "elo", "elo_low", "elo_high"]], "left", on="player")
    return table[names]
