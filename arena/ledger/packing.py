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
MOVE_RECORD = tuple((name, "i8" if name in _SECONDS else kind) for name, kind in MOVE_COLUMNS)
"""MOVE_COLUMNS as they are stored: seconds as nanoseconds plus 1, 0 for nan."""
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
    """The number of a game's moves, and the moves as the ledger keeps them: `shuffled` records.

    `columns` are the moves' texts and MOVE_COLUMNS, a value for each move; none at all if there are no moves.
    None is nan. Seconds are kept to a nanosecond, all else exactly.
    """
    texts, *values = columns or [[], *([] for _ in MOVE_RECORD)]
    fields = {
        field: _nanoseconds(column) if field[0] in _SECONDS else column
        for field, column in zip(MOVE_RECORD, values, strict=True)
    }
    return len(texts), _shuffled(fields, "move", texts)


def unpacked(moves: Sequence[bytes], plies: Sequence[int]) -> dict[str, np.ndarray]:
    """The columns of many games' moves, game after game: `move`, the text as bytes, then MOVE_COLUMNS.

    `moves` and `plies` are what `packed` gave for each game.
    """
    columns = _unshuffled(moves, plies, MOVE_RECORD, "move")
    for name in _SECONDS:
        columns[name] = np.where(columns[name], (columns[name] - 1) / 1e9, np.nan)
    return columns


def packed_grades(grades: Sequence[Any]) -> bytes:
    """Grades, each an `arena.ledger.record.Grade`, as the ledger keeps them."""
    columns = {field: np.array([getattr(grade, field[0]) for grade in grades], field[1]) for field in GRADE_RECORD}
    for field in GRADE_RECORD:
        if field[0].endswith("_men"):
            columns[field] = columns[field].round(_MEN_DECIMALS)
    return _shuffled(columns, "best_move", [grade.best_move for grade in grades])


def unpacked_grades(parts: Sequence[bytes], counts: Sequence[int]) -> dict[str, np.ndarray]:
    """The grades of many games, by what `packed_grades` gave and how many there are in each.

    The columns are fields of `arena.ledger.record.Grade`, `best_move` as bytes; nan is a missing value.
    """
    return _unshuffled(parts, counts, GRADE_RECORD, "best_move")


def _shuffled(columns: Mapping[tuple[str, str], Any], text: str, texts: Sequence[str]) -> bytes:
    """Records as a BLOB: the first bytes of all records, then the second ones and so on, compressed by zlib.

    Equal bytes stand together so, mostly zeros; HDF5 has such a filter of that name. The records have these
    columns, by name and type, and a text.
    """
    words = np.array(texts, bytes)
    records = np.empty(len(words), [*columns, (text, words.dtype)])
    for (name, _), column in columns.items():
        records[name] = column
    records[text] = words
    return zlib.compress(records.view(np.uint8).reshape(len(records), records.itemsize).T.tobytes(), _COMPRESSION)


def _unshuffled(
    parts: Sequence[bytes], counts: Sequence[int], columns: Sequence[tuple[str, str]], text: str
) -> dict[str, np.ndarray]:
    """The columns of many BLOBs by how many records are in each: a text, as wide as the longest, and `columns`."""
    first = np.dtype([*columns]).itemsize
    planes = [
        np.frombuffer(zlib.decompress(part), np.uint8).reshape(-1, count)
        for part, count in zip(parts, counts, strict=True)
        if count
    ]
    width = max((len(part) for part in planes), default=first + 1)
    padded = [np.pad(part, ((0, width - len(part)), (0, 0))) if len(part) < width else part for part in planes]
    data = np.concatenate([np.zeros((width, 0), np.uint8), *padded], axis=1)
    arrays, start = {text: np.ascontiguousarray(data[first:].T).view(f"S{width - first}")[:, 0]}, 0
    for name, kind in columns:
        end = start + np.dtype(kind).itemsize
        arrays[name] = np.ascontiguousarray(data[start:end].T).view(kind)[:, 0]
        start = end
    return arrays


def _nanoseconds(seconds: Sequence[float | None]) -> np.ndarray:
    """Seconds as nanoseconds plus 1, 0 for nan and None."""
    whole = np.rint(np.array(seconds, np.float64) * 1e9) + 1
    whole[np.isnan(whole)] = 0
    return whole


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
