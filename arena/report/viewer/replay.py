"""A stored game played again: what each move changed on the board."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arena.rules.move_text import parse_move
from arena.rules.movegen import after_move, legal_moves
from arena.rules.moves import sides, target_of
from arena.rules.notation import NotationError, parse_fen, piece_letter
from arena.rules.position import WHITE, Position
from arena.rules.variants import Variant


class Replay(NamedTuple):
    """What a page needs to show a game without knowing the rules."""

    board: str
    """The position after the opening, a letter a square in the order of its number: `w W b B`, `.` for none."""
    steps: list[str]
    """Of each move its text, `=W` if that piece then stands on its target, and `/18,22`, the captured squares.

    The first and the last number of the text are the squares that the piece leaves and reaches; a pass has none.
    """
    fault: str
    """Why the moves from the last step on could not be played, empty if all were."""


class Replayer:
    """Plays stored games of a variant again; what a text means is looked up once."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self._starts: dict[str, Position] = {}
        self._ends: dict[str, tuple[int, int]] = {}
        """Of the text of a move that has two squares, these as bits; none for other texts."""

    def replay(self, opening: str, moves: Sequence[str]) -> Replay:
        """Play the moves of a game, their texts, from the FEN of its opening."""
        if opening not in self._starts:
            self._starts[opening] = parse_fen(self.variant, opening)
        start = self._starts[opening]
        steps: list[str] = []
        fault = ""
        try:
            for step in self._steps(start, moves):
                steps.append(step)
        except NotationError as error:
            fault = str(error)
        return Replay("".join(piece_letter(start, bit) or "." for bit in self.variant.bits), steps, fault)

    def _steps(self, position: Position, moves: Sequence[str]) -> Iterator[str]:
        rules, numbers = self.variant.constants, self.variant.numbers
        legal = legal_moves(rules, position)
        for text in moves:
            move = self._move(position, text, legal)
            own, other = sides(position)
            after, legal = after_move(rules, position, move)
            step = text
            if after.kings.bit_count() > (position.kings & ~move).bit_count() + bool(position.kings & own & move):
                step += "=W" if position.turn == WHITE else "=B"
            if move & other:
                step += "/" + ",".join(str(number) for bit, number in numbers.items() if move & other & bit)
            yield step
            position = after

    def _move(self, position: Position, text: str, legal: Sequence[int]) -> int:
        """The legal move that a stored text means; most are found without `parse_move`, which takes longer."""
        if text not in self._ends:
            numbers = [int(number) for number in re.findall("[0-9]+", text)]
            fits = len(numbers) == 2 and max(numbers) <= self.variant.squares and min(numbers) > 0
            bits = self.variant.bits
            self._ends[text] = (bits[numbers[0] - 1], bits[numbers[1] - 1]) if fits else (0, 0)
        origin, target = self._ends[text]
        if origin and "-" in text and origin | target in legal:
            return origin | target
        own, other = sides(position)
        if origin & own:
            rules = self.variant.rules
            ends = [move for move in legal if move & own == origin and move & other]
            found = [move for move in ends if target_of(rules, own, other, move) == target]
            if len(found) == 1:
                return found[0]
        return parse_move(self.variant, position, text, legal)
