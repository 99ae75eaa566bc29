"""How the moves and grades of a game are stored: records of numpy, compressed, and what they hold."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

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
