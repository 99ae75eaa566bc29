"""Board: a position drawn, with arrows and marked squares, for notebooks, files and terminals."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from arena.rules.board.svg import Labels, board_svg
from arena.rules.board.text import board_text, to_move
from arena.rules.custom import build_variant
from arena.rules.move_text import MoveSquares
from arena.rules.notation import parse_fen
from arena.rules.position import Position
from arena.rules.variants import Variant

Way: TypeAlias = str | Sequence[int]
"""Squares one after another: `11-15`, `22x15x8`, or their numbers."""
_PIXELS = 400


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
        given. Raises ValueError, in one line, for what is no variant, no position, no square of it or no label.
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
        """The picture as SVG, so many pixels wide, or as wide as there is room with None."""
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

        Raises ValueError for a name that ends otherwise.
        """
        suffix = Path(path).suffix.lower()
        if suffix not in (".svg", ".txt"):
            raise ValueError(f"{os.fspath(path)}: a board is saved as .svg or .txt")
        text = self.svg() if suffix == ".svg" else str(self)
        Path(path).write_text(text + "\n", encoding="utf-8")

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
        if len(way) < 2:
            raise ValueError(f"{way!r} are not two squares or more")
        return [self._square(number) for number in way]

    def _square(self, number: int) -> int:
        if not 1 <= number <= self.variant.squares:
            raise ValueError(f"{number!r} is not a square of {self.variant.name}, 1 to {self.variant.squares}")
        return number
