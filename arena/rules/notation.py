"""Text in and out: FEN, move text, the ASCII board."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from arena.rules.board import square_of, step
from arena.rules.movegen import legal_moves
from arena.rules.moves import CROWNED, promotion_row, sides, target_of
from arena.rules.position import BLACK, WHITE, Position
from arena.rules.rules import DELAYED, IN_PASSING, NEVER, column_of
from arena.rules.variants import Variant

_LETTERS = "WB"
_COUNTERS = re.compile(r"(\s*:\s*([HF][0-9]+|\+[0-9]\+[0-9]))+\s*$", re.IGNORECASE)
"""What lidraughts appends to a FEN: the half-move clock, the move number, and Frisian king moves."""


class NotationError(ValueError):
    """Text that is not a position or a move of the variant; says what is wrong and where."""


def fen(variant: Variant, position: Position) -> str:
    """The position as FEN: side to move, white's squares, black's squares, in ascending order."""

    def squares(pieces: int) -> str:
        return ",".join(
            ("K" if position.kings & bit else "") + str(number)
            for number, bit in enumerate(variant.bits, start=1)
            if pieces & bit
        )

    return f"{_LETTERS[position.turn]}:W{squares(position.white)}:B{squares(position.black)}"


def parse_fen(variant: Variant, text: str) -> Position:
    """The position that a FEN describes, such as `B:W18,24,K10:B12,K3` or `W:W31-50:B1-20`.

    Colours may be whole words and squares algebraic (`Black:Wa1,c3,Kg3:Ba5`). A final dot and the counters that
    lidraughts appends (`:H0:F1`, `:+0+0`) are passed over. Raises NotationError for anything that is not a
    position of the variant: a square off the board or named twice, a man where it would have been crowned, a
    colour missing or given twice, a side to move that is unknown.
    """
    fields = [field.strip() for field in _COUNTERS.sub("", text.strip().strip('"').rstrip(". ")).split(":")]
    colours = [re.match("white|black|[wb]", field, re.IGNORECASE) for field in fields]
    if fields[0] == "?":
        raise NotationError(f"FEN {text!r}: expected the side to move, W or B, but it is unknown")
    if len(fields) != 3 or not colours[0] or colours[0][0] != fields[0]:
        raise NotationError(f"FEN {text!r}: expected <side to move>:W<squares>:B<squares>")
    turn, *groups = (_LETTERS.index(colour[0][0].upper()) if colour else -1 for colour in colours)
    if sorted(groups) != [WHITE, BLACK]:
        raise NotationError(f"FEN {text!r}: expected one group of squares for W and one for B")
    pieces = [0, 0]
    kings = 0
    for side, field, colour in zip(groups, fields[1:], colours[1:], strict=True):
        squares = field[colour.end() :] if colour else ""
        for item in squares.split(",") if squares.strip() else []:
            for bit, king in _parse_squares(variant, item.strip(), text):
                if (pieces[WHITE] | pieces[BLACK]) & bit:
                    raise NotationError(f"FEN {text!r}: square {item!r} is named twice")
                if not king and bit & promotion_row(variant.rules, side) and variant.rules.promotion != NEVER:
                    raise NotationError(f"FEN {text!r}: a man on {item!r} would have been crowned")
                if king and variant.rules.promotion == NEVER:
                    raise NotationError(f"FEN {text!r}: {variant.name} has no kings, such as {item!r}")
                pieces[side] |= bit
                kings |= bit if king else 0
    return Position(pieces[WHITE], pieces[BLACK], kings, turn)


def _parse_squares(variant: Variant, item: str, text: str) -> list[tuple[int, bool]]:
    named = re.fullmatch(r"(K?)\s*([a-l][0-9]{1,2})", item, re.IGNORECASE)
    if named and named[2].lower() in squares_by_name(variant):
        return [(squares_by_name(variant)[named[2].lower()], bool(named[1]))]
    match = re.fullmatch(r"(K?)\s*([0-9]{1,3})(?:\s*-\s*(K?)([0-9]{1,3}))?", item, re.IGNORECASE)
    if not match or (match[3] and not match[1]):
        raise NotationError(f"FEN {text!r}: {item!r} is not a square")
    first = int(match[2])
    last = int(match[4] or first)
    if not 1 <= first <= last <= variant.squares:
        raise NotationError(
            f"FEN {text!r}: {item!r} is not on the board, whose squares are 1 to {variant.squares}"
        )
    return [(variant.bits[number - 1], bool(match[1])) for number in range(first, last + 1)]


def algebraic(variant: Variant, bit: int) -> str:
    """The algebraic name of a square, such as c3: column from a at White's left, row from 1 at White's side."""
    per_row = variant.rules.per_row
    row, index = divmod(square_of(bit, per_row), per_row)
    column = column_of(row, index)
    column = 2 * per_row - 1 - column if variant.mirrored else column
    return f"{chr(ord('a') + column)}{variant.rules.rows - row}"


@lru_cache
def squares_by_name(variant: Variant) -> dict[str, int]:
    """The bit of each square by its algebraic name."""
    return {algebraic(variant, bit): bit for bit in variant.bits}


def move_text(variant: Variant, position: Position, move: int, legal_moves: Sequence[int]) -> str:
    """The move as PDN writes it: `11-15`, `22x15`, `pass`; with its path (`1x10x19`) where another legal
    capture has the same origin and target."""
    if move == 0:
        return "pass"
    _, other = sides(position)
    ends = _ends(variant, position, move)
    if not move & other:
        return f"{variant.numbers[ends[0]]}-{variant.numbers[ends[1]]}"
    twins = [twin for twin in legal_moves if twin != move and _ends(variant, position, twin) == ends]
    squares = path(variant, position, move) if twins else list(ends)
    return "x".join(str(variant.numbers[square]) for square in squares)


def _ends(variant: Variant, position: Position, move: int) -> tuple[int, int]:
    own, other = sides(position)
    return move & own, target_of(variant.constants, own, other, move)


def path(variant: Variant, position: Position, move: int) -> list[int]:
    """The squares, as bits, that a capture's piece stands on: origin, where it lands or turns, target."""
    return next(paths(variant, position, move))


def paths(variant: Variant, position: Position, move: int) -> Iterator[list[int]]:
    """All paths of a capture, those that land right behind the captured pieces first."""
    own, other = sides(position)
    origin, target = _ends(variant, position, move)
    rules = variant.rules
    last_row = promotion_row(rules, position.turn)
    empty = rules.board & ~(own | other) | origin
    was_king = bool(position.kings & origin)
    passing = rules.promotion == IN_PASSING
    touching = rules.promotion in (IN_PASSING, DELAYED)

    def search(current: int, left: int, touched: bool) -> Iterator[list[int]]:
        king = was_king or (touched and passing)
        if not left:
            if current == target and touched == bool(move & CROWNED):
                yield [current]
            return
        free = empty | (move & other & ~left) if rules.removed_at_once else empty
        for direction in range(8 if rules.straight_captures else 4):
            square = step(rules, current, direction)
            while king and rules.flying and square & free:
                square = step(rules, square, direction)
            landing = step(rules, square, direction) & free if square & left else 0
            while landing:
                touches = touched or (touching and not was_king and bool(landing & last_row))
                for rest in search(landing, left & ~square, touches):
                    yield [current, *rest]
                landing = step(rules, landing, direction) & free if king and rules.flying else 0

    yield from search(origin, move & other, False)


def parse_move(variant: Variant, position: Position, text: str) -> int:
    """The legal move that a text means: `11-15`, `22x15`, a path or the captured squares where it is needed.

    A whole path means its capture, whatever else its squares would fit. Raises NotationError if no legal move
    fits, or several.
    """
    legal = legal_moves(variant.constants, position)
    if text == "pass" and legal == [0]:
        return 0
    fitting: list[int] = []
    if re.fullmatch(r"[0-9]{1,3}([-x:][0-9]{1,3})+", text):
        wanted = [int(number) for number in re.split("[-x:]", text)]
        for fits in (_is_path, _fits):
            fitting = fitting or [move for move in legal if move and fits(variant, position, move, wanted)]
    if len(fitting) == 1:
        return fitting[0]
    names = ", ".join(move_text(variant, position, move, legal) for move in legal)
    fault = "is ambiguous" if fitting else "is not legal"
    raise NotationError(f"{text[:40]!r} {fault} in {fen(variant, position)}; legal: {names or 'none'}")


def _is_path(variant: Variant, position: Position, move: int, wanted: list[int]) -> bool:
    """Whether numbers are all squares of one of a capture's paths, which no other capture shares."""
    if not move & sides(position)[1] or len(wanted) < 3:
        return False
    ends = [variant.numbers[bit] for bit in _ends(variant, position, move)]
    ways = paths(variant, position, move) if [wanted[0], wanted[-1]] == ends else iter(())
    return any(wanted == [variant.numbers[bit] for bit in way] for way in ways)


def _fits(variant: Variant, position: Position, move: int, wanted: list[int]) -> bool:
    """Whether numbers are the move's ends, some squares of one of its paths, or its ends and what it captures."""
    ends = [variant.numbers[bit] for bit in _ends(variant, position, move)]
    if len(wanted) == 2:
        return wanted == ends
    if not move & sides(position)[1]:
        return False
    if wanted[:2] == ends and _captured(variant, position, move) == set(wanted[2:]):
        return True
    ways = paths(variant, position, move) if [wanted[0], wanted[-1]] == ends else iter(())
    return any(_is_within(wanted, [variant.numbers[bit] for bit in way]) for way in ways)


def _is_within(wanted: Sequence[int], way: Sequence[int]) -> bool:
    """Whether `wanted` is what is left of `way` when some squares are left out."""
    squares = iter(way)
    return all(number in squares for number in wanted)


def _captured(variant: Variant, position: Position, move: int) -> set[int]:
    captured = move & sides(position)[1]
    return {number for number, bit in enumerate(variant.bits, start=1) if captured & bit}


def diagram(variant: Variant, position: Position) -> str:
    """The board as text, row 1 at the top: `w W b B` men and kings, `.` an empty dark square."""
    width = 2 * variant.rules.per_row
    lines = []
    for row in range(variant.rules.rows):
        cells = [" "] * width
        for index in range(variant.rules.per_row):
            bit = variant.bits[row * variant.rules.per_row + index]
            letter = "w" if position.white & bit else "b" if position.black & bit else "."
            column = column_of(row, index)
            if variant.mirrored:
                column = width - 1 - column_of(row, variant.rules.per_row - 1 - index)
            cells[column] = letter.upper() if position.kings & bit else letter
        first = row * variant.rules.per_row + 1
        lines.append(f"{first:3} {' '.join(cells).rstrip()}")
    return "\n".join(lines) + f"\n{'White' if position.turn == WHITE else 'Black'} to move"
