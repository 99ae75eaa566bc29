"""The ledger of a run: one SQLite file with its games, grades and answers. A stop, however hard, loses no row.

Every statement is a transaction of its own, so each row is there in full or not at all. Every row has a checksum:
a row without its own counts as missing. A file whose pages or documents cannot be trusted is refused.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, Self, get_type_hints

from arena.base import ArenaError
from arena.base.files import FolderError, commit, lock_folder
from arena.base.wording import counted, first_few
from arena.experiment.model import BESIDE, FIXED, Experiment
from arena.experiment.schedule import Result
from arena.ledger.info import Entrant, RunInfo, Session, machine, versions
from arena.ledger.record import MOVE_RECORD, GameRecord, GradedGame, SuiteAnswer
from players.identity import now, placed

FILE = "ledger.sqlite"
CHECKSUM = "checksum"
"""The last column of each table: CRC-32 of the row's other values."""
JUDGES = "judges"
"""Key of the document with the entries of the judges but the tables, by name."""
COMPLETE = "complete"
"""Key of the document that says whether nothing is left to be played."""
_EXPERIMENT, _INFO = "experiment", "info"
_SQL: dict[Any, str] = {int: "INT", bool: "INT", str: "TEXT", float: "REAL", bytes: "BLOB"}
_SQL |= {kind | None: name for kind, name in _SQL.items()}
BUSY_SECONDS = 60.0
"""Seconds for which another program may keep the file locked before that is an error."""
LOOK_SECONDS = 1.0
"""Seconds after which it is seen again whether the file is still the one in the folder."""
_NAMED = 5
"""Players, or folders, that a message names."""


class StoreError(ArenaError):
    """A folder that cannot hold a run, or does not hold the one that is asked for; one line says why."""


class Table(NamedTuple):
    """A table of the file."""

    name: str
    columns: Mapping[str, str]
    """Types of SQL by name."""
    key: Sequence[str]

    @classmethod
    def of(cls, name: str, record: type, *key: str, without: Collection[str] = ()) -> Table:
        """The table of records of a NamedTuple, a column a field but those `without` one."""
        hints = get_type_hints(record)
        return cls(name, {field: _SQL[hints[field]] for field in hints if field not in without}, key)

    @property
    def definition(self) -> str:
        """The statement that makes it. Rows have a `rowid` in the order of insertion, as its key is no INTEGER."""
        columns = ", ".join(f"{name} {kind}" for name, kind in self.columns.items())
        return f"CREATE TABLE {self.name} ({columns}, {CHECKSUM} INT, PRIMARY KEY ({', '.join(self.key)}))"

    @property
    def query(self) -> str:
        """The statement that reads whole rows: the `rowid` first, the checksum last."""
        return f"SELECT rowid, {', '.join(self.columns)}, {CHECKSUM} FROM {self.name}"

    def row(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """A row as SQLite will give it back, nan being None, with its checksum."""
        row = [_cell(values[name], kind) for name, kind in self.columns.items()]
        return (*row, checksum(row))


GAMES = Table.of("games", GameRecord, "key", without=["logs"])
GRADES = Table.of("grades", GradedGame, "key", "judge")
ANSWERS = Table.of("answers", SuiteAnswer, "player", "suite", "position")
META = Table("meta", {"name": "TEXT", "document": "TEXT"}, ["name"])
TABLES = (META, GAMES, GRADES, ANSWERS)
_DOCUMENTS = RunInfo._fields, Entrant._fields
FORMAT = zlib.crc32(repr([*(table.definition for table in TABLES), MOVE_RECORD, _DOCUMENTS]).encode()) >> 1
"""The number of the format, in the file's head: another one with each change of a table, of a move's record, or of
what is known of a run and its players.
"""


def checksum(row: Collection[Any]) -> int:
    """CRC-32 of the values of a row as Python writes them, then of its bytes."""
    plain = [value for value in row if not isinstance(value, bytes)]
    mark = zlib.crc32(repr(plain).encode(errors="surrogatepass"))
    for data in row:
        if isinstance(data, bytes):
            mark = zlib.crc32(data, mark)
    return mark


def _cell(value: Any, kind: str) -> Any:
    if value is None or value != value:  # noqa: PLR0124  nan
        return None
    if kind == "TEXT":  # lone surrogates, which SQLite does not keep, as escapes
        return str(value).encode(errors="backslashreplace").decode()
    return float(value) + 0.0 if kind == "REAL" else int(value) if kind == "INT" else bytes(value)


class Ledger:
    """The ledger of one run, open for writing by one process; a context manager that closes it."""

    def __init__(self, folder: Path, experiment: Experiment, info: RunInfo) -> None:
        """Open the ledger in `folder`, or make one, for a run as it is wanted now.

        Rows without their checksum are deleted. Raises StoreError if the folder cannot be written to, is in use or
        holds a run of other rules, seed, limits of games or adjudication, and for a file damaged otherwise.
        """
        self.folder, self.path = folder, folder / FILE
        self.notes: list[str] = []
        """Lines on the run that was found: damaged rows, players that are gone or changed."""
        try:
            self._lock = lock_folder(folder)
        except FolderError as error:
            raise StoreError(str(error)) from None
        try:
            with _errors(self.path, "used"):
                self._open()
            stored = self.documents()
            if _EXPERIMENT in stored:
                there, here = stored[_EXPERIMENT], experiment.as_dict()
                for key in FIXED:
                    if there[key] != here[key]:
                        was = "" if isinstance(here[key], dict) else f" ({there[key]} there, {here[key]} here)"
                        other = f"{folder} holds a run with another {key}{was}"
                        raise StoreError(f"{other}: give this one another name or --out")
                self._note_players(RunInfo.parsed(stored[_INFO]), info)
            self._delete_damaged()
        except BaseException:
            self.close()
            raise
        self._experiment = experiment

    def _open(self) -> None:
        self._connection = sqlite3.connect(
            self.path, isolation_level=None, timeout=BUSY_SECONDS, check_same_thread=False
        )
        if self._connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0:
            self._connection.execute("BEGIN IMMEDIATE")
            for table in TABLES:
                self._connection.execute(table.definition)
            self._connection.execute(f"PRAGMA user_version = {FORMAT}")
            self._connection.execute("COMMIT")
        _check(self.path, self._connection)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._file, self._looked = _identity(self.path), time.monotonic()

    def _note_players(self, before: RunInfo, now: RunInfo) -> None:
        then, here = before.playing, now.playing
        gone = [name for name in then if name not in here]
        changed = [name for name in here if name in then and then[name].hash != here[name].hash]
        versions = [(then[name].version, here[name].version) for name in changed]
        changed = [
            f"{name} ({old or 'nameless'} then, {new or 'nameless'} now)" if old != new else name
            for name, (old, new) in zip(changed, versions, strict=True)
        ]
        if gone:
            verb, whose = ("takes", "its") if len(gone) == 1 else ("take", "their")
            self.notes.append(f"{first_few(gone, _NAMED)} {verb} no part any more: {whose} games do not count")
        if changed:
            whose = "its" if len(changed) == 1 else "their"
            self.notes.append(f"{first_few(changed, _NAMED)} changed: {whose} games are played again")

    def _delete_damaged(self) -> None:
        """Delete rows without their checksum, and note how many are games."""
        games = 0
        for table in (GAMES, GRADES, ANSWERS):
            rows = self.rows(table.query)
            for rowid in [rowid for rowid, *values, mark in rows if checksum(values) != mark]:
                self.delete(table, "rowid = ?", [rowid])
                games += table is GAMES
        if games:
            verb = "is" if games == 1 else "are"
            self.notes.append(f"{self.path} is damaged: {counted(games, 'game')} {verb} played again")

    def begin(self, info: RunInfo, session: Session | None, *, force: bool = False) -> RunInfo:
        """Store what the run is from now on, with a session that begins; None where nothing is played.

        Raises StoreError if it began with other versions of packages, unless `force` is true.
        """
        before, here = self.info, versions()
        if before is None:
            began = session.began if session else ""
            info = info._replace(versions=here, machine=machine(), commit=commit(), began=began)
        else:
            kept = ("versions", "machine", "commit", "began", "forced", "session")
            info = info._replace(**{name: getattr(before, name) for name in kept})
        if session is not None:
            then = info.versions
            others = [f"{name} {was} then, {here[name]} now" for name, was in then.items() if here[name] != was]
            if others and not force:
                raise StoreError(
                    f"{self.folder}: the run began with other versions ({'; '.join(others)}), so players may play "
                    "differently; --force resumes it all the same; or give this run another name or --out"
                )
            info = info._replace(session=session, forced="; ".join(others) or info.forced)
        self.put(_EXPERIMENT, self._experiment.as_dict())
        self.put(_INFO, info.as_dict())
        return info

    @property
    def info(self) -> RunInfo | None:
        """What is stored of the run besides its games; None of a run that was never begun."""
        stored = self.documents().get(_INFO)
        return None if stored is None else RunInfo.parsed(stored)

    def results(self) -> dict[int, Result]:
        """The results of all games that are stored, by their keys, whether the schedule asks for them or not."""
        rows = self.rows("SELECT key, result, termination, white, black FROM games")
        return {key: Result.of(*how) for key, *how in rows}

    def add(self, record: GameRecord) -> None:
        """Store a finished game, for good, in place of an earlier one of its key."""
        self.insert(GAMES, record._asdict())

    def insert(self, table: Table, values: Mapping[str, Any]) -> None:
        """Store a row by its columns, for good, in place of one with its key."""
        row = table.row(values)
        self._write(f"REPLACE INTO {table.name} VALUES ({', '.join('?' * len(row))})", row)

    def delete(self, table: Table, condition: str, values: Sequence[Any] = ()) -> None:
        """Delete the rows that meet a condition in SQL."""
        self._write(f"DELETE FROM {table.name} WHERE {condition}", values)

    def rows(self, query: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows that a query finds."""
        with _errors(self.path, "read"):
            yield from self._connection.execute(query, values)

    def put(self, name: str, document: Any) -> None:
        """Store a JSON document under a name, in place of an earlier one."""
        self.insert(META, {"name": name, "document": json.dumps(document)})

    def documents(self) -> dict[str, Any]:
        """The JSON documents by their names."""
        with _errors(self.path, "read"):
            return documents(self.path, self._connection)

    def _write(self, statement: str, values: Sequence[Any]) -> None:
        """Execute a statement. Raises StoreError if the disk is full, or the file is not the one in the folder."""
        now = time.monotonic()
        if now - self._looked > LOOK_SECONDS:
            self._looked = now
            if _identity(self.path) != self._file:
                raise StoreError(
                    f"{self.path} was deleted or replaced while it was in use; rerun the same command to resume"
                )
        with _errors(self.path, "written to"):
            self._connection.execute(statement, values)

    def close(self) -> None:
        """Close the file, whose log is moved into it, and release the folder."""
        if hasattr(self, "_connection"):
            with suppress(sqlite3.Error):
                self._connection.execute("PRAGMA busy_timeout = 1000")
                self._connection.execute("PRAGMA journal_mode = DELETE")
            self._connection.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """The ledger at `path`, open for reading while another process may write to it.

    Raises StoreError if there is none, or if it cannot be read.
    """
    if not path.is_file():
        runs = sorted(other.parent.name for other in path.parent.glob(f"*/{path.name}"))
        where = f", but in its folders: {first_few(runs, _NAMED)}" if runs else f" (no {path.name})"
        raise StoreError(f"there is no run in {path.parent}{where}")
    with _errors(path, "read"), closing(_connected(path)) as connection:
        _check(path, connection)
        connection.execute("BEGIN")
        yield connection


def documents(path: Path, connection: sqlite3.Connection) -> dict[str, Any]:
    """The JSON documents by their names. Raises StoreError if one is damaged."""
    found = dict[str, Any]()
    for _, name, document, mark in connection.execute(META.query):
        if checksum((name, document)) != mark:
            raise StoreError(f"{path} is damaged ({name}): {_REMEDY}")
        found[name] = json.loads(document)
    return found


_REMEDY = "move it away, and the same command plays its games again"


def run_of(path: Path, stored: Mapping[str, Any]) -> tuple[Experiment, RunInfo]:
    """The run that a ledger's documents describe. Raises StoreError if it was never begun."""
    if _EXPERIMENT not in stored or _INFO not in stored:
        raise StoreError(f"{path} holds nothing yet")
    try:
        experiment, info = Experiment.model_validate(stored[_EXPERIMENT]), RunInfo.parsed(stored[_INFO])
    except ValueError:
        raise StoreError(f"{path} is of another version of the arena") from None
    experiment.locate(Path(info.file))
    return experiment, info


def run_in(folder: Path) -> tuple[Experiment, RunInfo] | None:
    """The run that was begun in a folder; None if there is none, or it cannot be read."""
    path = folder / FILE
    with suppress(StoreError), reading(path) as connection:
        return run_of(path, documents(path, connection))
    return None


def fits(folder: Path, experiment: Experiment, *, is_same: bool = False) -> bool:
    """Whether a folder is empty, or has a run whose games count in one of this experiment; where it `is_same`, a
    run of this experiment, but for keys on which no game depends, with the players' files as they are.
    """
    if not folder.exists() or not any(folder.iterdir()):
        return True
    if (run := run_in(folder)) is None:
        return False
    stored, wanted, home = run[0].as_dict(), experiment.as_dict(), experiment.path.parent
    keys = stored.keys() - {*BESIDE} if is_same else FIXED
    if any(stored[key] != wanted[key] for key in keys):
        return False
    files = {path: mark for entrant in run[1].players.values() for path, mark in entrant.files.items()}
    return not is_same or placed(now(files, home), home) == files


def _check(path: Path, connection: sqlite3.Connection) -> None:
    """Raise StoreError for a file of another version or with a damaged page."""
    [version] = connection.execute("PRAGMA user_version").fetchone()
    if version != FORMAT:
        raise StoreError(f"{path} is of another version of the arena: give this run another name or --out")
    [verdict] = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise StoreError(f"{path} is damaged ({verdict.splitlines()[-1]}): {_REMEDY}")


def _connected(path: Path) -> sqlite3.Connection:
    """A connection for reading; SQLite needs a flag where its log neither exists nor can be made."""
    address = f"{path.resolve().as_uri()}?mode=ro"
    log = path.with_name(f"{path.name}-wal")
    is_fixed = not os.access(path.parent, os.W_OK) and not log.exists()
    return sqlite3.connect(f"{address}&immutable=1" if is_fixed else address, uri=True, timeout=BUSY_SECONDS)


def _identity(file: Path) -> tuple[int, int] | None:
    """The identity of a file, apart from its name; None if there is none."""
    with suppress(OSError):
        stat = file.stat()
        return stat.st_dev, stat.st_ino
    return None


@contextmanager
def _errors(path: Path, done: str) -> Iterator[None]:
    """Errors of SQLite and of the file system as StoreErrors: the file cannot be `done`."""
    try:
        yield
    except sqlite3.Error as error:
        is_damaged = type(error) is sqlite3.DatabaseError
        remedy = f": {_REMEDY}" if is_damaged else ""
        raise StoreError(f"{path} cannot be {done}: {' '.join(str(error).split())}{remedy}") from None
    except UnicodeDecodeError:
        raise StoreError(f"{path} cannot be {done}: it is damaged: {_REMEDY}") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be {done}: {error.strerror or error}") from None
