"""Encoding: games as arrays and moves as numbers, for neural networks."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.rules.custom import build_variant
from arena.rules.game import Game
from arena.rules.moves import sides, target_of
from arena.rules.notation import place
from arena.rules.position import WHITE, single_bits
from arena.rules.variants import Variant

PLANES = ("own men", "own kings", "other men", "other kings", "plies without progress", "earlier occurrences")
"""The planes of an encoded game: 1 where such a piece stands; the last two a number, on every square."""
LARGEST = 127
"""The largest value in a plane; larger numbers are cut to it."""
TWINS = 8
"""Actions for captures that share both ends with another capture of the same position."""

Bytes: TypeAlias = NDArray[np.int8]


class Encoding:
    """Encodes games and moves for a network, as the side to move sees them: its men move up.

    On a board of S squares the action of a move is `S * origin + target`, squares being counted from 0 along the
    rows, from the top. Where captures share both ends, the one whose captured squares come first has that action,
    and the others have S*S, S*S + 1 ..., up to TWINS of them. The action of a pass is S*S + TWINS.
    """

    def __init__(self, variant: Variant | str | Mapping[str, Any]) -> None:
        """The encoding for a variant, or for one as a configuration has it. Raises ValueError."""
        self.variant = variant if isinstance(variant, Variant) else build_variant(variant)
        rules = self.variant.rules
        self.shape = (len(PLANES), rules.rows, 2 * rules.per_row)
        """Of `planes`: planes, rows, columns."""
        self.actions = self.variant.squares**2 + TWINS + 1
        """How many actions there are."""
        self._pass = self.actions - 1
        order = _bits_by_cell(self.variant) + 64 * np.arange(4)[:, None]
        self._order = (order.reshape(-1, *self.shape[1:]), order[:, ::-1].reshape(-1, *self.shape[1:]))
        """For each colour, the bit of each cell of the planes with pieces, in words one after another."""
        last = self.variant.squares - 1
        white = {
            bit: last + 1 - number if self.variant.from_white else number - 1
            for bit, number in self.variant.numbers.items()
        }
        self._squares = (white, {bit: last - square for bit, square in white.items()})

    def planes(self, game: Game, colour: int | None = None) -> Bytes:
        """Encode the position of a game with its history, `int8[shape]`, see PLANES.

        It is seen from the side to move unless another `colour` is given.
        """
        position = game.position
        view = position.turn if colour is None else colour
        own, other = (position.white, position.black) if view == WHITE else (position.black, position.white)
        kings = position.kings
        words = struct.pack("<4q", own & ~kings, own & kings, other & ~kings, other & kings)
        bits = np.unpackbits(np.frombuffer(words, np.uint8), bitorder="little")
        planes = np.empty(self.shape, np.int8)
        planes[:4] = bits.take(self._order[view])
        planes[4] = min(game.without_progress, LARGEST)
        planes[5] = min(game.occurrences - 1, LARGEST)
        return planes

    def mask(self, game: Game) -> Bytes:
        """Mark each action that is a legal move by 1, `int8[actions]`."""
        mask = np.zeros(self.actions, np.int8)
        mask[list(self.moves(game))] = 1
        return mask

    def moves(self, game: Game) -> dict[int, int]:
        """The legal moves by their actions; twins beyond TWINS, which no known game has had, have none."""
        if game.legal_moves == [0]:
            return {self._pass: 0}
        rules, (own, other) = self.variant.rules, sides(game.position)
        squares, count = self._squares[game.turn], self.variant.squares
        moves: dict[int, int] = {}
        shared: dict[int, list[int]] = {}
        for move in game.legal_moves:
            action = count * squares[move & own] + squares[target_of(rules, own, other, move)]
            if action in moves:
                shared.setdefault(action, [moves[action]]).append(move)
            else:
                moves[action] = move
        return moves | self._told_apart(game, shared) if shared else moves

    def action(self, game: Game, move: int) -> int:
        """Return the action of a legal move. Raises ValueError for any other."""
        for action, legal in self.moves(game).items():
            if legal == move:
                return action
        raise ValueError(f"{move} is not a legal move with an action")

    def move(self, game: Game, action: int) -> int:
        """Find the legal move of an action. Raises ValueError if it has none."""
        moves = self.moves(game)
        if action not in moves:
            raise ValueError(
                f"the action {action} is not legal in {game.fen}; legal: {', '.join(map(str, moves))}"
            )
        return moves[action]

    def _told_apart(self, game: Game, shared: dict[int, list[int]]) -> dict[int, int]:
        squares = self._squares[game.turn]
        _, other = sides(game.position)

        def captured(move: int) -> tuple[list[int], int]:
            return sorted(squares[bit] for bit in single_bits(move & other)), move

        actions: dict[int, int] = {}
        twins: list[int] = []
        for action in sorted(shared):
            actions[action], *others = sorted(shared[action], key=captured)
            twins += others
        first = self.variant.squares**2
        return actions | {first + number: twin for number, twin in enumerate(twins[:TWINS])}


def _bits_by_cell(variant: Variant) -> NDArray[np.int64]:
    """For each cell of the board as White sees it, row by row from the top left, the number of its bit; for the
    cells that are no squares a bit that is never set."""
    width = 2 * variant.rules.per_row
    bits = np.full(variant.rules.rows * width, width)
    for bit in variant.bits:
        column, row = place(variant, bit)
        bits[row * width + column] = bit.bit_length() - 1
    return bits
