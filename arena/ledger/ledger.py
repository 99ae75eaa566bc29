"""The ledger of a tournament: its finished games with their moves, their grades, answers to suites."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from sqlite3 import Connection
from typing import Any, TypeAlias, get_type_hints

from arena.base.files import replace
from arena.base.wording import counted, first_few
from arena.base.writing import write_text
from arena.experiment.kept import FIRST_WORDS, KEPT_CONFIG, as_yaml
from arena.experiment.model import Experiment
from arena.ledger.growth import (
    KEYS,
    Growth,
    Stored,
    Wanted,
    growth,
    keep_earlier,
    renumber,
)
from arena.ledger.info import RunInfo
from arena.ledger.record import (
    FAULTS,
    TABLES_JUDGE,
    GameRecord,
    SuiteAnswer,
    failed_in,
)
from arena.ledger.store import (
    COMPLETE,
    FILES,
    Store,
    StoreError,
    changed_keys,
    documents,
    reading,
)
from arena.ledger.table import CHECKSUM, Table
from arena.rules.game import Termination

FILE = "ledger.sqlite"
_CHANGEABLE = "changeable"
"""Key of the document with what may change whenever the run is resumed, by the keys of an experiment."""
MANIFEST = "manifest.json"
"""Name of the file beside it, for people and other programs, with the configuration and the run's info."""
_FACTS, _INFO = "facts", "manifest"
"""Keys of the documents with what belongs to what the run is, and with all of its info once it was begun."""
_NAMED = 5
"""Games that a message names, at most."""
DISQUALIFIED = "disqualified"
"""Key of the document that names the players of a tournament of whom no game counts."""
_SQL: dict[Any, str] = {int: "INTEGER", bool: "INTEGER", str: "TEXT", float: "REAL", bytes: "BLOB"}
_SQL |= {kind | None: name for kind, name in _SQL.items()}


def _columns(record: type, *left_out: str) -> dict[str, str]:
    """The columns of a table by their SQL types: the fields of a record but those left out."""
    return {name: _SQL[type] for name, type in get_type_hints(record).items() if name not in left_out}


GAMES = Table("games", _columns(GameRecord, "logs"), ["game"])
ANSWERS = Table("answers", _columns(SuiteAnswer), ["player", "suite", "position"], is_needed=False)
JUDGES = "judges"
"""Key of the document with the entries of the judges but the tables, by name."""
GRADES = Table(
    "grades",
    {
        "game": "INTEGER",
        "judge": "TEXT",
        "graded": "INTEGER",
        "endgame_pieces": "INTEGER",
        "white_decisions": "INTEGER",
        "black_decisions": "INTEGER",
        "count": "INTEGER",
        "grades": "BLOB",
    },
    ["game", "judge"],
    is_needed=False,
)
"""A row per game and judge. `graded` is the checksum of the game's row: grades of another one do not count."""
GRADED_COLUMNS = tuple(name for name in GRADES.columns if name not in ("graded", "count", "grades"))
"""Names of what is read back of a graded game; the fields of `GradedGame` say what they are."""
GRADE_COLUMNS = (
    *("game", "ply", "player", "colour", "judge", "pieces", "best_move"),
    *("best", "played", "best_men", "played_men"),
)
"""The columns of `arena.ledger.read.RunData.grades`."""
CURRENT = f"FROM grades JOIN games ON grades.game = games.game AND grades.graded = games.{CHECKSUM} WHERE 1"
"""The rest of a query for grades of games as they are stored now; conditions may follow."""
GRADES_ORDER = f"ORDER BY grades.game, judge != '{TABLES_JUDGE}', judge"
TABLES = (GAMES, GRADES, ANSWERS)
_FAILED = "SELECT EXISTS (SELECT * FROM games WHERE termination IN (SELECT value FROM json_each(?)))"

_CHECKSUMS = f"SELECT game, {CHECKSUM} FROM games"

GAME_COLUMNS = tuple(name for name, kind in GAMES.columns.items() if kind != "BLOB")
"""Names of what is stored for a game, besides its moves; `opening` counts from 1, `began` seconds since 1970."""


FinalOrder: TypeAlias = Sequence[tuple[str, Mapping[str, float | str]]]
"""Players, best first, with what their places rest on, by columns of `standings.csv`."""


class Ledger(Store):
    """The ledger of one run, open for writing."""

    def __init__(
        self,
        folder: Path,
        experiment: Experiment,
        info: RunInfo,
        openings: Callable[[], Sequence[str]] | None = None,
    ) -> None:
        """Open the ledger in `folder`, or make one for an experiment, whose `openings` are FENs.

        A run may have grown, as `arena.ledger.growth` says; `grown` tells what becomes of its games. Damaged
        games and searches are removed; `repaired` names them. Raises StoreError if the folder cannot be
        written to, is in use, or holds another experiment or games from other openings.
        """
        self._experiment, self._info, self._openings = experiment, info, openings
        self.grown: str = ""
        """What became of the games of a run that was made larger, in one line; "" if it was not."""
        parts = _parts(experiment, info)
        super().__init__(folder / FILE, TABLES, parts)
        if self.documents().get(_CHANGEABLE) != (changeable := experiment.changeable()):
            self.put(_CHANGEABLE, changeable)
        self._recorded: dict[int, int] = dict(self.rows(_CHECKSUMS))
        """The checksums of the games that were found or stored here, by their numbers."""
        self.disqualified: tuple[str, ...] = tuple(self.documents().get(DISQUALIFIED, ()))
        """The players of whom no game counts."""

    def _growth(self, changed: Mapping[str, tuple[Any, Any]]) -> Callable[[Connection], None] | None:
        openings = list(self._openings()) if self._openings is not None else []
        played = self.connection.execute("SELECT DISTINCT opening, opening_fen FROM games") if openings else ()
        is_moved = any([fen] != openings[number - 1 : number] for number, fen in played)
        if not (changed or is_moved) or not changed.keys() <= KEYS:
            return None
        stored, games = self.documents(), list(Stored.all_of(self.connection))
        before = Wanted(stored_experiment(stored, self.path), run_info(stored, self.path))
        after = Wanted(self._experiment, self._info)
        return partial(self._grow, growth(self.path.parent, before, after, openings, games))

    def _grow(self, grown: Growth, connection: Connection) -> None:
        """Give the games their new numbers; what is played again is kept as it was."""
        folder = self.path.parent
        self.grown = (
            f"the run in {folder} has other openings or players: {counted(len(grown.places), 'game')} of it stay"
        )
        if grown.others:
            earlier = keep_earlier(folder, FILE, (MANIFEST, KEPT_CONFIG))
            self.grown += (
                f"; {counted(grown.again, 'game')} of {first_few(grown.others, _NAMED)}, who changed, are played "
                f"again: the run as it was is kept in {earlier}"
            )
        renumber(connection, GAMES, GRADES, grown.places)
        kept = [spec.name for spec in self._experiment.players if spec.name not in grown.others]
        marks = ", ".join("?" * len(kept))
        connection.execute(f"DELETE FROM {ANSWERS.name} WHERE player NOT IN ({marks})", kept)
        self._put(connection, DISQUALIFIED, ())

    def finished(self) -> set[int]:
        """The numbers of the games that are stored."""
        return {row[0] for row in self.rows("SELECT game FROM games")}

    def results(self) -> Iterator[tuple[int, str, str]]:
        """The number and the result of every stored game, and the name of the player that failed in it, or ""."""
        for game, *how in self.rows("SELECT game, result, termination, white, black FROM games ORDER BY game"):
            yield game, how[0], failed_in(*how)

    @property
    def has_failures(self) -> bool:
        """Whether a player failed in a stored game."""
        return any(failed for (failed,) in self.rows(_FAILED, [json.dumps(FAULTS)]))

    def add(self, record: GameRecord) -> None:
        """Store a finished game, for good; one that is lost unplayed, in place of an earlier record of it."""
        is_ruling = record.termination == Termination.DISQUALIFIED
        self._recorded[record.game] = self.insert(GAMES, record._asdict(), replace=is_ruling)

    def checksum(self, game: int) -> int:
        """The checksum of a game's row, by which what is stored of the game knows it."""
        return self._recorded[game]

    def disqualify(self, players: Iterable[str]) -> None:
        """Have no game of these players count, and all games of others."""
        disqualified = tuple(players)
        if disqualified != self.disqualified:
            self.put(DISQUALIFIED, disqualified)
            self.disqualified = disqualified

    def remove_after(self, game: int) -> None:
        """Delete the games with higher numbers."""
        self.delete(GAMES, "game > ?", (game,))
        self._recorded = {number: checksum for number, checksum in self._recorded.items() if number <= game}

    def remove_others(self, numbers: range, schedule: Iterable[tuple[int, str, str, int]]) -> set[int]:
        """Delete the games that others played than now scheduled, from another opening; returns their numbers.

        `schedule` has the number, white, black and opening (from 1) of the games of these numbers. Where results
        decide who meets, a game that was damaged and played again may end differently and change later rounds.
        """
        query = "SELECT game, white, black, opening FROM games WHERE game BETWEEN ? AND ?"
        stored = {row[0]: row for row in self.rows(query, (numbers.start, numbers.stop - 1))}
        others = {game[0] for game in schedule if stored.get(game[0], game) != game} if stored else set[int]()
        for number in others:
            self.delete(GAMES, "game = ?", (number,))
            self._recorded.pop(number, None)
        return others

    def verify(self) -> None:
        """Remove games that differ from the games found or stored here, and raise StoreError if there are any.

        Another program has written to the file then: a row that it gave a checksum seems intact to a reader.
        """
        lost, changed = set(self._recorded), set[int]()
        for game, checksum in self.rows(_CHECKSUMS):
            lost.discard(game)
            if self._recorded.get(game) != checksum:
                changed.add(game)
        if numbers := sorted(lost | changed):
            for game in numbers:
                self.delete(GAMES, "game = ?", (game,))
            games = first_few([*map(str, numbers)], _NAMED)
            raise StoreError(
                f"{self.path} was changed by another program during the run, in games that are removed ({games}); "
                "rerun the same command to play what is missing"
            )

    @property
    def info(self) -> RunInfo:
        """What is stored of the run besides its games. Raises StoreError if it cannot be read."""
        return run_info(self.documents(), self.path)

    def save_info(self, info: RunInfo) -> None:
        """Store what is known of the run; beside the ledger MANIFEST has it, too, KEPT_CONFIG the configuration.

        A file of the user's own that is called KEPT_CONFIG stays.
        """
        self.put(_INFO, info.as_dict())
        manifest = json.dumps({"configuration": self._experiment.as_dict(), **info.as_dict()}, indent=1) + "\n"
        texts = {MANIFEST: manifest, KEPT_CONFIG: as_yaml(self._experiment, self.path.parent)}
        for name, text in texts.items():
            path = self.path.with_name(name)
            try:
                if name == MANIFEST or not path.exists() or path.read_bytes().startswith(FIRST_WORDS.encode()):
                    replace(path, partial(write_text, text))
            except OSError as error:
                raise StoreError(f"{path} cannot be written: {error.strerror}") from None

    def finish(self, order: FinalOrder) -> None:
        """Mark the run as complete, with the final order of its format."""
        self.put(COMPLETE, order)

    @property
    def complete(self) -> bool:
        """Whether the run has been marked as complete."""
        return COMPLETE in self.documents()


def stored_experiment(stored: Mapping[str, Any], path: Path) -> Experiment:
    """The experiment in the documents of the ledger at `path`, whose files are where they were in the run.

    Raises StoreError if another version made it.
    """
    try:
        experiment = Experiment.model_validate(stored["experiment"] | stored.get(_CHANGEABLE, {}))
    except (ValueError, TypeError):
        raise StoreError("is of another version of the arena, which has other settings", path) from None
    experiment.locate(Path(run_info(stored, path).file))
    return experiment


def run_info(stored: Mapping[str, Any], path: Path) -> RunInfo:
    """The info in the documents of the ledger at `path`. Raises StoreError if another version made it."""
    document = stored.get(_INFO, stored[_FACTS])
    try:
        return RunInfo.parsed(document)
    except (TypeError, KeyError):
        raise StoreError("is of another version of the arena, which has another manifest", path) from None


def run_in(folder: Path) -> Wanted | None:
    """The run in a folder, as it began; None if none has begun, or it cannot be read."""
    with suppress(StoreError), reading(folder / FILE) as connection:
        stored, path = documents(connection), folder / FILE
        run = Wanted(stored_experiment(stored, path), run_info(stored, path))
        return run if run.info.began else None
    return None


def complete_with_failures(folder: Path, experiment: Experiment, info: RunInfo) -> bool | None:
    """Whether players failed, or were found faulty, in a folder that holds this experiment, complete.

    It may be one that can only be read. None if it does not hold it, is not marked as complete, or is of another
    version of the arena.
    """
    with suppress(StoreError), reading(folder / FILE) as connection:
        stored = documents(connection)
        if COMPLETE in stored and not changed_keys(stored, _parts(experiment, info)):
            failed = bool(connection.execute(_FAILED, [json.dumps(FAULTS)]).fetchone()[0])
            return failed or bool(run_info(stored, folder / FILE).faulty)
    return None


def _parts(experiment: Experiment, info: RunInfo) -> dict[str, dict[str, Any]]:
    """What a run is: a folder that holds another one is refused."""
    return {
        "experiment": experiment.as_dict(),
        _FACTS: {"games": info.games, "exact": info.exact, FILES: dict(info.files)},
    }
