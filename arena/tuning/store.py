"""What a tuning keeps on disk: games and steps in `tuning.sqlite`, each stored in full or not at all."""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

FILE = "tuning.sqlite"
SCORED = np.dtype([("position", np.int64, 4), ("score", np.float64)])
"""A position, as `arena.rules.position.Position`, and the score of a search of it, from White's view."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS games (
    stage TEXT, game INTEGER, result TEXT, opening TEXT, plies INTEGER, positions BLOB, PRIMARY KEY (stage, game)
);
CREATE TABLE IF NOT EXISTS steps (step INTEGER PRIMARY KEY, document TEXT NOT NULL);
"""


class StoreError(Exception):
    """A folder that cannot hold this tuning; one line that says why and what to do."""


class Played(NamedTuple):
    """A finished game of a tuning."""

    stage: str
    """What it was played for: `round 1`, `step 7`, `start` or `against`."""
    game: int
    """Its number within the stage, from 1."""
    result: str
    """As PDN writes it."""
    opening: str
    """FEN of the position that it began from."""
    plies: int
    positions: bytes
    """The quiet positions taken from it, `int64[n, 4]` as `arena.rules.position.Position`, or SCORED[n]."""

    def array(self) -> NDArray[np.int64]:
        """The positions, `int64[n, 4]`."""
        return np.frombuffer(self.positions, dtype=np.int64).reshape(-1, 4)

    def scored(self) -> NDArray[np.void]:
        """The positions with their scores, SCORED[n]."""
        return np.frombuffer(self.positions, dtype=SCORED)

    def white_points(self) -> float:
        """White's points: 0, 1/2 or 1."""
        return {"1-0": 1.0, "0-1": 0.0}.get(self.result, 0.5)


class Store:
    """The games and steps of one tuning, open for writing by one process."""

    def __init__(self, folder: Path, description: Mapping[str, Any]) -> None:
        """Open the store in `folder`, or make one for the tuning described.

        Raises StoreError if the folder cannot be written to, is in use, or holds another tuning.
        """
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder, os.O_RDONLY)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(f"{folder} is in use by another arena") from None
        except OSError as error:
            raise StoreError(f"{folder} cannot be written to: {error.strerror}") from None
        try:
            self._connection = sqlite3.connect(folder / FILE, isolation_level=None)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.executescript(_SCHEMA)
            self._check(folder, json.loads(json.dumps(description)))
        except sqlite3.Error as error:
            raise StoreError(f"{folder / FILE} cannot be used: {error}") from None

    def _check(self, folder: Path, wanted: dict[str, Any]) -> None:
        row = self._connection.execute("SELECT value FROM meta WHERE key = 'config'").fetchone()
        if row is None:
            self._connection.execute(
                "INSERT INTO meta VALUES ('config', ?)", (json.dumps(wanted, sort_keys=True),)
            )
            return
        stored = json.loads(row[0])
        changed = sorted(key for key in stored.keys() | wanted.keys() if stored.get(key) != wanted.get(key))
        if changed:
            raise StoreError(
                f"{folder} holds another tuning (changed: {', '.join(changed)}); "
                "give this one another name or --out, or delete that folder"
            )

    def add(self, played: Played) -> None:
        """Store a finished game, for good."""
        self._connection.execute("INSERT INTO games VALUES (?, ?, ?, ?, ?, ?)", played)

    def finished(self, stage: str) -> set[int]:
        """The numbers of a stage's stored games."""
        return {row[0] for row in self._connection.execute("SELECT game FROM games WHERE stage = ?", (stage,))}

    def games(self, stage: str) -> list[Played]:
        """A stage's stored games, by number."""
        rows = self._connection.execute("SELECT * FROM games WHERE stage = ? ORDER BY game", (stage,))
        return [Played(*row) for row in rows]

    def add_step(self, number: int, document: Mapping[str, Any]) -> None:
        """Store what a step found, JSON types, for good."""
        self._connection.execute("INSERT INTO steps VALUES (?, ?)", (number, json.dumps(document)))

    def steps(self) -> list[dict[str, Any]]:
        """What the steps found, in their order."""
        rows = self._connection.execute("SELECT document FROM steps ORDER BY step")
        return [json.loads(row[0]) for row in rows]

    def close(self) -> None:
        """Close the file and release the folder."""
        self._connection.close()
        os.close(self._lock)


@contextmanager
def open_store(folder: Path, description: Mapping[str, Any]) -> Iterator[Store]:
    """`Store(folder, description)`, closed at the end."""
    store = Store(folder, description)
    try:
        yield store
    finally:
        store.close()
