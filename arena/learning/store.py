"""The store of a tuning or a training: its games and steps, in `tuning.sqlite` or `training.sqlite`."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.ledger.store import Store
from arena.ledger.table import Table
from arena.ratings.interval import Ints
from arena.rules.result import RESULTS, points_of

SCORED = np.dtype([("position", np.int64, 4), ("score", np.float64)])
"""A position, as `arena.rules.position.Position`, and the score of a search of it, from White's view."""

GAMES = Table(
    "games",
    {
        "stage": "TEXT",
        "game": "INTEGER",
        "result": "TEXT",
        "opening": "TEXT",
        "plies": "INTEGER",
        "positions": "BLOB",
    },
    ["stage", "game"],
)
STEPS = Table("steps", {"step": "INTEGER", "document": "TEXT"}, ["step"], is_derived=True)


class Played(NamedTuple):
    """A finished game of a tuning; its fields are the columns of the table `games`."""

    stage: str
    """What it was played for: `round 1`, `step 7`, `start` or `against`."""
    game: int
    """Its number within the stage, from 1."""
    result: str
    """One of `arena.rules.result.RESULTS`."""
    opening: str
    """FEN of the position that it began from."""
    plies: int
    positions: bytes
    """The quiet positions taken from it, `packed`: as of `arena.rules.position.Position`, or SCORED."""

    def array(self) -> Ints:
        """The positions, `int64[n, 4]`."""
        return np.frombuffer(zlib.decompress(self.positions), dtype=np.int64).reshape(-1, 4)

    def scored(self) -> NDArray[np.void]:
        """The positions with their scores, SCORED[n]."""
        return np.frombuffer(zlib.decompress(self.positions), dtype=SCORED)

    def white_points(self) -> float:
        """White's points: 0, 1/2 or 1. Raises ValueError if the result is unknown."""
        return points_of(self.result)


def packed(positions: NDArray[Any]) -> bytes:
    """A game's positions as the store keeps them, by zlib: some 11 bytes each in place of 40."""
    return zlib.compress(positions.tobytes())


class GameStore(Store):
    """Games with positions taken from them, by stage and number, and steps made from them, open for writing."""

    def __init__(self, folder: Path, noun: str, description: Mapping[str, Any]) -> None:
        """Open the store in `folder`, or make one for the `noun`, tuning or training, described.

        If something was damaged, see `repaired`, the steps are forgotten, to be made again from the games. Raises
        StoreError if the folder cannot be written to, is in use, or holds another `noun`.
        """
        tables, columns = (GAMES, STEPS), [*SCORED.descr, RESULTS]
        path = folder / f"{noun}.sqlite"
        super().__init__(path, tables, {noun: description}, columns=columns, noun=noun)
        self.folder = folder

    def add(self, played: Played) -> None:
        """Store a finished game, for good."""
        self.insert(GAMES, played)

    def finished(self, stage: str) -> set[int]:
        """The numbers of a stage's stored games."""
        return {row[0] for row in self.rows("SELECT game FROM games WHERE stage = ?", (stage,))}

    def games(self, stage: str) -> list[Played]:
        """A stage's stored games, by number."""
        query = f"SELECT {', '.join(GAMES.columns)} FROM games WHERE stage = ? ORDER BY game"
        return [Played(*row) for row in self.rows(query, (stage,))]

    def add_step(self, number: int, document: Mapping[str, Any]) -> None:
        """Store what a step found, JSON types, for good."""
        self.insert(STEPS, (number, json.dumps(document)))

    def steps(self) -> list[dict[str, Any]]:
        """The findings of the steps, in their order."""
        rows = self.rows("SELECT document FROM steps ORDER BY step")
        return [json.loads(row[0]) for row in rows]
