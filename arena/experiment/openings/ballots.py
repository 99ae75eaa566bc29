"""Ballots: the two-move and three-move openings of English draughts, generated from the rules.

A three-move ballot is a position after three plies in which no man is lost by force within eight plies more; there
are 174. Which of them are played is the decision of the American Checker Federation, and data here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from arena.experiment.openings.lines import is_even
from arena.rules.move_text import move_text
from arena.rules.movegen import apply, legal_moves
from arena.rules.position import Position
from arena.rules.variants import Variant

BARRED_2MOVE = (
    "9-14 21-17",
    "9-14 23-18",
    "10-14 21-17",
    "10-14 23-18",
    "11-16 23-19",
    "12-16 23-19",
)
"""Not played: they lose a man."""
BARRED_3MOVE = (
    "9-13 21-17 10-14",
    "9-13 23-18 10-14",
    "9-13 24-19 10-15",
    "9-13 24-20 12-16",
    "9-14 22-18 12-16",
    "9-14 22-18 14-17",
    "9-14 23-19 10-15",
    "9-14 24-19 10-15",
    "10-14 24-19 11-15",
    "10-15 21-17 9-14",
    "10-15 22-17 9-14",
    "10-15 24-20 11-16",
    "11-15 21-17 10-14",
    "11-16 21-17 10-14",
    "11-16 22-18 10-15",
    "11-16 24-19 10-15",
    "12-16 23-18 9-14",
    "12-16 23-19 16x23",
)
"""Not played: one side is lost."""
MAIL_PLAY_3MOVE = (
    "9-13 22-18 10-14",
    "9-13 22-18 11-16",
    "9-13 23-18 11-16",
    "9-13 23-19 10-15",
    "9-13 24-20 11-16",
    "10-14 22-17 9-13",
    "10-14 22-17 11-15",
    "10-14 22-17 11-16",
    "10-15 23-19 11-16",
    "11-16 22-17 9-13",
    "11-16 23-19 16x23",
    "12-16 24-20 10-15",
)
"""Added in 2002 for play by mail, besides the 144 of the board."""


class Ballot(NamedTuple):
    """An opening with its moves and whether it is played: `usual`, `mail play` or `barred`."""

    moves: tuple[str, ...]
    position: Position
    mark: str


def ballots(variant: Variant, plies: int) -> list[Ballot]:
    """The two-move (49) or three-move (174) ballots of English draughts, in the order of their moves.

    Raises ValueError for another number of plies.
    """
    if plies not in (2, 3):
        raise ValueError(f"there are ballots of 2 and of 3 plies, not of {plies}")
    lines: dict[Position, tuple[str, ...]] = {}
    for moves, position in _lines(variant, variant.start, plies):
        lines.setdefault(position, moves)
    barred = BARRED_2MOVE if plies == 2 else BARRED_3MOVE
    marks = {_after(variant, line): "barred" for line in barred}
    if plies == 3:
        marks |= {_after(variant, line): "mail play" for line in MAIL_PLAY_3MOVE}
        lines = {position: moves for position, moves in lines.items() if is_even(variant, position)}
    return [Ballot(moves, position, marks.get(position, "usual")) for position, moves in lines.items()]


def _lines(variant: Variant, position: Position, plies: int) -> Iterator[tuple[tuple[str, ...], Position]]:
    if plies == 0:
        yield (), position
        return
    legal = legal_moves(variant.constants, position)
    texts = {move: move_text(variant, position, move, legal) for move in legal}
    for move in sorted(
        legal, key=lambda move: [int(number) for number in texts[move].replace("x", "-").split("-")]
    ):
        for rest, end in _lines(variant, apply(variant.constants, position, move), plies - 1):
            yield (texts[move], *rest), end


def _after(variant: Variant, line: str) -> Position:
    position = variant.start
    for word in line.split():
        legal = legal_moves(variant.constants, position)
        move = next(move for move in legal if move_text(variant, position, move, legal) == word)
        position = apply(variant.constants, position, move)
    return position
