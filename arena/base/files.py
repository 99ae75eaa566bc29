"""Files: where one is, how its text is encoded, a folder that one process writes to, files replaced whole."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

ROOT = Path(__file__).resolve().parents[2]
"""The folder that holds the packages `arena` and `players`."""
LOCK = ".lock"
"""Name of the file, always empty, that stands for a folder's lock; it stays when the lock is released."""
REPORT = "report.html"
"""Name of a run's report, in the run's folder."""
RUNS = "runs.json"
"""Name of the file that lists the runs in a folder that has several, of one configuration."""

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Encodings by the mark that a file begins with, the longer mark first."""
_CYRILLIC = ("cp1251", "koi8-r", "cp866", "iso8859-5")
_CYRILLIC_WORD = re.compile(r"\b(?:[А-ЯЁ][а-яё]+|[а-яё]{2,}|[А-ЯЁ]{2,})\b")


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


def decoded(data: bytes, encoding: str | None = None) -> tuple[str, str]:
    """A file's text and its encoding: the given one, UTF-8 or UTF-16, else the 8-bit one that fits the text best.

    Raises ValueError if it is not text in that encoding, LookupError if Python does not know the encoding.
    """
    if encoding is None:
        encoding = next((name for mark, name in _MARKS.items() if data.startswith(mark)), None)
    if encoding is None and b"\0" in data[:2]:
        encoding = "utf-16-be" if data[0] == 0 else "utf-16-le"
    if encoding is None:
        try:
            return data.decode(), "utf-8"
        except UnicodeDecodeError:
            encoding = _eight_bit(data)
    try:
        return data.decode(encoding).removeprefix("\ufeff"), encoding
    except ValueError:
        raise ValueError(f"it is not text in {encoding}") from None


def unicode_text(path: Path) -> str:
    """The text of a file that must be UTF-8 or UTF-16. Raises OSError, or ValueError if it is not."""
    text, encoding = decoded(path.read_bytes())
    if not is_unicode(encoding):
        raise ValueError("it is not text in UTF-8")
    return text


def unreadable(path: Path | str, error: OSError | ValueError) -> str:
    """That a file could not be read as text, and why: `games.pdn cannot be read: Permission denied`."""
    return f"{path} cannot be read: {error.strerror if isinstance(error, OSError) else error}"


def is_unicode(encoding: str) -> bool:
    """Whether an encoding that `decoded` found is certain: UTF-8, or UTF-16 and UTF-32 with their zeros."""
    return encoding.startswith("utf")


def _eight_bit(data: bytes) -> str:
    """An encoding for text that is not UTF-8: a Cyrillic one if most letters beyond ASCII make Russian words."""
    high = sum(byte > 0x7F for byte in data)

    def letters(encoding: str) -> int:
        return sum(map(len, _CYRILLIC_WORD.findall(data.decode(encoding, "replace"))))

    best = max(_CYRILLIC, key=letters)
    if 2 * letters(best) > high:
        return best
    return "cp1252" if "\ufffd" not in data.decode("cp1252", "replace") else "latin-1"
