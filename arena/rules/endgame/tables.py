"""Endgame tables: the file of a rule set, and what it says of a position.

The file begins with a header of 64-bit words, little-endian: what the file is, a hash of the rules and of the code
that solves them (4 words), the number of pieces, two that are not used, and by slice its offset and its checksum.
Then the slices follow, those of fewer pieces first, one byte an ending (see `arena.rules.endgame.index`): 0 for a
draw, 255 for no ending, else one more than the plies to the end, where the winner takes the quickest way and the
loser the longest. Who wins follows from whether these plies are odd.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from shutil import disk_usage
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from arena.base.errors import ArenaError
from arena.base.files import FolderError, lock_folder, replace
from arena.base.number import quantity
from arena.rules.custom import is_named
from arena.rules.endgame import MOST_PIECES
from arena.rules.endgame.index import (
    OFFSETS_AT,
    SLICES,
    Material,
    materials,
    probe,
    slice_number,
    slice_size,
    wins,
)
from arena.rules.endgame.retrograde import Bytes, Solver, TooLongError
from arena.rules.jit.cache import cache_folder
from arena.rules.jit.constants import Constants
from arena.rules.jit.kernel import entry, is_compiling
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import Variant

_MAGIC = int.from_bytes(b"endgame1", "little")
_PIECES_AT = 5
_CHECKSUMS_AT = OFFSETS_AT + SLICES
_IS_THERE = 1 << 32
"""Added to the checksum of a slice that has been written."""
_SOURCES = ("position", "rules", "moves", "captures", "movegen")
"""The files of `arena.rules` that decide what is in a table, beside those of this folder."""


class EndgameError(ArenaError):
    """Endgame tables that are missing, damaged or cannot be made, in one line."""


class Value(NamedTuple):
    """What an ending is worth to the side to move, with best play by both and without limits of moves."""

    result: int
    """1 wins, 0 draws, -1 loses."""
    plies: int
    """Plies to the end: the quickest win, the longest resistance; 0 for a draw."""


def refusal(variant: Variant) -> str:
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
    """The endings of up to `pieces` pieces under `rules`: read only, mapped from the file, which processes share.

    `address` and `pieces` are what `probe` needs; they are good as long as this object lives.
    """

    def __init__(self, rules: Rules, pieces: int, data: Bytes) -> None:
        self.rules = rules
        self.pieces = pieces
        self.address: Any = data.ctypes.data if is_compiling() else data
        self._data = data

    def value(self, position: Position) -> Value | None:
        """What an ending is worth to the side to move; None for a position that the tables do not have."""
        code = int(compiled_probe(self.rules)(self.rules, position, self.address, self.pieces))
        if code < 0:
            return None
        if code == 0:
            return Value(0, 0)
        return Value(1 if wins(self.rules, code) else -1, code - 1)

    def slices(self) -> Iterator[tuple[Material, Bytes]]:
        """The bytes of each slice, those of fewer pieces first."""
        return layout(self.rules, self.pieces).cut(self._data)


class Layout(NamedTuple):
    """Where the slices of a file are; `header` lacks their checksums."""

    header: NDArray[np.int64]
    slices: list[tuple[Material, int, int]]
    """The material of each, its number and its size."""
    size: int
    """Bytes of the file."""

    def cut(self, data: Bytes) -> Iterator[tuple[Material, Bytes]]:
        """The slices of a file."""
        for material, number, size in self.slices:
            offset = int(self.header[OFFSETS_AT + number])
            yield material, data[offset : offset + size]

    def write(self, file: BinaryIO, material: Material, data: Bytes) -> None:
        """Write a slice, and then its checksum."""
        number = slice_number(*material)
        file.seek(int(self.header[OFFSETS_AT + number]))
        file.write(data.data)
        file.flush()
        file.seek(8 * (_CHECKSUMS_AT + number))
        file.write(checksum(data).to_bytes(8, "little"))
        file.flush()


def layout(rules: Rules, pieces: int) -> Layout:
    """The layout of a file with the endings of up to some pieces."""
    header = np.zeros(_CHECKSUMS_AT + SLICES, "<i8")
    header[0], header[_PIECES_AT] = _MAGIC, pieces
    header[1:_PIECES_AT] = np.frombuffer(_digest(rules), "<i8")
    slices, end = [], header.nbytes
    for count in range(2, pieces + 1):
        for material in materials(rules, count):
            number, size = slice_number(*material), int(slice_size(rules, material))
            slices.append((material, number, size))
            header[OFFSETS_AT + number] = end
            end += size
    return Layout(header, slices, end)


def checksum(data: Bytes) -> int:
    """The word of a header for a slice that has been written."""
    return zlib.crc32(data.data) | _IS_THERE


class Stored(NamedTuple):
    """What a file has: for how many pieces it is, 0 if of other rules, -1 if cut off; the whole slices."""

    pieces: int
    whole: dict[Material, Bytes]
    data: Bytes


def stored(path: Path, rules: Rules, pieces: int) -> Stored:
    """What a file has of the endings of up to some pieces; a slice whose checksum is wrong is left out."""
    planned = layout(rules, pieces)
    try:
        data = np.memmap(path, np.uint8, "r")
    except (FileNotFoundError, ValueError) as error:  # an empty file cannot be mapped
        return Stored(-isinstance(error, ValueError), {}, np.zeros(0, np.uint8))
    header, expected = data[: planned.header.nbytes].copy(), planned.header.tobytes()
    if header.size < len(expected) or bytes(header[: 8 * _PIECES_AT]) != expected[: 8 * _PIECES_AT]:
        return Stored(-(header.size < len(expected)), {}, data)
    words = header.view("<i8")
    whole = {}
    for (material, part), (_, number, size) in zip(planned.cut(data), planned.slices, strict=True):
        is_there = words[OFFSETS_AT + number] == planned.header[OFFSETS_AT + number] and part.size == size
        if is_there and words[_CHECKSUMS_AT + number] and words[_CHECKSUMS_AT + number] == checksum(part):
            whole[material] = part
    count = int(words[_PIECES_AT])
    is_right = count in range(2, MOST_PIECES + 1) and data.size == layout(rules, count).size
    return Stored(count if is_right else -1, whole, data)


def load(variant: Variant, pieces: int) -> EndgameTables:
    """The tables of a rule set's endings of up to some pieces, mapped from the cache folder.

    Raises EndgameError if the rule set has none, or the file is missing, of fewer pieces or damaged.
    """
    if line := refusal(variant):
        raise EndgameError(line)
    rules = variant.constants
    found = stored(path_of(variant), rules, pieces)
    command = f"arena tables {variant.name if is_named(variant) else 'VARIANT'} --pieces {pieces}"
    if 0 <= found.pieces < pieces:
        raise EndgameError(f"{variant.name} has no endgame tables of {pieces} pieces yet: {command} makes them")
    if found.pieces < 0 or len(found.whole) < len(layout(rules, pieces).slices):
        raise EndgameError(f"the endgame tables of {variant.name} are damaged: {command} makes them again")
    return EndgameTables(rules, pieces, found.data)


@lru_cache(8)
def opened(variant: Variant, pieces: int) -> EndgameTables:
    """`load`, the latest tables kept open, so that their checksums are not taken again; errors are not kept."""
    return load(variant, pieces)


def known_pieces(variant: Variant) -> int:
    """The most pieces of which a rule set's endgame tables are there and whole, 0 without any."""
    for pieces in range(stored(path_of(variant), variant.constants, 0).pieces, 1, -1):
        with suppress(EndgameError):
            return opened(variant, pieces).pieces
    return 0


def make(
    variant: Variant, pieces: int, report: Callable[[int, int], object] = lambda _done, _total: None
) -> EndgameTables:
    """The tables of a rule set's endings of up to some pieces; what the cache folder lacks is solved and kept.

    So an earlier call that was interrupted or killed is resumed. `report` is called several times a second with
    how many endings are solved, and of how many. Raises EndgameError if the rule set has no tables, if the folder
    cannot be written to, and if another process makes them now.
    """
    with suppress(EndgameError):
        return load(variant, pieces)
    if line := refusal(variant):
        raise EndgameError(line)
    path = path_of(variant)
    try:
        lock = lock_folder(path.parent)
    except FolderError as error:
        raise EndgameError(f"the endgame tables of {variant.name} cannot be made now: {error}") from None
    try:
        _complete(path, variant.constants, pieces, report)
    except TooLongError as error:
        raise EndgameError(f"{variant.name} has no endgame tables: {error}") from None
    except OSError as error:
        raise EndgameError(f"{path} cannot be written: {error.strerror}") from None
    finally:
        lock.release()
    return load(variant, pieces)


def _complete(path: Path, rules: Rules, pieces: int, report: Callable[[int, int], object]) -> None:
    """Write the file, by way of one beside it that grows slice by slice."""
    pieces = max(pieces, stored(path, rules, 0).pieces)  # a damaged file of more pieces is mended as a whole
    planned, part = layout(rules, pieces), path.with_name(f"{pieces}.part")
    found = [stored(file, rules, pieces).whole for file in (*sorted(path.parent.glob("*.part")), path)]
    kept = {material: data for whole in found for material, data in whole.items()}
    needed, free = quantity(planned.size, "B"), disk_usage(path.parent).free
    if free < planned.size:
        raise EndgameError(f"{path} needs {needed} of disk, but {quantity(free, 'B')} are free")

    def begin(new: Path) -> None:
        with new.open("wb") as file:
            file.write(planned.header.tobytes())
            file.truncate(planned.size)
            for material, data in kept.items():
                planned.write(file, material, data)

    replace(part, begin)
    with part.open("r+b") as file:

        def keep(solved: Mapping[Material, Bytes]) -> None:
            for material, data in solved.items():
                planned.write(file, material, data)

        solver = Solver(rules, np.memmap(part, np.uint8, "r"), keep)
        before, total = sum(map(len, kept.values())), planned.size - planned.header.nbytes
        report(before, total)
        missing = [material for material, _, _ in planned.slices if material not in kept]
        for _, level in groupby(missing, lambda each: (each.pieces, each.own_men + each.other_men)):
            pairs = {min(each, each.swapped) for each in level}
            solver.solve(pairs, lambda: report(before + solver.done, total))
    part.replace(path)


def path_of(variant: Variant) -> Path:
    """The file of a rule set, in a folder beside those of the compiled kernels.

    Rule sets that differ in their draws alone share it.
    """
    name = hashlib.sha256(repr(variant.rules).encode()).hexdigest()[:16]
    return cache_folder().parent / "endgame" / name / "tables"


@cache
def _digest(rules: Rules) -> bytes:
    """A hash of rules and of the code that solves them, as it was when it was first asked for."""
    plain = rules.values if isinstance(rules, Constants) else rules
    digest = hashlib.sha256(repr(plain).encode())
    folder = Path(__file__).parent
    for path in (*(folder.with_name(f"{name}.py") for name in _SOURCES), *sorted(folder.glob("*.py"))):
        digest.update(path.read_bytes())
    return digest.digest()
