"""A run read back from its ledger: the typed experiment, and its games, moves, answers and grades as tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise, starmap
from pathlib import Path
from sqlite3 import Connection
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, get_type_hints

import numpy as np
import pandas as pd

from arena.experiment.model import Experiment
from arena.experiment.schedule import Result, Schedule
from arena.ledger.info import Entrant, RunInfo
from arena.ledger.ledger import (
    ANSWERS,
    CHECKSUM,
    FILE,
    GAMES,
    GRADES,
    JUDGES,
    StoreError,
    Table,
    checksum,
    documents,
    reading,
    run_of,
)
from arena.ledger.record import (
    ID_DIGITS,
    MOVE_COLUMNS,
    TABLES_JUDGE,
    Failure,
    GameRecord,
    Grade,
    GradedGame,
    failures_of,
    named_of,
    short_id,
    unpacked,
)
from arena.rules.game import FORFEITS
from arena.rules.position import COLOURS
from arena.rules.result import MOST_MEN, NO_RESULT, Colour

GAMES_AT_ONCE, PLIES_AT_ONCE = 5000, 250_000
"""Games that are read at once, and plies of a part of the moves, about."""
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

_GRADE_TYPES = {"key": "int64", "judge": "str", "ply": "int64", "pieces": "int64", "best_move": "str"}
_GRADE_TYPES |= dict.fromkeys(("best", "played", "best_men", "played_men"), "float64")

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
        every, extras = _games(connection)
        [stored_games] = connection.execute("SELECT COUNT(*) FROM games").fetchone()
        damaged = stored_games - len(every)
        answers = pd.DataFrame(_intact(connection, ANSWERS), columns=list(ANSWERS.columns))
        marks = dict(connection.execute(f"SELECT key, {CHECKSUM} FROM games"))  # of the games as they are now
        rows = [
            row for row in starmap(GradedGame, _intact(connection, GRADES)) if marks.get(row.key) == row.graded
        ]
    columns = (every[name].tolist() for name in ("key", "result", "termination", "white", "black"))
    results = {key: Result.of(*how) for key, *how in zip(*columns, strict=True)}
    schedule = Schedule(experiment, info.hashes, info.openings, results)
    known = [(game.key, game.game, game.pair, game.round, game.opening + 1) for game in schedule.asked()]
    places = np.array(known, np.int64).reshape(len(known), 5).T
    every = every.take(pd.Index(every["key"]).get_indexer(pd.Index(places[0]))).reset_index(drop=True)
    every = every.assign(**dict(zip(("game", "pair", "round", "opening"), places[1:], strict=True)))
    every = every.assign(id=ids(every["key"]))[list(GAME_COLUMNS)]
    out = schedule.withdrawn
    is_void = every["white"].isin(out) | every["black"].isin(out)
    games = every[~is_void].reset_index(drop=True)
    names = pd.Index(pd.unique(pd.concat([games["white"], games["black"]])))
    numbers = pd.Series(every["game"].to_numpy(), every["key"].to_numpy())
    extras = _with_movers(_of_games(extras, numbers), games, names)[list(EXTRA_COLUMNS)]
    metrics = extras.pivot(index=["game", "ply"], columns="extra", values="value").rename_axis(columns=None)
    metrics = metrics.add_prefix("extra_").astype("Float64")
    order = schedule.order
    by_tables = {row.key: row.endgame_pieces for row in rows if row.judge == TABLES_JUDGE}
    each = (
        (row.key, row.judge, *grade)
        for row in rows
        for grade in starmap(Grade, json.loads(row.grades))
        if row.judge == TABLES_JUDGE or grade.pieces > by_tables.get(row.key, 0)
    )
    grades = pd.DataFrame(each, columns=["key", "judge", *Grade._fields]).astype(_GRADE_TYPES)
    grades = _with_movers(_of_games(grades, numbers), games, names)
    graded = pd.DataFrame(rows, columns=list(GradedGame._fields)).astype({"judge": "str"})
    return RunData(
        experiment=experiment,
        info=info,
        order=None if order is None else [(schedule.names[place.player], place.figures) for place in order],
        games=games,
        moves=Moves(path, games, every[is_void], names, info.players, metrics),
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


def _games(connection: Connection) -> tuple[pd.DataFrame, pd.DataFrame]:
    """All stored games, equal texts being one object, and the players' own metrics."""
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
    metrics = pd.DataFrame(named_of(extras), columns=["key", "ply", "extra", "value"])
    return games.assign(began=began), metrics


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
    player, colour = _players_to_move(games, place, table["ply"].to_numpy(np.int64), names)
    return table.assign(player=player, colour=colour)


@dataclass(frozen=True)
class Moves:
    """Reads a row per move of some games: the columns of `RunData.moves`."""

    path: Path
    """Of the ledger."""
    games: pd.DataFrame
    void: pd.DataFrame
    """Games that do not count, whose moves are read when they are asked for."""
    names: pd.Index
    """The players' names in the order of their categories."""
    players: Mapping[str, Entrant]
    extras: pd.DataFrame
    """The custom metrics by game and ply: a column `extra_<name>` each."""

    def __call__(self, chosen: pd.Index | None = None) -> Iterator[pd.DataFrame]:
        """Read the moves of all games, or of the games with chosen numbers, in parts of some PLIES_AT_ONCE.

        Raises StoreError if the ledger does not hold one of the games any more.
        """
        games = self.games
        if chosen is not None:
            every = pd.concat([games, self.void]) if len(self.void) else games
            games = every[every["game"].isin(chosen)]
        part = games["plies"].to_numpy(dtype=np.int64).cumsum() // PLIES_AT_ONCE
        bounds = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(games)]
        with reading(self.path) as connection:
            for first, last in pairwise(bounds):
                yield self._part(connection, games.iloc[first:last])

    def _part(self, connection: Connection, games: pd.DataFrame) -> pd.DataFrame:
        keys = games["key"].tolist()
        query = "SELECT key, moves FROM games WHERE key IN (SELECT value FROM json_each(?))"
        stored = dict(connection.execute(query, (json.dumps(keys),)))
        if not stored.keys() >= set(keys):
            raise StoreError(f"{self.path} has lost games while it was read: read it again")
        plies = games["plies"].to_numpy(dtype=np.int64)
        columns = unpacked([stored[key] for key in keys], plies.tolist())
        texts, text = np.unique(columns["move"], return_inverse=True)
        place = np.repeat(np.arange(len(games)), plies)  # of each move's game
        ply = np.arange(len(place)) - np.repeat(np.cumsum(plies) - plies, plies) + 1
        player, colour = _players_to_move(games, place, ply, self.names)
        certain = columns["plies_to_win"]
        moves: dict[str, Any] = {
            "game": games["game"].to_numpy(dtype=np.int64)[place],
            "ply": ply,
            "player": player,
            "colour": colour,
            "move": pd.array(texts.astype(str), dtype="str").take(text),
            **{name: np.ascontiguousarray(columns[name]) for name, _ in MOVE_COLUMNS},
            "plies_to_win": pd.arrays.IntegerArray(certain.astype(np.int64), certain == 0),
        }
        for name in ("score", "cpu_seconds", "clock", "overrun", "pondered_seconds"):
            moves[name] = pd.array(columns[name], dtype="Float64")
        table = pd.DataFrame(moves, copy=False)
        # the last is of a mover who is withdrawn, whose code is -1
        men = np.array([*(self.players[name].man_value or np.nan for name in self.names), np.nan], float)
        in_men = np.where(certain == 0, columns["score"] / men[player.codes], np.nan)
        scores: Any = pd.array(np.where(np.abs(in_men) <= MOST_MEN, in_men, np.nan), dtype="Float64")
        table.insert(list(table).index("score") + 1, "score_men", scores)
        return table.join(self.extras, on=["game", "ply"]) if len(self.extras) else table


def _players_to_move(games: pd.DataFrame, rows: np.ndarray, plies: np.ndarray, names: pd.Index) -> tuple[Any, Any]:
    """The players to move, of these names, and their colours at plies of the games in these rows."""
    black_first = games["opening_fen"].str.startswith("B").to_numpy(dtype=bool)[rows]
    black = (plies % 2 == 1) == black_first
    white_code, black_code = (names.get_indexer(pd.Index(games[side]))[rows] for side in ("white", "black"))
    player = pd.Categorical.from_codes(np.where(black, black_code, white_code), names)
    return player, pd.Categorical.from_codes(black.astype(int), pd.Index(["white", "black"]))
