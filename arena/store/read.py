"""A run read back from its ledger: the typed experiment, and its games, moves and searches as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from sqlite3 import Connection
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from arena.experiment.model import Experiment
from arena.record import MOVE_COLUMNS, PROBE_COLUMNS, unpacked
from arena.store.ledger import FILE, GAME_COLUMNS, TABLES, Facts
from arena.store.manifest import Manifest, parsed
from arena.store.store import COMPLETE, StoreError, check_columns, check_intact, documents, reading

GAMES_AT_ONCE = 50_000
"""Games that are read at once."""
PLIES_AT_ONCE = 250_000
"""Plies of a part of the moves, about."""


class RunData(NamedTuple):
    """What a ledger holds, of a run finished or not."""

    experiment: Experiment
    facts: Facts
    order: list[tuple[str, str]] | None
    """The final order of its format: players with the reasons, best first; None while the run is not complete."""
    games: pd.DataFrame
    """A row per finished game, in the order of the schedule: GAME_COLUMNS."""
    moves: Callable[[], Iterator[pd.DataFrame]]
    """Reads a row per move of these games: game, ply (from 1), player, colour, move (its text), then MOVE_COLUMNS.

    In parts, at least one, that hold whole games, in their order.
    """
    probes: pd.DataFrame
    """A row per search of the probe, by position and then in the order of the players: PROBE_COLUMNS."""
    manifest: Manifest | None = None
    """None for a run that was not played by the command line."""


def read(folder: Path) -> RunData:
    """Read the ledger in a run's folder. Raises StoreError if there is none, or it is damaged or unreadable."""
    with reading(folder / FILE) as connection:
        connection.execute("BEGIN")
        check_intact(folder / FILE, connection, TABLES, "arena run")
        stored = documents(connection)
        check_columns(folder / FILE, stored, MOVE_COLUMNS)
        try:
            experiment, facts = Experiment.model_validate(stored["experiment"]), Facts(**stored["facts"])
        except (ValueError, TypeError):
            raise StoreError(
                f"{folder / FILE} is of another version of the arena, which has other settings"
            ) from None
        order = [(name, reason) for name, reason in stored[COMPLETE]] if COMPLETE in stored else None
        manifest = parsed(stored, folder / FILE)
        games = _games(connection)
        searches = connection.execute(f"SELECT {', '.join(PROBE_COLUMNS)} FROM probes").fetchall()
    place = {player.name: number for number, player in enumerate(experiment.players)}
    searches.sort(
        key=lambda row: (row[PROBE_COLUMNS.index("position")], place[row[PROBE_COLUMNS.index("player")]])
    )
    probes = pd.DataFrame(searches, columns=list(PROBE_COLUMNS))
    probes["score"] = pd.array(probes["score"].to_numpy(dtype=float), dtype="Float64")
    return RunData(experiment, facts, order, games, partial(_moves, folder / FILE, games), probes, manifest)


def _games(connection: Connection) -> pd.DataFrame:
    cursor = connection.execute(f"SELECT {', '.join(GAME_COLUMNS)} FROM games ORDER BY game")
    texts: dict[str, str] = {}
    parts = []
    while rows := cursor.fetchmany(GAMES_AT_ONCE):
        # Equal texts are one object, or a million games would take five times the memory.
        shared = [tuple(texts.setdefault(it, it) if type(it) is str else it for it in row) for row in rows]
        parts.append(pd.DataFrame(shared, columns=list(GAME_COLUMNS)))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(GAME_COLUMNS))


def _moves(path: Path, games: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """See `RunData.moves`. Raises StoreError if the ledger does not hold one of the games any more."""
    names = pd.Index(pd.unique(pd.concat([games["white"], games["black"]])))
    part = games["plies"].to_numpy(dtype=np.int64).cumsum() // PLIES_AT_ONCE
    bounds = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(games)]
    with reading(path) as connection:
        for first, last in pairwise(bounds):
            yield _part(path, connection, games.iloc[first:last], names)


def _part(path: Path, connection: Connection, games: pd.DataFrame, names: pd.Index) -> pd.DataFrame:
    numbers = games["game"].tolist()
    query = "SELECT game, moves FROM games WHERE game BETWEEN ? AND ? ORDER BY game"
    stored = dict(connection.execute(query, (numbers[0], numbers[-1]))) if numbers else {}
    if not stored.keys() >= set(numbers):
        raise StoreError(f"{path} has lost games while it was read: read it again")
    plies = games["plies"].to_numpy(dtype=np.int64)
    columns = unpacked([stored[number] for number in numbers], plies.tolist())
    game = np.repeat(np.arange(len(games)), plies)
    ply = np.arange(len(game)) - np.repeat(np.cumsum(plies) - plies, plies) + 1
    black_first = games["opening_fen"].str.startswith("B").to_numpy(dtype=bool)[game]
    black = (ply % 2 == 1) == black_first
    white_code, black_code = (names.get_indexer(pd.Index(games[side]))[game] for side in ("white", "black"))
    moves: dict[str, Any] = {
        "game": games["game"].to_numpy(dtype=np.int64)[game],
        "ply": ply,
        "player": pd.Categorical.from_codes(np.where(black, black_code, white_code), names),
        "colour": pd.Categorical.from_codes(black.astype(int), pd.Index(["white", "black"])),
        **columns,
        "move": _texts(columns["move"]),
    }
    for name in ("score", "clock", "overrun"):
        moves[name] = pd.array(columns[name], dtype="Float64")
    return pd.DataFrame(moves)


def _texts(found: np.ndarray) -> Any:
    """Texts from their bytes, equal ones being one object."""
    words = np.zeros((len(found), -(-found.itemsize // 8) * 8), np.uint8)
    words[:, : found.itemsize] = found.view(np.uint8).reshape(len(found), found.itemsize)
    code = np.zeros(len(found), np.int64)
    for word in words.view(np.int64).T:
        of_word, values = pd.factorize(word)
        code = pd.factorize(code * len(values) + of_word)[0]
    first = np.zeros(code.max(initial=-1) + 1, np.int64)
    first[code[::-1]] = np.arange(len(code))[::-1]
    texts = pd.array(found[first].astype(str), dtype="str")
    return texts.take(code) if len(texts) else texts
