"""Encoding: games as arrays and moves as numbers, for neural networks."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.rules.custom import build_variant
from arena.rules.game import Game
from arena.rules.moves import sides, target_of
from arena.rules.notation import place
from arena.rules.position import single_bits
from arena.rules.variants import Variant

PLANES = ("own men", "own kings", "other men", "other kings", "plies without progress", "earlier occurrences")
"""The planes of an encoded game: 1 where such a piece stands; the last two a number, on every square."""
LARGEST = 127  # the largest number in a plane; larger ones are cut to it
EXTRA = 8  # actions for captures that share both ends with another capture of the same position


class Encoding:
    """Encodes games and moves for a network, as the side to move sees them: its men move up.

    On a board of S squares the action of a move is `S * origin + target`, squares counted from 0 along the rows.
    Of captures that share both ends the one whose captured squares come first has it, the others, up to EXTRA of
    them, S*S, S*S + 1 ... The action of a pass is S*S + EXTRA.
    """

    def __init__(self, variant: Variant | str | Mapping[str, Any]) -> None:
        """The encoding for a variant, or for one as a configuration has it. Raises ValueError."""
        self.variant = build_variant(variant)
        rows, columns = self.variant.rules.rows, 2 * self.variant.rules.per_row
        self.shape = (len(PLANES), rows, columns)
        """Of `planes`: planes, rows, columns."""
        self.actions = self.variant.squares**2 + EXTRA + 1
        """How many actions there are."""
        places = {bit: place(self.variant, bit)[::-1] for bit in self.variant.bits}
        white = {bit: square for square, bit in enumerate(sorted(places, key=places.__getitem__))}
        self._squares = white, {bit: len(white) - 1 - square for bit, square in white.items()}
        """By colour, the number of each square."""
        cells = np.full((4, rows, columns), 63)  # a bit that is never set
        for bit, (row, column) in places.items():
            cells[:, row, column] = bit.bit_length() - 1
        cells += 64 * np.arange(4)[:, None, None]
        self._cells = cells, cells[:, ::-1, ::-1]
        """By colour, the bits of the planes with pieces, in words one after another."""

    def planes(self, game: Game, colour: int | None = None) -> NDArray[np.int8]:
        """Encode the position of a game with its history, `int8[shape]` (PLANES), for the side to move or
        `colour`."""
        view, kings = game.turn if colour is None else colour, game.position.kings
        own, other = game.position[view], game.position[1 - view]
        words = struct.pack("<4q", own & ~kings, own & kings, other & ~kings, other & kings)
        planes = np.empty(self.shape, np.int8)
        planes[:4] = np.unpackbits(np.frombuffer(words, np.uint8), bitorder="little").take(self._cells[view])
        planes[4] = min(game.without_progress, LARGEST)
        planes[5] = min(game.occurrences - 1, LARGEST)
        return planes

    def moves(self, game: Game) -> dict[int, int]:
        """The legal moves by their actions; captures beyond EXTRA, which no known game has had, have none."""
        if game.legal_moves == [0]:
            return {self.actions - 1: 0}
        rules, (own, other) = self.variant.rules, sides(game.position)
        squares, count = self._squares[game.turn], self.variant.squares
        ends = {
            move: count * squares[move & own] + squares[target_of(rules, own, other, move)]
            for move in game.legal_moves
        }
        by_ends = dict(sorted((action, move) for move, action in ends.items()))
        if len(by_ends) == len(ends):  # as nearly always
            return by_ends

        def rank(move: int) -> tuple[int, list[int], int]:
            return ends[move], sorted(squares[bit] for bit in single_bits(move & other)), move

        moves, further = dict[int, int](), list[int]()
        for move in sorted(ends, key=rank):
            if moves.setdefault(ends[move], move) != move:
                further.append(move)
        return moves | dict(zip(range(count**2, count**2 + EXTRA), further, strict=False))
