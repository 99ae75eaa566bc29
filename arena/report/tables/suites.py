"""Suites: the share of positions that players solve."""

from __future__ import annotations

import math

import pandas as pd

from arena.ratings.errors import wilson
from arena.ratings.interval import Interval
from arena.ratings.match import mcnemar
from arena.report.tables.rated_run import RatedRun

RANDOM_CHOICE = "random choice"
"""Who solves as many positions as the share of the legal moves that are best: nobody needs to be asked."""

CHANCE = 0.05
"""Probability below which two players differ on a suite."""
_COLUMNS = [
    "suite", "player", *Interval.columns_of("elo"), "positions", "solved", *Interval.columns_of("share"),
    "failures",
]  # fmt: skip


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
        return pd.DataFrame(columns=_COLUMNS)
    table = shares(answers)
    rank = {name: place for place, name in enumerate([*run.players, RANDOM_CHOICE])}
    suite = {name: place for place, name in enumerate(answers["suite"].drop_duplicates())}
    table = table.sort_values(
        ["suite", "player"],
        key=lambda names: names.map(suite | dict.fromkeys(table["player"], len(rank)) | rank),
    )
    table = table.merge(run.ratings.table[["player", *Interval.columns_of("elo")]], "left", on="player")
    elo, has_games = [*Interval.columns_of("elo")], run.ratings.table.set_index("player")["games"] > 0
    table.loc[~table["player"].map(has_games).eq(True), elo] = math.nan
    return table[_COLUMNS]


def paired(answers: pd.DataFrame, suite: str, player: str, other: str) -> tuple[int, int, float]:
    """How many positions of a suite each of two players solved alone, and McNemar's probability of that."""
    solved = answers[answers["suite"] == suite].pivot(index="position", columns="player", values="solved")
    one, two = (solved[name].astype(bool) for name in (player, other))
    alone, other_alone = int((one & ~two).sum()), int((two & ~one).sum())
    return alone, other_alone, mcnemar(alone, other_alone)
