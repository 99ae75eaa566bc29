"""Games and searches as plain data: what a worker is given, and what it returns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from arena.formats.base import Pairing
from arena.player import EFFORT, Choice, PlayerSpec
from arena.rules.position import Position
from arena.rules.variants import Variant

_SIZES = {"depth": "i4", "deepest": "i4"}
_COUNTED = [(name, _SIZES.get(name, "i8")) for name in EFFORT]
_SEEN = EFFORT.index("leaves") + 1

SEARCH_COLUMNS = (*_COUNTED[:_SEEN], ("seconds", "f8"), ("score", "f8"), *_COUNTED[_SEEN:])
"""Names and numpy types of what is recorded of a search, in a game or in a probe.

`seconds` is the wall time of the answer, `score` is nan where there is none, the rest is `arena.player.EFFORT`.
"""
MOVE_COLUMNS = (("legal_moves", "i4"), *SEARCH_COLUMNS, ("clock", "f8"), ("overrun", "f8"))
"""Names and numpy types of what is recorded for a move, besides its text.

`clock` is the seconds that the player's clock shows after the move, `overrun` by how many seconds the move took
longer than it might. They are nan where there is no clock or no time limit.
"""
PROBE_COLUMNS = ("player", "position", "fen", *(name for name, _ in SEARCH_COLUMNS), "error")
"""Names of what is recorded for a search of a probe: `ProbeRecord.row`."""
_SEARCH_DTYPE = np.dtype([*SEARCH_COLUMNS])


class Task(NamedTuple):
    """All that a worker needs to play a game: plain data."""

    pairing: Pairing
    variant: Variant
    opening: Position
    white: PlayerSpec
    black: PlayerSpec
    seed: int
    max_plies: int
    time_margin: float = 0.1
    """Seconds by which a move may take longer than its limit before the game is lost."""


class GameRecord(NamedTuple):
    """A finished game."""

    pairing: Pairing
    result: str
    """One of `arena.result.RESULTS`."""
    termination: str
    """A value of `arena.rules.game.Termination`."""
    seconds: float
    """Wall time of the whole game."""
    error: str
    """Why a game was lost by a player's fault, otherwise empty."""
    moves: bytes
    """A numpy record per ply: `move_dtype(int(dtype))`."""
    dtype: str
    """The width of the moves' text; the other columns are MOVE_COLUMNS."""

    def table(self) -> np.ndarray:
        """The moves, a record each: `move` (its text) and MOVE_COLUMNS."""
        return np.frombuffer(self.moves, move_dtype(int(self.dtype)))


class ProbeTask(NamedTuple):
    """All that a worker needs to make one search: plain data."""

    player: PlayerSpec
    number: int
    """Of the position, from 1."""
    variant: Variant
    position: Position
    depth: int
    seed: int


class ProbeRecord(NamedTuple):
    """What a search to a fixed depth took."""

    player: str
    position: int
    """Number of the position, from 1."""
    fen: str
    search: tuple[float, ...]
    """The values of SEARCH_COLUMNS, with the depth that was reached; NO_SEARCH where there was no answer."""
    error: str
    """Why there was no answer, otherwise empty."""

    @property
    def row(self) -> tuple[str | float, ...]:
        """The values of PROBE_COLUMNS."""
        return (self.player, self.position, self.fen, *self.search, self.error)


def move_dtype(width: int) -> np.dtype[np.void]:
    """The numpy record of a move whose text takes up to `width` characters."""
    return np.dtype([("move", f"S{width}"), *MOVE_COLUMNS])


def search_values(choice: Choice, seconds: float) -> tuple[float, ...]:
    """The values of SEARCH_COLUMNS of an answer that took `seconds`.

    Raises TypeError, ValueError or OverflowError if they are not numbers, or too large.
    """
    counted = tuple(choice.effort.values())
    score = float("nan") if choice.score is None else choice.score
    values = (*counted[:_SEEN], seconds, score, *counted[_SEEN:])
    return tuple(np.array(values, dtype=_SEARCH_DTYPE).item())


NO_SEARCH = search_values(Choice(0), 0.0)
"""Where nothing was searched."""
