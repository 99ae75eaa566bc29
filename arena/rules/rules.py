"""Rules: what the kernels know of a variant, named constants only."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace
from functools import cached_property

from arena.rules.position import row_and_column

NEVER, AT_END, STOPS, IN_PASSING, DELAYED = range(5)
"""Promotion: never; where a move ends; touching the last row ends the move; at once, going on as a king; going on
as a man and crowned where the move ends, for having touched the last row."""
PROMOTIONS = ("never", "at_end", "stops", "in_passing", "delayed")  # their names in configurations, by value


@dataclass(frozen=True)
class Rules:
    """Holds a board and the rules of movement, capture and promotion; constants to the compiler. It is no tuple:
    numba, which knows tuples by the types of their fields, would take one rule set for another."""

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
    leftmost: int
    """The first square of each row."""
    rightmost: int
    """The last square of each row."""
    men_capture_backward: bool = False
    men_capture_kings: bool = True
    straight_captures: bool = False
    """Pieces capture straight ahead, back and sideways, too: the next dark square that way, landing beyond it."""
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
    prefer_value: bool = False
    """A capture of less value is illegal; a man counts 1, n kings between 2n - 1 and 2n."""
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
    losing_wins: bool = False
    """A side without a piece or a move wins."""
    first_king_wins: bool = False

    @cached_property
    def _hash(self) -> int:
        return hash(astuple(self))

    def __hash__(self) -> int:  # kept, as each call of a kernel from Python looks its code up by the rules
        return self._hash

    def but(self, **changes: int) -> Rules:
        """These rules with some fields changed."""
        return replace(self, **changes)  # type: ignore[arg-type]


SIZES = (6, 8, 10)
"""Rows of the square boards: a larger one, of 72 squares or more, does not fit into the 64 bits of an integer."""
GEOMETRY = ("rows", "per_row", "board", "top", "bottom", "upper", "edge", "centre", "leftmost", "rightmost")
"""The fields of Rules that `board_rules` computes from the size of the board."""


def board_rules(rows: int, per_row: int) -> Rules:
    """The rules of English draughts on a board of the given size."""
    columns = 2 * per_row
    numbers = [square + square // columns for square in range(rows * per_row)]
    places = {1 << number: row_and_column(number, per_row) for number in numbers}
    from_edge = {
        bit: min(row, rows - 1 - row, column, columns - 1 - column) for bit, (row, column) in places.items()
    }
    return Rules(
        rows=rows,
        per_row=per_row,
        board=sum(places),
        top=sum(bit for bit, (row, _) in places.items() if row == 0),
        bottom=sum(bit for bit, (row, _) in places.items() if row == rows - 1),
        upper=sum(bit for bit, (row, _) in places.items() if row < rows // 2),
        edge=sum(bit for bit, distance in from_edge.items() if distance == 0),
        centre=sum(bit for bit, distance in from_edge.items() if distance >= 2),
        leftmost=sum(bit for bit, (_, column) in places.items() if column < 2),
        rightmost=sum(bit for bit, (_, column) in places.items() if column >= columns - 2),
    )
