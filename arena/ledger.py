"""The ledger: finished games and their moves on disk, and how they become tables.

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
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.match import MOVE_COLUMNS, GameRecord, move_dtype
from arena.probe import ProbeRecord

if TYPE_CHECKING:
    import pandas as pd

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


class Ledger:
    """The ledger of one run, open for writing."""

    def __init__(self, folder: Path, config: Mapping[str, Any]) -> None:
        """Open the ledger in `folder`, or make one for the experiment that `config` describes.

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
            self._check(folder, config)
        except sqlite3.Error as error:
            raise LedgerError(f"{folder / FILE} cannot be used as a ledger: {error}") from None

    def _check(self, folder: Path, config: Mapping[str, Any]) -> None:
        known = _meta(self._connection)
        if not known:
            text = json.dumps(config, sort_keys=True)
            rows = "INSERT INTO meta VALUES ('config', ?), ('columns', ?)"
            self._connection.execute(rows, (text, _COLUMNS))
            return
        _check_columns(folder, known)
        stored = json.loads(known["config"])
        plain = json.loads(json.dumps(config))
        changed = sorted(key for key in stored.keys() | plain.keys() if stored.get(key) != plain.get(key))
        if changed:
            raise LedgerError(
                f"{folder} holds another experiment (changed: {', '.join(changed)}); "
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
        return "complete" in _meta(self._connection)

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
def open_ledger(folder: Path, config: Mapping[str, Any]) -> Iterator[Ledger]:
    """`Ledger(folder, config)`, closed at the end."""
    ledger = Ledger(folder, config)
    try:
        yield ledger
    finally:
        ledger.close()


def read(folder: Path) -> tuple[dict[str, Any], pd.DataFrame, pd.DataFrame]:
    """The configuration, the games and the moves of a run, in the order of the games.

    The configuration of a complete run has `order`, see `Ledger.finish`. Raises LedgerError if there is no
    ledger in the folder.
    """
    import pandas as pd

    if not (folder / FILE).is_file():
        raise LedgerError(f"there is no run in {folder} (no {FILE})")
    connection = sqlite3.connect(f"file:{folder / FILE}?mode=ro", uri=True)
    try:
        known = _meta(connection)
        config = json.loads(known["config"])
        if "complete" in known:
            config["order"] = json.loads(known["complete"])
        _check_columns(folder, known)
        rows = connection.execute(
            f"SELECT {', '.join(GAME_COLUMNS)}, width, moves FROM games ORDER BY game"
        ).fetchall()
    except (sqlite3.Error, KeyError) as error:
        raise LedgerError(f"{folder / FILE} cannot be read: {error}") from None
    finally:
        connection.close()
    games = pd.DataFrame([row[:-2] for row in rows], columns=list(GAME_COLUMNS))
    return config, games, _moves(games, rows, first=config.get("first", "white"))


def _meta(connection: sqlite3.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT key, value FROM meta"))


def _check_columns(folder: Path, meta: Mapping[str, str]) -> None:
    """Raise LedgerError if the ledger's records of moves are not what this version writes."""
    if meta.get("columns") != _COLUMNS:
        raise LedgerError(f"{folder / FILE} is of another version of the arena, which records moves otherwise")


def read_probes(folder: Path) -> pd.DataFrame:
    """The searches of a run's probe: a row each with the fields of `arena.probe.ProbeRecord`, by position.

    Without a row for a run that has no probe. Raises LedgerError if there is no ledger in the folder.
    """
    import pandas as pd

    if not (folder / FILE).is_file():
        raise LedgerError(f"there is no run in {folder} (no {FILE})")
    columns = ProbeRecord._fields
    connection = sqlite3.connect(f"file:{folder / FILE}?mode=ro", uri=True)
    try:
        known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'probes'").fetchone()
        query = f"SELECT {', '.join(columns)} FROM probes ORDER BY position, rowid"
        rows = connection.execute(query).fetchall() if known else []
    except sqlite3.Error as error:
        raise LedgerError(f"{folder / FILE} cannot be read: {error}") from None
    finally:
        connection.close()
    probes = pd.DataFrame(rows, columns=list(columns))
    probes["score"] = pd.array(probes["score"].to_numpy(dtype=float), dtype="Float64")
    return probes


def _moves(games: pd.DataFrame, rows: list[tuple[Any, ...]], first: str) -> pd.DataFrame:
    import pandas as pd

    widest = move_dtype(max((row[-2] for row in rows), default=1))
    table = np.concatenate(
        [np.frombuffer(row[-1], dtype=move_dtype(row[-2])).astype(widest) for row in rows]
        or [np.empty(0, dtype=widest)]
    )
    plies = games["plies"].to_numpy(dtype=np.int64)
    game = np.repeat(np.arange(len(games)), plies)
    ply = np.arange(len(table)) - np.repeat(np.cumsum(plies) - plies, plies) + 1
    black_first = games["opening_fen"].str.startswith("B").to_numpy(dtype=bool)[game]
    black = (ply % 2 == 1) == black_first
    names = pd.Index(pd.unique(pd.concat([games["white"], games["black"]])))
    codes = {name: code for code, name in enumerate(names)}
    white_code, black_code = (games[side].map(codes).to_numpy()[game] for side in ("white", "black"))
    moves = pd.DataFrame(
        {
            "game": games["game"].to_numpy()[game],
            "ply": ply,
            "player": pd.Categorical.from_codes(np.where(black, black_code, white_code).astype(int), names),
            "colour": pd.Categorical.from_codes(black.astype(int), pd.Index(["white", "black"])),
            "move": table["move"].astype(str),
            **{name: table[name] for name, _ in MOVE_COLUMNS},
        }
    )
    for name in ("score", "clock", "overrun"):
        moves[name] = pd.array(table[name], dtype="Float64")
    return moves
