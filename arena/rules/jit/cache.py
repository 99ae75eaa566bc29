"""The folder on disk where compiled kernels are kept.

numba's cache looks at a kernel's own file only, so a change of `step.py` would leave an old `movegen` in the
cache. The cache folder is therefore named by a hash of all kernel sources and of numba's version.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from pathlib import Path

import numba
from llvmlite import ir

PACKAGES = ("arena/rules", "arena/tuning", "players")
"""Folders whose sources are compiled, relative to the folder that holds the `arena` package."""
STALE_AFTER = 14 * 24 * 3600
"""Seconds after which the cache folder of other sources is deleted."""


def cache_folder() -> Path:
    """The folder of this source tree's compiled kernels, `$XDG_CACHE_HOME/draughts-arena/<hash>`.

    `NUMBA_CACHE_DIR` overrides its parent. A place that cannot be written to is replaced by a temporary one.
    """
    root = Path(__file__).resolve().parents[3]
    digest = hashlib.sha256(f"{numba.__version__} {ir.__name__}".encode())
    for package in PACKAGES:
        for source in sorted((root / package).rglob("*.py")):
            digest.update(source.read_bytes())
    parent = os.environ.get("NUMBA_CACHE_DIR") or str(
        Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "draughts-arena"
    )
    name = digest.hexdigest()[:16]
    for base in (Path(parent), Path(tempfile.gettempdir()) / f"draughts-arena-{os.getuid()}"):
        try:
            (base / name).mkdir(parents=True, exist_ok=True)
            if os.access(base / name, os.W_OK):
                _forget_stale(base, keep=name)
                os.utime(base / name)
                return base / name
        except OSError:
            continue
    return Path(tempfile.mkdtemp())


def _forget_stale(base: Path, keep: str) -> None:
    for folder in base.iterdir():
        if len(folder.name) == 16 and folder.name != keep and folder.is_dir():
            age = time.time() - folder.stat().st_mtime
            if age > STALE_AFTER:
                shutil.rmtree(folder, ignore_errors=True)
