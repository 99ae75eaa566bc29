"""Files: where one is, a folder that one process writes to, files that are replaced whole, texts without paths."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

LOCK = ".lock"
"""Name of the file, always empty, that stands for a folder's lock; it stays when the lock is released."""
REPORT = "report.html"
"""Name of a run's report, in the run's folder."""

_PART = r"[\\/][^\s\\/:*?\"'<>|,;()\[\]{}]+"
_ABSOLUTE = re.compile(rf"(?<![\w.\\/])(?:(?:~|[A-Za-z]:|\\)(?:{_PART})+|(?:{_PART}){{2,}})[\\/]?")
"""A path from a root of POSIX or Windows, or from `~`, inside a text."""


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


def path_shortener(texts: Iterable[str]) -> Callable[[str], str]:
    """A function that shortens each absolute path in a text to its last name, and the home folder to `~`.

    Two paths of `texts` that end in the same name keep as many folders before it as tell them apart.
    """
    home = re.compile(rf"{re.escape(str(Path.home()))}(?![\w.-])") if len(Path.home().parts) > 1 else None

    def without_home(text: str) -> str:
        return home.sub("~", text) if home else text

    paths = {path for text in texts for path in _ABSOLUTE.findall(without_home(text))}
    ends = Counter(end for path in paths for end in _ends(path))

    def shortened(match: re.Match[str]) -> str:
        found = _ends(match[0])
        return next((end for end in found if ends[end] <= 1), found[-1])

    return lambda text: _ABSOLUTE.sub(shortened, without_home(text))


def _ends(path: str) -> list[str]:
    """The ends of a path, the shortest first: `b.py`, `a/b.py`."""
    names = re.split(r"[\\/]+", path.strip("\\/"))
    return ["/".join(names[-count:]) for count in range(1, len(names) + 1)]
