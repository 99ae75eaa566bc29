"""One game as a ledger holds it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.experiment.model import Experiment
from arena.ledger.documents import documents
from arena.ledger.ledger import FILE, GAMES, Facts, experiment_and_facts, remedy
from arena.ledger.manifest import Manifest, parsed
from arena.ledger.record import MOVE_COLUMNS, unpacked
from arena.ledger.store import StoreError, check_columns, reading
from arena.rules.scores import MOST_MEN


class KeptGame(NamedTuple):
    """A game of a run, and the documents of the run."""

    row: dict[str, Any]
    """By the columns of the ledger's table of games, `moves` as `arena.ledger.record.packed` made them."""
    experiment: Experiment
    facts: Facts
    manifest: Manifest | None
    """None for a run that was not played by the command line."""
    last: int
    """The highest number of a game that is stored."""

    def searches(self) -> dict[str, NDArray[Any]]:
        """Its moves as `arena.ledger.record.unpacked` has them, a value a ply."""
        return unpacked([self.row["moves"]], [self.row["plies"]])

    def texts(self) -> list[str]:
        """Its moves as PDN writes them."""
        return [text.decode() for text in self.searches()["move"].tolist()]

    def in_men(self) -> NDArray[np.float64]:
        """The score of each move in men, from the mover's view, nan for certain wins and where it is not known."""
        men = self.manifest.men if self.manifest is not None else {}
        black_first = self.row["opening_fen"].startswith("B")
        movers = [self.row[("white", "black")[(ply % 2 == 1) != black_first]] for ply in range(self.row["plies"])]
        columns = self.searches()
        worth = np.array([men.get(name) or np.nan for name in movers])
        values = np.where(columns["wins_in"] == 0, columns["score"] / worth, np.nan)
        return np.where(np.abs(values) <= MOST_MEN, values, np.nan)


def kept_game(folder: Path, number: int) -> KeptGame:
    """Read a game from the ledger in a run's folder.

    Raises StoreError if there is no such run or game, or the ledger is damaged there or cannot be read.
    """
    path = folder / FILE
    with reading(path) as connection:
        stored = documents(connection)
        check_columns(path, stored, MOVE_COLUMNS)
        row = connection.execute(f"{GAMES.query} WHERE game = ?", (number,)).fetchone()
        last = connection.execute("SELECT MAX(game) FROM games").fetchone()[0]
    if row is None:
        there = f"its last one is game {last}" if last else "it has none yet"
        raise StoreError(f"game {number} is not stored in {folder}: {there}")
    if not GAMES.intact(row):
        raise StoreError(f"{path} is damaged (games {number}); {remedy(stored)}")
    experiment, facts = experiment_and_facts(stored, path)
    named = dict(zip(GAMES.columns, row, strict=False))
    return KeptGame(named, experiment, facts, parsed(stored, path), last)
