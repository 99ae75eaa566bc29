"""Board: a position drawn, with arrows and marked squares, for notebooks, files and terminals."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from arena.base.writing import write_text
from arena.rules.board.svg import Labels, board_svg
from arena.rules.custom import build_variant
from arena.rules.move_text import MoveSquares
from arena.rules.notation import parse_fen, piece_letter, place
from arena.rules.position import COLOURS, Position
from arena.rules.variants import Variant

Way: TypeAlias = str | Sequence[int]
"""Squares one after another: `11-15`, `22x15x8`, or their numbers."""
_PIXELS = 400
LETTERS = {"w": "w", "W": "W", "b": "b", "B": "B", "": "."}
"""Pieces by their letters, an empty square."""
FIGURES = {"w": "⛀", "W": "⛁", "b": "⛂", "B": "⛃", "": "·"}
"""Pieces as Unicode has them, an empty square."""
WIDTHS = (5, 4, 3)
"""Characters that a square can be across."""


class Board:
    """A position to look at: a picture in notebooks, text where it is printed, and `save(path)`.

    `arena.Board("english", "W:W21,22,K30:B12", arrows=["22-18"], marks=[12])`
    """

    def __init__(
        self,
        variant: Variant | str | Mapping[str, Any],
        position: Position | str | None = None,
        *,
        last: MoveSquares | Way | None = None,
        arrows: Iterable[Way] = (),
        marks: Iterable[int] = (),
        flip: bool = False,
        labels: Labels = "numbers",
        caption: str | None = None,
    ) -> None:
        """The start of a variant, another position of it or a FEN; White stands below, or above with `flip`.

        `last` is the last move, whose ends are shown, `marks` are numbers of squares. `labels` stand in the
        squares: numbers, algebraic or none. The `caption` below the board says who is to move unless one is
        given. Raises ValueError, in one line, for an unknown variant, a wrong position, square or label.
        """
        self.variant = variant if isinstance(variant, Variant) else build_variant(variant)
        if isinstance(position, str):
            position = parse_fen(self.variant, position)
        self.position = self.variant.start if position is None else position
        self.last = last if isinstance(last, MoveSquares | None) else self._move(last)
        self.arrows = [self._way(arrow) for arrow in arrows]
        self.marks = [self._square(mark) for mark in marks]
        if labels not in ("numbers", "algebraic", "none"):
            raise ValueError(f"labels are 'numbers', 'algebraic' or 'none', not {labels!r}")
        self.flip, self.labels = flip, labels
        self.caption = to_move(self.position) if caption is None else caption

    def svg(self, width: int | None = _PIXELS) -> str:
        """The picture as SVG, `width` pixels wide, or as wide as there is room with None."""
        return board_svg(
            self.variant,
            self.position,
            last=self.last,
            arrows=self.arrows,
            marks=self.marks,
            flip=self.flip,
            labels=self.labels,
            caption=self.caption,
            width=width,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the board into a file, as SVG, or as text if its name ends in .txt.

        Raises ValueError for any other ending.
        """
        suffix = Path(path).suffix.lower()
        if suffix not in (".svg", ".txt"):
            raise ValueError(f"{os.fspath(path)}: a board is saved as .svg or .txt")
        text = self.svg() if suffix == ".svg" else str(self)
        write_text(text + "\n", Path(path))

    def __str__(self) -> str:
        return board_text(self.variant, self.position, last=self.last, marks=self.marks, flip=self.flip)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _move(self, way: Way) -> MoveSquares:
        squares = self._way(way)
        return MoveSquares(squares[0], squares[-1], ())

    def _way(self, way: Way) -> list[int]:
        if isinstance(way, str):
            if not re.fullmatch(r"[0-9]{1,3}([-x:][0-9]{1,3})+", way):
                raise ValueError(f"{way!r} names no squares, as 11-15 does")
            way = [int(number) for number in re.split("[-x:]", way)]
        if not isinstance(way, list | tuple) or len(way) < 2:
            raise ValueError(f"{way!r} are not two squares or more")
        return [self._square(number) for number in way]

    def _square(self, number: int) -> int:
        if number not in range(1, self.variant.squares + 1):
            raise ValueError(f"{number!r} is not a square of {self.variant.name}, 1 to {self.variant.squares}")
        return number


def board_text(
    variant: Variant,
    position: Position,
    *,
    last: MoveSquares | None = None,
    marks: Collection[int] = (),
    flip: bool = False,
    pieces: Mapping[str, str] = LETTERS,
    width: int = WIDTHS[0],
) -> str:
    """The board in lines, each square with its number and what stands on it, then who is to move.

    White is below, or above with `flip`. The squares of the last move stand in [], `marks`, numbers of squares,
    in (). `pieces` is LETTERS or FIGURES, `width` one of WIDTHS: squares of 4 characters have the second bracket
    alone, those of 3 none.
    """
    lines = []
    for row in rows_of(variant, flip):
        cells = []
        for number in row:
            if not number:
                cells.append(" " * width)
                continue
            piece = pieces[piece_letter(position, variant.bits[number - 1])]
            opens, closes = "()" if number in marks else "[]" if number in _ends(last) else "  "
            cells.append(f"{opens}{number:>2}{piece}{closes}"[width < WIDTHS[0] :][:width])
        lines.append("".join(cells).rstrip())
    return "\n".join([*lines, to_move(position)])


def to_move(position: Position) -> str:
    """`White to move`."""
    return f"{COLOURS[position.turn].capitalize()} to move"


def rows_of(variant: Variant, flip: bool = False) -> list[list[int]]:
    """The numbers of the squares, row by row as they are drawn; 0 for a square that is not played on."""
    rows = [[0] * (2 * variant.rules.per_row) for _ in range(variant.rules.rows)]
    for number, bit in enumerate(variant.bits, start=1):
        column, row = place(variant, bit)
        rows[row][column] = number
    return [row[::-1] for row in rows[::-1]] if flip else rows


def _ends(last: MoveSquares | None) -> tuple[int, ...]:
    return () if last is None else last[:2]
