"""What a player is made of: the files of a user's own that it is loaded from, each with a hash of its content.

A run keeps copies of them as they were when it began, from which sources are loaded (`players.importing`). A
player opens its data itself: if these have changed, it pauses the run. A file of a commit, `HEAD~1:my.py` as git
names it, is taken out of the repository by `git archive`.
"""

from __future__ import annotations

import os
import subprocess
import tarfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from hashlib import file_digest, sha256
from io import BytesIO
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TypeAlias

from arena.base import ArenaError
from arena.base.files import is_file, replace
from players.player import Pause

Files: TypeAlias = Mapping[str, str]
"""A short hash of each file's content, MISSING where there is no file, by its path."""
MISSING = "missing"
NO_FILES: Files = dict[str, str]()
COPIES = "files"  # the folder of the copies in a run's folder: each file lies in one named by its hash
_MOST_BYTES = 64 << 20  # bytes of a run's files that are copied, at most
_YOUNG = 2 * 10**9  # nanoseconds in which a file is read for each hash: it may be saved twice in a tick
_DIGITS = 12


def hash_of(path: str | Path) -> str:
    """A short hash of a file's content."""
    try:
        status = Path(path).stat()
        times = status.st_mtime_ns, status.st_ctime_ns  # no program can put back the second
        hashed = _hash.__wrapped__ if time.time_ns() - max(times) < _YOUNG else _hash
        return hashed(str(path), status.st_size, status.st_ino, *times)
    except OSError:
        return MISSING


@lru_cache(1 << 12)
def _hash(path: str, *_status: int) -> str:
    with Path(path).open("rb") as file:
        return file_digest(file, "sha256").hexdigest()[:_DIGITS]


def digest(content: bytes) -> str:
    """The hash of a file with this content."""
    return sha256(content).hexdigest()[:_DIGITS]


def placed(files: Files, folder: Path) -> dict[str, str]:
    """Files by their paths from a folder on."""
    return {os.path.relpath(path, folder.resolve()): files[path] for path in sorted(files)}


def now(files: Iterable[str], folder: Path) -> dict[str, str]:
    """The hashes that files have now, by absolute path; relative paths begin at `folder`."""
    paths = (os.path.normpath(folder.resolve() / path) for path in files)
    return {path: hash_of(path) for path in paths}


def check(files: Files, copies: str = "") -> None:
    """Raise Pause for a file that is another by now, with the place of its copy."""
    for path, mark in files.items():
        if hash_of(path) != mark:
            copy = copy_of(path, mark, copies)
            then = f"; as it was then it is {copy}" if copy.is_file() else ""
            raise Pause(f"{path} was changed since the run began{then}")


def copy_of(path: str | Path, mark: str, folder: str | Path) -> Path:
    """The place, in a folder of copies, of a file with a content of this hash; it need not be there."""
    return Path(folder, mark, Path(path).name)


def keep(files: Files, folder: str | Path) -> list[str]:
    """Copy files into a folder, small ones first, _MOST_BYTES at most; return those that have changed by now.
    Raises ArenaError if one cannot be copied."""
    sizes = {path: Path(path).stat().st_size if is_file(Path(path)) else 0 for path in files}
    edited, room = [path for path in files if hash_of(path) != files[path]], _MOST_BYTES
    for path in sorted(sizes, key=lambda path: sizes[path]):
        room -= sizes[path]
        if room >= 0 and files[path] != MISSING and path not in edited:
            try:
                content = Path(path).read_bytes()
                if digest(content) != files[path]:
                    edited.append(path)
                else:
                    keep_copy(copy_of(path, files[path], folder), content)
            except OSError as error:
                raise ArenaError(f"{path} cannot be copied into {folder}: {error.strerror}") from None
    return edited


def keep_copy(copy: Path, content: bytes) -> None:
    """Write the copy of a file unless it is there."""
    if not copy.is_file():
        copy.parent.mkdir(parents=True, exist_ok=True)
        replace(copy, lambda file: file.write_bytes(content))


def at_commit(path: Path, folder: Path) -> Path | None:
    """The place of the file or folder that `REV:path` means in the repository of `folder`; None for another path.

    The whole tree of the commit is taken out, so that a file imports what stood beside it. As for git, the path
    begins at the top of the repository, one with `./` at `folder`.
    """
    revision, _, within = str(path).partition(":")
    if not (revision and within) or revision.startswith("-") or (folder / path).exists():
        return None
    asked = "rev-parse", f"{revision}^{{commit}}", "--show-toplevel", "--show-prefix"
    with suppress(OSError, subprocess.CalledProcessError):
        commit, top, prefix = [*_git(folder, *asked).decode().split("\n"), ""][:3]
        return _tree(commit, top) / (prefix if within.startswith("./") else "") / within
    return None


@cache
def _tree(commit: str, top: str) -> Path:
    """The folder that has the files of a commit, among the arena's own caches."""
    from arena.rules.jit.cache import cache_folder  # with numba, for which no configuration waits

    folder = cache_folder().parent / "commits" / commit
    if not folder.is_dir():
        folder.parent.mkdir(exist_ok=True)
        unfinished = mkdtemp(dir=folder.parent)
        with tarfile.open(fileobj=BytesIO(_git(Path(top), "archive", commit))) as archive:
            archive.extractall(unfinished, filter="data")
        with suppress(OSError):  # another process may have been faster
            Path(unfinished).rename(folder)
        rmtree(unfinished, ignore_errors=True)
    return folder


def _git(folder: Path, *words: str) -> bytes:
    return subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=True).stdout


@cache
def failed_build(command: str, folder: str) -> str:
    """Build a program in its folder, by a command of the shell, once; the last words of one that fails."""
    done = subprocess.run(
        command, shell=True, cwd=folder, capture_output=True, text=True, errors="replace", check=False
    )
    words = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return "" if done.returncode == 0 else " ".join(words[-1:]) or f"exit code {done.returncode}"
