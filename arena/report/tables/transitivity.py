"""Facts that ratings on one line cannot express: pairings that stand out, and cycles, beyond chance."""

from __future__ import annotations

import pandas as pd

from arena.base.number import percent
from arena.ratings.transitivity import cycles, residuals, threshold
from arena.report.tables.columns import columns
from arena.report.tables.table import Column, RunTable

FEWEST_POINTS = 5
"""Points of the weaker side, expected or scored, below which z is too far from normal to call a pairing unusual.

What W. G. Cochran, "Some Methods for Strengthening the Common Chi-Square Tests" (1954), asks of expected counts.
"""


def standing_out(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of `arena.ratings.transitivity.residuals` that differ from the ratings by more than chance allows.

    At most 5 % of tournaments whose players stand on one line have any: |z| beyond Bonferroni's bound over all
    pairings, with points enough for z to be normal.
    """
    share = table[["score", "expected"]]
    points = table["games"] * pd.concat([share.max(axis=1), 1 - share.min(axis=1)], axis=1).min(axis=1)
    return table[(table["z"].abs() > threshold(len(table))) & (points >= FEWEST_POINTS)]


def certain_cycles(table: pd.DataFrame, pairings: int) -> pd.DataFrame:
    """The rows of `arena.ratings.transitivity.cycles` beyond chance, at 5 % over that number of pairings."""
    return table[table["z"] > threshold(pairings)]


RESIDUALS = RunTable(
    "residuals",
    "score of each pairing against what the ratings expect",
    lambda run: residuals(run.rated_games, run.ratings, run.facts.first),
    columns(
        "player",
        Column("opponent", "name of the player it met", heading="Opponent"),
        Column("games", "games of the pairing", "games", "Games"),
        "score",
        Column("expected", "score that the ratings expect", "0 to 1", "Expected", percent, 4),
        Column("difference", "score minus expected", "-1 to 1", decimals=4),
        "z",
    ),
    shown="player opponent games score expected z",
    applies=lambda run: not run.small,
)
TABLES = (
    RESIDUALS,
    RunTable(
        "cycles",
        "players of whom a beats b, b beats c and c beats a",
        lambda run: cycles(run.rated_games, run.players),
        columns(
            Column("a", "player that beats b"),
            Column("b", "player that beats c"),
            Column("c", "player that beats a"),
            "z",
        ),
        note="The ten strongest.",
    ),
)
