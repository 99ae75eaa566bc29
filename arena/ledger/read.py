"""A run read back from its ledger: the typed experiment, and its games, moves, grades and answers as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from sqlite3 import Connection
from types import MappingProxyType
from typing import Any, NamedTuple, get_type_hints

import numpy as np
import pandas as pd

from arena.experiment.model import Experiment
from arena.ledger.info import RunInfo
from arena.ledger.ledger import (
    ANSWERS,
    CURRENT,
    DISQUALIFIED,
    FILE,
    GAME_COLUMNS,
    GAMES,
    GRADE_COLUMNS,
    GRADED_COLUMNS,
    GRADES,
    GRADES_ORDER,
    JUDGES,
    FinalOrder,
    run_info,
    stored_experiment,
)
from arena.ledger.moves import Moves, players_to_move
from arena.ledger.packing import GRADE_RECORD, named_of, unpacked_grades
from arena.ledger.record import TABLES_JUDGE, Failure, GameRecord, SuiteAnswer, failures_of
from arena.ledger.store import (
    COMPLETE,
    REMEDY,
    Damage,
    StoreError,
    is_new,
    reading,
)
from arena.rules.game import FORFEITS
from arena.rules.position import COLOURS
from arena.rules.result import NO_RESULT, Colour

GAMES_AT_ONCE = 5000
"""Games that are read at once."""
_WHOLE_OR_NONE = [name for name, kind in get_type_hints(GameRecord).items() if kind == int | None]
EXTRA_COLUMNS = ("game", "ply", "player", "extra", "value")


class RunData(NamedTuple):
    """Holds all of a ledger, of a run finished or not."""

    experiment: Experiment
    info: RunInfo
    order: FinalOrder | None
    """The final order of its format; None while the run is not complete."""
    games: pd.DataFrame
    """A row per finished game that counts, in the schedule's order: GAME_COLUMNS, `began` as a time in UTC."""
    moves: Callable[..., Iterator[pd.DataFrame]]
    """Reads a row per move of these games: game, ply (from 1), player, colour, move (its text), then MOVE_COLUMNS.

    With an argument, a `pd.Index` of games by their numbers, it reads only the moves of those.

    After `pieces` stands `phase`, one of PHASES; after `score` stands `score_men`, the score in men by what
    `info` says that a man is worth to the player, missing for certain wins and where that is not known. Where no
    win or loss is certain, `plies_to_win` is missing. Custom metrics follow, such as `extra_tokens`.

    In parts, at least one, that hold whole games, in their order.
    """
    disqualified: tuple[str, ...] = ()
    """The players of whom no game counts."""
    void_games: pd.DataFrame = pd.DataFrame(columns=list(GAME_COLUMNS))
    """Their games, with the result `*`."""
    grades: pd.DataFrame = pd.DataFrame(columns=list(GRADE_COLUMNS))
    """A row per graded decision of these games and judge: GRADE_COLUMNS, in the order of games, plies and judges.

    Values are the mover's. `judge` is "tables" or a player's name; what such a player found of positions that the
    tables have judged is left out, and so are decisions of the tables' positions in which no move can err.
    `best_move` is the played move where none is better. `best` and `played` are the points, 0 to 1, after the best
    and the played move: 0, 0.5 or 1 by tables; by another judge only of what it holds for certain, else missing,
    as they follow from `best_men` and `played_men`, its scores in men, which are missing where a value is certain.
    """
    graded: pd.DataFrame = pd.DataFrame(columns=list(GRADED_COLUMNS))
    """A row per graded game and judge: the fields of `arena.ledger.record.GradedGame` but for the grades."""
    documents: Mapping[str, Any] = MappingProxyType({})
    """What `Ledger.put` stored, by its keys."""
    answers: pd.DataFrame = pd.DataFrame(columns=list(SuiteAnswer._fields))
    """A row per position of a suite and player, a baseline among these, by suite and position.

    Columns are the fields of `arena.ledger.record.SuiteAnswer`.
    """
    extras: pd.DataFrame = pd.DataFrame(columns=list(EXTRA_COLUMNS))
    """A row per custom metric of a move: EXTRA_COLUMNS, `extra` being its name."""
    failures: tuple[Failure, ...] = ()
    """The failures by which games were lost, those that do not count among them, in the order of the games."""

    @property
    def judges(self) -> Mapping[str, Any]:
        """What is stored of each judge but the tables, by its name: `entry`, `files` (a hash of each)."""
        judges: Mapping[str, Any] = self.documents.get(JUDGES, {})
        return judges

    @property
    def first(self) -> Colour:
        """The colour that moves first."""
        return COLOURS[self.experiment.rule_set.first]


def read(folder: Path) -> RunData:
    """Read the ledger in a run's folder. Raises StoreError if there is none, or it is damaged or unreadable."""
    path = folder / FILE
    with reading(path) as connection:
        connection.execute("BEGIN")
        if is_new(connection):
            raise StoreError(f"{path} holds nothing yet")
        damage = Damage(connection)
        stored = damage.documents()
        every, numbers = _games(damage.intact(GAMES))
        answers = [row[:-1] for row in damage.intact(ANSWERS)]
        for _ in damage.intact(GRADES):
            pass
        if damage:
            raise StoreError(f"{path} is damaged ({damage}); {REMEDY}")
        graded, grades = _graded(connection), _grades(connection)
    experiment, info = stored_experiment(stored, path), run_info(stored, path)
    out = tuple(stored.get(DISQUALIFIED, ()))
    void = every["white"].isin(out) | every["black"].isin(out)
    games = every[~void].reset_index(drop=True) if void.any() else every
    names = pd.Index(pd.unique(pd.concat([games["white"], games["black"]])))
    extras: pd.DataFrame = pd.DataFrame(numbers, columns=["game", "ply", "extra", "value"])
    extras = _with_movers(extras, games, names)[list(EXTRA_COLUMNS)]
    grades, start = _with_movers(grades, games, names)[list(GRADE_COLUMNS)], pieces_at_start(experiment)
    return RunData(
        experiment=experiment,
        info=info,
        order=[(name, figures) for name, figures in stored[COMPLETE]] if COMPLETE in stored else None,
        games=games,
        moves=Moves(path, games, every[void], names, info.men, start, extras),
        disqualified=out,
        void_games=every[void].assign(result=NO_RESULT).reset_index(drop=True),
        grades=grades,
        graded=graded[graded["game"].isin(games["game"])].reset_index(drop=True),
        documents=MappingProxyType(stored),
        answers=_answers(answers, out),
        extras=extras,
        failures=tuple(failures_of(every[every["termination"].isin(FORFEITS)].to_dict("records"))),
    )


def pieces_at_start(experiment: Experiment) -> int:
    """Pieces on the board at the start of the rules."""
    start = experiment.rule_set.start
    return (start.white | start.black).bit_count()


def _games(rows: Iterator[tuple[Any, ...]]) -> tuple[pd.DataFrame, list[tuple[int, int, str, float]]]:
    """The games, void ones too, equal texts being one object, and the numbers of the players' own."""
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


def _answers(rows: Sequence[Any], disqualified: Sequence[str]) -> pd.DataFrame:
    """The answers to suites but for disqualified players, by suite, position and player."""
    answers = pd.DataFrame(rows, columns=list(SuiteAnswer._fields)).astype({"solved": bool})
    return answers[~answers["player"].isin(disqualified)].sort_values(
        ["suite", "position", "player"], kind="stable", ignore_index=True
    )


def _graded(connection: Connection) -> pd.DataFrame:
    names = ", ".join(f"grades.{name}" for name in GRADED_COLUMNS)
    rows = connection.execute(f"SELECT {names} {CURRENT} {GRADES_ORDER}").fetchall()
    kinds = {"INTEGER": "Int64", "TEXT": "str", "REAL": "float64"}
    frame = pd.DataFrame(rows, columns=list(GRADED_COLUMNS))
    return frame.astype({name: kinds[GRADES.columns[name]] for name in GRADED_COLUMNS})


def _grades(connection: Connection) -> pd.DataFrame:
    query = f"SELECT grades.game, judge, endgame_pieces, count, grades {CURRENT} {GRADES_ORDER}"
    rows = connection.execute(query).fetchall()
    game, judge, pieces, counts, parts = zip(*rows, strict=True) if rows else ((),) * 5
    by_tables = {n: most for n, by, most in zip(game, judge, pieces, strict=True) if by == TABLES_JUDGE}
    theirs = [0 if by == TABLES_JUDGE else by_tables.get(n, 0) for n, by in zip(game, judge, strict=True)]
    each = np.repeat(np.arange(len(rows)), np.array(counts, np.int64))
    grades = unpacked_grades(parts, counts)
    of_game = {"game": np.array(game, np.int64)[each], "judge": pd.array(judge, dtype="str").take(each)}
    columns = {name: grades[name] for name, _ in GRADE_RECORD}
    frame: pd.DataFrame = pd.DataFrame({**of_game, **columns, "best_move": grades["move"].astype("U")})
    frame = frame[frame["pieces"] > np.array(theirs, np.int64)[each]]
    return frame.astype({"best_move": "str"}).sort_values(["game", "ply"], kind="stable", ignore_index=True)


def _with_movers(table: pd.DataFrame, games: pd.DataFrame, names: pd.Index) -> pd.DataFrame:
    """The rows of these games, with the player, one of these names, and the colour to move at their plies."""
    place = pd.Index(games["game"]).get_indexer(pd.Index(table["game"]))
    table, place = table[place >= 0].reset_index(drop=True), place[place >= 0]
    player, colour = players_to_move(games, place, table["ply"].to_numpy(np.int64), names)
    return table.assign(player=player, colour=colour)
