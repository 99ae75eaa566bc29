"""Moves as text, in and out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from arena.base.wording import quoted
from arena.rules.movegen import apply, legal_moves
from arena.rules.moves import CROWNED, promotion_row, sides, step, target_of
from arena.rules.notation import NotationError, fen, squares_by_name
from arena.rules.position import Position
from arena.rules.rules import DELAYED, IN_PASSING
from arena.rules.variants import Variant


class MoveSquares(NamedTuple):
    """The squares of a move by their numbers in notation, counted from 1; a pass has 0, 0 and none."""

    origin: int
    target: int  # the same as `origin` where a capture ends on the square that it began on
    captured: tuple[int, ...]  # in ascending order


MoveWriter: TypeAlias = Callable[[Variant, Position, int, Sequence[int]], str]
"""A legal move as text, in a position with those legal moves."""


def move_text(variant: Variant, position: Position, move: int, legal_moves: Sequence[int]) -> str:
    """Write a move as PDN does: `11-15`, `22x15`, `pass`; by its path (`1x10x19`) where another legal capture has
    the same ends. Raises NotationError if it is not one of the legal moves."""
    if move not in legal_moves:
        raise NotationError(not_legal(variant, position, f"{quoted(move)} is not a legal move", legal_moves))
    if move == 0:
        return "pass"
    own, other = sides(position)
    origin, numbers = move & own, variant.numbers
    if not move & other:
        return f"{numbers[origin]}-{numbers[move & ~own]}"
    target = target_of(variant.rules, own, other, move)
    others = (one for one in legal_moves if one & own == origin and one != move)
    if any(target_of(variant.rules, own, other, one) == target for one in others):
        return "x".join(map(str, path(variant, position, move)))
    return f"{numbers[origin]}x{numbers[target]}"


def line_texts(
    variant: Variant, position: Position, moves: Iterable[int], written: MoveWriter = move_text
) -> list[str]:
    """Moves one after another from a position, as text, as far as they are legal."""
    texts: list[str] = []
    legal = legal_moves(variant.rules, position)
    for move in moves:
        if move not in legal:
            break
        texts.append(written(variant, position, move, legal))
        position = apply(variant.rules, position, move)
        legal = legal_moves(variant.rules, position)
    return texts


def move_squares(variant: Variant, position: Position, move: int) -> MoveSquares:
    """The squares of a legal move."""
    if move == 0:
        return MoveSquares(0, 0, ())
    own, other = sides(position)
    numbers, target = variant.numbers, target_of(variant.rules, own, other, move)
    return MoveSquares(numbers[move & own], numbers[target], tuple(variant.numbers_of(move & other)))


def crowns(before: Position, after: Position, move: int) -> bool:
    """Whether a man becomes a king by a move, given the positions before and after it."""
    own, _ = sides(before)
    return after.kings.bit_count() > (before.kings & ~move).bit_count() + bool(before.kings & own & move)


def path(variant: Variant, position: Position, move: int) -> list[int]:
    """The numbers of the squares on which a move's piece stands in turn; none for a pass."""
    return next(paths(variant, position, move))


def paths(variant: Variant, position: Position, move: int) -> Iterator[list[int]]:
    """All paths of a move; of a capture those that land right behind the captured pieces first."""
    own, other = sides(position)
    if not move & other:
        yield [number for number in move_squares(variant, position, move)[:2] if number]
        return
    origin, target = move & own, target_of(variant.rules, own, other, move)
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
                yield [variant.numbers[current]]
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
                    yield [variant.numbers[current], *rest]
                landing = step(rules, landing, direction) & free if king and rules.flying else 0

    yield from search(origin, move & other, False)


def parse_move(variant: Variant, position: Position, text: str, legal: Sequence[int] | None = None) -> int:
    """Find the legal move of a text: `11-15`, `c3-d4`, `22x15`, or a path or what is captured where that is
    needed. A whole path means its capture, whatever else its squares would fit. Raises NotationError if none or
    several fit."""
    if legal is None:
        legal = legal_moves(variant.rules, position)
    if not isinstance(text, str):
        raise NotationError(f"{quoted(text)} is no text of a move, such as '11-15'")
    fitting = fitting_moves(variant, position, text, legal)
    if len(fitting) == 1:
        return fitting[0]
    fault = "is ambiguous" if fitting else "is not legal"
    raise NotationError(not_legal(variant, position, f"{text[:40]!r} {fault}", legal))


def not_legal(variant: Variant, position: Position, fault: str, legal: Sequence[int]) -> str:
    """A fault of a move in one line, with the position and its legal moves."""
    names = ", ".join(move_text(variant, position, move, legal) for move in legal)
    return f"{fault} in {fen(variant, position)}; legal: {names or 'none'}"


def fitting_moves(variant: Variant, position: Position, text: str, legal: Sequence[int]) -> list[int]:
    """The legal moves that a text may mean: none, one, or several captures whose ends or squares it has."""
    if text == "pass":
        return [0] if list(legal) == [0] else []
    numbers = square_numbers(text) or _named_numbers(variant, text)
    if not numbers or not 1 <= min(numbers) <= max(numbers) <= variant.squares:
        return []
    first, second = variant.bits[numbers[0] - 1], variant.bits[numbers[1] - 1]
    own, other = sides(position)
    if len(numbers) == 2 and first & own and first | second in legal:
        return [first | second]
    targets = {move: target_of(variant.rules, own, other, move) for move in legal if move & own == first}
    ends = [move for move, target in targets.items() if target == variant.bits[numbers[-1] - 1]]
    if len(numbers) == 2 and len(ends) < 2:
        return ends
    captures = {move: list(paths(variant, position, move)) for move in ends if move & other}
    if whole := [move for move, ways in captures.items() if numbers in ways]:
        return whole
    if len(numbers) == 2:
        return ends
    return [
        move
        for move, target in targets.items()
        if (target == second and move & other and {*variant.numbers_of(move & other)} == {*numbers[2:]})
        or any(_is_within(numbers, way) for way in captures.get(move, ()))
    ]


@lru_cache(1024)
def square_numbers(text: str) -> list[int]:
    """The numbers in the text of a move, at least two; none if it is no such text."""
    is_move = re.fullmatch(r"[0-9]{1,3}([-x:][0-9]{1,3})+", text)
    return [int(number) for number in re.split("[-x:]", text)] if is_move else []


def _named_numbers(variant: Variant, text: str) -> list[int]:
    """The numbers of squares named by letters in the text of a move, at least two; none if it is no such text."""
    names = re.split("[-x:]", text.lower())
    squares = [squares_by_name(variant).get(name, 0) for name in names]
    return [variant.numbers[square] for square in squares] if len(names) > 1 and all(squares) else []


def _is_within(numbers: Sequence[int], way: Sequence[int]) -> bool:
    """Whether `numbers` are what is left of `way` when some squares are left out."""
    squares = iter(way)
    return all(number in squares for number in numbers)
