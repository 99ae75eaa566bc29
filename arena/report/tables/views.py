"""What people read of tables: under which headings, in which words, in which rows and columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import pandas as pd

from arena.base.number import percent, quantity, signed, times
from arena.ratings.interval import Interval
from arena.report.tables.table import (
    EMPTY,
    NAMED,
    Cell,
    Column,
    Grid,
    Heading,
    Style,
    cell,
    elo,
    estimate,
    figure,
    nonzero,
    plain,
    seconds,
    share,
    to_0,
    to_1,
    to_2,
    to_4,
    words,
)
from arena.rules.game import Termination

LEAST = 0.05
"""Probability of differences so far apart, below which their mean says nothing."""
TOO_LONG = 1.2
"""Mean time a move, over its limit, above which equal time limits are no equal time."""

_PLAYER = Column("player", NAMED)
_DECISIONS = Column("decisions", Heading("Decisions"))
_BRANCHING = Column("branching_factor", Heading("Branching factor", is_wide=True), to_2)
_EXTRA = "extra_"
"""Begins the names of columns for numbers of the players' own."""
READ = {
    "ablation": [
        _PLAYER,
        Column("positions", Heading("Positions", is_wide=True), nonzero),
        Column("nodes", Heading("Nodes", is_wide=True), quantity),
        Column("seconds", Heading("Time", is_wide=True), seconds),
        _BRANCHING,
        Column("node_ratio", Heading("Nodes ratio (95 %)"), estimate(times), has_interval=True),
        Column("time_ratio", Heading("Time ratio (95 %)"), estimate(times), has_interval=True),
        Column("elo_difference", Heading("Elo difference (95 %)"), estimate(signed), has_interval=True),
    ],
    "effort": [
        _PLAYER,
        Column("nodes_per_move", Heading("Nodes/move"), quantity),
        Column("seconds_per_move", Heading("Time/move"), seconds),
        Column("nodes_per_second", Heading("Nodes/s"), quantity),
        Column("mean_depth", Heading("Mean depth", is_wide=True), to_1),
        Column("deepest", Heading("Deepest", is_wide=True), to_0),
        Column("nodes_at_depth", Heading("Nodes at depth", is_wide=True), quantity),
        _BRANCHING,
        Column("first_move_cutoffs", Heading("First-move cutoffs", is_wide=True), percent),
        Column("tt_hits", Heading("Table hits", is_wide=True), percent),
        Column("time_used", Heading("Time used", is_wide=True), percent),
        Column("overrun_max", Heading("Worst overrun", is_wide=True), seconds),
        Column("time_losses", Heading("Lost on time", is_wide=True), to_0),
    ],
    "endgame_errors": [
        _PLAYER,
        _DECISIONS,
        Column("error_rate", Heading("Errors"), share, has_interval=True),
        Column("win_to_draw", Heading("W→D")),
        Column("draw_to_loss", Heading("D→L")),
        Column("win_to_loss", Heading("W→L")),
    ],
    "judged_losses": [
        _PLAYER,
        Column("judge", Heading("Judge", Style.WORD)),
        _DECISIONS,
        Column("lost_per_move", Heading("Lost/move"), estimate(to_4), has_interval=True),
        Column("inaccuracies", Heading("?!")),
        Column("mistakes", Heading("?")),
        Column("blunders", Heading("??")),
        Column("blunder_rate", Heading("Blunders"), share, has_interval=True),
    ],
    "submissions": [
        Column("place", Heading("#", Style.RANK), plain),
        _PLAYER,
        Column("points", Heading("Points"), plain),
        Column("file", Heading("File", Style.WORD, is_wide=True)),
        Column("status", Heading("Status", Style.WORD)),
        Column("failures", Heading("Failures"), to_0),
        Column("seconds_longest", Heading("Longest move", is_wide=True), seconds),
        Column("reasons", Heading("Reasons", Style.WORD)),
    ],
    "terminations": [
        Column("termination", Heading("Ended by", Style.WORD), lambda ended: Termination(ended).words),
        Column("games", Heading("Games"), "{:,}".format),
        Column("share", Heading("Share"), percent),
    ],
}
"""What people read of a table of a run, in this order."""


def grid(name: str, table: pd.DataFrame) -> Grid:
    """What people read of the table of that name of a run, which has rows."""
    if name == "suites":
        return shares_by_suite(table)
    own = (str(column) for column in table if str(column).startswith(_EXTRA))
    extras = (Column(each, Heading(each.removeprefix(_EXTRA), is_wide=True), figure) for each in own)
    return Grid.read(table, [*READ[name], *extras])


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
    return Grid.of(*columns)


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
    return Grid.of(
        (NAMED, words(players["player"])),
        (Heading("Elo"), [cell(value, elo(value)) for value in players["elo"]]),
        *(
            (Heading(str(suite)), _shares(rows, players["player"]))
            for suite, rows in table.groupby("suite", sort=False)
        ),
    )


def _shares(rows: pd.DataFrame, players: Iterable[str]) -> list[Cell]:
    solved = {row["player"]: Interval.of(row, "share") for row in rows.to_dict("records")}
    cells = {player: Cell(rate.value, share(*rate, decimals=0)) for player, rate in solved.items()}
    return [cells.get(player, EMPTY) for player in players]
