"""A run whose games a test stores itself."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from arena.experiment.load import load
from arena.ledger.info import RunInfo, session
from arena.ledger.ledger import Ledger
from arena.ledger.packing import MOVE_COLUMNS, packed
from arena.ledger.record import GameRecord


class StoredRun:
    """A run of random players, or of entries, begun by this process; a context manager that closes its ledger."""

    def __init__(
        self,
        folder: Path,
        players: Iterable[str | Mapping[str, Any]],
        planned: int = 60,
        *,
        exact: bool = True,
        **settings: Any,
    ) -> None:
        entries = [{"name": each, "type": "random"} if isinstance(each, str) else each for each in players]
        self.experiment = load({"name": "t", "variant": "english", "players": entries} | settings)
        self.folder = folder
        self.info = RunInfo(planned, exact)
        self.ledger = Ledger(folder, self.experiment, self.info)
        self.begin()

    def __enter__(self) -> StoredRun:
        return self

    def __exit__(self, *_: object) -> None:
        self.ledger.close()

    def begin(self, **changes: Any) -> None:
        """Begin another session now, by this process, but for the changes."""
        begun = session(len(self.ledger.finished()), 2)._replace(**changes)
        self.ledger.save_info(self.info.begun(begun))

    def add(
        self,
        game: int,
        white: str,
        black: str,
        result: str,
        termination: str = "no_moves",
        error: str = "",
        *,
        opening: int = 1,
        began: float = math.nan,
        moves: Sequence[str] = (),
        columns: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        """Store a game; each of its moves has these values in its columns, 1 in others."""
        every = {name: [columns.get(name, 1.0)] * len(moves) for name, _ in MOVE_COLUMNS}
        plies, packed_moves = packed({"move": moves, **every} if moves else {})
        head = game, (game + 1) // 2, 1, white, black, opening, "B" * opening, result, termination
        self.ledger.add(GameRecord(*head, plies=plies, seconds=0.1, began=began, error=error, moves=packed_moves))
