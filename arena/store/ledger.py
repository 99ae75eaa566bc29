"""The ledger of a tournament: the store of its finished games, of their moves and of the searches of its probe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.experiment.model import Experiment
from arena.record import MOVE_COLUMNS, PROBE_COLUMNS, SEARCH_COLUMNS, GameRecord, ProbeRecord
from arena.result import Colour
from arena.rules.game import FORFEITS
from arena.store.store import Store, documents, table

FILE = "ledger.sqlite"

_GAMES = {
    "game": "INTEGER",
    "pair": "INTEGER",
    "round": "INTEGER",
    "white": "TEXT",
    "black": "TEXT",
    "opening": "INTEGER",
    "opening_fen": "TEXT",
    "result": "TEXT",
    "termination": "TEXT",
    "plies": "INTEGER",
    "seconds": "REAL",
    "error": "TEXT",
}
_MOVES = {"moves": "BLOB"}
_TEXTS = {"player": "TEXT", "fen": "TEXT", "error": "TEXT"}
_REALS = {name: "REAL" for name, type in SEARCH_COLUMNS if type.startswith("f")}
_PROBES = {name: (_TEXTS | _REALS).get(name, "INTEGER") for name in PROBE_COLUMNS}
_TABLES = (table("games", _GAMES | _MOVES, ["game"]), table("probes", _PROBES, ["player", "position"]))

GAME_COLUMNS = tuple(_GAMES)
"""Names of what is stored for a game, besides its moves; `opening` counts from 1."""


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


class Ledger(Store):
    """The ledger of one run, open for writing."""

    def __init__(self, folder: Path, experiment: Experiment, facts: Facts) -> None:
        """Open the ledger in `folder`, or make one for an experiment.

        Raises StoreError if the folder cannot be written to, is in use, or holds another experiment.
        """
        parts = {"experiment": experiment.as_dict(), "facts": facts._asdict()}
        super().__init__(folder / FILE, _TABLES, parts, columns=MOVE_COLUMNS)

    def finished(self) -> set[int]:
        """The numbers of the games that are stored."""
        return {row[0] for row in self.connection.execute("SELECT game FROM games")}

    def results(self) -> Iterator[tuple[int, str]]:
        """The number and the result of every stored game."""
        return iter(self.connection.execute("SELECT game, result FROM games"))

    def failures(self) -> Iterator[tuple[int, str]]:
        """The number of every stored game that a player failed in, and the player's name."""
        marks = ", ".join("?" * len(FORFEITS))
        query = (
            "SELECT game, CASE result WHEN '0-1' THEN white ELSE black END FROM games "
            f"WHERE termination IN ({marks}) ORDER BY game"
        )
        return iter(self.connection.execute(query, FORFEITS))

    def scores(self) -> dict[tuple[str, str, str], int]:
        """How many stored games have each white, black and result."""
        query = "SELECT white, black, result, COUNT(*) FROM games GROUP BY white, black, result ORDER BY MIN(game)"
        return {row[:3]: row[3] for row in self.connection.execute(query)}

    def add(self, record: GameRecord, white: str, black: str, opening_fen: str, *, replace: bool = False) -> None:
        """Store a finished game, for good, in place of an earlier record of it if `replace` is true."""
        pairing = record.pairing
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
            record.plies,
            record.seconds,
            record.error,
            record.moves,
        )
        self.insert("games", [*_GAMES, *_MOVES], row, replace=replace)

    def remove_after(self, game: int) -> None:
        """Delete the games with higher numbers."""
        self.connection.execute("DELETE FROM games WHERE game > ?", (game,))

    def probed(self) -> set[tuple[str, int]]:
        """Player and number of the position of every search of the probe that is stored."""
        return set(self.connection.execute("SELECT player, position FROM probes"))

    def add_probe(self, record: ProbeRecord) -> None:
        """Store a search of the probe, for good."""
        self.insert("probes", PROBE_COLUMNS, record.row)

    def finish(self, order: Sequence[tuple[str, str]]) -> None:
        """Mark the run as complete, with the final order of its format: players with the reasons, best first."""
        self.put("complete", order)

    @property
    def complete(self) -> bool:
        """Whether the run has been marked as complete."""
        return "complete" in documents(self.connection)
