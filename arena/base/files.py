"""Files: found, locked, read as text, replaced whole; texts and tables in them are UTF-8 on every system.

Also the versions of packages and of this checkout.
"""

from __future__ import annotations

import codecs
import os
import re
import subprocess
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from filelock import BaseFileLock, FileLock, Timeout

if TYPE_CHECKING:
    import pandas as pd

ROOT = Path(__file__).resolve().parents[2]
"""The folder that holds the packages `arena` and `players`."""
OURS = "draughts-arena"
"""The package that this is."""
LOCK = ".lock"
"""Name of the file, always empty, that stands for a folder's lock; it stays when the lock is released."""
REPORT = "report.html"
"""Name of a run's report, in the run's folder."""
SUMMARY = "summary.md"
"""Name of the same in Markdown, beside it."""
RUNS = "runs.json"
"""Name of the file that lists the runs in a folder that has several, of one configuration."""

_NOT_UTF_8 = (
    "it is not UTF-8, and read as Latin-1; if letters are wrong, convert it, as by iconv -f CP1251 -t UTF-8"
)
_FORMULA = re.compile(r"'*\s*[=+\-@＝＋－＠].", re.DOTALL)
"""The beginning of a text that a spreadsheet runs, behind as many apostrophes as there are."""
_NUMBER = re.compile(r"[+-][\d.]+(e[+-]?\d+)?")


class FolderError(Exception):
    """A folder that cannot be written to, in one line."""


def lock_folder(folder: Path, *, waits: bool = False) -> BaseFileLock:
    """Make the folder if it is missing, and lock it against all other processes that would lock it.

    The lock ends with `release()`, by any thread, or with the process, however it ends. Raises FolderError if the
    folder cannot be written to and, at once, if another process holds the lock, unless it `waits` for that.
    """
    lock = FileLock(folder / LOCK, thread_local=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(blocking=waits)
    except Timeout:
        raise FolderError(f"{folder} is in use by another arena") from None
    except OSError as error:
        raise FolderError(f"{folder} cannot be written to: {error.strerror}") from None
    return lock


def replace(path: Path, fill: Callable[[Path], object]) -> Path:
    """Let `fill` write a temporary file beside `path`, then put it in place in one step; returns `path`."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_native_id()}.tmp")
    try:
        fill(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def is_file(path: Path) -> bool:
    """Whether there is such a file; there is none of a name that no file can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def found_file(path: Path, folder: Path, *further: Path) -> Path:
    """A relative path as one in `folder`, else in the working directory, else in a `further` folder."""
    places = (folder / path, path, *(other / path for other in further))
    return next(filter(is_file, places), places[0])


def decoded(data: bytes) -> tuple[str, str]:
    """A file's text: UTF-8, UTF-16 by its mark, else Latin-1, which the caution beside it says."""
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        return data.decode(encoding), ""
    except UnicodeDecodeError:
        return data.decode("latin-1"), _NOT_UTF_8


def unicode_text(path: Path) -> str:
    """The text of a file that must be UTF-8 or UTF-16. Raises OSError, or ValueError if it is not."""
    text, caution = decoded(path.read_bytes())
    if caution:
        raise ValueError("it is not text in UTF-8")
    return text


def unreadable(path: Path | str, error: OSError | ValueError) -> str:
    """That a file could not be read as text, and why: `games.pdn cannot be read: Permission denied`."""
    return f"{path} cannot be read: {error.strerror if isinstance(error, OSError) else error}"


def written(path: Path) -> TextIO:
    """Open a file for a text; what UTF-8 has not, such as a byte of a path, becomes an escape."""
    return path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n")


def write_text(text: str, path: Path) -> None:
    """Write a text as the whole of a file."""
    with written(path) as file:
        file.write(text)


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table without its index as the whole of a CSV file."""
    with written(path) as file:
        write_rows(table, file)


def write_rows(table: pd.DataFrame, file: TextIO, header: bool = True) -> None:
    """Write a table's rows as CSV; an apostrophe stands before a text that a spreadsheet would run."""
    import numpy as np  # for which no text waits

    safe = table.set_axis([_safe(name) for name in table.columns], axis=1)
    for place, kind in enumerate(safe.dtypes):
        if kind.name == "str":  # each text once: a table of games has the same ones again and again
            codes, texts = safe.iloc[:, place].factorize(use_na_sentinel=False)
            safe.isetitem(place, np.array([*map(_safe, texts)], object)[codes])
        elif kind.kind == "O":
            safe.isetitem(place, np.array([*map(_safe, safe.iloc[:, place])], object))
    safe.to_csv(file, index=False, header=header, lineterminator="\n")


def cell_text(cell: str) -> str:
    """The text that `write_rows` wrote as a cell."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _safe(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, of texts that Markdown shows as they are to be seen."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *rows))


def replaces_lines(stream: TextIO) -> bool:
    """Whether a stream is a terminal on which a line can be replaced by another one."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def version_of(package: str = OURS) -> str | None:
    """The version of a package, None if it is not installed as one."""
    with suppress(PackageNotFoundError):
        return version(package)
    return None


def commit() -> str:
    """The commit of this program, with `-dirty` behind it if files were changed since; "" outside a checkout."""
    asked = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude=*"]
    if (ROOT / ".git").exists():
        with suppress(OSError, subprocess.SubprocessError):
            return subprocess.run(asked, capture_output=True, text=True, timeout=5, check=True).stdout.strip()
    return ""
