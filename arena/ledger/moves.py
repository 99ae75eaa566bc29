"""The moves of a run, read from its ledger in parts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import numpy as np
import pandas as pd

from arena.ledger.ledger import StoreError, reading
from arena.ledger.packing import MOVE_COLUMNS, unpacked
from arena.rules.result import MOST_MEN

PLIES_AT_ONCE = 250_000
"""Plies of a part of the moves, about."""


@dataclass(frozen=True)
class Moves:
    """Reads a row per move of some games: the columns of `arena.ledger.read.RunData.moves`."""

    path: Path
    """Of the ledger."""
    games: pd.DataFrame
    void: pd.DataFrame
    """Games that do not count, whose moves are read when they are asked for."""
    names: pd.Index
    """The players' names in the order of their categories."""
    men: Mapping[str, float | None]
    """By player what a man is worth to it."""
    extras: pd.DataFrame
    """The custom metrics by game and ply: a column `extra_<name>` each."""

    def __call__(self, chosen: pd.Index | None = None) -> Iterator[pd.DataFrame]:
        """Read the moves of all games, or of the games with chosen numbers, in parts of some PLIES_AT_ONCE.

        Raises StoreError if the ledger does not hold one of the games any more.
        """
        games = self.games
        if chosen is not None:
            every = pd.concat([games, self.void]) if len(self.void) else games
            games = every[every["game"].isin(chosen)]
        part = games["plies"].to_numpy(dtype=np.int64).cumsum() // PLIES_AT_ONCE
        bounds = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(games)]
        with reading(self.path) as connection:
            for first, last in pairwise(bounds):
                yield self._part(connection, games.iloc[first:last])

    def _part(self, connection: Connection, games: pd.DataFrame) -> pd.DataFrame:
        keys = games["key"].tolist()
        query = "SELECT key, moves FROM games WHERE key IN (SELECT value FROM json_each(?))"
        stored = dict(connection.execute(query, (json.dumps(keys),)))
        if not stored.keys() >= set(keys):
            raise StoreError(f"{self.path} has lost games while it was read: read it again")
        plies = games["plies"].to_numpy(dtype=np.int64)
        columns = unpacked([stored[key] for key in keys], plies.tolist())
        texts, text = np.unique(columns["move"], return_inverse=True)
        place = np.repeat(np.arange(len(games)), plies)  # of each move's game
        ply = np.arange(len(place)) - np.repeat(np.cumsum(plies) - plies, plies) + 1
        player, colour = players_to_move(games, place, ply, self.names)
        moves: dict[str, Any] = {
            "game": games["game"].to_numpy(dtype=np.int64)[place],
            "ply": ply,
            "player": player,
            "colour": colour,
            "move": pd.array(texts.astype(str), dtype="str").take(text),
            **{name: np.ascontiguousarray(columns[name]) for name, _ in MOVE_COLUMNS},
            "plies_to_win": whole(columns["plies_to_win"]),
        }
        for name in ("score", "cpu_seconds", "clock", "overrun", "pondered_seconds"):
            moves[name] = pd.array(columns[name], dtype="Float64")
        table = pd.DataFrame(moves, copy=False)
        # the last is of a mover who is withdrawn, whose code is -1
        men = np.array([*(self.men.get(name) or np.nan for name in self.names), np.nan], float)
        in_men = _in_men(columns["score"], columns["plies_to_win"], men[player.codes])
        table.insert(list(table).index("score") + 1, "score_men", in_men)
        return table.join(self.extras, on=["game", "ply"]) if len(self.extras) else table


def players_to_move(games: pd.DataFrame, rows: np.ndarray, plies: np.ndarray, names: pd.Index) -> tuple[Any, Any]:
    """The players to move, of these names, and their colours at plies of the games in these rows."""
    black_first = games["opening_fen"].str.startswith("B").to_numpy(dtype=bool)[rows]
    black = (plies % 2 == 1) == black_first
    white_code, black_code = (names.get_indexer(pd.Index(games[side]))[rows] for side in ("white", "black"))
    player = pd.Categorical.from_codes(np.where(black, black_code, white_code), names)
    return player, pd.Categorical.from_codes(black.astype(int), pd.Index(["white", "black"]))


def whole(values: np.ndarray) -> Any:
    """Whole numbers, missing where they are 0."""
    return pd.arrays.IntegerArray(values.astype(np.int64), values == 0)


def _in_men(score: np.ndarray, plies_to_win: np.ndarray, man: np.ndarray) -> Any:
    """Scores in men, missing for certain wins and losses, and where it is not known what a man is worth."""
    values = np.where(plies_to_win == 0, score / man, np.nan)
    return pd.array(np.where(np.abs(values) <= MOST_MEN, values, np.nan), dtype="Float64")
