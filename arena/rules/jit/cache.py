"""The folder on disk where compiled kernels are kept, and a kernel's place in it.

numba's cache looks at a kernel's own file only, so a change of `step.py` would leave an old `movegen` in the
cache. The folder is therefore named by a hash of all kernel sources and of numba's version. An evaluation of a
user's own has a folder within, named by a hash of the Python files that stand beside its own.
"""

from __future__ import annotations

import hashlib
import inspect
import logging
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numba
from llvmlite import ir
from numba.core.caching import FunctionCache, NullCache

ROOT = Path(__file__).resolve().parents[3]
"""The folder that holds the packages `arena` and `players`."""
OWN = "draughts-arena"
"""Name of the folder, among other programs' caches, where the arena keeps compiled kernels, deletes old ones."""
STALE_AFTER = 14 * 24 * 3600
"""Seconds after which the cache folder of other sources is deleted."""

_NAME = 16
_HASH = re.compile(f"[0-9a-f]{{{_NAME}}}")
"""The name of a folder of compiled kernels."""
_COMPILED_PACKAGES = ("arena/rules", "players")
_COMPILES = re.compile(r"\b(arena\.rules\.jit|numba|evaluator)\b")


class LazyCache:
    """A function's place in numba's cache, found at its first use: decorating a function does not touch the disk.

    It takes the place of the attribute `_cache` that numba's dispatcher has.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found, name)

    @cached_property
    def _found(self) -> FunctionCache | NullCache:
        with numba_uses_cache_folder(self._function):
            try:
                return FunctionCache(self._function)
            except RuntimeError:  # the function stands in no file: it was typed in, or executed as a text
                return NullCache()


@contextmanager
def numba_uses_cache_folder(function: Callable[..., Any]) -> Iterator[None]:
    """Let numba keep the code of a function in the folder for it, whatever folder numba uses by default."""
    folder = (
        cache_folder() if is_ours(function) else users_folder(Path(inspect.getfile(function)).resolve().parent)
    )
    config: Any = numba.config
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def is_ours(function: Callable[..., Any]) -> bool:
    """Whether a function stands in this source tree."""
    file = Path(inspect.getfile(function)).resolve()
    return any(file.is_relative_to(ROOT / package) for package in ("arena", "players"))


@cache
def cache_folder() -> Path:
    """The folder of this source tree's compiled kernels, `$XDG_CACHE_HOME/draughts-arena/<hash>`; made if missing.

    `NUMBA_CACHE_DIR` stands for `XDG_CACHE_HOME`. Without a home, or where it cannot be written to, the folder
    is in the temporary one, which is said.
    """
    digest = hashlib.sha256(f"{numba.__version__} {ir.__name__}".encode())
    for source in kernel_sources():
        digest.update(source.read_bytes())
    name = digest.hexdigest()[:_NAME]
    if parent := _parent():
        if _is_writable(parent / name):
            _forget_stale(parent, keep=name)
            return parent / name
        why = f"{parent} cannot be written to"
    else:
        why = "there is no home folder"
    user = os.getuid() if hasattr(os, "getuid") else ""  # Windows has a temporary folder for each user
    folder = Path(tempfile.gettempdir(), f"{OWN}-{user}", name)
    is_new = not folder.exists()
    if not _is_writable(folder):
        folder = Path(tempfile.mkdtemp())
    if is_new:
        logging.getLogger(__name__).warning("%s: compiled code is kept in %s", why, folder.parent)
    return folder


def _parent() -> Path | None:
    """The folder that the environment names for caches, and in it the arena's own; None without a home."""
    if named := os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME"):
        return Path(named, OWN)
    try:
        return Path.home() / ".cache" / OWN
    except RuntimeError:
        return None


def _is_writable(folder: Path) -> bool:
    """Whether a folder, made if missing, can be written to; if so, it counts as used now."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


@cache
def users_folder(sources: Path) -> Path:
    """The folder, in `cache_folder`, of what is compiled from a folder of a user's own; it need not exist."""
    digest = hashlib.sha256()
    for source in sorted(sources.glob("*.py")):
        with suppress(OSError):
            digest.update(source.read_bytes())
    return cache_folder() / digest.hexdigest()[:_NAME]


def kernel_sources() -> list[Path]:
    """The files whose change makes compiled kernels stale: those that hold kernels, or constants of kernels.

    They are all of `arena.rules` and `players`, and whatever else in `arena` compiles.
    """
    sources = {path for package in _COMPILED_PACKAGES for path in (ROOT / package).rglob("*.py")}
    others = set((ROOT / "arena").rglob("*.py")) - sources
    sources |= {path for path in others if _COMPILES.search(path.read_text(encoding="utf-8"))}
    return sorted(sources)


def _forget_stale(parent: Path, keep: str) -> None:
    """Delete the compiled code of other sources that nobody used for long, and folders that are empty then."""
    for folder in parent.iterdir():
        with suppress(OSError):  # another process may delete it at the same time
            is_other = _HASH.fullmatch(folder.name) and folder.name != keep and not folder.is_symlink()
            if is_other and time.time() - folder.stat().st_mtime > STALE_AFTER:
                for file in [*folder.glob("**/*.nbi"), *folder.glob("**/*.nbc")]:
                    file.unlink()
                for within in sorted(folder.glob("**/"), reverse=True):
                    within.rmdir()
