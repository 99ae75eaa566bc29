"""Tables as text for people: every cell is text, "" where there is no value."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import pandas as pd

from arena.base.number import fixed, known, percent, probability, quantity, signed, times, with_error
from arena.report.tables.telemetry import TOO_LONG


def standings_text(standings: pd.DataFrame) -> pd.DataFrame:
    """The standings with every cell as text for people, "" where there is no value.

    Nodes and time a move are left out where the standings have no such columns.
    """
    columns = {
        "#": standings["rank"].map(str),
        "Player": standings["player"].astype(str),
        "Elo": [_elo(v) for v in standings["elo"]],
        "95 % interval": [
            _interval(low, high) for low, high in zip(standings["elo_low"], standings["elo_high"], strict=True)
        ],
        "Games": standings["games"].map(str),
        "Won": standings["wins"].map(str),
        "Drawn": standings["draws"].map(str),
        "Lost": standings["losses"].map(str),
        "Score": [percent(v) for v in standings["score"]],
        **({"Elo of score": standings["score_elo"].map(_elo)} if "score_elo" in standings else {}),
        "LOS": [probability(v) for v in standings["los"]],
    }
    if "nodes_per_move" in standings:
        columns["Nodes/move"] = [quantity(v) for v in standings["nodes_per_move"]]
        columns["Time/move"] = [quantity(v, "s") for v in standings["seconds_per_move"]]
    return pd.DataFrame(columns)


def order_text(order: pd.DataFrame) -> pd.DataFrame:
    """The final order of a format with every cell as text for people: the columns that it has."""
    names = {
        "place": "#", "player": "Player", "round": "Last round", "opponent": "Against", "points": "Points",
        "conceded": "Conceded", "buchholz": "Buchholz", "sonneborn_berger": "Sonneborn-Berger",
        "decided": "Decided by",
    }  # fmt: skip
    shown = order[[name for name in names if name in order]]
    shown = shown.map(lambda cell: cell if isinstance(cell, str) else f"{round(cell, 2):g}", na_action="ignore")
    return shown.astype(object).fillna("").rename(columns=names)


def equal_terms_text(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The standings of each limit as text for people, by the limit: "Equal depth (6)".

    What all names of a limit have in common between commas is left out, LOS above 99.9 %, and the mean of what is
    limited. "†": see `comparisons_text`.
    """
    found = {}
    for (terms, at), rows in table.groupby(["terms", "at"], sort=False):
        los = [probability(value) for value in rows["los"]]
        columns = {
            "#": rows["rank"].map(str).tolist(),
            "Player": _telling(rows["player"].tolist()),
            "Elo": [_difference(row, "elo") if known(row["elo"]) else "" for row in rows.to_dict("records")],
            "LOS": ["" if value.startswith(">") else value for value in los],
            "Nodes/move": [quantity(v) for v in rows["nodes_per_move"] if terms != "nodes"],
            "Time/move": [quantity(v, "s") for v in rows["seconds_per_move"] if terms != "time"],
        }
        shown = {name: cells for name, cells in columns.items() if any(cells)}
        found[f"Equal {terms}" + (f" ({at})" if at else "")] = pd.DataFrame(shown)
    return found


def _telling(names: list[str]) -> list[str]:
    """Names without the parts, between commas, that all have: "simple" of "simple, depth 4"."""
    parts = [name.split(", ") for name in names]
    common = set.intersection(*map(set, parts))
    short = [", ".join(part for part in of_one if part not in common) for of_one in parts]
    return short if all(short) and len(set(short)) == len(short) else names


def crosstable_text(crosstable: pd.DataFrame) -> pd.DataFrame:
    """The crosstable with numbered columns, the row numbers and names first."""
    names = [str(name) for name in crosstable.index]
    table = pd.DataFrame({"#": [str(i + 1) for i in range(len(names))], "Player": names})
    for i in range(len(names)):
        table[str(i + 1)] = crosstable.iloc[:, i].to_numpy()
    return table


def search_text(search: pd.DataFrame) -> pd.DataFrame:
    """Search effort with every cell as text for people; figures at a depth where players are limited to one."""
    columns = {
        "Player": search["player"].astype(str),
        "Nodes/move": [quantity(v) for v in search["nodes_per_move"]],
        "Leaves/move": [quantity(v) for v in search["leaves_per_move"]],
        "Time/move": [quantity(v, "s") for v in search["seconds_per_move"]],
    }
    of_depth = {
        "Depth limit": [fixed(v, 0) for v in search["depth"]],
        "Nodes at depth": [quantity(v) for v in search["nodes_at_depth"]],
        "Time at depth": [quantity(v, "s") for v in search["seconds_at_depth"]],
        "Branching factor": [fixed(v, 2) for v in search["branching_factor"]],
    }
    return pd.DataFrame(columns | {name: cells for name, cells in of_depth.items() if any(cells)})


def telemetry_text(telemetry: pd.DataFrame) -> pd.DataFrame:
    """Telemetry with every cell as text for people: the columns and players that have any."""
    searched = telemetry["mean_depth"].notna()
    by_wall = telemetry["nodes_per_wall_second"].where(telemetry["cpu_seconds_per_move"].notna())
    columns = {
        "Nodes/s": [quantity(v) for v in telemetry["nodes_per_second"]],
        "Nodes/s, wall": [quantity(v) for v in by_wall],
        "CPU/move": [quantity(v, "s") for v in telemetry["cpu_seconds_per_move"].where(searched)],
        "Mean depth": [fixed(v, 1) for v in telemetry["mean_depth"]],
        "Deepest": [fixed(v, 0) for v in telemetry["deepest"]],
        "First-move cutoffs": [percent(v) for v in telemetry["first_move_cutoffs"]],
        "TT hits": [percent(v) for v in telemetry["tt_hits"]],
        "Of limit": [percent(v) for v in telemetry["time_used"]],
        "Over limit, 99 %": [quantity(v, "s") for v in telemetry["overrun_p99"]],
        "Over limit, worst": [quantity(v, "s") for v in telemetry["overrun_max"]],
        "Lost on time": [fixed(v, 0) for v in telemetry["time_losses"]],
    }
    table = pd.DataFrame({name: cells for name, cells in columns.items() if any(cells)}, index=telemetry.index)
    table.insert(0, "Player", telemetry["player"].astype(str))
    return table[(table.drop(columns="Player") != "").any(axis=1)]


def ablation_text(table: pd.DataFrame) -> pd.DataFrame:
    """Cost to a fixed depth and Elo difference with every cell as text for people."""
    columns = {
        "Player": table["player"].astype(str),
        "Positions": [str(count) if count else "" for count in table["positions"]],
        "Nodes": [quantity(v) for v in table["nodes"]],
        "Nodes ratio (95 %)": _estimates(table, "node_ratio", times),
        "Time": [quantity(v, "s") for v in table["seconds"]],
        "Time ratio (95 %)": _estimates(table, "time_ratio", times),
        "Branching factor": [fixed(v, 2) for v in table["branching_factor"]],
        "Elo difference (95 %)": _estimates(table, "elo_difference", signed),
    }
    return pd.DataFrame(columns)


def comparisons_text(comparisons: pd.DataFrame, *, pairs: bool = False) -> pd.DataFrame:
    """Differences of Elo at equal terms, with their likelihood of superiority, as text for people.

    A row for each value of a setting, against that of the baseline, or for every two values if `pairs`, and two
    columns for each kind of terms. "†": a player took more than TOO_LONG of its time limit.
    """
    rows = comparisons if pairs else comparisons[comparisons["baseline"].astype(bool)]
    keys = list(rows[["setting", "value", "reference"]].drop_duplicates().itertuples(index=False, name=None))
    columns = [] if rows["setting"].nunique() == 1 else [("Setting", [setting for setting, _, _ in keys])]
    if pairs:
        columns.append(("Pair", [f"{value} − {reference}" for _, value, reference in keys]))
    else:
        columns.append(("Value", [value for _, value, _ in keys]))
        if rows["reference"].nunique() > 1:
            columns.append(("Against", [reference for _, _, reference in keys]))
    for terms in rows["terms"].unique():
        of_terms = rows[rows["terms"] == terms]
        found = {(row["setting"], row["value"], row["reference"]): row for row in of_terms.to_dict("records")}
        at = of_terms["at"].unique()
        title = (f"Equal {terms}" if terms else "No limit") + (f" ({at[0]})" if len(at) == 1 and at[0] else "")
        columns.append((title, [_difference(found[key]) if key in found else "" for key in keys]))
        columns.append(("LOS", [probability(found[key]["los"]) if key in found else "" for key in keys]))
    table = pd.DataFrame(dict(enumerate(cells for _, cells in columns)), dtype=object)
    return table.set_axis([name for name, _ in columns], axis=1)


def residuals_text(residuals: pd.DataFrame) -> pd.DataFrame:
    """Residuals with every cell as text for people."""
    return pd.DataFrame(
        {
            "Player": residuals["player"].astype(str),
            "Opponent": residuals["opponent"].astype(str),
            "Games": residuals["games"].map(str),
            "Score": [percent(value) for value in residuals["score"]],
            "Expected": [percent(value) for value in residuals["expected"]],
            "z": [signed(value, 1) for value in residuals["z"]],
        }
    )


def nash_text(averages: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Nash weight and Nash skill (Elo) as text for people, a row for each of *players*, in their order."""
    table = averages.set_index("player").loc[list(players)]
    return pd.DataFrame(
        {
            "Nash weight": [percent(value) for value in table["weight"]],
            "Nash skill": [signed(value) for value in table["skill"]],
        }
    )


def _estimates(table: pd.DataFrame, name: str, form: Callable[[float], str]) -> list[str]:
    """Values with their intervals, as far as they are known: "3.10 (2.84 to 3.41)"."""
    cells = []
    for value, low, high in zip(table[name], table[f"{name}_low"], table[f"{name}_high"], strict=True):
        interval = f" ({form(low)} to {form(high)})" if known(low) and known(high) else ""
        cells.append(form(value) + interval if known(value) else "")
    return cells


def _elo(value: Any) -> str:
    return signed(value) if known(value) else ""


def _difference(row: dict[Hashable, Any], name: str = "elo_difference") -> str:
    error = (row[f"{name}_high"] - row[f"{name}_low"]) / 2
    return with_error(row[name], error) + (" †" if row["time_used"] > TOO_LONG else "")


def _interval(low: Any, high: Any) -> str:
    if not (known(low) and known(high)):
        return ""
    return f"{signed(low)} to {signed(high)}" if low < high else "anchor"
