"""Files: where one is, a folder that one process writes to, files that are replaced whole."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

LOCK = ".lock"
"""Name of the file, always empty, that stands for a folder's lock; it stays when the lock is released."""
REPORT = "report.html"
"""Name of a run's report, in the run's folder."""


class FolderError(Exception):
    """A folder that cannot be written to, in one line."""


def lock_folder(folder: Path) -> BaseFileLock:
    """Make the folder if it is missing, and lock it against all other processes that would lock it.

    The lock ends with `release()`, by any thread, or with the process, however it ends. Raises FolderError, at
    once, if another process holds it or the folder cannot be written to.
    """
    lock = FileLock(folder / LOCK, thread_local=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(blocking=False)
    except Timeout:
        raise FolderError(f"{folder} is in use by another arena") from None
    except OSError as error:
        raise FolderError(f"{folder} cannot be written to: {error.strerror}") from None
    return lock


def replace(path: Path, fill: Callable[[Path], object]) -> Path:
    """Let `fill` write a temporary file beside `path`, then put it in place in one step; returns `path`."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        fill(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def found_file(path: Path, folder: Path, *further: Path) -> Path:
    """A relative path as one in `folder`, else in the working directory, else in a `further` folder."""
    places = (folder / path, path, *(other / path for other in further))
    return next((place for place in places if place.is_file()), places[0])
