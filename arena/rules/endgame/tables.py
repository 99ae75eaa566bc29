"""Endgame tables: the files of a rule set, where an ending stands in them, and what they say of a position.

An ending has White to move: for Black the board is turned. A slice holds all endings of the same material. Its
numbers run over the own men, the other men, the own kings and the other kings, the last fastest: a set of squares
by its rank in lexicographic order, men among the squares that men stand on, kings among those that are left. Men
of both sides on the same square have a number, too, though they are no ending.

A file of numpy's holds a slice, one byte an ending: 0 for a draw, NO_ENDING for no ending, else one more than the
plies to the end if both play best. Who wins follows from whether these are odd.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from arena.base import ArenaError
from arena.rules.endgame import MOST_PIECES
from arena.rules.jit.cache import cache_folder, hash_of_code
from arena.rules.jit.kernel import entry, inlined, is_compiling, kernel
from arena.rules.jit.native import popcount, view
from arena.rules.movegen import has_move
from arena.rules.moves import as_white, sides
from arena.rules.position import WHITE, Position
from arena.rules.rules import NEVER, Rules
from arena.rules.variants import Variant

NO_ENDING = 255  # the byte that stands for no ending
SLICES = 8**4  # numbers that `slice_number` may give

_CHOOSE = np.array([[comb(n, k) for n in range(65)] for k in range(MOST_PIECES + 1)])
"""Binomials by the size of the subset and of the set; constants to the compiler."""
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


# --- where an ending stands


class Material(NamedTuple):
    """The pieces of an ending, the side to move first."""

    own_men: int
    own_kings: int
    other_men: int
    other_kings: int

    @property
    def swapped(self) -> Material:
        """The material seen by the other side."""
        return Material(*self[2:], *self[:2])

    def __str__(self) -> str:
        """Kings and men of each side, the side to move first: `KKvKM`."""
        return f"{'K' * self.own_kings}{'M' * self.own_men}v{'K' * self.other_kings}{'M' * self.other_men}"


def slice_sizes(rules: Rules, pieces: int) -> dict[Material, int]:
    """How many endings the slices of up to some pieces have numbers for, in the order in which they are solved."""
    return {
        material: rows(rules, material) * row_size(rules, material)
        for count in range(2, pieces + 1)
        for material in _materials(rules, count)
    }


def _materials(rules: Rules, pieces: int) -> Iterator[Material]:
    """All material of so many pieces, some of each side; fewer men first, as men become kings. No kings where the
    first one ends the game."""
    for men in range(pieces if rules.first_king_wins else 0, pieces + 1):
        for own in range(1, pieces):
            for own_men in range(men + 1):
                material = Material(own_men, own - own_men, men - own_men, pieces - own - men + own_men)
                if min(material) >= 0:
                    yield material


@inlined
def wins(rules: Rules, code: int) -> bool:
    """Whether the side to move wins a decided ending with this code of `probe`."""
    return (code & 1 == 0) != rules.losing_wins


@kernel
def probe(rules: Rules, position: Position, address: Any, pieces: int) -> int:
    """What the tables at an address, of up to some pieces, say of a position: -1 if they do not have it, 0 for a
    draw, else one more than the plies to the end. With 0 pieces there are none, and the address is not read."""
    if popcount(position.white | position.black) > pieces:
        return -1
    own, other = sides(position)
    if own == 0 or (rules.first_king_wins and position.kings & other != 0 and position.kings & own == 0):
        return 1
    if rules.first_king_wins and position.kings != 0:
        return -1
    if other == 0:
        return 2 if has_move(rules, position) else 1
    ending = as_white(rules, position)
    own, other, kings = ending.white, ending.black, ending.kings
    if rules.promotion != NEVER and ((own & rules.top) | (other & rules.bottom)) & ~kings != 0:
        return -1
    own_kings, other_kings = popcount(own & kings), popcount(other & kings)
    material = Material(popcount(own) - own_kings, own_kings, popcount(other) - other_kings, other_kings)
    return code_at(address, material, place(rules, own, other, kings))


def code_at(address: Any, material: Material, number: int) -> int:
    """The code of an ending by its number in the slice of its material."""
    return int(address[material][number])


def _code_at(address: Any, material: Material, number: int) -> int:
    return int(view(view(address, np.int64)[slice_number(material)], np.uint8)[number])


inlined(code_at, _code_at)


@inlined
def slice_number(material: Material) -> int:
    """The number of a slice, below SLICES."""
    return ((material.own_men * 8 + material.own_kings) * 8 + material.other_men) * 8 + material.other_kings


@inlined
def rows(rules: Rules, material: Material) -> int:
    """Rows of a slice: endings whose other kings alone differ."""
    men, squares = popcount(own_squares(rules)), popcount(rules.board)
    free = squares - material.own_men - material.other_men
    numbers = _CHOOSE[material.own_men, men] * _CHOOSE[material.other_men, men]
    return int(numbers * _CHOOSE[material.own_kings, free])


@inlined
def row_size(rules: Rules, material: Material) -> int:
    """Endings of a row."""
    others = material.own_men + material.other_men + material.own_kings
    return int(_CHOOSE[material.other_kings, popcount(rules.board) - others])


@inlined
def own_squares(rules: Rules) -> int:
    """The squares that men of the side to move stand on."""
    return rules.board if rules.promotion == NEVER else rules.board & ~rules.top


@inlined
def other_squares(rules: Rules) -> int:
    """The squares that men of the other side stand on."""
    return rules.board if rules.promotion == NEVER else rules.board & ~rules.bottom


@inlined
def place(rules: Rules, own: int, other: int, kings: int) -> int:
    """The number of an ending in its slice, from 0."""
    own_kings, other_kings = own & kings, other & kings
    own_men, other_men = own ^ own_kings, other ^ other_kings
    free = rules.board & ~(own_men | other_men)
    squares = other_squares(rules)
    number = rank(own_men, own_squares(rules))
    number = number * _CHOOSE[popcount(other_men), popcount(squares)] + rank(other_men, squares)
    number = number * _CHOOSE[popcount(own_kings), popcount(free)] + rank(own_kings, free)
    if other_kings != 0:
        free ^= own_kings
        number = number * _CHOOSE[popcount(other_kings), popcount(free)] + rank(other_kings, free)
    return int(number)


@inlined
def rank(bits: int, squares: int) -> int:
    """The number of a subset of `squares`, from 0, among the subsets of its size."""
    number = 0
    left = popcount(bits)
    while bits != 0:
        bit = bits & -bits
        bits ^= bit
        number += _CHOOSE[left, popcount(squares & -(bit << 1))]
        left -= 1
    return int(number)


@kernel
def subset(number: int, size: int, squares: int) -> int:
    """The subset of `squares` with some size that has a number: the inverse of `rank`."""
    bits = 0
    above = popcount(squares)
    while size > 0:
        bit = squares & -squares
        squares ^= bit
        above -= 1
        skipped = _CHOOSE[size, above]
        if skipped <= number:
            number -= skipped
            size -= 1
            bits |= bit
    return bits


@kernel
def row_of(rules: Rules, material: Material, row: int) -> Position:
    """The pieces that endings of a row share, all but the other side's kings; men of both may share a square."""
    squares = other_squares(rules)
    free = popcount(rules.board) - material.own_men - material.other_men
    row, own_kings = divmod(row, _CHOOSE[material.own_kings, free])
    own_men, other_men = divmod(row, _CHOOSE[material.other_men, popcount(squares)])
    men = subset(own_men, material.own_men, own_squares(rules))
    other = subset(other_men, material.other_men, squares)
    kings = subset(own_kings, material.own_kings, rules.board & ~(men | other)) if men & other == 0 else 0
    return Position(men | kings, other, kings, WHITE)
