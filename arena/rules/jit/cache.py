"""The folder on disk where compiled kernels are kept, and how numba finds a kernel there.

numba's own cache looks at a kernel's file only: a change of `moves.py` would leave an old `movegen` in it, and a
comment would have it compiled again. So the code of all kernels names the folder.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from arena.base.files import ROOT

OWN = "draughts-arena"
"""Name of the folder, among other programs' caches, where the arena keeps compiled kernels, deletes old ones."""
STALE_AFTER = 14 * 24 * 3600  # seconds after which what other sources left is deleted
_PACKAGES = ("arena", "players")
_KERNELS = (
    *(f"arena/rules/{name}.py" for name in ("captures", "movegen", "moves", "position", "rules")),
    "arena/rules/endgame/*.py",
    "arena/rules/jit/*.py",
    *(f"players/evaluation/{name}.py" for name in ("evaluator", "features", "linear", "mix", "neural")),
    *(f"players/mcts/{name}.py" for name in ("search", "tree")),
    *(f"players/negamax/{name}.py" for name in ("score", "search", "state", "switches", "table_and_order")),
    "players/published/*.py",
)
"""The files that hold kernels, and the constants with which they are compiled."""
_NOT_COMPILED = re.compile(r'"""[\s\S]*?"""|"[^"\n]*"|#.*')
"""Docstrings, texts and comments: no kernel depends on one."""
_NAME = 16  # digits of a hash that name a folder


class _Locator(_CacheLocator):
    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._module, self._py_file = function.__module__, file

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator:
        return cls(py_func, py_file)

    def get_cache_path(self) -> str:
        return str(cache_folder() / "arena_kernels")

    def get_source_stamp(self) -> str:
        return cache_folder().name

    def get_disambiguator(self) -> str:
        return self._module


class _CacheImpl(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012  as in numba, which reads it of the instance


class KernelCache(FunctionCache):
    """numba's cache of a function's code, in the folder of the arena."""

    _impl_class = _CacheImpl


def is_own(function: Callable[..., Any]) -> bool:
    """Whether a function is the arena's, and no user's: only then its code is kept."""
    return (function.__module__ or "").partition(".")[0] in _PACKAGES


@cache
def cache_folder() -> Path:
    """The folder of this source tree's kernels, `draughts-arena/<hash>` in NUMBA_CACHE_DIR, XDG_CACHE_HOME or
    `~/.cache`; made if missing. Where it cannot be written to or is another user's, it is in the temporary folder,
    and a warning says so."""
    name = hash_of_code(kernel_sources(), numba.__version__)
    try:
        parent = Path(
            os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", OWN
        )
        folder = _usable(parent / name)
    except (OSError, RuntimeError) as error:
        folder = Path(tempfile.gettempdir(), f"{OWN}-{os.getuid()}", name)
        if not folder.exists():
            logging.getLogger(__name__).warning("%s: compiled code is kept in %s", error, folder.parent)
        try:
            return _usable(folder)
        except OSError:
            return Path(tempfile.mkdtemp())
    delete_stale(other for other in parent.glob("[0-9a-f]" * _NAME) if other != folder)
    return folder


def delete_stale(folders: Iterable[Path]) -> None:
    """Delete folders that were not used for STALE_AFTER seconds."""
    for folder in folders:
        with suppress(OSError):  # another process may delete it at the same time
            if time.time() - folder.stat().st_mtime > STALE_AFTER:
                shutil.rmtree(folder)


def _usable(folder: Path) -> Path:
    """A folder, made if missing, which counts as used now. Raises OSError if it cannot be written to, or if
    another user could have put code there, which would be run."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    for made in (folder.parent, folder):
        made.mkdir(mode=0o700, exist_ok=True)
        status = made.lstat()
        if status.st_uid != os.getuid() or status.st_mode & 0o002 or made.is_symlink():
            raise PermissionError(f"{made} is not this user's alone")
    os.utime(folder)
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"{folder} cannot be written to")
    return folder


def kernel_sources() -> list[Path]:
    """The files whose change makes compiled kernels stale."""
    return sorted(path for pattern in _KERNELS for path in ROOT.glob(pattern))


def hash_of_code(sources: Iterable[Path], compiler: str = "") -> str:
    """A name for what a compiler makes of some files: their text but for comments, docstrings and messages."""
    digest = hashlib.sha256(compiler.encode())
    for source in sources:
        lines = _NOT_COMPILED.sub("", source.read_text(encoding="utf-8")).splitlines()
        digest.update("\n".join(line.rstrip() for line in lines if line.strip()).encode())
    return digest.hexdigest()[:_NAME]
