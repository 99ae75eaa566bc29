"""Tables that people read in other rows and columns than their files have."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import pandas as pd

from arena.ratings.interval import Interval
from arena.report.tables.forms import elo, share
from arena.report.tables.table import EMPTY, Cell, Grid, Heading, Style, cell, words

LEAST = 0.05
"""Probability of differences so far apart, below which their mean says nothing."""
TOO_LONG = 1.2
"""Mean time a move, over its limit, above which equal time limits are no equal time."""
NAMED = Heading("Player", Style.NAME)
"""The head of the players' names."""


def differences(table: pd.DataFrame, *, pairs: bool = False) -> Grid:
    """Differences of Elo at equal terms.

    A row for each value of a setting, against that of the baseline, or for every two values if `pairs`, and a
    column for each kind of terms, or of a setting of which some means say nothing (`disagreeing`) for each level.
    "†": a player took more than TOO_LONG of its time limit.
    """
    rows = _said_of(["setting", "terms"], table if pairs else table[table["baseline"].astype(bool)])
    keys = list(rows[["setting", "value", "reference"]].drop_duplicates().itertuples(index=False, name=None))
    columns: list[tuple[Heading, list[Cell]]] = []
    if rows["setting"].nunique() > 1:
        columns.append((Heading("Setting", Style.WORD), words(setting for setting, _, _ in keys)))
    columns.append((Heading("Value", Style.NAME), words(value for _, value, _ in keys)))
    columns.append((Heading("Against", Style.NAME), words(reference for _, _, reference in keys)))
    for terms, level in rows[["terms", "level"]].drop_duplicates().itertuples(index=False, name=None):
        of_terms = rows[(rows["terms"] == terms) & (rows["level"] == level)]
        by_key = {(row["setting"], row["value"], row["reference"]): row for row in of_terms.to_dict("records")}
        at = of_terms["at"].unique()
        title = (f"Equal {terms}" if terms else "In the games") + (f" ({at[0]})" if len(at) == 1 and at[0] else "")
        title = level[0].upper() + level[1:] if level else title
        columns.append((Heading(title), [_difference(by_key.get(key)) for key in keys]))
    return Grid.of(columns)


def stated(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of comparisons that say something: means, or the levels of those that do not agree."""
    return _said_of(["setting", "value", "reference", "terms"], table)


def _said_of(columns: list[str], table: pd.DataFrame) -> pd.DataFrame:
    """Means, or levels where a mean with the same values of these columns says nothing."""
    rows, apart = (pd.MultiIndex.from_frame(part[columns]) for part in (table, disagreeing(table)))
    is_apart = rows.isin(apart) & ((table["level"] != "") | (table["pairs"] > 1))
    return table[(table["level"] != "") == is_apart]


def disagreeing(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of comparisons that are means of differences which do not agree."""
    return table[table["agreement"] < LEAST]


def _difference(row: dict[Hashable, Any] | None) -> Cell:
    if row is None:
        return EMPTY
    text = str(Interval.of(row, "elo_difference")) + (" †" if row["time_used"] > TOO_LONG else "")
    return cell(row["elo_difference"], text)


def shares_by_suite(table: pd.DataFrame) -> Grid:
    """A row for each player with its Elo, a column for each suite."""
    players = table.drop_duplicates("player")
    columns = [
        (NAMED, words(players["player"])),
        (Heading("Elo"), [cell(value, elo(value)) for value in players["elo"]]),
    ]
    columns += [
        (Heading(str(suite)), _shares(rows, players["player"]))
        for suite, rows in table.groupby("suite", sort=False)
    ]
    return Grid.of(columns)


def _shares(rows: pd.DataFrame, players: Iterable[str]) -> list[Cell]:
    solved = {row["player"]: Interval.of(row, "share") for row in rows.to_dict("records")}
    cells = {player: Cell(rate.value, share(*rate, decimals=0)) for player, rate in solved.items()}
    return [cells.get(player, EMPTY) for player in players]
