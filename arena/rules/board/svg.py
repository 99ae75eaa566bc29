"""A position as SVG, and the parts that a page needs to draw and move pieces by itself.

A square is UNIT wide; the board's top left corner is 0, 0. The picture holds, in this order, the elements

- `defs` with a `symbol` for each kind of piece: SYMBOLS has their ids, `symbols()` the elements alone;
- `g.board-squares`: a `rect` for all of the board, then one with `data-square` for each square that is played on;
- `g.board-last`: a `rect` for each square of the last move, a cross where a piece was captured;
- `g.board-labels`: a `text` in the corner of each square;
- `g.board-columns`, `g.board-rows`: with `edges` a `text` above each column, one left of each row;
- `g.board-pieces`: a `use` of a symbol for each piece, with `data-square`; its `x` and `y` are `corner(...)`;
- `g.board-marks` and `g.board-arrows`: what the reader is to look at;
- `g.board-caption`: who is to move, below the board; nothing without a caption.

Colours are attributes, so that the style of a page may change them by the classes of the elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Literal, TypeAlias

from arena.rules.move_text import MoveSquares
from arena.rules.notation import algebraic, piece_letter, place
from arena.rules.position import COLOURS, Position
from arena.rules.variants import Variant

UNIT = 100
"""Width of a square."""
SYMBOLS = {"w": "board-white-man", "W": "board-white-king", "b": "board-black-man", "B": "board-black-king"}
"""The id of the symbol of each kind of piece, by its letter (`arena.rules.notation.piece_letter`)."""
LIGHT, DARK, LABEL = "#f0d9b5", "#b58863", "#4a3219"
"""Colours of the squares that are not played on, of those that are, and of the text in them."""
LAST, ARROW, MARK, CAPTION = "#ffd60a", "#15781b", "#c1121f", "#7a7a7a"
"""Colours of the last move, arrows, marked squares, and of the caption, which is read on white and on black."""

Labels: TypeAlias = Literal["numbers", "algebraic", "none"]
"""The text in a corner of each square."""

_FACES = {
    "white": ("#fffdf7", "#6b5b45", "#cbbfa8", "#a8790a"),
    "black": ("#2e2a28", "#0d0b0a", "#6f655f", "#f0b92e"),
}
"""For a piece of each colour: its face, its edge, its ring, its crown."""
_CROWN = "M29 65 L24 36 L39 49 L50 29 L61 49 L76 36 L71 65 Z M31 71 H69"
_CAPTION_HEIGHT = 48
_EDGE = 40
"""Width of the strips above the board and left of it that number its columns and rows."""
_HEAD = 34
"""Length of an arrow's head."""


def board_svg(
    variant: Variant,
    position: Position,
    *,
    last: MoveSquares | None = None,
    arrows: Iterable[Sequence[int]] = (),
    marks: Iterable[int] = (),
    flip: bool = False,
    labels: Labels = "numbers",
    edges: bool = False,
    caption: str = "",
    width: int | None = None,
) -> str:
    """The position as one `svg` element, White below, or above with `flip`; well-formed XML.

    `arrows` go along the numbers of squares, two or more each; `marks` are numbers of squares. `edges` number rows
    and columns from 0 at the top left as White sees the board. `caption` stands below it beside a piece of the
    side to move. `width` is that of the picture in pixels, by default as much as there is room for.
    """
    columns, rows = 2 * variant.rules.per_row, variant.rules.rows
    edge = _EDGE if edges else 0
    across, height = columns * UNIT + edge, rows * UNIT + edge + (_CAPTION_HEIGHT if caption else 0)
    text = escape(description(variant, position))
    size = f' width="{width}" height="{round(width * height / across)}"' if width else ""
    parts = (
        f"<title>{text}</title>",
        f"<defs>{symbols()}</defs>",
        _group("squares", _squares(variant, flip)),
        _group("last", _last(variant, last, flip)),
        _group("labels", _labels(variant, labels, flip)),
        _group("columns", (_edge(column, flip, columns, False) for column in range(columns if edges else 0))),
        _group("rows", (_edge(row, flip, rows, True) for row in range(rows if edges else 0))),
        _group("pieces", _pieces(variant, position, flip)),
        _group("marks", (_mark(centre(variant, number, flip)) for number in marks)),
        _group("arrows", (_arrow([centre(variant, number, flip) for number in way]) for way in arrows)),
        _group("caption", _caption(position, caption, rows * UNIT) if caption else ()),
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board" viewBox="{-edge} {-edge} {across} {height}"{size}'
        f' role="img" aria-label="{text}" font-family="system-ui, DejaVu Sans, sans-serif">{"".join(parts)}</svg>'
    )


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


def centre(variant: Variant, number: int, flip: bool = False) -> tuple[int, int]:
    """The centre of a square, `x, y`."""
    x, y = corner(variant, number, flip)
    return x + UNIT // 2, y + UNIT // 2


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


def _squares(variant: Variant, flip: bool) -> Iterable[str]:
    width, height = 2 * variant.rules.per_row * UNIT, variant.rules.rows * UNIT
    yield f'<rect class="board-light" width="{width}" height="{height}" fill="{LIGHT}"/>'
    for number in range(1, variant.squares + 1):
        yield _rect(corner(variant, number, flip), f'class="board-dark" fill="{DARK}" data-square="{number}"')


def _rect(at: tuple[int, int], attributes: str) -> str:
    return f'<rect x="{at[0]}" y="{at[1]}" width="{UNIT}" height="{UNIT}" {attributes}/>'


def _last(variant: Variant, last: MoveSquares | None, flip: bool) -> Iterable[str]:
    if last is None or not last.origin:
        return
    for number in sorted({last.origin, last.target}):
        yield _rect(corner(variant, number, flip), f'fill="{LAST}" fill-opacity="0.5"')
    for number in last.captured:
        x, y = corner(variant, number, flip)
        yield (
            f'<path d="M{x + 32} {y + 32} l36 36 m0 -36 l-36 36" stroke="{LAST}" stroke-opacity="0.8"'
            ' stroke-width="8" stroke-linecap="round"/>'
        )


def _labels(variant: Variant, labels: Labels, flip: bool) -> Iterable[str]:
    names: dict[str, Callable[[int], str]] = {
        "numbers": str,
        "algebraic": lambda number: algebraic(variant, variant.bits[number - 1]),
    }
    if labels not in names:
        return
    for number in range(1, variant.squares + 1):
        x, y = corner(variant, number, flip)
        yield f'<text x="{x + 4}" y="{y + 17}" font-size="18" fill="{LABEL}">{names[labels](number)}</text>'


def _edge(place: int, flip: bool, count: int, is_row: bool) -> str:
    number = count - 1 - place if flip else place
    along, beside = place * UNIT + UNIT // 2, -_EDGE // 2
    x, y = (beside, along) if is_row else (along, beside)
    return f'<text x="{x}" y="{y + 9}" font-size="26" text-anchor="middle" fill="{CAPTION}">{number}</text>'


def _pieces(variant: Variant, position: Position, flip: bool) -> Iterable[str]:
    for number, bit in enumerate(variant.bits, start=1):
        if letter := piece_letter(position, bit):
            x, y = corner(variant, number, flip)
            yield (
                f'<use href="#{SYMBOLS[letter]}" x="{x}" y="{y}" width="{UNIT}" height="{UNIT}"'
                f' data-square="{number}"/>'
            )


def _mark(at: tuple[int, int]) -> str:
    return f'<circle cx="{at[0]}" cy="{at[1]}" r="44" fill="none" stroke="{MARK}" stroke-width="7"/>'


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


def _caption(position: Position, caption: str, top: int) -> Iterable[str]:
    letter = "wb"[position.turn]
    yield f'<use href="#{SYMBOLS[letter]}" x="2" y="{top + 5}" width="44" height="44"/>'
    yield f'<text x="52" y="{top + 36}" font-size="28" fill="{CAPTION}">{escape(caption)}</text>'
