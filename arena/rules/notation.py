"""Positions as text: FEN in and out, the names and places of squares."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeAlias

from arena.base import ArenaError
from arena.rules.moves import promotion_row
from arena.rules.position import BLACK, WHITE, Position, row_and_column
from arena.rules.rules import NEVER
from arena.rules.variants import VARIANTS, Variant

_LETTERS = "WB"
_KING_RUNS = r"\+([0-9])([0-9]{1,2})?\+([0-9])([0-9]{1,2})?"
_COUNTERS = re.compile(rf"(\s*:\s*([HF][0-9]+|{_KING_RUNS}))+\s*$", re.IGNORECASE)
"""The suffix of lidraughts to a FEN: the half-move clock, the move number, and Frisian king moves."""
KingRuns: TypeAlias = tuple[tuple[int, int], tuple[int, int]]
"""For each colour, where the king stands that it moved last, as a bit, and how often in a row."""
NO_RUNS: KingRuns = ((0, 0), (0, 0))


class NotationError(ArenaError, ValueError):
    """Text that is not a position or a move of the variant; says what is wrong and where."""


def fen(variant: Variant, position: Position, runs: KingRuns = NO_RUNS) -> str:
    """Write a position as FEN: side to move, white's squares, black's squares, and the king moves in a row, if
    any."""

    def squares(pieces: int) -> str:
        kings = variant.numbers_of(pieces & position.kings)
        return ",".join(f"{'K' * (number in kings)}{number}" for number in variant.numbers_of(pieces))

    black, white = (f"+{count}{variant.numbers[bit]}" if count else "+0" for bit, count in reversed(runs))
    moved = f":{black}{white}" if runs != NO_RUNS else ""
    return f"{_LETTERS[position.turn]}:W{squares(position.white)}:B{squares(position.black)}{moved}"


def parse_fen(variant: Variant, text: str) -> Position:
    """Read a position from FEN, such as `B:W18,24,K10:B12,K3` or `W:W31-50:B1-20`.

    Colours may be words and squares algebraic (`Black:Wa1,c3,Kg3:Ba5`); it may stand in its tag, with the side to
    move twice, as py-draughts writes it (`[FEN "B:B:W18:B12"]`). A final dot and counters (`:H0:F1`, `:+0+347`)
    are skipped. As PDN 3.0 has it, a missing colour has no pieces, and `?` is the side that moves first. Raises
    NotationError for what is no position of the variant: a square off the board or named twice, a man where it
    would have been crowned.
    """
    return parse_start(variant, text)[0]


def _parse_position(variant: Variant, text: str) -> Position:
    bare = re.sub(r"^\[FEN\b|\]$", "", text.strip(), flags=re.IGNORECASE).strip(' "').rstrip(". ")
    fields = [field.strip() for field in _COUNTERS.sub("", bare).split(":")]
    if len(fields) == 4 and fields[0] == fields[1]:
        fields = fields[1:]
    if fields[0] == "?":
        fields[0] = _LETTERS[variant.first]
    colours = [re.match("white|black|[wb]", field, re.IGNORECASE) for field in fields]
    if len(fields) not in (2, 3) or not colours[0] or colours[0][0] != fields[0]:
        raise NotationError(f"FEN {text!r}: expected <side to move>:W<squares>:B<squares>")
    turn, *groups = (_LETTERS.index(colour[0][0].upper()) if colour else -1 for colour in colours)
    if sorted(groups) not in ([WHITE], [BLACK], [WHITE, BLACK]):
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


def parse_start(variant: Variant, text: str) -> tuple[Position, KingRuns]:
    """The position of a FEN (`parse_fen`), and the king moves in a row at its end: `:+0+347` is none of Black's,
    three of White's, now on 47. Without a square they are of the only king; under rules that do not count them
    they are skipped. Raises NotationError for a count of no king, or of several."""
    position, match = _parse_position(variant, text), re.search(rf":\s*{_KING_RUNS}", text)
    if match is None or not variant.king_moves:
        return position, NO_RUNS
    runs = []
    for count, square, pieces in ((match[3], match[4], position.white), (match[1], match[2], position.black)):
        kings = pieces & position.kings
        number = int(square or 0)
        bit = kings if not square else variant.bits[number - 1] & kings if 0 < number <= variant.squares else 0
        if int(count) and bit.bit_count() != 1:
            which = f"no king stands on {square}" if square else "it does not say on which square a king stands"
            raise NotationError(f"FEN {text!r}: {which}, which moved {count} times")
        runs.append((bit, int(count)) if int(count) else (0, 0))
    return position, (runs[WHITE], runs[BLACK])


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
        raise NotationError(f"FEN {text!r}: {off_board(variant, item, last)}")
    return [(variant.bits[number - 1], bool(match[1])) for number in range(first, last + 1)]


def off_board(variant: Variant, item: str, number: int) -> str:
    """The fault of a square that is not on the board, and the variant that it looks like."""
    larger = next((other for other in VARIANTS.values() if variant.squares < number <= other.squares), None)
    meant = f"; this looks like {larger.name}, {2 * larger.rules.per_row}x{larger.rules.rows}" if larger else ""
    return f"{item!r} is not on the board, whose squares are 1 to {variant.squares}{meant}"


def algebraic(variant: Variant, bit: int) -> str:
    """The algebraic name of a square, such as c3: column from a at White's left, row from 1 at White's side."""
    column, row = place(variant, bit)
    return f"{chr(ord('a') + column)}{variant.rules.rows - row}"


def place(variant: Variant, bit: int) -> tuple[int, int]:
    """The column and the row of a square, both from 0 at the top left, as White sees the board."""
    per_row = variant.rules.per_row
    row, column = row_and_column(bit.bit_length() - 1, per_row)
    return (2 * per_row - 1 - column if variant.mirrored else column), row


@lru_cache
def squares_by_name(variant: Variant) -> dict[str, int]:
    """The bit of each square by its algebraic name."""
    return {algebraic(variant, bit): bit for bit in variant.bits}


def piece_letter(position: Position, bit: int) -> str:
    """The letter of a square: `w W b B`, men and kings; empty where there is nothing."""
    letter = "w" if position.white & bit else "b" if position.black & bit else ""
    return letter.upper() if position.kings & bit else letter


def pieces_text(variant: Variant, position: Position) -> str:
    """A letter a square in the order of their numbers: `w W b B`, `.` where nothing stands."""
    return "".join(piece_letter(position, bit) or "." for bit in variant.bits)


def parse_pieces(variant: Variant, text: str, turn: int) -> Position:
    """The position that a text of `pieces_text` describes. Raises NotationError."""
    if len(text) != variant.squares or set(text) - set("wWbB."):
        raise NotationError(f"pieces are {variant.squares} letters of wWbB and the dot")
    white, black, kings = (
        sum(bit for letter, bit in zip(text, variant.bits, strict=True) if letter in letters)
        for letters in ("wW", "bB", "WB")
    )
    return parse_fen(variant, fen(variant, Position(white, black, kings, turn)))
