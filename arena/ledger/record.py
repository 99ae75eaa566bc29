"""Games and searches as plain data: what a worker is given, and what it returns."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from arena.experiment.adjudication import Adjudication
from arena.experiment.formats.base import Pairing
from arena.rules.game import Outcome
from arena.rules.position import Position
from arena.rules.variants import Variant
from players.player import EFFORT, Allowance, Choice, PlayerSpec

MEASURED = (
    *("began", "worker", "machine", "seconds", "cpu_seconds"),
    *("clock", "overrun", "extra_said_ms", "pondered_seconds"),
)
"""Columns of games, moves and searches that tell when, where and how fast: no run repeats them.

All others are the same whenever the same configuration is played, but for players with a time limit.
"""
_SIZES = {"depth": "i4", "deepest": "i4"}
_COUNTED = [(name, _SIZES.get(name, "i8")) for name in EFFORT]
_SEEN = EFFORT.index("leaves") + 1

_TIMED = (("seconds", "f8"), ("cpu_seconds", "f8"))
_VALUED = (("score", "f8"), ("wins_in", "i2"))
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
PROBE_COLUMNS = ("player", "position", "fen", *(name for name, _ in SEARCH_COLUMNS), "error")
"""Names of what is recorded for a search of a probe: `ProbeRecord.row`."""
_COMPRESSION = 1
"""Of zlib: a higher level takes longer than a game of random players has left."""
_NAN = float("nan")
_SECONDS = ("seconds", "cpu_seconds", "clock", "overrun", "pondered_seconds")
MOVE_RECORD = tuple((name, "i8" if name in _SECONDS else kind) for name, kind in MOVE_COLUMNS)
"""MOVE_COLUMNS as they are stored: seconds as nanoseconds plus 1, 0 for nan."""
_MASK = -(-len(MOVE_RECORD) // 8)
"""Bytes that say which of MOVE_RECORD a game has."""


class Task(NamedTuple):
    """All that a worker needs to play a game: plain data."""

    pairing: Pairing
    variant: Variant
    opening: Position
    white: PlayerSpec
    black: PlayerSpec
    seed: int
    max_plies: int
    allowance: Allowance = Allowance()
    adjudication: Adjudication | None = None
    men: tuple[float | None, float | None] = (None, None)
    """What a man is worth in the scores of White and of Black, where that is known."""


class Incident(NamedTuple):
    """A player's failure: what a bundle of the run's folder says."""

    player: str
    ply: int
    """The half-move that failed, from 1."""
    message: str
    traceback: str
    """The line where the player's code raised, if it did."""
    output: str
    """The player's last output, if it has its own process."""
    opening: str
    """FEN."""
    moves: tuple[str, ...]
    """The game's moves until then."""
    seed: str
    """Of the player's chance."""


class Verdict(NamedTuple):
    """An adjudication of a game that was played to its end all the same."""

    outcome: Outcome
    plies: int
    """Plies played before it."""


class GameRecord(NamedTuple):
    """A finished game."""

    pairing: Pairing
    result: str
    """One of `arena.rules.result.RESULTS`; NO_RESULT if a player was not reachable, so that it is not stored."""
    termination: str
    """A value of `arena.rules.game.Termination`."""
    seconds: float
    """Wall time of the whole game."""
    error: str
    """Why a game was lost by a player's fault, else empty."""
    plies: int
    moves: bytes
    """As `packed` makes them."""
    incident: Incident | None = None
    """The known details of the failure that ended the game."""
    began: float = _NAN
    """When it was begun, in seconds since 1970; nan, as `cpu_seconds`, for a game that was not played."""
    worker: int | None = None
    """Number of the process that played it, on its machine."""
    machine: str = ""
    """The machine's name."""
    cpu_seconds: float = _NAN
    """Processor time of both players' moves."""
    points: tuple[int, int] | None = None
    """White's and Black's points, where they decided the game."""
    verdict: Verdict | None = None
    """The adjudication of a game that was played to its end to verify it."""
    extras: bytes | None = None
    """Numbers of the players' own, as `named` makes them; None where there are none."""
    uncounted: tuple[bytes, ...] = ()
    """The `extras` of the plays of the game before this one, of which nothing else is kept."""
    logs: tuple[str, str] = ("", "")
    """What was said by White's and Black's programs, and to them, where their entries have `log: true`."""

    def table(self) -> np.ndarray:
        """The moves, a record each: `move`, the text as bytes, and MOVE_COLUMNS."""
        columns = unpacked([self.moves], [self.plies])
        table = np.empty(self.plies, [(name, column.dtype) for name, column in columns.items()])
        for name, column in columns.items():
            table[name] = column
        return table


class ProbeTask(NamedTuple):
    """All that a worker needs to make one search: plain data."""

    player: PlayerSpec
    number: int
    """Of the position, from 1."""
    variant: Variant
    position: Position
    depth: int
    seed: int
    allowance: Allowance = Allowance()


class ProbeRecord(NamedTuple):
    """The cost of a search to a fixed depth."""

    player: str
    position: int
    """Number of the position, from 1."""
    fen: str
    search: tuple[float, ...]
    """The values of SEARCH_COLUMNS, with the depth that was reached; NO_SEARCH where there was no answer."""
    error: str
    """Why there was no answer, else empty."""

    @property
    def row(self) -> tuple[str | float, ...]:
        """The values of PROBE_COLUMNS."""
        return (self.player, self.position, self.fen, *self.search, self.error)


class SuiteAnswer(NamedTuple):
    """One player's answer to one position of a suite under one limit."""

    suite: str
    position: int
    """Number of the position in its suite, from 1."""
    fen: str
    stratum: str
    player: str
    limit: str
    """The kind of limit: depth, nodes or seconds; "" where the player has none of them."""
    at: float | None
    """The limit."""
    legal_moves: int
    best_moves: int
    best: str
    """The moves that solve the position."""
    move: str
    """"" where the player failed."""
    solved: bool
    depth: int
    nodes: int
    seconds: float
    """Wall time."""
    error: str


ANSWER_COLUMNS = tuple(name for name in SuiteAnswer._fields if name not in ("limit", "at"))
"""Names of what is stored for an answer: its limit is the player's."""


def packed(columns: Sequence[Sequence[Any]]) -> tuple[int, bytes]:
    """The number of a game's moves, and the moves as the ledger keeps them: `shuffled` records.

    `columns` are the moves' texts and MOVE_COLUMNS, a value for each move; none at all if there are no moves.
    None is nan. Seconds are kept to a nanosecond, all else exactly. Before the records stands which of MOVE_RECORD
    they have, a bit for each: not those with nothing but 0, or nan.
    """
    texts, *values = columns or [[], *([] for _ in MOVE_RECORD)]
    text = np.array(texts, bytes)
    is_used = [
        any(value is not None and value == value for value in column) if kind == "f8" else any(column)  # noqa: PLR0124
        for (_, kind), column in zip(MOVE_COLUMNS, values, strict=True)
    ]
    records = np.empty(len(text), [*compress(MOVE_RECORD, is_used), ("move", text.dtype)])
    for (name, _), column in compress(zip(MOVE_RECORD, values, strict=True), is_used):
        records[name] = _nanoseconds(column) if name in _SECONDS else column
    records["move"] = text
    return len(text), np.packbits(is_used).tobytes() + shuffled(records)


def unpacked(moves: Sequence[bytes], plies: Sequence[int]) -> dict[str, np.ndarray]:
    """The columns of many games' moves, game after game: `move`, the text as bytes, then MOVE_COLUMNS.

    `moves` and `plies` are what `packed` gave for each game.
    """
    alike: dict[bytes, list[int]] = {}
    for game, of_game in enumerate(moves):
        alike.setdefault(of_game[:_MASK], []).append(game)
    parts = []
    for mask, games in alike.items():
        used = [*compress(MOVE_RECORD, np.unpackbits(np.frombuffer(mask, np.uint8)))]
        part = unshuffled([moves[game][_MASK:] for game in games], [plies[game] for game in games], used, "move")
        rows = np.repeat(np.isin(np.arange(len(moves)), games), plies) if len(alike) > 1 else slice(None)
        parts.append((rows, part))
    text = max((part.dtype["move"] for _, part in parts), key=lambda kind: kind.itemsize, default=np.dtype("S1"))
    found = {
        name: np.full(sum(plies), np.nan if kind == "f8" else 0, kind)
        for name, kind in (("move", text), *MOVE_COLUMNS)
    }
    for rows, part in parts:
        for name in part.dtype.names or ():
            values = part[name]
            found[name][rows] = np.where(values, (values - 1) / 1e9, np.nan) if name in _SECONDS else values
    return found


def shuffled(records: np.ndarray) -> bytes:
    """Records as a BLOB: the first bytes of all records, then the second ones and so on, compressed by zlib.

    Equal bytes stand together so, mostly zeros; HDF5 has such a filter of that name.
    """
    return zlib.compress(records.view(np.uint8).reshape(len(records), records.itemsize).T.tobytes(), _COMPRESSION)


def unshuffled(
    parts: Sequence[bytes], counts: Sequence[int], columns: Sequence[tuple[str, str]], text: str
) -> np.ndarray:
    """The records of many BLOBs by how many are in each: `columns`, then a text, the width of the longest."""
    known = np.dtype([*columns]).itemsize
    planes = [
        np.frombuffer(zlib.decompress(part), np.uint8).reshape(-1, count)
        for part, count in zip(parts, counts, strict=True)
        if count
    ]
    width = max((len(part) for part in planes), default=known + 1)
    data = np.zeros((sum(counts), width), np.uint8)
    end = 0
    for part in planes:
        start, end = end, end + part.shape[1]
        data[start:end, : len(part)] = part.T
    return data.view([*columns, (text, f"S{width - known}")])[:, 0]


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
    scored = choice._replace(score=_NAN) if choice.score is None else choice
    [values] = zip(*search_columns([scored], [seconds], [cpu_seconds]), strict=True)
    return tuple(np.array(values, [*SEARCH_COLUMNS]).item())


def search_columns(
    choices: Sequence[Choice], seconds: Sequence[float], cpu_seconds: Sequence[float]
) -> list[Sequence[Any]]:
    """SEARCH_COLUMNS of the moves of a game, from the answers and from what each took; a score may be None."""
    _, score, *counted, _, wins_in, _ = zip(*choices, strict=True)
    return [*counted[:_SEEN], seconds, cpu_seconds, score, wins_in, *counted[_SEEN:]]


NO_SEARCH = search_values(Choice(0), 0.0, 0.0)
"""Where nothing was searched."""
