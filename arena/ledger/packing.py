"""How the moves and grades of a game are stored: records of numpy, compressed, and what they hold."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from players.player import EFFORT, Choice

_SIZES = {"depth": "i4", "deepest": "i4"}
_COUNTED = [(name, _SIZES.get(name, "i8")) for name in EFFORT]
_SEEN = EFFORT.index("leaves") + 1

_TIMED = (("seconds", "f8"), ("cpu_seconds", "f8"))
_VALUED = (("score", "f8"), ("plies_to_win", "i2"))
SEARCH_COLUMNS = (*_COUNTED[:_SEEN], *_TIMED, *_VALUED, *_COUNTED[_SEEN:])
"""Names and numpy types of what is recorded of a search, in a game or in a probe.

`seconds` is the wall time of the answer, `cpu_seconds` the player's own processor time, nan if it is not known;
`score` is nan where there is none; the rest are fields of `players.player.Choice`.
"""
MOVE_COLUMNS = (
    ("legal_moves", "i4"),
    ("pieces", "i2"),
    *SEARCH_COLUMNS,
    ("clock", "f8"),
    ("overrun", "f8"),
    ("pondered_seconds", "f8"),
)
"""Names and numpy types of what is recorded for a move, besides its text.

`pieces` are on the board before the move. `clock` is the seconds that the player's clock shows after the move,
`overrun` by how many seconds the move took longer than it might. They are nan where there is no clock or no time
limit. `pondered_seconds` is the processor time that the player used in its opponent's time before the move, nan
unless it is in a process of its own.
"""
_SECONDS = ("seconds", "cpu_seconds", "clock", "overrun", "pondered_seconds")
_SCORE = "score"
_COUNTS = tuple(name for name, _ in MOVE_COLUMNS if name not in (*_SECONDS, _SCORE))
MOVE_RECORD = (*((name, "i8") for name in (*_COUNTS, *_SECONDS)), (_SCORE, "f8"))
"""MOVE_COLUMNS as they are stored, in order and type; seconds as nanoseconds plus 1, 0 for nan."""
GRADE_RECORD = (
    *(("ply", "i8"), ("pieces", "i8"), ("legal_moves", "i8"), ("best", "f8"), ("played", "f8")),
    *(("erring_moves", "i8"), ("lost_points", "f8"), ("best_plies", "f8"), ("played_plies", "f8")),
    *(("best_men", "f8"), ("played_men", "f8")),
)
"""Names and numpy types of what is stored for a grade, besides the best move: nan where a value is missing."""
_MEN_DECIMALS = 3
_COMPRESSION = 1
"""Of zlib: a higher level takes longer than a game of random players has left."""


def packed(columns: Sequence[Sequence[Any]]) -> tuple[int, bytes]:
    """The number of a game's moves, and the moves as the ledger keeps them: `_shuffled` rows.

    `columns` are the moves' texts and MOVE_COLUMNS, a value for each move; none at all if there are no moves.
    None is nan. Seconds are kept to a nanosecond, all else exactly.
    """
    texts, *values = columns or [[], *([] for _ in MOVE_COLUMNS)]
    by_name = {name: column for (name, _), column in zip(MOVE_COLUMNS, values, strict=True)}
    counts = np.array([by_name[name] for name in _COUNTS], np.int64)
    nanoseconds = np.rint(np.array([by_name[name] for name in _SECONDS], np.float64) * 1e9) + 1
    nanoseconds[np.isnan(nanoseconds)] = 0
    score = np.array([by_name[_SCORE]], np.float64).view(np.int64)
    return len(texts), _shuffled(np.concatenate([counts, nanoseconds.astype(np.int64), score]), texts)


def unpacked(moves: Sequence[bytes], plies: Sequence[int]) -> dict[str, np.ndarray]:
    """The columns of many games' moves, game after game: `move`, the text as bytes, then MOVE_COLUMNS.

    `moves` and `plies` are what `packed` gave for each game.
    """
    rows, texts = _unshuffled(moves, plies, len(MOVE_RECORD))
    columns = {name: row.view(kind) for (name, kind), row in zip(MOVE_RECORD, rows, strict=True)}
    for name in _SECONDS:
        columns[name] = np.where(columns[name], (columns[name] - 1) / 1e9, np.nan)
    return {"move": texts, **{name: columns[name].astype(kind, copy=False) for name, kind in MOVE_COLUMNS}}


def packed_grades(grades: Sequence[Any]) -> bytes:
    """Grades, each an `arena.ledger.record.Grade`, as the ledger keeps them."""
    columns = {field: np.array([getattr(grade, field[0]) for grade in grades], field[1]) for field in GRADE_RECORD}
    for field in GRADE_RECORD:
        if field[0].endswith("_men"):
            columns[field] = columns[field].round(_MEN_DECIMALS)
    rows = np.stack([column.view(np.int64) for column in columns.values()])
    return _shuffled(rows, [grade.best_move for grade in grades])


def unpacked_grades(parts: Sequence[bytes], counts: Sequence[int]) -> dict[str, np.ndarray]:
    """The grades of many games, by what `packed_grades` gave and how many there are in each.

    The columns are fields of `arena.ledger.record.Grade`, `best_move` as bytes; nan is a missing value.
    """
    rows, texts = _unshuffled(parts, counts, len(GRADE_RECORD))
    columns = {name: row.view(kind) for (name, kind), row in zip(GRADE_RECORD, rows, strict=True)}
    return {"best_move": texts, **columns}


def _shuffled(rows: np.ndarray, texts: Sequence[str]) -> bytes:
    """Columns of numbers, `int64[k, n]`, and one of texts as a BLOB, compressed by zlib.

    Of each column stand the first bytes of all numbers, then the second ones and so on: equal bytes stand together
    so, mostly zeros; HDF5 has such a filter of that name.
    """
    words, count = np.array(texts, bytes), len(texts)
    octets = rows.view(np.uint8).reshape(len(rows), count, 8).transpose(0, 2, 1)
    letters = words.view(np.uint8).reshape(count, words.itemsize).T
    return zlib.compress(octets.tobytes() + letters.tobytes(), _COMPRESSION)


def _unshuffled(parts: Sequence[bytes], counts: Sequence[int], size: int) -> tuple[np.ndarray, np.ndarray]:
    """The `size` columns and the texts of many BLOBs, one after another, by how many rows are in each."""
    numbers = 8 * size
    planes = [
        np.frombuffer(zlib.decompress(part), np.uint8).reshape(-1, count)
        for part, count in zip(parts, counts, strict=True)
        if count
    ]
    total, width = sum(counts), max((len(part) for part in planes), default=numbers + 1) - numbers
    rows, texts, end = np.empty((size, total), np.int64), np.zeros((total, width), np.uint8), 0
    octets = rows.view(np.uint8).reshape(size, total, 8)
    for part in planes:
        start, end = end, end + part.shape[1]
        octets[:, start:end] = part[:numbers].reshape(size, 8, -1).transpose(0, 2, 1)
        texts[start:end, : len(part) - numbers] = part[numbers:].T
    return rows, texts.view(f"S{width}")[:, 0]


def named(rows: Sequence[Mapping[str, float] | None]) -> bytes | None:
    """Numbers by name of each of a game's moves as a BLOB; None where no move has any."""
    names = dict.fromkeys(name for row in rows if row for name in row)
    if not names:
        return None
    columns = {name: [row.get(name) if row else None for row in rows] for name in names}
    return zlib.compress(json.dumps(columns).encode())


def add_named(sums: dict[str, float], games: Iterable[bytes]) -> None:
    """Add the numbers of games, as `named` made them, to sums by name."""
    for _, _, name, value in named_of(dict(enumerate(games))):
        sums[name] = sums.get(name, 0.0) + value


def named_of(games: Mapping[int, bytes]) -> list[tuple[int, int, str, float]]:
    """The numbers of games by what `named` gave for each: game, ply (from 1), name and value of each number."""
    return [
        (game, ply, name, value)
        for game, data in games.items()
        for name, values in json.loads(zlib.decompress(data)).items()
        for ply, value in enumerate(values, start=1)
        if value is not None
    ]


def search_values(choice: Choice, seconds: float, cpu_seconds: float) -> tuple[float, ...]:
    """The values of SEARCH_COLUMNS of an answer, from its seconds of wall time and of processor time.

    Raises TypeError, ValueError or OverflowError if they are not numbers, or too large.
    """
    scored = choice._replace(score=float("nan")) if choice.score is None else choice
    [values] = zip(*search_columns([scored], [seconds], [cpu_seconds]), strict=True)
    return tuple(np.array(values, [*SEARCH_COLUMNS]).item())


def search_columns(
    choices: Sequence[Choice], seconds: Sequence[float], cpu_seconds: Sequence[float]
) -> list[Sequence[Any]]:
    """SEARCH_COLUMNS of the moves of a game, from the answers and from what each took; a score may be None."""
    _, score, *counted, _, plies_to_win, _ = zip(*choices, strict=True)
    return [*counted[:_SEEN], seconds, cpu_seconds, score, plies_to_win, *counted[_SEEN:]]


NO_SEARCH = search_values(Choice(0), 0.0, 0.0)
"""Where nothing was searched."""
NO_MOVES = packed([])[1]
"""The moves of a game without any."""
