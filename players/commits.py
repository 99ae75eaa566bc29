"""Files of a commit: `HEAD~1:my.py`, as git names them, taken out of the repository by `git archive`."""

from __future__ import annotations

import subprocess
import tarfile
from contextlib import suppress
from functools import cache
from io import BytesIO
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp


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
