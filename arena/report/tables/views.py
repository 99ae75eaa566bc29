"""Tables that people read in other rows and columns than their files have."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd

from arena.base.number import known, percent, probability
from arena.ledger.moves import PHASES
from arena.ratings.interval import Interval
from arena.report.tables.forms import elo, share_text
from arena.report.tables.table import EMPTY, Cell, cell

ALL = "all"
"""In place of a phase or a stratum: the whole game, all positions."""
TOO_LONG = 1.2
"""Mean time a move, over its limit, above which equal time limits are no equal time."""


def crosstable(table: pd.DataFrame) -> pd.DataFrame:
    """The crosstable with numbered columns, the row numbers and names first; a cell's value is the score."""
    names = [str(name) for name in table.index]
    cells = {
        "#": [Cell(i, str(i)) for i in range(1, len(names) + 1)],
        "Player": [Cell(name, name) for name in names],
    }
    for i in range(len(names)):
        cells[str(i + 1)] = [Cell(_score(points), points) for points in table.iloc[:, i]]
    return pd.DataFrame(cells, dtype=object)


def _score(points: str) -> float | None:
    """The share of "12.5/20"."""
    won, _, games = points.partition("/")
    return float(won) / int(games) if games else None


def comparisons(table: pd.DataFrame, *, pairs: bool = False) -> pd.DataFrame:
    """Differences of Elo at equal terms, with their likelihood of superiority.

    A row for each value of a setting, against that of the baseline, or for every two values if `pairs`, and two
    columns for each kind of terms. "†": a player took more than TOO_LONG of its time limit.
    """
    rows = table if pairs else table[table["baseline"].astype(bool)]
    keys = list(rows[["setting", "value", "reference"]].drop_duplicates().itertuples(index=False, name=None))
    columns = [] if rows["setting"].nunique() == 1 else [("Setting", _words(setting for setting, _, _ in keys))]
    if pairs:
        columns.append(("Pair", _words(f"{value} − {reference}" for _, value, reference in keys)))
    else:
        columns.append(("Value", _words(value for _, value, _ in keys)))
        if rows["reference"].nunique() > 1:
            columns.append(("Against", _words(reference for _, _, reference in keys)))
    for terms in rows["terms"].unique():
        of_terms = rows[rows["terms"] == terms]
        by_key = {(row["setting"], row["value"], row["reference"]): row for row in of_terms.to_dict("records")}
        at = of_terms["at"].unique()
        title = (f"Equal {terms}" if terms else "In the games") + (f" ({at[0]})" if len(at) == 1 and at[0] else "")
        of_keys = [by_key.get(key) for key in keys]
        columns.append((title, [_difference(row) for row in of_keys]))
        columns.append(("LOS", [cell(row["los"], probability(row["los"])) if row else EMPTY for row in of_keys]))
    cells = pd.DataFrame(dict(enumerate(cells for _, cells in columns)), dtype=object)
    return cells.set_axis([name for name, _ in columns], axis=1)


def _words(texts: Any) -> list[Cell]:
    return [Cell(text, text) for text in map(str, texts)]


def _difference(row: dict[Hashable, Any] | None) -> Cell:
    if row is None:
        return EMPTY
    text = str(Interval.of(row, "elo_difference")) + (" †" if row["time_used"] > TOO_LONG else "")
    return cell(row["elo_difference"], text)


def judged_losses(table: pd.DataFrame) -> pd.DataFrame:
    """A row per player and judge, the points lost in each phase side by side."""
    rows = []
    for (player, judge), part in table.groupby(["player", "judge"], sort=False):
        by_phase = {row["phase"]: row for row in part.to_dict("records")}
        total = by_phase[ALL]
        row = {"Player": Cell(player, str(player))}
        row |= {"Judge": Cell(judge, str(judge))} if table["judge"].nunique() > 1 else {}
        row |= {"Decisions": Cell(total["decisions"], str(total["decisions"])), "Lost/move": _loss(total)}
        row |= {phase.capitalize(): _loss(by_phase.get(phase)) for phase in PHASES}
        for mark, name in (("?!", "inaccuracies"), ("?", "mistakes"), ("??", "blunders")):
            row[mark] = _percent(total[name] / total["decisions"])
        rows.append(row | {"Agrees": _percent(total["agreement"])})
    return pd.DataFrame(rows, dtype=object)


def _percent(share: Any) -> Cell:
    return cell(share, percent(share))


def _loss(row: dict[Hashable, Any] | None) -> Cell:
    if row is None:
        return EMPTY
    low, high = row["lost_per_move_low"], row["lost_per_move_high"]
    ends = f" ({low:.4f} to {high:.4f})" if row["phase"] == ALL and known(low) else ""
    return cell(row["lost_per_move"], f"{row['lost_per_move']:.4f}{ends}")


def suites(table: pd.DataFrame) -> pd.DataFrame:
    """Shares of all positions: a row for each player with its Elo, a column for each suite."""
    every = table[table["stratum"] == ALL]
    players = every.drop_duplicates("player")
    cells = {"Player": _words(players["player"]), "Elo": [cell(value, elo(value)) for value in players["elo"]]}
    for suite, rows in every.groupby("suite", sort=False):
        cells[str(suite)] = _shares(rows, players["player"])
    return pd.DataFrame(cells, dtype=object)


def strata(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Shares by stratum, for each suite that has some: a row for each player, a column for each."""
    views = {}
    for suite, rows in table[table["stratum"] != ALL].groupby("suite", sort=False):
        players = rows["player"].drop_duplicates()
        cells = {"Player": _words(players)}
        for stratum, part in rows.groupby("stratum", sort=False):
            cells[f"{stratum} (n = {part['positions'].max():,})"] = _shares(part, players)
        views[str(suite)] = pd.DataFrame(cells, dtype=object)
    return views


def _shares(rows: pd.DataFrame, players: pd.Series) -> list[Cell]:
    shown = zip(rows["player"], rows["share"], rows["share_low"], rows["share_high"], strict=True)
    cells = {player: Cell(share, f"{share_text(share, low, high)} %") for player, share, low, high in shown}
    return [cells.get(player, EMPTY) for player in players]
