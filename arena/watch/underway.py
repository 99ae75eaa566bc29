"""Games under way: files in a run's folder in which workers show theirs ply by ply; nothing depends on them.

Each worker has one small file, with room for two games that it uses in turn, so that the end of a game can be seen
while the next one is played. A game is its head, then its plies. Numbers that are written last show what is whole:
the game's number in the file, in the head, and that with the ply, in each ply. The file is written to and not
mapped into memory, as a player could shorten it, which ends a process that has it mapped.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from arena.rules.position import Position

FOLDER = ".underway"
"""The folder of the files, in the run's."""
MAX_PLIES = 1024
"""Plies of a game that are shown."""
_MAGIC = b"underway"
_FILE = struct.Struct("<8sQ")
"""The magic, and the worker's process."""
_HEAD = struct.Struct("<Q16s24sI")
"""A game's number in the file, 0 while its head is written; its result and termination; bytes of its text."""
_MAX_TEXT = 4096 - _HEAD.size
"""Bytes of the JSON text of a game's players and opening, at most."""
_PLY = struct.Struct("<qddddQ")
"""A move, its seconds and score, the clock after it, the plies to a certain win, and the mark."""
_MARK_SHIFT = 16
_SLOT = _HEAD.size + _MAX_TEXT + _PLY.size * MAX_PLIES
_SIZE = _FILE.size + 2 * _SLOT
_AT_ONCE = hasattr(os, "pwrite")
_MAY_QUERY, _STILL_ACTIVE = 0x1000, 259
"""PROCESS_QUERY_LIMITED_INFORMATION, and the exit code of a process that has none yet (Windows)."""


class UnderwayPlace(NamedTuple):
    """The folder in which a session's workers show their games."""

    folder: str
    session: int
    """Distinguishes it from earlier ones of the same folder."""


class UnderwayPly(NamedTuple):
    """A move of a game under way; nan where there is no score, or no clock."""

    move: int
    seconds: float
    score: float
    """In the player's own unit, from its view."""
    clock: float
    """Seconds that the player's clock shows after the move."""
    wins_in: float
    """As `players.player.Choice` has it."""


class UnderwayGame(NamedTuple):
    """A game as far as a worker has played it."""

    worker: int
    """Its process."""
    number: int
    """The number of the game in the worker's file: a later game has a higher one."""
    game: int
    white: str
    black: str
    opening: Position
    began: float
    """In seconds since 1970."""
    plies: list[UnderwayPly]
    result: str
    """Empty while it goes on."""
    termination: str


class UnderwayFile:
    """A worker's file, open for writing."""

    def __init__(self, path: Path) -> None:
        """Make the file. Raises OSError."""
        with path.open("xb") as file:
            file.write(_FILE.pack(_MAGIC, os.getpid()).ljust(_SIZE, b"\0"))
        self._file = path.open("r+b", buffering=0)
        self._descriptor = self._file.fileno()
        self._number = 0
        self._mark = 0
        self._last = 0
        self._at = self._end = 0

    def begin(self, game: int, white: str, black: str, opening: Position) -> None:
        """Show a game before its first move."""
        self._number += 1
        slot = _slot(self._number)
        text = json.dumps([game, white, black, *opening, time.time()]).encode()
        self._mark = self._number << _MARK_SHIFT
        self._at = slot + _HEAD.size + _MAX_TEXT
        self._end = self._at + _PLY.size * MAX_PLIES
        self._write(slot, _HEAD.pack(0, b"", b"", 0))
        if len(text) <= _MAX_TEXT:
            self._write(slot, _HEAD.pack(0, b"", b"", len(text)) + text)
            self._write(slot, self._number.to_bytes(8, "little"))

    def add(self, move: int, seconds: float, score: float, clock: float, wins_in: float) -> None:
        """Show the next move: the fields of UnderwayPly."""
        at = self._at
        if at < self._end:
            self._mark = mark = self._mark + 1
            self._write(at, _PLY.pack(move, seconds, score, clock, wins_in, mark))
            self._at = at + _PLY.size

    def end(self, result: str, termination: str) -> None:
        """Show how the game ended."""
        words = struct.pack("<16s24s", result.encode(), termination.encode())
        self._write(_slot(self._number) + 8, words)

    def _write(self, at: int, content: bytes) -> None:
        """Write at a place of the file; where the disk does not take it, the game is not seen."""
        with suppress(OSError):
            if _AT_ONCE:
                os.pwrite(self._descriptor, content, at)
            else:
                self._file.seek(at)
                self._file.write(content)


@contextmanager
def place(folder: Path) -> Iterator[UnderwayPlace | None]:
    """The place where a session's workers show their games; None if nothing can be shown there.

    What earlier sessions left is removed at the beginning, all of it at the end.
    """
    session = time.time_ns()
    _remove(folder)
    try:
        (folder / FOLDER).mkdir()
    except OSError:
        yield None
        return
    try:
        yield UnderwayPlace(str(folder.resolve()), session)
    finally:
        _files.clear()
        _remove(folder)


_files: dict[UnderwayPlace, UnderwayFile | None] = {}
"""The file of this process for its place, None where it cannot be made; one at most."""


def file_of(place: UnderwayPlace) -> UnderwayFile | None:
    """This process's file in a place, made when it is first asked for; None if it cannot be made."""
    if place not in _files:
        _files.clear()
        _files[place] = None
        with suppress(OSError):
            _files[place] = UnderwayFile(Path(place.folder) / FOLDER / f"{os.getpid()}-{place.session}")
    return _files[place]


def games_under_way(folder: Path) -> list[UnderwayGame]:
    """The games that living workers of this machine show in a run's folder: each the one before and the one now.

    Whether the run is being played at all, `arena.watch.live.Moment` says. Empty if nothing is shown; a file that
    is none is passed over.
    """
    found: list[UnderwayGame] = []
    try:
        paths = sorted((folder / FOLDER).iterdir())
    except OSError:
        return found
    for path in paths:
        with suppress(OSError, ValueError, TypeError, struct.error):
            found += _read(path)
    return found


def _read(path: Path) -> list[UnderwayGame]:
    """The games of a file, the earlier one first. Raises OSError, ValueError, TypeError or struct.error."""
    with path.open("rb") as file:
        before = file.read(_SIZE)
        file.seek(0)
        after = file.read(_SIZE)
    magic, process = _FILE.unpack_from(before)
    if magic != _MAGIC or len(before) != _SIZE or len(after) != _SIZE or not lives(process):
        return []
    games = [_game(process, before, after, _slot(number)) for number in (0, 1)]
    return sorted((game for game in games if game is not None), key=lambda game: game.number)


def _game(worker: int, before: bytes, after: bytes, slot: int) -> UnderwayGame | None:
    """The game of a slot, as far as two readings of the file agree; None if there is none."""
    number, result, termination, length = _HEAD.unpack_from(before, slot)
    plies = slot + _HEAD.size + _MAX_TEXT
    if not number or length > _MAX_TEXT or before[slot:plies] != after[slot:plies]:
        return None
    text = before[slot + _HEAD.size : slot + _HEAD.size + length]
    game, white, black, *opening, began = json.loads(text)
    found: list[UnderwayPly] = []
    for at in range(plies, plies + _PLY.size * MAX_PLIES, _PLY.size):
        *ply, mark = _PLY.unpack_from(before, at)
        if (
            mark != (number << _MARK_SHIFT) + len(found) + 1
            or before[at : at + _PLY.size] != after[at : at + _PLY.size]
        ):
            break
        found.append(UnderwayPly(*ply))
    words = [word.rstrip(b"\0").decode() for word in (result, termination)]
    return UnderwayGame(worker, number, game, white, black, Position(*opening), began, found, *words)


def _slot(number: int) -> int:
    return _FILE.size + _SLOT * (number % 2)


def lives(process: int) -> bool:
    """Whether a process of that number runs on this machine."""
    if sys.platform == "win32":  # where os.kill with the signal 0 would send it Ctrl-C
        kernel, code = ctypes.windll.kernel32, ctypes.c_ulong()
        handle = kernel.OpenProcess(_MAY_QUERY, False, process)
        if handle:
            kernel.GetExitCodeProcess(handle, ctypes.byref(code))
            kernel.CloseHandle(handle)
        return code.value == _STILL_ACTIVE
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def _remove(folder: Path) -> None:
    shutil.rmtree(folder / FOLDER, ignore_errors=True)
