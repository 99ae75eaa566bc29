"""A stored game played again: what each move changed on the board."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arena.rules.move_text import parse_move
from arena.rules.movegen import after_move, legal_moves
from arena.rules.moves import sides, target_of
from arena.rules.notation import NotationError, parse_fen, piece_letter
from arena.rules.position import Position
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


def replay(variant: Variant, opening: str, moves: Sequence[str]) -> Replay:
    """Play the moves of a game, their texts, from the FEN of its opening."""
    start = parse_fen(variant, opening)
    steps: list[str] = []
    fault = ""
    try:
        for step in _steps(variant, start, moves):
            steps.append(step)
    except NotationError as error:
        fault = str(error)
    return Replay("".join(piece_letter(start, bit) or "." for bit in variant.bits), steps, fault)


def _steps(variant: Variant, position: Position, moves: Sequence[str]) -> Iterator[str]:
    legal = legal_moves(variant.constants, position)
    for text in moves:
        move = _move(variant, position, text, legal)
        own, other = sides(position)
        after, legal = after_move(variant.constants, position, move)
        step = text
        if after.kings.bit_count() > (position.kings & ~move).bit_count() + bool(position.kings & own & move):
            step += "=W" if position.turn == 0 else "=B"
        if move & other:
            step += "/" + ",".join(str(variant.numbers[bit]) for bit in _bits(move & other))
        yield step
        position = after


def _move(variant: Variant, position: Position, text: str, legal: Sequence[int]) -> int:
    """The legal move that a stored text means; a plain one is found without `parse_move`, which takes longer."""
    numbers = re.findall(r"[0-9]+", text)
    if len(numbers) == 2 and all(0 < int(number) <= variant.squares for number in numbers):
        origin, target = (variant.bits[int(number) - 1] for number in numbers)
        if "-" in text and origin | target in legal:
            return origin | target
        own, other = sides(position)
        found = [
            move
            for move in legal
            if move & other and move & own == origin and target_of(variant.rules, own, other, move) == target
        ]
        if len(found) == 1:
            return found[0]
    return parse_move(variant, position, text, legal)


def _bits(pieces: int) -> Iterator[int]:
    while pieces:
        yield pieces & -pieces
        pieces &= pieces - 1
