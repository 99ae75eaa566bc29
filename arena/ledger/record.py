"""Games and searches as plain data: what a worker is given, and what it returns."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from arena.experiment.adjudication import Adjudication
from arena.experiment.formats.base import Pairing
from arena.ledger.columns import Planes, floats, integers, microseconds, nanoseconds, planes, signed, zigzag
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
_SEARCH_DTYPE = np.dtype([*SEARCH_COLUMNS])
_SEARCH_STRUCT = struct.Struct(
    "<" + "".join({"i2": "h", "i4": "i", "i8": "q", "f8": "d"}[kind] for _, kind in SEARCH_COLUMNS)
)
_NAN = float("nan")
_NANOSECONDS = ("seconds", "clock", "overrun", "pondered_seconds")
_NAMES = [name for name, _ in MOVE_COLUMNS]
_SECONDS, _CPU_SECONDS = _NAMES.index("seconds"), _NAMES.index("cpu_seconds")
_TEXT = np.dtype("<u2")
_HEADER = _TEXT.itemsize + len(MOVE_COLUMNS)
_COMPRESSION = 1


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
    """Numbers of the players' own, as `arena.ledger.columns.named` makes them; None where there are none."""
    uncounted: tuple[bytes, ...] = ()
    """The `extras` of the plays of the game before this one, of which nothing else is kept."""
    logs: tuple[str, str] = ("", "")
    """What was said by White's and Black's programs, and to them, where their entries have `log: true`."""

    def table(self) -> np.ndarray:
        """The moves, a record each: `move` (its text) and MOVE_COLUMNS."""
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
    """The number of a game's moves, and the moves as the ledger keeps them: column after column, compressed.

    `columns` are the moves' texts and MOVE_COLUMNS, a value for each move; none at all if there are no moves.
    None is nan.

    Seconds of any kind are kept to a nanosecond, all else exactly; only of processor time it is kept by how many
    microseconds the wall time is longer, little as a rule. Before the columns stand the width of the text (two
    bytes) and of each of MOVE_COLUMNS (a byte). A column is the lowest bytes of all its values, then the next
    ones, as many as the largest value has; none where all are 0, or nan.
    """
    if not columns:
        return 0, zlib.compress(bytes(_HEADER), _COMPRESSION)
    texts, *values = columns
    values[_CPU_SECONDS] = np.subtract(values[_SECONDS], values[_CPU_SECONDS]).tolist()
    text = np.array(texts, dtype=bytes)
    kept = [pack(of_one) for pack, of_one in zip(_PACKING, values, strict=True)]
    widths = bytes([len(column) // len(texts) for column in kept])
    whole = b"".join([text.itemsize.to_bytes(_TEXT.itemsize, "little"), widths, planes(text), *kept])
    return len(texts), zlib.compress(whole, _COMPRESSION)


def unpacked(moves: Sequence[bytes], plies: Sequence[int]) -> dict[str, np.ndarray]:
    """The columns of many games' moves, game after game: `move` (its text, as bytes), then MOVE_COLUMNS.

    `moves` and `plies` are what `packed` gave for each game.
    """
    parts = [zlib.decompress(of_game) for of_game in moves]
    data = np.frombuffer(b"".join(parts), np.uint8)
    lengths, counts = np.array([len(part) for part in parts], np.int64), np.array(plies, np.int64)
    start = np.cumsum(lengths) - lengths
    header = data[start[:, None] + np.arange(_HEADER)]
    texts = header[:, : _TEXT.itemsize].copy().view(_TEXT)[:, 0]
    reader = Planes(data, counts, start + _HEADER)
    columns = {"move": reader.text(texts)}
    for (name, kind), widths in zip(MOVE_COLUMNS, header[:, _TEXT.itemsize :].T, strict=True):
        columns[name] = _values_of(name, kind, widths, reader)
    columns["cpu_seconds"] = np.maximum(columns["seconds"] - columns["cpu_seconds"], 0.0)
    return columns


def search_values(choice: Choice, seconds: float, cpu_seconds: float) -> tuple[float, ...]:
    """The values of SEARCH_COLUMNS of an answer, from its seconds of wall time and of processor time.

    Raises TypeError, ValueError or OverflowError if they are not numbers, or too large.
    """
    scored = choice._replace(score=_NAN) if choice.score is None else choice
    values: tuple[float, ...] = tuple(one for (one,) in search_columns([scored], [seconds], [cpu_seconds]))
    try:
        _SEARCH_STRUCT.pack(*values)
    except struct.error:
        values = tuple(np.array(values, dtype=_SEARCH_DTYPE).item())
    return values


def search_columns(
    choices: Sequence[Choice], seconds: Sequence[float], cpu_seconds: Sequence[float]
) -> list[Sequence[Any]]:
    """SEARCH_COLUMNS of the moves of a game, from the answers and from what each took; a score may be None."""
    _, score, *counted, _, wins_in, _ = zip(*choices, strict=True)
    return [*counted[:_SEEN], seconds, cpu_seconds, score, wins_in, *counted[_SEEN:]]


NO_SEARCH = search_values(Choice(0), 0.0, 0.0)
"""Where nothing was searched."""


def _values_of(name: str, kind: str, widths: np.ndarray, reader: Planes) -> np.ndarray:
    found = reader.numbers(widths)
    if name in _NANOSECONDS:
        return np.where(found == 0, np.nan, (found - 1) / 1e9)
    if name == "cpu_seconds":
        return np.where(found == 0, np.nan, zigzag(found - 1) / 1e6)
    if name == "wins_in":
        found = zigzag(found)
    if kind.startswith("i"):
        return found.astype(kind)
    of_move = np.repeat(widths, reader.counts)
    with np.errstate(invalid="ignore"):
        short = found.astype(np.uint32).view(np.float32).astype(np.float64)
    return np.select([of_move == 0, of_move == 4], [np.nan, short], found.view(np.float64))


_OWN_WAY = dict.fromkeys(_NANOSECONDS, nanoseconds) | {"cpu_seconds": microseconds, "wins_in": signed}
_PACKING: tuple[Callable[[Sequence[Any]], bytes], ...] = tuple(
    _OWN_WAY.get(name) or (integers if kind.startswith("i") else floats) for name, kind in MOVE_COLUMNS
)
"""How each of MOVE_COLUMNS is packed."""
