"""Endgame tables: the files of a rule set, and what they say of a position.

A file of numpy's holds a slice (`arena.rules.endgame.index`), one byte an ending: 0 for a draw, 255 for no ending,
else one more than the plies to the end if both play best. Who wins follows from whether these are odd.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from arena.base.errors import ArenaError
from arena.rules.endgame import MOST_PIECES
from arena.rules.endgame.index import SLICES, Material, probe, slice_number, slice_sizes, wins
from arena.rules.jit.cache import cache_folder, hash_of_code
from arena.rules.jit.kernel import entry, is_compiling
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import Variant

Codes = NDArray[np.uint8]
_SOURCES = ("position", "rules", "moves", "captures", "movegen")
"""Files of `arena.rules` that decide, with this folder, what is in a table."""


class EndgameError(ArenaError):
    """Endgame tables that are missing, damaged or cannot be made, in one line."""


class EndingValue(NamedTuple):
    """What an ending is worth to the side to move, with best play by both and without limits of moves."""

    result: int  # 1 wins, 0 draws, -1 loses
    plies: int  # plies to the end: the quickest win, the longest resistance; 0 for a draw


def why_no_tables(variant: Variant) -> str:
    """Why a rule set has no endgame tables, in one line; "" if it has."""
    if variant.rules.score_decides:
        return f"{variant.name} has no endgame tables: points decide its games, not who moves last"
    if variant.rules.losing_wins and variant.rules.first_king_wins:
        return f"{variant.name} has no endgame tables: losing_wins and first_king_wins end games in two ways"
    if variant.king_moves:
        return f"{variant.name} has no endgame tables: which king may move depends on earlier moves (king_moves)"
    return ""


@cache
def compiled_probe(rules: Any) -> Any:
    """The native code of `probe` for a rule set."""
    address = types.int64 if is_compiling() else 0
    return entry(probe, types.int64, rules, Position(0, 0, 0, 0), address, 0)


class EndgameTables:
    """The endings of up to `pieces` pieces under `rules`, as far as their slices were added; `probe` needs
    `pieces` and `address`, which is good as long as this object lives."""

    def __init__(self, rules: Rules, pieces: int) -> None:
        self.rules = rules
        self.pieces = pieces
        self.slices: dict[Material, Codes] = {}
        self._addresses = np.zeros(SLICES, np.int64)
        self.address: Any = self._addresses.ctypes.data if is_compiling() else self.slices

    def add(self, material: Material, codes: Codes) -> None:
        """Let a slice be found."""
        self.slices[material] = codes
        self._addresses[slice_number(material)] = codes.ctypes.data

    def value(self, position: Position) -> EndingValue | None:
        """What an ending is worth to the side to move; None for a position that the tables do not have."""
        code = int(compiled_probe(self.rules)(self.rules, position, self.address, self.pieces))
        if code < 0:
            return None
        if code == 0:
            return EndingValue(0, 0)
        return EndingValue(1 if wins(self.rules, code) else -1, code - 1)


def read_slice(path: Path, size: int) -> Codes:
    """A slice mapped from its file, which processes share. Raises EndgameError if it is missing or damaged."""
    with suppress(Exception):  # numpy raises whatever parsing a damaged header does
        codes: Any = open_memmap(path, mode="r")
        if codes.shape == (size,) and codes.dtype == np.uint8 and path.stat().st_size == codes.offset + size:
            return codes  # type: ignore[no-any-return]
    raise EndgameError(f"{path} is missing or damaged")


def load(variant: Variant, pieces: int) -> EndgameTables:
    """The tables of a rule set's endings of up to some pieces, mapped from the cache folder. Raises EndgameError
    if the rule set has none, or a file is missing or damaged."""
    if line := why_no_tables(variant):
        raise EndgameError(line)
    tables, folder = EndgameTables(variant.rules, pieces), folder_of(variant)
    for material, size in slice_sizes(tables.rules, pieces).items():
        tables.add(material, read_slice(folder / f"{material}.npy", size))
    with suppress(OSError):
        os.utime(folder)  # it counts as used now
    return tables


def known_pieces(variant: Variant) -> int:
    """The most pieces of which a rule set's endgame tables are there and whole, 0 without any."""
    for pieces in range(MOST_PIECES, 1, -1):
        with suppress(EndgameError):
            return load(variant, pieces).pieces
    return 0


def folder_of(variant: Variant) -> Path:
    """The folder of a rule set's files, beside the compiled kernels, named by the rules and the code that solves
    them."""
    rules = hashlib.sha256(repr(variant.rules).encode()).hexdigest()[:16]
    return cache_folder().parent / "endgame" / rules / _code()


@cache
def _code() -> str:
    """A hash of the code that solves endings, as it was when it was first asked for."""
    folder = Path(__file__).parent
    return hash_of_code([*(folder.with_name(f"{name}.py") for name in _SOURCES), *sorted(folder.glob("*.py"))])
