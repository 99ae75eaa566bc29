"""Games and searches as plain data: what a worker is given, and what it returns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from arena.formats.base import Pairing
from arena.player import PlayerSpec
from arena.rules.position import Position
from arena.rules.variants import Variant

MOVE_COLUMNS = (
    ("legal_moves", "i4"),
    ("depth", "i4"),
    ("deepest", "i4"),
    ("nodes", "i8"),
    ("leaves", "i8"),
    ("seconds", "f8"),
    ("score", "f8"),
    ("cutoffs_max", "i8"),
    ("cutoffs_min", "i8"),
    ("cutoffs_first", "i8"),
    ("tt_probes", "i8"),
    ("tt_hits", "i8"),
    ("clock", "f8"),
    ("overrun", "f8"),
)
"""Names and numpy types of what is recorded for a move, besides its text.

`clock` is what the player's clock shows after the move, `overrun` by how many seconds the move took longer than it
might. These and `score` are nan where there is no clock, no time limit or no score.
"""


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
    """As PDN writes it: `1-0`, `0-1` or `1/2-1/2`."""
    termination: str
    seconds: float
    """Wall time of the whole game."""
    error: str
    """Why a game was lost by a player's fault, otherwise empty."""
    moves: bytes
    """A numpy record per ply."""
    dtype: str
    """The width of the moves' text; the other columns are MOVE_COLUMNS."""


def move_dtype(width: int) -> np.dtype[np.void]:
    """The numpy record of a move whose text takes up to `width` characters."""
    return np.dtype([("move", f"S{width}"), *MOVE_COLUMNS])


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
    """What a search to a fixed depth took, as `arena.player.Choice` defines it."""

    player: str
    position: int
    """Number of the position, from 1."""
    fen: str
    depth: int
    """Plies that were searched in full; fewer than were asked for where the player ended earlier."""
    deepest: int
    nodes: int
    leaves: int
    seconds: float
    """Wall time of the answer, without the building of the player."""
    score: float | None
    cutoffs_max: int
    cutoffs_min: int
    cutoffs_first: int
    tt_probes: int
    tt_hits: int
    error: str
    """Why there was no answer, otherwise empty; all numbers are 0 then."""
