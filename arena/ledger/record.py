"""Games, answers and grades as workers return them and the ledger stores them; moves are packed numpy records."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import nan
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from arena.experiment.schedule import Result
from arena.rules.game import Termination

Fields: TypeAlias = Sequence[tuple[str, str]]
"""Names and numpy types of the fields of a record."""

MOVE_COLUMNS: Fields = (
    ("legal_moves", "i4"),
    ("pieces", "i2"),
    ("depth", "i4"),
    ("deepest", "i4"),
    ("nodes", "i8"),
    ("leaves", "i8"),
    ("seconds", "f8"),
    ("cpu_seconds", "f8"),
    ("score", "f8"),
    ("plies_to_win", "i2"),
    ("cutoffs_max", "i8"),
    ("cutoffs_min", "i8"),
    ("cutoffs_first", "i8"),
    ("tt_probes", "i8"),
    ("tt_hits", "i8"),
    ("clock", "f8"),
    ("overrun", "f8"),
    ("pondered_seconds", "f8"),
)
"""Names and numpy types of what is recorded for a move, besides its text.

`pieces` are on the board before the move. `seconds` is the wall time of the answer, `cpu_seconds` the player's own
processor time, nan if it is not known, `pondered_seconds` what it used in its opponent's time before, nan unless
it is in a process of its own; `score` is nan where there is none. `clock` is the seconds that the player's clock
shows after the move, `overrun` by how many seconds it took longer than it might, nan without a limit of time.
"""
_SECONDS = ("seconds", "cpu_seconds", "clock", "overrun", "pondered_seconds")
MOVE_RECORD: Fields = tuple((name, "i8" if name in _SECONDS else kind) for name, kind in MOVE_COLUMNS)
"""MOVE_COLUMNS as they are stored: seconds as nanoseconds plus 1, 0 for nan."""
_COMPRESSION = 1
"""Of zlib: a higher level takes longer than a game of random players has left."""
NO_MOVES = zlib.compress(b"", _COMPRESSION)
"""The moves of a game without any."""

MEASURED = (
    *("began", "worker", "machine", "seconds", "cpu_seconds"),
    *("clock", "overrun", "extra_said_ms", "pondered_seconds"),
)
"""Columns of games, moves and searches that tell when, where and how fast: no run repeats them.

All others are the same whenever the same configuration is played, but for players with a time limit.
"""
TABLES_JUDGE = "tables"
"""The judge of the positions that the endgame tables have."""


class Failure(NamedTuple):
    """A player's failure, by which it lost a game."""

    game: int
    id: str
    player: str
    kind: Termination
    """One of FORFEITS."""
    ply: int
    """The half-move that failed, from 1."""
    detail: str = ""
    """What the record says after the player's name; empty where that is not to be shown."""
    traceback: str = ""
    """The lines where the player's code raised, if it did."""
    output: str = ""
    """The player's last output, if it has its own process."""

    @property
    def words(self) -> str:
        """What happened, in words that go on after the player's name."""
        return self.detail or f"{_FAILED[self.kind]} at ply {self.ply}"


_FAILED = {
    Termination.TIME: "lost on time",
    Termination.ILLEGAL_MOVE: "did not return a legal move",
    Termination.ERROR: "failed by an error",
}


def failures_of(games: Iterable[Mapping[Any, Any]]) -> Iterator[Failure]:
    """The failures by which games were lost, rows of `arena.ledger.read.GAME_COLUMNS`."""
    for game in games:
        how = game["result"], game["termination"], str(game["white"]), str(game["black"])
        if player := Result.of(*how).failed:
            detail, kind = game["error"].removeprefix(f"{player} "), Termination(game["termination"])
            printed = str(game["traceback"]), str(game["output"])
            # the last half-move if the player made it, too late, else the next one
            plies, first_mover = int(game["plies"]), "white" if game["opening_fen"].startswith("W") else "black"
            is_last = plies > 0 and (player == game[first_mover]) == (plies % 2 == 1)
            yield Failure(game["game"], game["id"], player, kind, plies + (not is_last), detail, *printed)


def moves_of(moves: np.ndarray, opening_fen: str, *, is_white: bool) -> np.ndarray:
    """Of the moves of a game from an opening, one after the other, those of White or of Black."""
    return moves[0 if opening_fen.startswith("W") == is_white else 1 :: 2]


ID_DIGITS = 6
"""Of the names of games, at least."""


def short_id(key: int, digits: int = ID_DIGITS) -> str:
    """The last hex digits of a game's key, by which people know it."""
    return f"{key:016x}"[-digits:]


class GameRecord(NamedTuple):
    """A finished game: a row of the ledger, and what is kept beside it."""

    key: int
    """`arena.experiment.schedule.Keys`."""
    white: str
    black: str
    opening_fen: str
    time: int
    """For which time its players play the opening with these colours, from 0."""
    result: str
    """One of `arena.rules.result.RESULTS`."""
    termination: str
    """A value of `arena.rules.game.Termination`."""
    white_points: int | None = None
    """White's and Black's points, where they decided the game."""
    black_points: int | None = None
    plies: int = 0
    seconds: float = 0.0
    """Wall time of the whole game."""
    cpu_seconds: float = nan
    """Processor time of both players' moves."""
    began: float = nan
    """When it was begun, in seconds since 1970."""
    worker: int | None = None
    """Number of the process that played it, on its machine."""
    machine: str = ""
    error: str = ""
    """Why a game was lost by a player's fault."""
    traceback: str = ""
    """The lines of that player's code that raised, if it did."""
    output: str = ""
    """That player's last output, if it has its own process."""
    line: int = 0
    """A number that games of the same opening and moves share: `arena.experiment.schedule.number_of` them."""
    extras: bytes | None = None
    """Custom metrics of the players, packed by `named`; None where there are none."""
    moves: bytes = NO_MOVES
    """Packed by `packed`."""
    logs: tuple[str, str] = ("", "")
    """What was said by White's and Black's programs, and to them, where their entries have `log: true`."""

    @property
    def id(self) -> str:
        """By which people know it."""
        return short_id(self.key)

    @property
    def failed(self) -> str:
        """Who failed in it; "" for nobody."""
        return Result.of(self.result, self.termination, self.white, self.black).failed

    def table(self) -> np.ndarray:
        """The moves, a record each: `move`, the text as bytes, and MOVE_COLUMNS."""
        return unpacked([self.moves], [self.plies])


class SuiteAnswer(NamedTuple):
    """One player's answer to one position of a suite."""

    suite: str
    position: int
    """Number of the position in its suite, from 1."""
    fen: str
    player: str
    legal_moves: int
    best_moves: int
    best: str
    """The moves that solve the position; "" for one of a suite without solutions."""
    move: str
    """"" where the player failed."""
    solved: bool
    depth: int
    nodes: int
    seconds: float
    """Wall time."""
    cpu_seconds: float
    error: str
    hash: str
    """Of the player's settings and files."""


class Grade(NamedTuple):
    """The grade of one decision: a move in a position of more than one legal move; values are the mover's.

    A decision that cannot err, in the tables' positions, has no grade: it is only counted.
    """

    ply: int
    """From 1."""
    pieces: int
    """On the board before the move."""
    best_move: str
    """As `moves.csv` has it: the played move where none is better."""
    best: float | None
    """Points, 0 to 1, with best play after the best move; None where the judge has only a score in men."""
    played: float | None
    """The same after the played move."""
    best_men: float | None = None
    """The judge's score in men after the best move; None of a certain value."""
    played_men: float | None = None
    """The same after the played move."""


class GradedGame(NamedTuple):
    """The grades of a game by one judge: a row of the ledger."""

    key: int
    judge: str
    """TABLES_JUDGE or the name of a player."""
    graded: int
    """The checksum of the game's row: grades of another one do not count."""
    endgame_pieces: int
    """Most pieces of a position that the tables judged; 0 if none took part."""
    white_decisions: int
    """Those of White that the judge has looked at, also if they cannot err."""
    black_decisions: int
    grades: str
    """A JSON array of each `Grade`."""


def packed(columns: Mapping[str, Sequence[Any]]) -> tuple[int, bytes]:
    """The number of a game's moves, and the moves as the ledger stores them.

    `columns` has MOVE_COLUMNS by name, and `move`, the texts, with a value for each move; empty without moves.
    None is nan. Seconds are stored to a nanosecond, all else exactly. The first bytes of all records come first,
    then the second ones and so on: equal bytes, mostly zeros, are together and compress well ("shuffle" of HDF5).
    """
    if not columns:
        return 0, NO_MOVES
    seconds = np.array([columns[name] for name in _SECONDS], np.float64)
    nanoseconds = np.where(np.isnan(seconds), 0, np.rint(seconds * 1e9) + 1)
    words = np.array(columns["move"], bytes)
    table = np.empty(len(words), [*MOVE_RECORD, ("move", words.dtype)])
    values = {**columns, "move": words, **dict(zip(_SECONDS, nanoseconds, strict=True))}
    for name in table.dtype.names or ():
        table[name] = values[name]
    return len(words), zlib.compress(_octets(table).T.tobytes(), _COMPRESSION)


def unpacked(moves: Sequence[bytes], plies: Sequence[int]) -> np.ndarray:
    """The moves of many games, game after game, as records: `move`, the text as bytes, then MOVE_COLUMNS.

    `moves` and `plies` are what `packed` gave for each game.
    """
    planes = [
        np.frombuffer(zlib.decompress(game), np.uint8).reshape(-1, count)
        for game, count in zip(moves, plies, strict=True)
        if count
    ]
    numbers = np.dtype([*MOVE_RECORD]).itemsize
    longest = max((len(game) for game in planes), default=numbers + 1) - numbers
    records = np.zeros(sum(plies), [*MOVE_RECORD, ("move", f"S{longest}")])
    octets, end = _octets(records), 0
    for game in planes:
        start, end = end, end + game.shape[1]
        octets[start:end, : len(game)] = game.T
    table = np.empty(len(records), [("move", f"S{longest}"), *MOVE_COLUMNS])
    for name in table.dtype.names or ():
        column = records[name]
        table[name] = np.where(column, (column - 1) / 1e9, np.nan) if name in _SECONDS else column
    return table


def _octets(table: np.ndarray) -> np.ndarray:
    """The bytes of each record, uint8[n, bytes of a record], in the same memory."""
    return table.view(np.uint8).reshape(len(table), table.itemsize)


def named(rows: Sequence[Mapping[str, float] | None]) -> bytes | None:
    """Numbers by name of each of a game's moves as a BLOB; None where no move has any."""
    names = dict.fromkeys(name for row in rows if row for name in row)
    if not names:
        return None
    columns = {name: [row.get(name) if row else None for row in rows] for name in names}
    return zlib.compress(json.dumps(columns).encode())


def named_of(games: Mapping[int, bytes]) -> list[tuple[int, int, str, float]]:
    """The numbers of games by what `named` gave for each: game, ply (from 1), name and value of each number."""
    return [
        (game, ply, name, value)
        for game, data in games.items()
        for name, values in json.loads(zlib.decompress(data)).items()
        for ply, value in enumerate(values, start=1)
        if value is not None
    ]
