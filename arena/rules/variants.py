"""Variants: one row of named constants each."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, cast

from arena.rules.board import bit_of, row_mask
from arena.rules.jit import Constants
from arena.rules.position import BLACK, WHITE, Position

NEVER, AT_END, STOPS, IN_PASSING = range(4)
"""Promotion: never; where a move ends; touching the last row ends the move; at once, going on as a king."""


class Rules(NamedTuple):
    """What the kernels know of a variant; flags and masks only, constants to the compiler."""

    rows: int
    per_row: int
    """Dark squares in a row."""
    board: int
    """All squares."""
    top: int
    """The first row: black's back row, on which white's men are crowned."""
    bottom: int
    """The last row: white's back row, on which black's men are crowned."""
    upper: int
    """Black's half of the board."""
    edge: int
    """The squares on any edge."""
    centre: int
    """The squares at least two rows and two columns from every edge."""
    men_capture_backward: bool = False
    men_capture_kings: bool = True
    flying: bool = False
    """Kings move and capture over any distance."""
    lands_behind: bool = False
    """A flying king must stop right behind the captured piece."""
    lands_anywhere: bool = False
    """A flying king may land where its capture ends although it could go on from another square."""
    killer: bool = False
    """A flying king must stop right behind the last captured piece if that is a king."""
    promotion: int = STOPS
    majority: bool = False
    """A capture of fewer pieces than possible is illegal."""
    prefer_king: bool = False
    """Capturing with a king goes before capturing with a man."""
    prefer_kings: bool = False
    """Capturing more kings goes before fewer."""
    prefer_early_kings: bool = False
    """Capturing kings earlier in the sequence goes before later."""
    removed_at_once: bool = False
    """A captured piece leaves the board before the next jump, not after the move."""
    one_hop: bool = False
    """A move captures one piece at most."""
    passes: bool = False
    """A side without a move passes while the other side can move."""
    score_decides: bool = False
    """At the end more points win: 2 for a man on its far row, 1 for any other."""


class Draws(NamedTuple):
    """When a game is drawn by itself; 0 switches a rule off."""

    repetition: int = 3
    """Occurrences of a position with the same side to move."""
    no_progress: int = 0
    """Plies in a row without a capture or a man's move."""


@dataclass(frozen=True)
class Variant:
    """A rule set with its board, start position and names."""

    name: str
    rules: Rules
    men: int
    """Men of each side at the start."""
    first: int
    """The colour that moves first."""
    draws: Draws = field(default_factory=Draws)
    gametype: str = ""
    """Value of the PDN 3.0 GameType tag."""
    about: str = ""

    @cached_property
    def constants(self) -> Rules:
        """The rules as kernels receive them: `Constants`, which reads like the rules themselves."""
        return cast(Rules, Constants(self.rules))

    @property
    def squares(self) -> int:
        """How many squares are played on."""
        return self.rules.rows * self.rules.per_row

    @cached_property
    def bits(self) -> tuple[int, ...]:
        """The bit of each square, in the order of its number in notation."""
        return tuple(bit_of(square, self.rules.per_row) for square in range(self.squares))

    @cached_property
    def numbers(self) -> dict[int, int]:
        """The number of each square, counted from 1, by its bit."""
        return {bit: number for number, bit in enumerate(self.bits, start=1)}

    @cached_property
    def start(self) -> Position:
        """The start position."""
        per_row = self.rules.per_row
        black = sum(bit_of(square, per_row) for square in range(self.men))
        white = sum(bit_of(self.squares - 1 - square, per_row) for square in range(self.men))
        return Position(white, black, 0, self.first)


def board(rows: int, per_row: int) -> Rules:
    """Rules of English draughts on a board of the given size."""
    edge = centre = 0
    for square in range(rows * per_row):
        row, index = divmod(square, per_row)
        column = 2 * index + (row + 1) % 2
        from_edge = min(row, rows - 1 - row, column, 2 * per_row - 1 - column)
        edge |= bit_of(square, per_row) if from_edge == 0 else 0
        centre |= bit_of(square, per_row) if from_edge >= 2 else 0
    return Rules(
        rows=rows,
        per_row=per_row,
        board=sum(row_mask(row, per_row) for row in range(rows)),
        top=row_mask(0, per_row),
        bottom=row_mask(rows - 1, per_row),
        upper=sum(row_mask(row, per_row) for row in range(rows // 2)),
        edge=edge,
        centre=centre,
    )


_EIGHT = board(8, 4)
_TEN = board(10, 5)
_FLYING: dict[str, Any] = {"men_capture_backward": True, "flying": True, "promotion": AT_END}

VARIANTS: dict[str, Variant] = {
    variant.name: variant
    for variant in (
        Variant(
            name="english",
            rules=_EIGHT,
            men=12,
            first=BLACK,
            draws=Draws(repetition=3, no_progress=80),
            gametype="21,B,8,8,N1,0",
            about="8x8, American checkers: short kings, men capture forward, free choice of captures",
        ),
        Variant(
            name="brazilian",
            rules=_EIGHT._replace(**_FLYING, majority=True),
            men=12,
            first=WHITE,
            draws=Draws(repetition=3, no_progress=30),
            gametype="26,W,8,8,A0,0",
            about="8x8, international rules on the small board",
        ),
        Variant(
            name="international",
            rules=_TEN._replace(**_FLYING, majority=True),
            men=20,
            first=WHITE,
            draws=Draws(repetition=3, no_progress=50),
            gametype="20,W,10,10,N2,0",
            about="10x10: flying kings, men capture backward, majority capture",
        ),
        Variant(
            name="simplified",
            rules=_EIGHT._replace(promotion=NEVER, passes=True, score_decides=True),
            men=12,
            first=BLACK,
            draws=Draws(repetition=0),
            about="8x8, no crowning: a side without a move passes, and points decide",
        ),
    )
}
