"""The store: an SQLite file with one writer, which loses nothing when its process is stopped, by whatever cause.

Every statement is a transaction of its own, so each row is there in full or not at all, and every row has a
checksum, so that damage is found. A table `meta` holds JSON documents by key, what the rows belong to among them.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn, Self

from arena.base.errors import ArenaError
from arena.base.files import FolderError, lock_folder, replace
from arena.base.wording import first_few
from arena.ledger.table import FORMAT, META, Table
from players.identity import changes

FILES = "files"
"""The key, of any part, with hashes of files by their places."""
NUMBER = "format"
"""Key of the document with the number of the file's format."""
COMPLETE = "complete"
"""Key of the document that says that all is done; a store that lost rows that are needed has it no more."""
SUFFIX = ".damaged"
"""Of the copy of a damaged file that is kept beside the one made again."""
BUSY_SECONDS = 60.0
"""Seconds for which another program may keep the file locked before that is an error."""
CLOSE_SECONDS = 1.0
"""Seconds that closing waits for programs that read the file."""
LOOK_SECONDS = 1.0
"""Seconds after which it is seen again whether the file is still the one in the folder."""
REMEDY = "arena run does again what is missing, and keeps the rest"
"""What mends a damaged file."""
_NAMED = 5
"""Folders, or damaged rows, that a message names."""
_GAP = 10_000
"""Unreadable rows in succession after which a table has no more: more than hang on one page."""


class StoreError(ArenaError):
    """A folder that cannot hold what is to be stored, or does not hold what is to be read; one line says why."""

    def __init__(self, reason: str, file: Path | None = None) -> None:
        """`reason` goes on from the name of the `file`, if one is given."""
        super().__init__(reason if file is None else f"{file} {reason}")
        self.reason = reason


def documents(connection: sqlite3.Connection) -> dict[str, Any]:
    """The documents of META by their keys. Raises sqlite3.DatabaseError if one is damaged."""
    rows = connection.execute(META.query).fetchall()
    for row in rows:
        if not META.is_intact(row):
            raise sqlite3.DatabaseError(f"the document {META.key_of(row)} is damaged")
    return {key: json.loads(value) for key, value, _ in rows}


class Damage:
    """Finds what in a file of SQLite is not as it was stored; false while nothing was found."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Check the structure of a file, but not yet its rows. Raises sqlite3.OperationalError if it is locked."""
        self._connection = connection
        self.structure = ""
        """SQLite's message about the file; empty if it has none."""
        self.rows: dict[str, list[str]] = {}
        """Keys of the damaged rows that were read, by their table."""
        try:
            verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            self.structure = "" if verdict == "ok" else verdict.splitlines()[-1]
        except sqlite3.OperationalError:
            raise
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            self._tolerate(error)

    def __bool__(self) -> bool:
        return bool(self.structure or self.rows)

    def __str__(self) -> str:
        parts = [f"{table} {first_few(keys, _NAMED)}" for table, keys in self.rows.items()]
        return "; ".join([*parts, *filter(None, [self.structure])])

    def intact(self, table: Table) -> Iterator[tuple[Any, ...]]:
        """The rows of a table that have their checksum, past pages that cannot be read; others are taken down."""
        query = f"SELECT rowid, {table.query.removeprefix('SELECT ')} WHERE rowid > ? ORDER BY rowid"
        last, gap, is_first = 0, 0, True
        while gap < _GAP:
            try:
                for number, *row in self._connection.execute(query, (last,)):
                    if number > last:
                        last, gap = number, 0
                        if table.is_intact(row):
                            yield tuple(row)
                        else:
                            self.rows.setdefault(table.name, []).append(table.key_of(row))
                return
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if is_first:  # a text of other bytes, which is read in the second attempt, or a page
                    self._connection.text_factory = lambda text: text.decode(errors="surrogateescape")
                    is_first = False
                elif isinstance(error, sqlite3.OperationalError):
                    raise
                else:
                    self._tolerate(error)
                    last, gap = last + 1, gap + 1

    def documents(self) -> dict[str, Any]:
        """The intact documents of META by their keys."""
        return {key: json.loads(value) for key, value, _ in self.intact(META)}

    def _tolerate(self, error: Exception) -> None:
        """Take down an error of the file's structure, and read on in a file that is shorter than it should be."""
        self.structure = self.structure or " ".join(str(error).split())
        self._connection.execute("PRAGMA writable_schema = ON")


class Store:
    """An SQLite file in a folder of its own, open for writing; a context manager that closes it.

    One thread at a time may use it.
    """

    repaired: str = ""
    """The damage found on opening the file and its repair, in one line; empty if there was none."""

    def __init__(
        self,
        path: Path,
        tables: Sequence[Table],
        parts: Mapping[str, Mapping[str, Any]],
    ) -> None:
        """Open the store at `path`, or make one; a damaged file is replaced by one of its intact rows.

        `parts` describe what the rows belong to: JSON values by key, under a name for each part.

        Raises StoreError if its folder cannot be written to, is in use, or holds another experiment or another
        format, and if the file is so damaged that it is not known what its rows belong to.
        """
        self.path = path
        self._tables, self._described = (META, *tables), parts
        self._version = zlib.crc32(json.dumps(self._described, sort_keys=True).encode()) >> 1
        with _errors(path, "used"), ExitStack() as opened:
            opened.callback(lock_folder(path.parent).release)
            self._connect()
            opened.callback(self._disconnect)
            if is_new(self.connection):
                self.connection.execute("BEGIN IMMEDIATE")
                self._create(self.connection)
                self.connection.execute("COMMIT")
            check_format(path, self.connection)
            self._settle(parts)
            self.connection.execute("PRAGMA journal_mode = WAL")
            self.connection.execute("PRAGMA synchronous = NORMAL")
            self._files = {file: _identity(file) for file in (path, _log(path))}
            self._looked = time.monotonic()
            self._opened = opened.pop_all()

    def _connect(self) -> None:
        self.connection = sqlite3.connect(
            self.path, isolation_level=None, timeout=BUSY_SECONDS, check_same_thread=False
        )

    def _disconnect(self) -> None:
        """Close the file without SQLite's log beside it, which whoever reads it later would leave there."""
        with suppress(sqlite3.Error):
            self.connection.execute(f"PRAGMA busy_timeout = {round(1000 * CLOSE_SECONDS)}")
            self.connection.execute("PRAGMA journal_mode = DELETE")
        self.connection.close()

    def _create(self, connection: sqlite3.Connection) -> None:
        for table in self._tables:
            connection.execute(table.definition)
        for key, document in {**self._described, NUMBER: FORMAT}.items():
            self._put(connection, key, document)
        # in the file's head, so that a damaged description is known to be this one
        connection.execute(f"PRAGMA user_version = {self._version}")

    def _settle(self, parts: Mapping[str, Mapping[str, Any]]) -> None:
        """Mend what is damaged, and have the rows belong to what this is now, or raise StoreError."""
        damage = Damage(self.connection)
        stored = damage.documents()
        for table in self._tables[1:]:
            for _ in damage.intact(table):
                pass
        [version] = self.connection.execute("PRAGMA user_version").fetchone()
        if self._described.keys() - stored.keys() and version != self._version:
            raise StoreError(
                f"{self.path} is damaged ({damage}), and it is not known any more what it holds; "
                "give this run another --out"
            )
        changed = changed_keys(stored, parts)
        if damage and not changed:
            self._repair(damage)
        if (grow := self._growth(changed)) is not None:
            if damage and changed:
                raise StoreError(f"{self.path} is damaged ({damage}): run it as it was first, which mends it")
            self._describe_anew(grow)
        elif changed:
            self._refuse(changed)

    def _refuse(self, changed: dict[str, tuple[Any, Any]]) -> NoReturn:
        """Raise StoreError for rows of something else, by the keys that differ: before and now."""
        files = changed.pop(FILES, None)
        if changed or files is None:
            raise StoreError(
                f"{self.path.parent} holds another experiment (changed: {', '.join(sorted(changed))}); "
                "give this one another name or --out"
            )
        raise StoreError(
            f"{self.path.parent} has games of other files: {', '.join(changes(*files))}; "
            "put them back as they were, or give this run another name or --out"
        )

    def _growth(self, changed: Mapping[str, tuple[Any, Any]]) -> Callable[[sqlite3.Connection], None] | None:
        """What makes the rows found a part of what this is now; None if they are that, or cannot become it.

        Of what they belong to, these keys have changed: before and now. It is called within a transaction.
        """

    def _describe_anew(self, grow: Callable[[sqlite3.Connection], None]) -> None:
        """Say what the rows belong to now, of which they are a part, once they have grown."""
        self.connection.execute("BEGIN IMMEDIATE")
        grow(self.connection)
        for key, document in self._described.items():
            self._put(self.connection, key, document)
        self.connection.execute(f"DELETE FROM {META.name} WHERE key = ?", (COMPLETE,))
        self.connection.execute(f"PRAGMA user_version = {self._version}")
        self.connection.execute("COMMIT")

    def _repair(self, damage: Damage) -> None:
        """Put a new file with the intact rows in place of the damaged one, which is kept beside."""
        damage_found, kept = str(damage), []

        def fill(temporary: Path) -> None:
            temporary.unlink(missing_ok=True)
            with closing(sqlite3.connect(temporary, isolation_level=None)) as made:
                made.execute("BEGIN")
                self._create(made)
                for table in self._tables:
                    made.executemany(f"REPLACE {table.insertion}", damage.intact(table))
                    [count] = made.execute(f"SELECT COUNT(*) FROM {table.name}").fetchone()
                    if count and table is not META:
                        kept.append(f"{count} {table.name}")
                needed = {table.name for table in self._tables if table.is_needed}
                if damage.structure or damage.rows.keys() & needed:
                    made.execute(f"DELETE FROM {META.name} WHERE key = ?", (COMPLETE,))
                made.execute("COMMIT")
            self.connection.close()
            for suffix in ("", "-wal"):
                with suppress(FileNotFoundError):
                    shutil.copyfile(f"{self.path}{suffix}", f"{self.path}{SUFFIX}{suffix}")
            for suffix in ("-wal", "-shm"):
                Path(f"{self.path}{suffix}").unlink(missing_ok=True)

        replace(self.path, fill)
        self._connect()
        self.repaired = (
            f"{self.path} was damaged ({damage_found}): {', '.join(kept) or 'no rows'} are intact, "
            f"what is missing is done again; the damaged file is kept as {self.path.name}{SUFFIX}"
        )

    def put(self, key: str, document: Any) -> None:
        """Store a JSON document under a key of `meta`, in place of an earlier one. Raises StoreError."""
        self.look()
        with _errors(self.path, "written to"):
            self._put(self.connection, key, document)

    def _put(self, connection: sqlite3.Connection, key: str, document: Any) -> None:
        row = META.stored((key, json.dumps(document, sort_keys=True)))
        connection.execute(f"REPLACE {META.insertion}", row)

    def insert(self, table: Table, values: Mapping[str, Any], *, replace: bool = False) -> int:
        """Store a row by the names of its columns, for good; in place of one with its key if `replace`.

        Returns the checksum that is stored with it.

        Raises sqlite3.IntegrityError for such a row otherwise, and StoreError if the disk cannot be
        written to or the file is not the one in the folder any more.
        """
        self.look()
        with _errors(self.path, "written to"):
            row = table.stored([values[name] for name in table.columns])
            self.connection.execute(f"{'REPLACE' if replace else 'INSERT'} {table.insertion}", row)
        return int(row[-1])

    def delete(self, table: Table, condition: str, values: Sequence[Any] = ()) -> None:
        """Delete the rows that meet a condition in SQL. Raises StoreError if the disk cannot be written to."""
        self.look()
        with _errors(self.path, "written to"):
            self.connection.execute(f"DELETE FROM {table.name} WHERE {condition}", values)

    def rows(self, query: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows that a query finds. Raises StoreError if they cannot be read."""
        with _errors(self.path, "read"):
            yield from self.connection.execute(query, values)

    def documents(self) -> dict[str, Any]:
        """The documents of `meta` by their keys. Raises StoreError if they cannot be read."""
        with _errors(self.path, "read"):
            return documents(self.connection)

    def look(self) -> None:
        """Raise StoreError if the file was deleted or replaced since it was opened; looks once in LOOK_SECONDS."""
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        for file, identity in self._files.items():
            self._files[file] = identity or _identity(file)
            if self._files[file] != _identity(file):
                raise StoreError(
                    f"{file} was deleted or replaced while it was in use; rerun the same command to resume"
                )

    def close(self) -> None:
        """Close the file and release the folder."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def check_format(path: Path, connection: sqlite3.Connection) -> None:
    """Raise StoreError if another version of the arena made a file; damage is left to be found."""
    row = None
    with suppress(sqlite3.DatabaseError, UnicodeDecodeError):
        row = connection.execute(f"{META.query} WHERE key = ?", (NUMBER,)).fetchone()
    if row is not None and META.is_intact(row) and (number := json.loads(row[1])) != FORMAT:
        raise StoreError(
            f"{path} has format {number}, of another version of the arena: that version reads it, this one reads "
            f"format {FORMAT} alone"
        )


def changed_keys(stored: Mapping[str, Any], parts: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[Any, Any]]:
    """The keys of some parts whose values are others in the documents that are stored of them: before and now."""
    changed: dict[str, tuple[Any, Any]] = {}
    for part, wanted in _plain(parts).items():
        before = stored.get(part, wanted)
        for key in before.keys() | wanted.keys():
            if before.get(key) != wanted.get(key):
                changed[key] = before.get(key, {}), wanted.get(key, {})
    return changed


def _plain(document: Any) -> Any:
    """The document as JSON gives it back: tuples as lists, keys as texts."""
    return json.loads(json.dumps(document))


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """The ledger at `path`, open for reading while another process may write to it.

    Raises StoreError if there is none, or if it cannot be read or lacks what it is asked for.
    """
    if not path.is_file():
        runs = sorted(other.parent.name for other in path.parent.glob(f"*/{path.name}"))
        where = f", but in its folders: {first_few(runs, _NAMED)}" if runs else f" (no {path.name})"
        raise StoreError(f"there is no run in {path.parent}{where}")
    try:
        with _errors(path, "read"), closing(_connected(path)) as connection:
            check_format(path, connection)
            yield connection
    except KeyError as error:
        raise StoreError(f"cannot be read: it has no {error}", path) from None


def is_new(connection: sqlite3.Connection) -> bool:
    """Whether nothing was ever stored; a damaged file may seem to have no tables, but has their pages."""
    with suppress(sqlite3.DatabaseError):
        [tables] = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        [pages] = connection.execute("PRAGMA page_count").fetchone()
        return bool(tables == 0 and pages <= 1)
    return False


def _connected(path: Path) -> sqlite3.Connection:
    """A connection for reading; SQLite needs a flag if its log neither exists nor can be made."""
    address = f"{path.resolve().as_uri()}?mode=ro"
    connection = sqlite3.connect(address, uri=True)
    try:
        connection.execute("SELECT 1 FROM sqlite_master")
    except sqlite3.OperationalError:
        connection.close()
        if os.access(path.parent, os.W_OK) or _log(path).exists():
            raise
        connection = sqlite3.connect(f"{address}&immutable=1", uri=True)
    except sqlite3.DatabaseError:
        pass  # a damaged file, whose damage will be named
    return connection


def _log(path: Path) -> Path:
    """SQLite's log of a file, which holds the last rows until they are moved into it."""
    return path.with_name(f"{path.name}-wal")


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
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise
    except FolderError as error:
        raise StoreError(str(error)) from None
    except UnicodeDecodeError:
        raise StoreError(f"cannot be {done}: it is damaged", path) from None
    except sqlite3.Error as error:
        is_foreign = getattr(error, "sqlite_errorname", "") == "SQLITE_NOTADB"
        is_damaged = type(error) is sqlite3.DatabaseError and not is_foreign
        remedy = f"; {REMEDY}" if is_damaged and done == "read" else ""
        raise StoreError(f"cannot be {done}: {' '.join(str(error).split())}{remedy}", path) from None
    except OSError as error:
        raise StoreError(f"cannot be {done}: {error.strerror or error}", path) from None
