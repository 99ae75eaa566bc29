"""A run read back from its ledger: the typed experiment, and its games, moves and searches as tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from arena.experiment.model import Experiment
from arena.record import MOVE_COLUMNS, PROBE_COLUMNS, move_dtype
from arena.store.ledger import FILE, GAME_COLUMNS, Facts
from arena.store.store import StoreError, check_columns, documents, reading


class RunData(NamedTuple):
    """What a ledger holds, of a run finished or not."""

    experiment: Experiment
    facts: Facts
    order: list[tuple[str, str]] | None
    """The final order of its format: players with the reasons, best first; None while the run is not complete."""
    games: pd.DataFrame
    """A row per finished game, in the order of the schedule: GAME_COLUMNS."""
    moves: pd.DataFrame
    """A row per move of these games: game, ply (from 1), player, colour, move (its text), then MOVE_COLUMNS."""
    probes: pd.DataFrame
    """A row per search of the probe, by position and then in the order of the players: PROBE_COLUMNS."""


def read(folder: Path) -> RunData:
    """Read the ledger in a run's folder. Raises StoreError if there is none, or it cannot be read."""
    with reading(folder / FILE) as connection:
        stored = documents(connection)
        check_columns(folder / FILE, stored, MOVE_COLUMNS)
        try:
            experiment, facts = Experiment.model_validate(stored["experiment"]), Facts(**stored["facts"])
        except (ValueError, TypeError):
            raise StoreError(
                f"{folder / FILE} is of another version of the arena, which has other settings"
            ) from None
        order = [(name, reason) for name, reason in stored["complete"]] if "complete" in stored else None
        rows = connection.execute(
            f"SELECT {', '.join(GAME_COLUMNS)}, width, moves FROM games ORDER BY game"
        ).fetchall()
        searches = connection.execute(f"SELECT {', '.join(PROBE_COLUMNS)} FROM probes").fetchall()
    place = {player.name: number for number, player in enumerate(experiment.players)}
    searches.sort(
        key=lambda row: (row[PROBE_COLUMNS.index("position")], place[row[PROBE_COLUMNS.index("player")]])
    )
    probes = pd.DataFrame(searches, columns=list(PROBE_COLUMNS))
    probes["score"] = pd.array(probes["score"].to_numpy(dtype=float), dtype="Float64")
    games = pd.DataFrame([row[:-2] for row in rows], columns=list(GAME_COLUMNS))
    return RunData(experiment, facts, order, games, _moves(games, rows), probes)


def _moves(games: pd.DataFrame, rows: list[tuple[Any, ...]]) -> pd.DataFrame:
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
