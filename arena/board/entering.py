"""Moves as a person types them: by squares or by rows and columns, whole or begun."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TypeAlias

from arena.base.wording import MAX_CHOICES, cut, listed
from arena.rules.game import Game
from arena.rules.move_text import paths
from arena.rules.moves import sides
from arena.rules.notation import place, squares_by_name
from arena.rules.position import COLOURS

_BETWEEN = r"[\s:x×–-]+"
"""The separator between two squares."""
_SQUARE = re.compile(r"[a-l][0-9]{1,2}|[0-9]{1,3}")
_PLACES = re.compile(r"(?=.*[(,])[0-9\s(),:xto-]+")
"""Rows and columns in brackets or with commas, as `(5, 2) to (4, 3)`."""
_NUMBERS_OF_PLACES = 4
"""How many numbers with spaces alone between them are rows and columns; fewer are squares."""
_MOST_PATHS = 5000
"""Paths of a capture that are looked at."""
_LONGEST = 200
"""Characters of a move that is read."""

_Reading: TypeAlias = Callable[[Sequence[int]], bool]
"""Whether the squares of a move's path are meant."""


class EntryError(ValueError):
    """Text that means no legal move, or several; the message, one line, says which moves there are."""


def is_like_move(text: str) -> bool:
    """Whether a text is to be a move: it begins with a digit, a bracket or the name of a square."""
    return bool(re.match(r"\s*([0-9(]|[a-l][0-9])", text.lower()))


def entered_move(game: Game, text: str) -> int:
    """The legal move that a text means.

    Squares with anything between them: `11-15`, `22x15x8`, `22 15`, `c3-d4`; of a capture the ends or some of its
    squares are enough, and of any move a beginning that no other one has. Four numbers or more with spaces alone
    between them, each below the number of rows, and pairs in brackets or with commas, are rows and columns from 0
    at the top left, as White sees the board: `5 2 4 3`, `(5, 2) to (4, 3)`. `pass` where that is the move. Raises
    EntryError.
    """
    words = text.strip().lower()
    if words and "pass".startswith(words) and list(game.legal_moves) == [0]:
        return 0
    by_place = _by_place(game, words)
    numbers = by_place or _by_number(game, words)
    if not numbers:
        raise EntryError(f"{cut(text)!r} is no move; {legal_line(game)}")
    try:
        return game.move("x".join(map(str, numbers)))
    except ValueError:
        pass
    begun = "" if by_place else re.sub(_BETWEEN, "x", words)
    for fits in _readings(numbers, begun):
        if fitting := [move for move in game.legal_moves if _is_meant(game, move, fits)]:
            break
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = [game.text(move) for move in fitting]
        raise EntryError(f"{cut(text)!r} can be {listed(_some(names), 'or')}")
    raise EntryError(f"{cut(text)!r} is not a legal move; {legal_line(game)}")


def numbered_move(game: Game, text: str) -> int:
    """The legal move of a number, counted from 1 in the order of `legal_moves`. Raises EntryError beyond them."""
    count, number = len(game.legal_moves), int(text)
    if not 1 <= number <= count:
        raise EntryError(f"{cut(text)} is not in the list of moves, 1 to {count}; squares are written as 11-15")
    return game.legal_moves[number - 1]


def legal_line(game: Game) -> str:
    """The legal moves in a line: `legal moves: 11-15, 11-16`, `you must capture: 22x15`, `the only move: pass`."""
    names = ", ".join(_some(game.legal_texts))
    if not names:
        return "the game is over"
    only = len(game.legal_moves) == 1
    if must_capture(game):
        return f"you must capture: {names}{', the only move' if only else ''}"
    if list(game.legal_moves) == [0]:
        return f"{COLOURS[game.turn].capitalize()} has no move and must pass: type `{names}`"
    return f"{'the only move' if only else 'legal moves'}: {names}"


def must_capture(game: Game) -> bool:
    """Whether the legal moves are captures."""
    _, other = sides(game.position)
    return any(move & other for move in game.legal_moves)


def _by_place(game: Game, words: str) -> list[int]:
    variant = game.variant
    numbers = [int(number) for number in re.findall("[0-9]+", words[:_LONGEST])]
    spaced = (
        bool(re.fullmatch(r"[0-9\s]+", words))
        and len(numbers) >= _NUMBERS_OF_PLACES
        and len(numbers) % 2 == 0
        and max(numbers) < variant.rules.rows
    )
    if not (spaced or _PLACES.fullmatch(words)):
        return []
    if len(numbers) % 2:
        raise EntryError(f"{cut(words)!r} is not rows and columns in pairs, as 5 2 4 3 is")
    known = {place(variant, bit)[::-1]: number for number, bit in enumerate(variant.bits, start=1)}
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    for row, column in pairs:
        if (row, column) not in known:
            raise EntryError(f"row {row}, column {column} is not a square for pieces")
    return [known[pair] for pair in pairs]


def _by_number(game: Game, words: str) -> list[int]:
    named = squares_by_name(game.variant)
    numbers = []
    for square in re.split(_BETWEEN, re.sub(f"{_BETWEEN}$", "", words[:_LONGEST])):
        if not _SQUARE.fullmatch(square):
            return []
        if square[0].isalpha() and square not in named:
            raise EntryError(f"{square} is not a square for pieces")
        numbers.append(game.variant.numbers[named[square]] if square in named else int(square))
    return numbers


def _readings(numbers: Sequence[int], begun: str) -> list[_Reading]:
    """Possible readings, the first that fits a move: whole squares of its beginning, a beginning in the midst of
    a number, some of its squares."""

    def begins(path: Sequence[int]) -> bool:
        return list(path[: len(numbers)]) == numbers

    def is_begun(path: Sequence[int]) -> bool:
        return bool(begun) and "x".join(map(str, path)).startswith(begun)

    def has(path: Sequence[int]) -> bool:
        squares = iter(path)
        return path[0] == numbers[0] and all(number in squares for number in numbers)

    return [begins, is_begun, has]


def _is_meant(game: Game, move: int, fits: _Reading) -> bool:
    if not move:
        return False
    squares = game.squares(move)
    ways = islice(paths(game.variant, game.position, move), _MOST_PATHS)
    return fits((squares.origin, squares.target)) or any(map(fits, ways))


def _some(names: Sequence[str]) -> list[str]:
    more = len(names) - MAX_CHOICES
    return [*names[:MAX_CHOICES], *([f"{more} more"] if more > 0 else [])]
