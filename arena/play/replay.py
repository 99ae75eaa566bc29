"""Replays: a game of a run as its ledger has it, made ready to be played again, and what differs then."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import players
from arena.experiment.formats.base import Pairing
from arena.experiment.model import Experiment
from arena.ledger.game import kept_game
from arena.ledger.ledger import Facts
from arena.ledger.manifest import Manifest
from arena.ledger.record import GameRecord, Task
from arena.ledger.store import StoreError
from arena.rules.custom import build_variant
from arena.rules.game import Termination
from arena.rules.notation import parse_fen
from arena.rules.position import WHITE
from players.player import EFFORT, HUMAN, PlayerSpec

_COUNTED = ("legal_moves", "pieces", *(name for name in EFFORT if name != "said_ms"), "score", "wins_in")
"""Columns that are the same whenever the same search is made."""


class StoredGame(NamedTuple):
    """A game of a run, and what is needed to play it again."""

    task: Task
    record: GameRecord
    changed: list[str]
    """Files of the user's own that are not what they were when the run began, by name."""

    @property
    def sides(self) -> tuple[PlayerSpec, PlayerSpec]:
        """White and Black."""
        return self.task.white, self.task.black

    @property
    def movers(self) -> tuple[PlayerSpec, PlayerSpec]:
        """The player of the odd plies, then that of the even ones."""
        return self.sides if self.task.opening.turn == WHITE else (self.task.black, self.task.white)

    @property
    def timed(self) -> list[str]:
        """The players with a time limit, under which a game may differ each time."""
        return [spec.name for spec in self.sides if spec.limit.longest is not None]


def stored_game(folder: Path, number: int) -> StoredGame:
    """Read a game from the ledger in a run's folder.

    A player's relative files are looked for beside the configuration, then in the working directory. Raises
    StoreError if there is no such run or game, the ledger cannot be read, or a player's file is missing.
    """
    kept = kept_game(folder, number)
    if kept.row["termination"] == Termination.WITHDRAWN:
        raise StoreError(f"game {number} of {folder} was not played: {kept.row['error']}")
    return _ready(folder, kept.row, kept.experiment, kept.facts, kept.manifest)


def difference(game: StoredGame, again: GameRecord) -> str:
    """The first difference between a stored game and the same one played again, in words; empty if there is none.

    What a player with a time limit counted is not compared, nor is any time.
    """
    then, now = game.record.table(), again.table()
    for ply, (old, new) in enumerate(zip(then, now, strict=False)):
        spec = game.movers[ply % 2]
        for column in ("move",) if spec.limit.longest is not None else ("move", *_COUNTED):
            if not _equal(old[column], new[column]):
                words = f"{_text(old[column])} in the run, {_text(new[column])} now"
                return f"ply {ply + 1}, {spec.name}: {column} {words}"
    ends = [
        f"{record.result} by {record.termination} after {record.plies} plies" for record in (game.record, again)
    ]
    return "" if ends[0] == ends[1] else f"the end: {ends[0]} in the run, {ends[1]} now"


def _ready(
    folder: Path, row: dict[str, Any], experiment: Experiment, facts: Facts, manifest: Manifest | None
) -> StoredGame:
    """The game of a row of the ledger. Raises StoreError."""
    home = Path(manifest.file).parent if manifest is not None else Path()
    names = [spec.name for spec in experiment.players]
    places = names.index(row["white"]), names.index(row["black"])
    for place in places:
        if experiment.players[place].type == HUMAN:
            raise StoreError(
                f"game {row['game']} of {folder} cannot be played again, as {names[place]} is a person; "
                f"arena show {folder} --game {row['game']} shows it"
            )
    white, black = (players.located(experiment.players[place], home) for place in places)
    files = players.fingerprints(white) | players.fingerprints(black)
    for name, found in files.items():
        if found == "missing":
            raise StoreError(f"game {row['game']} of {folder} needs {name}, which is not in {home} any more")
    variant = build_variant(experiment.variant)
    pairing = Pairing(row["game"], row["pair"], row["round"], *places, row["opening"] - 1)
    opening = parse_fen(variant, row["opening_fen"])
    task = Task(
        pairing,
        variant,
        opening,
        white,
        black,
        experiment.seed,
        experiment.max_plies,
        experiment.allowance,
    )
    kept = [row[name] for name in ("result", "termination", "seconds", "error", "plies", "moves")]
    changed = [name for name, found in files.items() if facts.files.get(name) != found]
    return StoredGame(task, GameRecord(pairing, *kept), changed)


def _equal(one: Any, other: Any) -> bool:
    return bool(one == other) or (isinstance(one, np.floating) and bool(np.isnan(one) and np.isnan(other)))


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    return "none" if isinstance(value, np.floating) and np.isnan(value) else f"{value:.12g}"
