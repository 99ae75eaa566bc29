"""Board: a position drawn, with arrows and marked squares, as SVG for notebooks, files and pages, or as text.

In the SVG a square is UNIT wide; the top left corner of the board is 0, 0. Behind the `symbols()` of the pieces
stand the groups `g.board-squares`, `-last`, `-labels`, `-columns` and `-rows` (above and left of the board),
`-pieces`, `-marks`, `-arrows` and `-caption`. Squares and pieces have `data-square`. Colours are attributes, so
that the style of a page may change them by the elements' classes.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from arena.base.files import write_text
from arena.rules.custom import build_variant
from arena.rules.move_text import MoveSquares, square_numbers
from arena.rules.notation import algebraic, parse_fen, piece_letter, place
from arena.rules.position import COLOURS, Position
from arena.rules.variants import Variant

UNIT = 100  # width of a square
SYMBOLS = {"w": "board-white-man", "W": "board-white-king", "b": "board-black-man", "B": "board-black-king"}
"""The id of the symbol of each kind of piece, by its letter (`arena.rules.notation.piece_letter`)."""
LIGHT, DARK, LABEL = "#f0d9b5", "#b58863", "#4a3219"
"""Colours of the squares that are not played on, of those that are, and of the text in them."""
LAST, ARROW, MARK, CAPTION = "#ffd60a", "#15781b", "#c1121f", "#7a7a7a"
"""Colours of the last move, arrows, marked squares, and of the caption, which is read on white and on black."""

Labels: TypeAlias = Literal["numbers", "algebraic", "none"]  # the text in a corner of each square

_FACES = {  # of a piece's face, edge, ring and crown
    "white": ("#fffdf7", "#6b5b45", "#cbbfa8", "#a8790a"),
    "black": ("#2e2a28", "#0d0b0a", "#6f655f", "#f0b92e"),
}
_CROWN = "M29 65 L24 36 L39 49 L50 29 L61 49 L76 36 L71 65 Z M31 71 H69"
_CAPTION_HEIGHT = 48
_EDGE = 40  # width of the strips above the board and left of it that number its columns and rows
_HEAD = 34  # length of an arrow's head

Way: TypeAlias = str | Sequence[int]  # squares one after another: `11-15`, `22x15x8`, or their numbers
_PIXELS = 400
LETTERS = {"w": "w", "W": "W", "b": "b", "B": "B", "": "."}  # pieces by their letters, an empty square
WIDTHS = (5, 4, 3)  # characters that a square can be across


class Board:
    """Shows a position: a picture in notebooks, text where it is printed, and `save(path)`.

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
        """Draw the start of a variant, or another position or FEN; White is below, or above with `flip`.

        `last` is the last move; `arrows` run along squares, `marks` around them. The caption says who is to move
        unless another one is given. Raises ValueError, in one line, for a wrong variant, position, square or
        label.
        """
        self.variant = build_variant(variant)
        if isinstance(position, str):
            position = parse_fen(self.variant, position)
        self.position = self.variant.start if position is None else position
        if last is not None and not isinstance(last, MoveSquares):
            squares = self._way(last)
            last = MoveSquares(squares[0], squares[-1], ())
        self.last = last
        self.arrows = [self._way(arrow) for arrow in arrows]
        self.marks = [self._square(mark) for mark in marks]
        if labels not in get_args(Labels):
            raise ValueError(f"labels are 'numbers', 'algebraic' or 'none', not {labels!r}")
        self.flip, self.labels = flip, labels
        self.caption = to_move(self.position) if caption is None else caption

    def svg(self, width: int | None = _PIXELS, *, edges: bool = False) -> str:
        """Draw one `svg` element, `width` pixels wide, or as wide as there is room.

        `edges` numbers rows and columns from 0 at White's top left.
        """
        columns, rows = 2 * self.variant.rules.per_row, self.variant.rules.rows
        edge = _EDGE if edges else 0
        across, height = columns * UNIT + edge, rows * UNIT + edge + (_CAPTION_HEIGHT if self.caption else 0)
        text = escape(description(self.variant, self.position))
        size = f' width="{width}" height="{round(width * height / across)}"' if width else ""
        parts = (
            f"<title>{text}</title>",
            f"<defs>{symbols()}</defs>",
            _group("squares", self._squares()),
            _group("last", self._last_move()),
            _group("labels", self._labels()),
            _group("columns", (self._edge(number, columns, False) for number in range(columns if edges else 0))),
            _group("rows", (self._edge(number, rows, True) for number in range(rows if edges else 0))),
            _group("pieces", self._pieces()),
            _group("marks", map(self._mark, self.marks)),
            _group("arrows", (_arrow([self._centre(number) for number in way]) for way in self.arrows)),
            _group("caption", self._caption(rows * UNIT)),
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="board" viewBox="{-edge} {-edge} {across} {height}"'
            f'{size} role="img" aria-label="{text}" font-family="system-ui, DejaVu Sans, sans-serif">'
            f"{''.join(parts)}</svg>"
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the board into a file, as SVG or, into `.txt`, as text. Raises ValueError for any other ending."""
        suffix = Path(path).suffix.lower()
        if suffix not in (".svg", ".txt"):
            raise ValueError(f"{os.fspath(path)}: a board is saved as .svg or .txt")
        text = self.svg() if suffix == ".svg" else str(self)
        write_text(text + "\n", Path(path))

    def __str__(self) -> str:
        return board_text(
            self.variant, self.position, last=self.last, marks=self.marks, flip=self.flip, labels=self.labels
        )

    def _repr_svg_(self) -> str:
        return self.svg()

    def _way(self, way: Way) -> list[int]:
        numbers = square_numbers(way) if isinstance(way, str) else way
        if not isinstance(numbers, list | tuple) or len(numbers) < 2:
            raise ValueError(f"{way!r} does not name two squares or more, as 11-15 does")
        return [self._square(number) for number in numbers]

    def _square(self, number: int) -> int:
        if number not in range(1, self.variant.squares + 1):
            raise ValueError(f"{number!r} is not a square of {self.variant.name}, 1 to {self.variant.squares}")
        return number

    def _corner(self, number: int) -> tuple[int, int]:
        return corner(self.variant, number, self.flip)

    def _centre(self, number: int) -> tuple[int, int]:
        x, y = self._corner(number)
        return x + UNIT // 2, y + UNIT // 2

    def _mark(self, number: int) -> str:
        x, y = self._centre(number)
        return f'<circle cx="{x}" cy="{y}" r="44" fill="none" stroke="{MARK}" stroke-width="7"/>'

    def _squares(self) -> Iterator[str]:
        width, height = 2 * self.variant.rules.per_row * UNIT, self.variant.rules.rows * UNIT
        yield f'<rect class="board-light" width="{width}" height="{height}" fill="{LIGHT}"/>'
        for number in range(1, self.variant.squares + 1):
            yield _rect(self._corner(number), f'class="board-dark" fill="{DARK}" data-square="{number}"')

    def _last_move(self) -> Iterator[str]:
        if self.last is None or not self.last.origin:
            return
        for number in sorted({self.last.origin, self.last.target}):
            yield _rect(self._corner(number), f'fill="{LAST}" fill-opacity="0.5"')
        for number in self.last.captured:
            x, y = self._corner(number)
            yield (
                f'<path d="M{x + 32} {y + 32} l36 36 m0 -36 l-36 36" stroke="{LAST}" stroke-opacity="0.8"'
                ' stroke-width="8" stroke-linecap="round"/>'
            )

    def _labels(self) -> Iterator[str]:
        if self.labels == "none":
            return
        for number in self.variant.numbers.values():
            text = square_label(self.variant, number, self.labels)
            x, y = self._corner(number)
            yield f'<text x="{x + 4}" y="{y + 17}" font-size="18" fill="{LABEL}">{text}</text>'

    def _edge(self, number: int, count: int, is_row: bool) -> str:
        text = count - 1 - number if self.flip else number
        along, beside = number * UNIT + UNIT // 2, -_EDGE // 2
        x, y = (beside, along) if is_row else (along, beside)
        return f'<text x="{x}" y="{y + 9}" font-size="26" text-anchor="middle" fill="{CAPTION}">{text}</text>'

    def _pieces(self) -> Iterator[str]:
        for number, bit in enumerate(self.variant.bits, start=1):
            if letter := piece_letter(self.position, bit):
                x, y = self._corner(number)
                yield (
                    f'<use href="#{SYMBOLS[letter]}" x="{x}" y="{y}" width="{UNIT}" height="{UNIT}"'
                    f' data-square="{number}"/>'
                )

    def _caption(self, top: int) -> Iterator[str]:
        if self.caption:
            letter = "wb"[self.position.turn]
            yield f'<use href="#{SYMBOLS[letter]}" x="2" y="{top + 5}" width="44" height="44"/>'
            yield f'<text x="52" y="{top + 36}" font-size="28" fill="{CAPTION}">{escape(self.caption)}</text>'


def board_text(
    variant: Variant,
    position: Position,
    *,
    last: MoveSquares | None = None,
    marks: Collection[int] = (),
    flip: bool = False,
    width: int = WIDTHS[0],
    labels: Labels = "numbers",
) -> str:
    """The board in lines, each square with its label and what stands on it, then who is to move.

    The squares of the last move stand in [], `marks`, numbers of squares, in (). `width` is one of WIDTHS: squares
    of 4 characters have the second bracket alone, squares of 3 none.
    """
    lines, ends = list[str](), () if last is None else last[:2]
    for row in rows_of(variant, flip):
        cells = []
        for number in row:
            if not number:
                cells.append(" " * width)
                continue
            piece = LETTERS[piece_letter(position, variant.bits[number - 1])]
            opens, closes = "()" if number in marks else "[]" if number in ends else "  "
            label = square_label(variant, number, labels)
            cells.append(f"{opens}{label:>2}{piece}{closes}"[width < WIDTHS[0] :][:width])
        lines.append("".join(cells).rstrip())
    return "\n".join([*lines, to_move(position)])


def square_label(variant: Variant, number: int, labels: Labels) -> str:
    """A square by its number, or by its algebraic name."""
    return algebraic(variant, variant.bits[number - 1]) if labels == "algebraic" else str(number)


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


def symbols() -> str:
    """The `symbol` elements of the four kinds of pieces, UNIT wide, to be used once a page."""
    made = []
    for letter, name in SYMBOLS.items():
        face, edge, ring, crown = _FACES["white" if letter in "wW" else "black"]
        inner = (
            f'<path d="{_CROWN}" fill="{crown}" stroke="{crown}" stroke-width="5" stroke-linejoin="round"/>'
            if letter.isupper()
            else f'<circle cx="50" cy="50" r="24" fill="none" stroke="{ring}" stroke-width="3"/>'
        )
        made.append(
            f'<symbol id="{name}" viewBox="0 0 {UNIT} {UNIT}">'
            f'<circle cx="50" cy="50" r="35" fill="{face}" stroke="{edge}" stroke-width="4"/>{inner}</symbol>'
        )
    return "".join(made)


def corner(variant: Variant, number: int, flip: bool = False) -> tuple[int, int]:
    """The top left corner of a square, `x, y`."""
    column, row = place(variant, variant.bits[number - 1])
    if flip:
        column, row = 2 * variant.rules.per_row - 1 - column, variant.rules.rows - 1 - row
    return column * UNIT, row * UNIT


def description(variant: Variant, position: Position) -> str:
    """A position in words: `White to move. White: 21, 22, king 30. Black: 1, 2.`"""

    def pieces(man: str, king: str) -> str:
        words = {man: "", king: "king "}
        letters = ((piece_letter(position, bit), number) for number, bit in enumerate(variant.bits, start=1))
        named = (f"{words[letter]}{number}" for letter, number in letters if letter in words)
        return ", ".join(named) or "none"

    return f"{COLOURS[position.turn].capitalize()} to move. White: {pieces('w', 'W')}. Black: {pieces('b', 'B')}."


def _group(name: str, elements: Iterable[str]) -> str:
    inside = "".join(elements)
    return f'<g class="board-{name}">{inside}</g>' if inside else ""


def _rect(at: tuple[int, int], attributes: str) -> str:
    return f'<rect x="{at[0]}" y="{at[1]}" width="{UNIT}" height="{UNIT}" {attributes}/>'


def _arrow(way: Sequence[tuple[int, int]]) -> str:
    """A line along centres of squares, with a head at its end, which touches the centre of the last one."""
    (x, y), (to_x, to_y) = way[-2:]
    length = math.hypot(to_x - x, to_y - y) or 1.0
    dx, dy = (to_x - x) / length, (to_y - y) / length
    base_x, base_y = to_x - _HEAD * dx, to_y - _HEAD * dy
    line = " L".join(f"{at_x} {at_y}" for at_x, at_y in way[:-1])
    side_x, side_y = -dy * _HEAD * 0.62, dx * _HEAD * 0.62
    return (
        f'<g opacity="0.85"><path d="M{line} L{base_x:.1f} {base_y:.1f}" fill="none" stroke="{ARROW}"'
        ' stroke-width="13" stroke-linecap="round" stroke-linejoin="round"/>'
        f'<path d="M{to_x} {to_y} L{base_x + side_x:.1f} {base_y + side_y:.1f}'
        f' L{base_x - side_x:.1f} {base_y - side_y:.1f} Z" fill="{ARROW}"/></g>'
    )
