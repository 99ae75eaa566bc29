"""The ledger: finished games and their moves on disk.

An SQLite file `ledger.sqlite` in the run's folder. The arena's own process is its only writer, and a game is one
transaction, so that whatever stops the arena, each finished game is there in full or not at all.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from arena.experiment.model import Experiment
from arena.record import MOVE_COLUMNS, GameRecord, ProbeRecord, move_dtype
from arena.result import Colour

FILE = "ledger.sqlite"
GAME_COLUMNS = (
    "game",
    "pair",
    "round",
    "white",
    "black",
    "opening",
    "opening_fen",
    "result",
    "termination",
    "plies",
    "seconds",
    "error",
)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS games (
    game INTEGER PRIMARY KEY, pair INTEGER, round INTEGER, white TEXT, black TEXT, opening INTEGER,
    opening_fen TEXT, result TEXT, termination TEXT, plies INTEGER, seconds REAL, error TEXT,
    width INTEGER, moves BLOB
);
CREATE TABLE IF NOT EXISTS probes (
    player TEXT, position INTEGER, fen TEXT, depth INTEGER, deepest INTEGER, nodes INTEGER, leaves INTEGER,
    seconds REAL, score REAL, cutoffs_max INTEGER, cutoffs_min INTEGER, cutoffs_first INTEGER,
    tt_probes INTEGER, tt_hits INTEGER, error TEXT, PRIMARY KEY (player, position)
);
"""
_COLUMNS = json.dumps(MOVE_COLUMNS)
"""What a move's record holds, kept beside the records."""


class LedgerError(Exception):
    """A folder that cannot hold this run; one line that says why and what to do."""


class Facts(NamedTuple):
    """What a report needs to know besides the configuration."""

    first: Colour
    """The colour that moves first."""
    gametype: str
    """Of PDN; empty if the rules have none."""
    start_fen: str
    games: int
    """Games of the whole tournament, or the most that there may be."""
    exact: bool
    """Whether exactly so many are played, whatever their results."""
    files: dict[str, str]
    """A short hash of each file of the user's own, by its name."""


class Ledger:
    """The ledger of one run, open for writing."""

    def __init__(self, folder: Path, experiment: Experiment, facts: Facts) -> None:
        """Open the ledger in `folder`, or make one for an experiment.

        Raises LedgerError if the folder cannot be written to, is in use, or holds another experiment.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder, os.O_RDONLY)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LedgerError(f"{folder} is in use by another arena") from None
        except OSError as error:
            raise LedgerError(f"{folder} cannot be written to: {error.strerror}") from None
        try:
            self._connection = sqlite3.connect(folder / FILE, isolation_level=None)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.executescript(_SCHEMA)
            self._check(folder, {"experiment": experiment.as_dict(), "facts": facts._asdict()})
        except sqlite3.Error as error:
            raise LedgerError(f"{folder / FILE} cannot be used as a ledger: {error}") from None

    def _check(self, folder: Path, wanted: dict[str, Any]) -> None:
        known = meta_of(self._connection)
        if not known:
            rows = [(key, json.dumps(value, sort_keys=True)) for key, value in wanted.items()]
            self._connection.executemany("INSERT INTO meta VALUES (?, ?)", [*rows, ("columns", _COLUMNS)])
            return
        check_columns(folder, known)
        changed = set()
        for part, value in wanted.items():
            stored, plain = json.loads(known[part]), json.loads(json.dumps(value))
            changed |= {key for key in stored.keys() | plain.keys() if stored.get(key) != plain.get(key)}
        if changed:
            raise LedgerError(
                f"{folder} holds another experiment (changed: {', '.join(sorted(changed))}); "
                "give this one another name or --out, or delete that folder"
            )

    def finished(self) -> set[int]:
        """The numbers of the games that are stored."""
        return {row[0] for row in self._connection.execute("SELECT game FROM games")}

    def results(self) -> dict[int, str]:
        """The result of every stored game by its number."""
        return dict(self._connection.execute("SELECT game, result FROM games"))

    def scores(self) -> list[tuple[str, str, str]]:
        """White, black and result of every stored game."""
        return self._connection.execute("SELECT white, black, result FROM games ORDER BY game").fetchall()

    def remove_after(self, game: int) -> None:
        """Delete the games with higher numbers."""
        self._connection.execute("DELETE FROM games WHERE game > ?", (game,))

    def finish(self, order: Sequence[tuple[str, str]]) -> None:
        """Mark the run as complete, with the final order of its format: players with the reasons, best first."""
        row = ("complete", json.dumps(order))
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", row)

    @property
    def complete(self) -> bool:
        """Whether the run has been marked as complete."""
        return "complete" in meta_of(self._connection)

    def add(self, record: GameRecord, white: str, black: str, opening_fen: str) -> None:
        """Store a finished game, for good."""
        pairing, width = record.pairing, int(record.dtype)
        plies = len(record.moves) // move_dtype(width).itemsize
        row = (
            pairing.game,
            pairing.pair,
            pairing.round,
            white,
            black,
            pairing.opening + 1,
            opening_fen,
            record.result,
            record.termination,
            plies,
            record.seconds,
            record.error,
            width,
            record.moves,
        )
        self._connection.execute(f"INSERT INTO games VALUES ({', '.join('?' * len(row))})", row)

    def probed(self) -> set[tuple[str, int]]:
        """Player and number of the position of every search of the probe that is stored."""
        return set(self._connection.execute("SELECT player, position FROM probes"))

    def add_probe(self, record: ProbeRecord) -> None:
        """Store a search of the probe, for good."""
        columns, values = ", ".join(record._fields), ", ".join("?" * len(record))
        self._connection.execute(f"INSERT INTO probes ({columns}) VALUES ({values})", record)

    def close(self) -> None:
        """Close the file and release the folder."""
        self._connection.close()
        os.close(self._lock)


@contextmanager
def open_ledger(folder: Path, experiment: Experiment, facts: Facts) -> Iterator[Ledger]:
    """`Ledger(folder, experiment, facts)`, closed at the end."""
    ledger = Ledger(folder, experiment, facts)
    try:
        yield ledger
    finally:
        ledger.close()


def meta_of(connection: sqlite3.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT key, value FROM meta"))


def check_columns(folder: Path, meta: Mapping[str, str]) -> None:
    """Raise LedgerError if the ledger's records of moves are not what this version writes."""
    if meta.get("columns") != _COLUMNS:
        raise LedgerError(f"{folder / FILE} is of another version of the arena, which records moves otherwise")
