"""A run read back from its ledger: the typed experiment, and its games, moves, answers and grades as tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, starmap
from pathlib import Path
from sqlite3 import Connection
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, get_type_hints

import numpy as np
import pandas as pd

from arena.experiment.formats.base import ScheduledGame
from arena.experiment.model import Experiment
from arena.experiment.schedule import Result, Schedule
from arena.ledger.info import RunInfo
from arena.ledger.ledger import (
    ANSWERS,
    CHECKSUM,
    FILE,
    GAMES,
    GRADES,
    JUDGES,
    Table,
    checksum,
    documents,
    reading,
    run_of,
)
from arena.ledger.moves import Moves, players_to_move
from arena.ledger.packing import named_of
from arena.ledger.record import (
    ID_DIGITS,
    TABLES_JUDGE,
    Failure,
    GameRecord,
    Grade,
    GradedGame,
    failures_of,
    short_id,
)
from arena.rules.game import FORFEITS
from arena.rules.position import COLOURS
from arena.rules.result import NO_RESULT, Colour

GAMES_AT_ONCE = 5000
"""Games that are read at once."""
GAME_COLUMNS = (
    "key", "game", "id", "pair", "round", "white", "black", "opening",
    *(name for name, kind in GAMES.columns.items() if kind != "BLOB" and name not in ("key", "white", "black")),
)  # fmt: skip
"""The columns of `RunData.games`: numbers count from 1, `began` is a time in UTC."""
EXTRA_COLUMNS = ("game", "ply", "player", "extra", "value")
ANSWER_COLUMNS = tuple(name for name in ANSWERS.columns if name != "hash")
GRADED_COLUMNS = ("game", "judge", "endgame_pieces", "white_decisions", "black_decisions")
GRADE_COLUMNS = ("game", "ply", "player", "colour", "judge", *Grade._fields[1:])
_BLOBS = [name for name, kind in GAMES.columns.items() if kind == "BLOB"]
_TEXTS = [name for name, kind in GAMES.columns.items() if kind == "TEXT"]
_TYPES = {"INT": "int64", "REAL": "float64", "TEXT": "object", "BLOB": "object"}
_TYPE_OF = {name: _TYPES[kind] for name, kind in GAMES.columns.items()}
_TYPE_OF |= {name: "Int64" for name, kind in get_type_hints(GameRecord).items() if kind == int | None}

FinalOrder: TypeAlias = Sequence[tuple[str, Mapping[str, float | str]]]
"""Players, best first, with what their places rest on, by columns of `standings.csv`."""


class RunData(NamedTuple):
    """Holds all of a ledger, of a run finished or not."""

    experiment: Experiment
    info: RunInfo
    order: FinalOrder | None
    """The final order of its format, empty where the rating decides; None while games are missing."""
    games: pd.DataFrame
    """A row per game that the schedule asks for and that counts, in its order: GAME_COLUMNS."""
    moves: Callable[..., Iterator[pd.DataFrame]]
    """Reads a row per move of these games: game, ply (from 1), player, colour, move (its text), then MOVE_COLUMNS.

    With an argument, a `pd.Index` of games by their numbers, it reads only the moves of those.

    After `score` stands `score_men`, the score over what `info` says that a man is worth to the player, missing
    for certain wins and where that is not known. `plies_to_win` is missing where no win or loss is certain. Custom
    metrics follow, such as `extra_tokens`. In parts, at least one, that hold whole games, in their order.
    """
    withdrawn: Mapping[str, str]
    """Why players are withdrawn, by name: their games count for nobody."""
    void_games: pd.DataFrame
    """Their games, as `games`, with the result NO_RESULT."""
    grades: pd.DataFrame
    """A row per graded decision of these games and judge: GRADE_COLUMNS, in the order of games, plies and judges.

    Values are the mover's. `judge` is "tables" or a player's name; what such a player found of positions that the
    tables have judged is left out, and so are decisions of the tables' positions in which no move can err.
    `best_move` is the played move where none is better. `best` and `played` are the points, 0 to 1, after the best
    and the played move: 0, 0.5 or 1 by tables; by another judge only of what it holds for certain, else missing,
    as they follow from `best_men` and `played_men`, its scores in men, which are missing where a value is certain.
    """
    graded: pd.DataFrame
    """A row per graded game and judge: the fields of `arena.ledger.record.GradedGame` but for the grades."""
    documents: Mapping[str, Any] = MappingProxyType({})
    """What `Ledger.put` stored, by its keys."""
    answers: pd.DataFrame = pd.DataFrame(columns=list(ANSWER_COLUMNS))
    """A row per position of a suite and player, a baseline among these: ANSWER_COLUMNS, by suite and position."""
    extras: pd.DataFrame = pd.DataFrame(columns=list(EXTRA_COLUMNS))
    """A row per custom metric of a move: EXTRA_COLUMNS, `extra` being its name."""
    failures: tuple[Failure, ...] = ()
    """The failures by which games were lost, those of `void_games` among them, in the order of the games."""
    damaged: int = 0
    """Games whose rows are damaged: they count as missing."""

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
        stored = documents(path, connection)
        experiment, info = run_of(path, stored)
        every, extras, damaged = _games(connection)
        answers = pd.DataFrame(_intact(connection, ANSWERS), columns=list(ANSWERS.columns))
        rows = _graded(connection)
    columns = (every[name].tolist() for name in ("key", "result", "termination", "white", "black"))
    results = {key: Result.of(*how) for key, *how in zip(*columns, strict=True)}
    schedule = Schedule(experiment, info.players, info.openings, results)
    every = _numbered(every, schedule.asked())
    out = schedule.withdrawn
    is_void = every["white"].isin(out) | every["black"].isin(out)
    games = every[~is_void].reset_index(drop=True)
    names = pd.Index(pd.unique(pd.concat([games["white"], games["black"]])))
    numbers = pd.Series(every["game"].to_numpy(), every["key"].to_numpy())
    extras = _with_movers(_of_games(extras, numbers), games, names)[list(EXTRA_COLUMNS)]
    metrics = extras.pivot(index=["game", "ply"], columns="extra", values="value").rename_axis(columns=None)
    order = schedule.order
    grades = _with_movers(_of_games(_grades(rows), numbers), games, names)
    graded = pd.DataFrame(rows, columns=list(GradedGame._fields)).astype({"judge": "str"})
    return RunData(
        experiment=experiment,
        info=info,
        order=None if order is None else [(schedule.names[place.player], place.figures) for place in order],
        games=games,
        moves=Moves(path, games, every[is_void], names, info.men, metrics.add_prefix("extra_").astype("Float64")),
        withdrawn=out,
        void_games=every[is_void].assign(result=NO_RESULT).reset_index(drop=True),
        grades=grades[list(GRADE_COLUMNS)],
        graded=_of_games(graded, numbers)[list(GRADED_COLUMNS)],
        documents=MappingProxyType(stored),
        answers=answers[~answers["player"].isin(out)]
        .astype({"solved": "boolean"})
        .sort_values(["suite", "position", "player"], kind="stable", ignore_index=True)[list(ANSWER_COLUMNS)],
        extras=extras,
        failures=tuple(failures_of(every[every["termination"].isin(FORFEITS)].to_dict("records"))),
        damaged=damaged,
    )


def _numbered(stored: pd.DataFrame, asked: Sequence[ScheduledGame]) -> pd.DataFrame:
    """The games that are asked for, in the schedule's order, with their numbers there and their ids."""
    known = [(game.key, game.game, game.pair, game.round, game.opening + 1) for game in asked]
    numbers = np.array(known, np.int64).reshape(len(known), 5).T
    place = pd.Index(stored["key"]).get_indexer(pd.Index(numbers[0]))
    columns = dict(zip(("game", "pair", "round", "opening"), numbers[1:], strict=True))
    games = stored.take(place).reset_index(drop=True).assign(**columns)
    return games.assign(id=ids(games["key"]))[list(GAME_COLUMNS)]


def ids(keys: pd.Series) -> Any:
    """Short names of games: their `short_id`, of more digits where games share these."""
    found: pd.Series = keys.map(short_id).astype("str")
    for digits in range(ID_DIGITS + 1, 17):
        if not (is_shared := found.duplicated(keep=False)).any():
            break
        found = found.where(~is_shared, keys.map(partial(short_id, digits=digits)).astype("str"))
    return found


def _intact(connection: Connection, table: Table) -> Iterator[tuple[Any, ...]]:
    """The rows of a table that have their checksum, without it."""
    for _, *row, mark in connection.execute(table.query):
        if checksum(row) == mark:
            yield tuple(row)


def _games(connection: Connection) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """All stored games, equal texts being one object; the players' own metrics; how many games are damaged."""
    texts, extras = dict[str, str](), dict[int, bytes]()
    intact = _intact(connection, GAMES)

    def part() -> pd.DataFrame:
        rows = list(islice(intact, GAMES_AT_ONCE))
        frame = pd.DataFrame(rows or None, columns=list(GAMES.columns)).astype(_TYPE_OF)
        extras.update((key, data) for key, data in zip(frame["key"], frame["extras"], strict=True) if data)
        for name in _TEXTS:
            frame[name] = pd.Series([texts.setdefault(text, text) for text in frame[name]], dtype=object)
        return frame.drop(columns=_BLOBS)

    frames = [part()]
    while len(frames[-1]):
        frames.append(part())
    games = pd.concat(frames, ignore_index=True)
    began = pd.to_datetime((1000 * games["began"]).round(), unit="ms", utc=True).dt.as_unit("ms")
    [stored] = connection.execute("SELECT COUNT(*) FROM games").fetchone()
    metrics = pd.DataFrame(named_of(extras), columns=["key", "ply", "extra", "value"])
    return games.assign(began=began), metrics, stored - len(games)


def _graded(connection: Connection) -> list[GradedGame]:
    """The grades of games as they are stored now."""
    marks = dict(connection.execute(f"SELECT key, {CHECKSUM} FROM games"))
    rows = starmap(GradedGame, _intact(connection, GRADES))
    return [row for row in rows if marks.get(row.key) == row.graded]


def _grades(rows: Sequence[GradedGame]) -> pd.DataFrame:
    by_tables = {row.key: row.endgame_pieces for row in rows if row.judge == TABLES_JUDGE}
    grades = [
        (row.key, row.judge, *grade)
        for row in rows
        for grade in starmap(Grade, json.loads(row.grades))
        if row.judge == TABLES_JUDGE or grade.pieces > by_tables.get(row.key, 0)
    ]
    frame = pd.DataFrame(grades, columns=["key", "judge", *Grade._fields])
    types = {"key": "int64", "judge": "str", "ply": "int64", "pieces": "int64", "best_move": "str"}
    return frame.astype(types | dict.fromkeys(("best", "played", "best_men", "played_men"), "float64"))


def _of_games(table: pd.DataFrame, numbers: pd.Series) -> pd.DataFrame:
    """The rows of games that are asked for, with their numbers, in the order of games, plies and judges."""
    game = table["key"].map(numbers)
    table = table.assign(game=game)[game.notna()].astype({"game": np.int64})
    table = table.assign(is_players=table["judge"] != TABLES_JUDGE) if "judge" in table else table
    order = [name for name in ("game", "ply", "is_players", "judge") if name in table]
    return table.sort_values(order, kind="stable", ignore_index=True)


def _with_movers(table: pd.DataFrame, games: pd.DataFrame, names: pd.Index) -> pd.DataFrame:
    """The rows of these games, with the player, one of these names, and the colour to move at their plies."""
    place = pd.Index(games["game"]).get_indexer(pd.Index(table["game"]))
    table, place = table[place >= 0].reset_index(drop=True), place[place >= 0]
    player, colour = players_to_move(games, place, table["ply"].to_numpy(np.int64), names)
    return table.assign(player=player, colour=colour)
