"""The folder on disk where compiled kernels are kept.

numba's cache looks at a kernel's own file only, so a change of `moves.py` would leave an old `movegen` in the
cache. The folder is therefore named by a hash of all kernel sources and of numba's version. A function of a user's
own has a folder within, named by a key of everything that its code depends on; without such a key it is not kept.
"""

from __future__ import annotations

import hashlib
import inspect
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba

from arena.base.files import ROOT
from arena.rules.jit.captured import code_key

OWN = "draughts-arena"
"""Name of the folder, among other programs' caches, where the arena keeps compiled kernels, deletes old ones."""
STALE_AFTER = 14 * 24 * 3600
"""Seconds after which the folder of other sources is deleted."""
_COMPILED_PACKAGES = ("arena/rules", "players")
"""Where kernels, and the constants of kernels, stand."""
_KERNELS = (
    *(f"arena/rules/{name}.py" for name in ("captures", "movegen", "moves", "position", "result", "rules")),
    *(f"arena/rules/{name}.py" for name in ("variants", "zobrist", "endgame/index", "endgame/retrograde")),
    *("arena/rules/jit/*.py", "players/memory.py", "players/evaluation/*.py"),
    *(f"players/mcts/{name}.py" for name in ("search", "state", "tree")),
    *(f"players/negamax/{name}.py" for name in ("score", "search", "state", "switches", "table_and_order")),
    *(f"players/published/{name}.py" for name in ("game3", "program", "search")),
)
"""The files that hold kernels, and the constants and types with which they are compiled."""
_NAME = 16
"""Digits of a hash that name a folder."""


@contextmanager
def numba_uses_cache_folder(function: Callable[..., Any]) -> Iterator[bool]:
    """Let numba keep the code of a function in the folder for it, whatever folder numba uses by default.

    Yields whether there is one: code that depends on what has no key, or that stands in no file, is not kept.
    """
    file = Path(inspect.getfile(function)).resolve()
    is_ours = any(file.is_relative_to(ROOT / package) for package in _COMPILED_PACKAGES)
    key = "" if is_ours else code_key(function) if file.is_file() else None
    config: Any = numba.config
    before = config.CACHE_DIR
    if key is not None:
        config.CACHE_DIR = str(cache_folder() / key)
    try:
        yield key is not None
    finally:
        config.CACHE_DIR = before


@cache
def cache_folder() -> Path:
    """The folder of this source tree's compiled kernels, `$XDG_CACHE_HOME/draughts-arena/<hash>`; made if missing.

    `NUMBA_CACHE_DIR` stands for `XDG_CACHE_HOME`. Without a home, or where it cannot be written to, the folder
    is in the temporary one, which is said.
    """
    name = _hash(kernel_sources())
    try:
        parent = Path(
            os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", OWN
        )
        folder = _writable(parent / name)
    except (OSError, RuntimeError) as error:
        folder = Path(tempfile.gettempdir(), f"{OWN}-{os.getuid()}", name)
        if not folder.exists():
            logging.getLogger(__name__).warning("%s: compiled code is kept in %s", error, folder.parent)
        try:
            return _writable(folder)
        except OSError:
            return Path(tempfile.mkdtemp())
    for other in parent.glob("[0-9a-f]" * _NAME):
        with suppress(OSError):  # another process may delete it at the same time
            if time.time() - other.stat().st_mtime > STALE_AFTER:
                shutil.rmtree(other)
    return folder


def _writable(folder: Path) -> Path:
    """A folder, made if missing, which counts as used now. Raises OSError if it cannot be written to."""
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"{folder} cannot be written to")
    return folder


def kernel_sources() -> list[Path]:
    """The files whose change makes compiled kernels stale."""
    return sorted(path for pattern in _KERNELS for path in ROOT.glob(pattern))


def _hash(sources: Iterable[Path]) -> str:
    """A name for what is compiled from some files."""
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sources:
        with suppress(OSError):  # of a user's folder, not all may be read
            digest.update(source.read_bytes())
    return digest.hexdigest()[:_NAME]
