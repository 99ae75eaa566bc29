"""Suites: the share of positions that players solve, and a paired test of every two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import pandas as pd

from arena.ratings.errors import wilson
from arena.ratings.match import mcnemar
from arena.report.tables import shared, units, views
from arena.report.tables.rated_run import RatedRun
from arena.report.tables.table import Column, Table, with_interval

RANDOM_CHOICE = "random choice"
"""Who solves as many positions as the share of the legal moves that are best: nobody needs to be asked."""

SUITES = Table.of(
    "suites",
    Column("suite", "name of the suite"),
    shared.PLAYER, *shared.ELO,
    Column("positions", "positions that the player was asked for its move in", units.POSITIONS),
    Column("solved", "those in which it played a best move; of random choice, on average", units.POSITIONS),
    *with_interval("share", "solved over positions (Wilson's interval)", units.SHARE),
    Column("failures", "positions in which the player failed", units.POSITIONS),
    view=views.shares_by_suite,
)  # fmt: skip
PAIRED = ["suite", "player", "other", "positions", "player_alone", "other_alone", "p_value"]


def shares(answers: pd.DataFrame) -> pd.DataFrame:
    """The share of each suite's positions that each player solves, with Wilson's intervals of 95 %.

    `answers` has the columns of `arena.ledger.record.SuiteAnswer`. RANDOM_CHOICE has the mean share of the legal
    moves that are best. Players stand in the order of their first rows.
    """
    rows = answers.assign(failed=answers["error"] != "").groupby(["suite", "player"], sort=False)
    table = rows.agg(positions=("solved", "size"), solved=("solved", "sum"), failures=("failed", "sum"))
    table = table.reset_index().astype({"solved": float})
    table["share"] = table["solved"] / table["positions"]
    table["share_low"], table["share_high"] = wilson(table["share"].to_numpy(), table["positions"].to_numpy())
    positions = answers.drop_duplicates(["suite", "position"])
    by_chance = (positions["best_moves"] / positions["legal_moves"]).groupby(positions["suite"], sort=False)
    chance = by_chance.agg(positions="size", solved="sum", share="mean").reset_index()
    chance = chance.assign(player=RANDOM_CHOICE, failures=0, share_low=math.nan, share_high=math.nan)
    return pd.concat([chance[table.columns], table], ignore_index=True)


def suites(run: RatedRun) -> pd.DataFrame:
    """The share of each suite's positions that each player solves, in rank order.

    Below the players stand two baselines without Elo: one looks one ply ahead, and RANDOM_CHOICE.
    """
    answers = run.data.answers[run.data.answers["best_moves"] > 0]
    if not len(answers):
        return pd.DataFrame(columns=SUITES.names)
    table = shares(answers)
    rank = {name: place for place, name in enumerate([*run.players, RANDOM_CHOICE])}
    suite = {name: place for place, name in enumerate(answers["suite"].drop_duplicates())}
    table = table.sort_values(
        ["suite", "player"],
        key=lambda names: names.map(suite | dict.fromkeys(table["player"], len(rank)) | rank),
    )
    table = table.merge(run.ratings.table[["player", "elo", "elo_low", "elo_high"]], "left", on="player")
    return table[SUITES.names]


def paired(answers: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Every two of these players on each suite: how many positions each solved alone, and McNemar's exact test."""
    rows = []
    for suite, of_suite in answers[answers["best_moves"] > 0].groupby("suite", sort=False):
        solved = of_suite.pivot(index="position", columns="player", values="solved")
        asked = [name for name in players if name in solved]
        for player, other in combinations(asked, 2):
            both = solved[[player, other]].dropna().astype(bool)
            alone = int((both[player] & ~both[other]).sum()), int((both[other] & ~both[player]).sum())
            rows.append((suite, player, other, len(both), *alone, mcnemar(*alone)))
    return pd.DataFrame(rows, columns=PAIRED)
