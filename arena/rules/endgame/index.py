"""Index: where an ending stands in its slice of an endgame table, and what is found there.

An ending has White to move: for Black the board is turned. A slice holds all endings of the same material. Its
numbers run over the own men, the other men, the own kings and the other kings, the last fastest: a set of squares
by its rank in lexicographic order, men among the squares that men stand on, kings among those that are left. Men
of both sides on the same square have a number, too, though they are no ending.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb
from typing import Any, NamedTuple

import numpy as np

from arena.rules.endgame import MOST_PIECES
from arena.rules.jit.kernel import inlined, kernel
from arena.rules.jit.native import popcount, view
from arena.rules.movegen import has_move
from arena.rules.moves import as_white, sides
from arena.rules.position import WHITE, Position
from arena.rules.rules import NEVER, Rules

NO_ENDING = 255  # the byte that stands for no ending
SLICES = 8**4  # numbers that `slice_number` may give

_CHOOSE = np.array([[comb(n, k) for n in range(65)] for k in range(MOST_PIECES + 1)])
"""Binomials by the size of the subset and of the set; constants to the compiler."""


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
