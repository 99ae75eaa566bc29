"""What a ledger has, read whole and checked: its documents, and a table for each kind of row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from sqlite3 import Connection
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from arena.experiment.model import Experiment
from arena.ledger.info import RunInfo
from arena.ledger.ledger import (
    ANSWERS,
    COLUMNS,
    CURRENT,
    DISQUALIFIED,
    GAME_COLUMNS,
    GAMES,
    GRADED_COLUMNS,
    GRADES,
    JUDGES,
    ORDER,
    PROBES,
    TABLES,
    FinalOrder,
    run_info,
    stored_experiment,
)
from arena.ledger.packing import named_of, unpacked_grades
from arena.ledger.record import ANSWER_COLUMNS, PROBE_COLUMNS, TABLES_JUDGE
from arena.ledger.store import COMPLETE, REMEDY, StoreError, check_columns, check_tables, is_new, reading
from arena.ledger.table import META, Damage

GAMES_AT_ONCE = 5000
"""Games that are read at once."""
_WHOLE_OR_NONE = ("white_points", "black_points", "verdict_plies", "worker")


class Contents(NamedTuple):
    """What a ledger has, those games that do not count among it."""

    experiment: Experiment
    info: RunInfo
    order: FinalOrder | None
    """None while the run is not complete."""
    disqualified: tuple[str, ...]
    judges: Mapping[str, Any]
    """`entry` and `files` (a hash of each) of every judge but the tables, by its name."""
    games: pd.DataFrame
    """GAME_COLUMNS in the schedule's order, `began` as a time in UTC."""
    extras: pd.DataFrame
    """The numbers of the players' own: `game`, `ply`, `extra`, `value`."""
    probes: pd.DataFrame
    """PROBE_COLUMNS."""
    answers: pd.DataFrame
    """ANSWER_COLUMNS."""
    graded: pd.DataFrame
    """GRADED_COLUMNS."""
    grades: pd.DataFrame
    """GRADE_COLUMNS but for `player`, `colour` and `phase`."""
    published: Mapping[str, tuple[str, str]] | None = None
    """Where names were replaced: the other name of each player that has one, and its file."""


def contents(path: Path) -> Contents:
    """Read the ledger at `path`. Raises StoreError if there is none, or it is damaged or unreadable."""
    with reading(path) as connection:
        connection.execute("BEGIN")
        if is_new(connection):
            raise StoreError(f"{path} holds nothing yet")
        damage = Damage(connection)
        check_tables(path, connection, (META, *TABLES))
        stored = damage.documents()
        games, extras = _games(damage.intact(GAMES))
        probes = _probes([row[:-1] for row in damage.intact(PROBES)])
        answers = pd.DataFrame([row[:-1] for row in damage.intact(ANSWERS)], columns=list(ANSWER_COLUMNS))
        for _ in damage.intact(GRADES):
            pass
        if damage:
            raise StoreError(f"{path} is damaged ({damage}); {REMEDY}")
        check_columns(path, stored, COLUMNS)
        return Contents(
            stored_experiment(stored, path),
            run_info(stored, path),
            [(name, figures) for name, figures in stored[COMPLETE]] if COMPLETE in stored else None,
            tuple(stored.get(DISQUALIFIED, ())),
            stored.get(JUDGES, {}),
            games,
            pd.DataFrame(extras, columns=["game", "ply", "extra", "value"]),
            probes,
            answers.astype({"solved": bool}),
            _graded(connection),
            _grades(connection),
        )


def _games(rows: Iterator[tuple[Any, ...]]) -> tuple[pd.DataFrame, list[tuple[int, int, str, float]]]:
    """`Contents.games`, whose equal texts are one object, and the numbers of the players' own."""
    texts: dict[str | None, int] = {}
    parts: dict[str, list[Any]] = {name: [] for name in GAME_COLUMNS}
    extras: dict[int, bytes] = {}
    while batch := list(islice(rows, GAMES_AT_ONCE)):
        of_batch = dict(zip(GAMES.columns, zip(*batch, strict=True), strict=False))
        extras |= {game: data for game, data in zip(of_batch["game"], of_batch["extras"], strict=True) if data}
        for name in GAME_COLUMNS:
            values = of_batch[name]
            is_text = GAMES.columns[name] == "TEXT"
            numbers = [texts.setdefault(text, len(texts)) for text in values] if is_text else values
            parts[name].append(_numbers(name, numbers))
    every = pd.Series(list(texts)).array
    columns: dict[str, Any] = {}
    for name in GAME_COLUMNS:
        column = pd.concat([pd.Series(_numbers(name, ())), *map(pd.Series, parts.pop(name))], ignore_index=True)
        columns[name] = every.take(column.to_numpy()) if GAMES.columns[name] == "TEXT" else column
    milliseconds = (1000 * columns["began"]).round()
    columns["began"] = pd.to_datetime(milliseconds, unit="ms", utc=True).dt.as_unit("ms")
    return pd.DataFrame(columns), named_of(extras)


def _numbers(name: str, values: Sequence[Any]) -> Any:
    if name in _WHOLE_OR_NONE:
        return pd.array(values, dtype="Int64")
    return np.array(values, {"TEXT": np.int32, "INTEGER": np.int64, "REAL": np.float64}[GAMES.columns[name]])


def _probes(rows: Sequence[Sequence[Any]]) -> pd.DataFrame:
    probes = pd.DataFrame(rows, columns=list(PROBE_COLUMNS))
    probes["score"] = pd.array(probes["score"].to_numpy(dtype=float), dtype="Float64")
    probes["wins_in"] = whole(probes["wins_in"].to_numpy(dtype=np.int64))
    return probes


def _graded(connection: Connection) -> pd.DataFrame:
    names = ", ".join(f"grades.{name}" for name in GRADED_COLUMNS)
    rows = connection.execute(f"SELECT {names} {CURRENT} {ORDER}").fetchall()
    kinds = {"INTEGER": "Int64", "TEXT": "str", "REAL": "float64"}
    frame = pd.DataFrame(rows, columns=list(GRADED_COLUMNS))
    return frame.astype({name: kinds[GRADES.columns[name]] for name in GRADED_COLUMNS})


def _grades(connection: Connection) -> pd.DataFrame:
    query = f"SELECT grades.game, judge, endgame_pieces, count, grades {CURRENT} {ORDER}"
    rows = connection.execute(query).fetchall()
    game, judge, pieces, counts, parts = zip(*rows, strict=True) if rows else ((),) * 5
    by_tables = {one: most for one, by, most in zip(game, judge, pieces, strict=True) if by == TABLES_JUDGE}
    theirs = [0 if by == TABLES_JUDGE else by_tables.get(one, 0) for one, by in zip(game, judge, strict=True)]
    each = np.repeat(np.arange(len(rows)), np.array(counts, np.int64))
    found = unpacked_grades(parts, counts)
    of_game = {"game": np.array(game, np.int64)[each], "judge": pd.array(judge, dtype="str").take(each)}
    columns = {name: found[name] for name in found.dtype.names or ()}
    frame: pd.DataFrame = pd.DataFrame(of_game | columns | {"best_move": columns["best_move"].astype("U")})
    frame = frame[found["pieces"] > np.array(theirs, np.int64)[each]]
    erring = frame.pop("erring_moves").replace(0, np.nan)
    frame["chance_errors"] = erring / frame["legal_moves"]
    frame["chance_loss"] = frame.pop("lost_points").where(erring.notna()) / frame["legal_moves"]
    frame = frame.astype({"best_move": "str", "best_plies": "Int64", "played_plies": "Int64"})
    return frame.sort_values(["game", "ply"], kind="stable", ignore_index=True)


def whole(values: np.ndarray) -> Any:
    """Whole numbers, missing where they are 0."""
    return pd.arrays.IntegerArray(values.astype(np.int64), values == 0)
