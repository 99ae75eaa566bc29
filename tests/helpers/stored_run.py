"""A run whose games a test stores itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from arena.experiment.load import load
from arena.experiment.schedule import Keys, number_of
from arena.ledger.info import Entrant, RunInfo, session
from arena.ledger.ledger import COMPLETE, Ledger
from arena.ledger.packing import MOVE_COLUMNS, packed
from arena.ledger.record import GameRecord


class StoredRun:
    """A run of random players, or of entries, begun by this process; a context manager that closes its ledger."""

    def __init__(
        self,
        folder: Path,
        players: Iterable[str | Mapping[str, Any]],
        openings: int = 10,
        *,
        planned: int | None = None,
        exact: bool = True,
        hashes: Mapping[str, str] = MappingProxyType({}),
        **settings: Any,
    ) -> None:
        """Of so many openings, by default of as many games as a round robin of them has.

        `hashes` say of what players are made, by default of their names.
        """
        entries = [{"name": each, "type": "random"} if isinstance(each, str) else each for each in players]
        document = {"name": "t", "variant": "english", "openings": {"count": openings}, "players": entries}
        self.experiment = load(document | settings)
        self.folder = folder
        self.names = [spec.name for spec in self.experiment.players]
        games = len(self.names) * (len(self.names) - 1) * openings if planned is None else planned
        fens = tuple(f"B:W{number}" for number in range(openings))
        self.info = RunInfo({name: Entrant(hashes.get(name, name)) for name in self.names}, fens, games, exact)
        self._keys = Keys(self.info.hashes, fens, self.experiment.openings.time_of)
        self._met: Counter[tuple[str, str]] = Counter()
        self.ledger = Ledger(folder, self.experiment, self.info)
        self.begin()

    def __enter__(self) -> StoredRun:
        return self

    def __exit__(self, *_: object) -> None:
        self.ledger.close()

    def begin(self, **changes: Any) -> None:
        """Begin another session now, by this process, but for the changes."""
        now = session(len(self.ledger.results()), 2)._replace(**changes)
        self.ledger.begin(self.info, now)
        self.ledger.put(COMPLETE, False)

    def end(self) -> None:
        """Say that nothing is left to be played."""
        self.ledger.put(COMPLETE, True)

    def add(
        self,
        white: str,
        black: str,
        result: str,
        termination: str = "no_moves",
        error: str = "",
        *,
        opening: int | None = None,
        began: float = 0.0,
        moves: Sequence[str] = ("11-15",),
        columns: Mapping[str, float] = MappingProxyType({}),
    ) -> GameRecord:
        """Store a game, from the next opening of these players with these colours unless one is given, from 0.

        Each of its moves has these values in its columns, 1 in others. A game of its own moves has them differ.
        """
        if opening is None:
            opening = self._met[white, black]
            self._met[white, black] += 1
        every = {name: [columns.get(name, 1.0)] * len(moves) for name, _ in MOVE_COLUMNS}
        plies, packed_moves = packed({"move": moves, **every} if moves else {})
        fen = self.info.openings[opening]
        key = self._keys.of(self.names.index(white), self.names.index(black), opening)
        record = GameRecord(
            *(key, white, black, fen, self.experiment.openings.time_of(opening), result, termination),
            plies=plies,
            seconds=0.1,
            began=began,
            error=error,
            line=number_of(fen, *moves),
            moves=packed_moves,
        )
        self.ledger.add(record)
        return record
