"""Endgame tables that several files of tests use."""

from __future__ import annotations

from pathlib import Path
from tempfile import gettempdir

from filelock import FileLock

from arena.rules.endgame.retrograde import make
from arena.rules.endgame.tables import EndgameTables
from arena.rules.variants import Variant


def tables_of(variant: Variant, pieces: int = 3) -> EndgameTables:
    """The tables where commands and workers look for them; test processes that make them wait for each other."""
    with FileLock(Path(gettempdir()) / "arena-endgame-tables.lock"):
        return make(variant, pieces)
