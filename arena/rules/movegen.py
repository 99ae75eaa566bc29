"""Generate moves, apply a move, count the move tree (perft); captures are in `arena.rules.captures`."""

from __future__ import annotations

import threading
from array import array
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numba import types

from arena.rules.captures import capturers, generate_captures
from arena.rules.jit.kernel import entry, inlined, is_compiling, kernel
from arena.rules.jit.native import WORDS, popcount, view
from arena.rules.moves import CROWNED, ROOM, Moves, capacity, new_buffer, promotion_row, sides, step, target_of
from arena.rules.position import Position
from arena.rules.rules import DELAYED, IN_PASSING, NEVER, Rules
from arena.rules.variants import Variant

BOARD = 4  # entries of a buffer that are a position, in `advance`: white, black, kings and turn


class _Buffer(threading.local):
    """A thread's own buffer, as threads run kernels at the same time."""

    def __init__(self) -> None:
        self.words = array("q", new_buffer().tobytes())  # the memory of `moves`; cut in half of numpy's time
        self.moves = np.frombuffer(self.words, np.int64)


_buffer = _Buffer()
_position = partial(tuple.__new__, Position)  # `Position._make` at a third of its cost


def legal_moves(rules: Rules, position: Position) -> list[int]:
    """The legal moves, for callers outside kernels."""
    end = compiled_generator(rules).list_moves(rules, position, _buffer.moves)
    return _buffer.words[:end].tolist()


def after_move(rules: Rules, position: Position, move: int) -> tuple[Position, list[int]]:
    """The position after a legal move and its legal moves, for callers outside kernels."""
    buffer = _buffer
    end = compiled_generator(rules).advance(rules, position, move, buffer.moves)
    words = buffer.words[:end].tolist()
    return _position(words[:BOARD]), words[BOARD:]


class Generator(NamedTuple):
    """The kernels that Python calls, compiled for a rule set."""

    list_moves: Any
    advance: Any


@cache
def compiled_generator(rules: Any) -> Generator:
    """The generator for a rule set; compiled, or loaded from the cache, at the first call."""
    position, buffer = Position(0, 0, 0, 0), _buffer.moves
    return Generator(
        entry(list_moves, types.int64, rules, position, buffer),
        entry(advance, types.int64, rules, position, 0, buffer),
    )


@kernel
def list_moves(rules: Rules, position: Position, buffer: Moves) -> int:
    """Write the legal moves to buffer[:end]; return `end`."""
    return generate(rules, position, view(buffer, np.int64), 0)


@kernel
def advance(rules: Rules, position: Position, move: int, buffer: Moves) -> int:
    """Write the position after a move to buffer[:BOARD], its legal moves to buffer[BOARD:end]; return `end`."""
    after = apply(rules, position, move)
    buffer[0], buffer[1], buffer[2], buffer[3] = after.white, after.black, after.kings, after.turn
    return generate(rules, after, view(buffer, np.int64), BOARD)


@kernel
def generate(rules: Rules, position: Position, moves: Moves, start: int) -> int:
    """Write the legal moves to `moves[start:end]` and return `end`; a side that must pass has the one move 0.
    Raises IndexError if the buffer has no room for them."""
    if start + ROOM > capacity(moves):
        raise IndexError("the move buffer is full")
    if rules.first_king_wins and position.kings != 0:
        return start
    own, other = sides(position)
    pieces = capturers(rules, position, own, other)
    if pieces != 0:
        return generate_captures(rules, position, own, other, pieces, moves, start)
    end = generate_steps(rules, position, moves, start)
    if rules.passes and end == start and must_pass(rules, position):
        moves[start] = 0
        end = start + 1
    return end


@inlined
def count(rules: Rules, position: Position, moves: Moves, start: int) -> int:
    """How many legal moves there are; `moves` from `start` on is overwritten."""
    if rules.first_king_wins and position.kings != 0:
        return 0
    own, other = sides(position)
    pieces = capturers(rules, position, own, other)
    if pieces != 0:
        return generate_captures(rules, position, own, other, pieces, moves, start) - start
    total = count_steps(rules, position)
    if rules.passes and total == 0 and must_pass(rules, position):
        return 1
    return total


@inlined
def apply(rules: Rules, position: Position, move: int) -> Position:
    """The position after a legal move, seen with the other side to move."""
    own, other = sides(position)
    origin = move & own
    captured = move & other
    target = target_of(rules, own, other, move)
    own = (own & ~origin) | target
    other = other & ~captured
    kings = position.kings & ~(origin | captured)
    crowned = position.kings & origin
    if rules.promotion != NEVER:
        crowned |= target & promotion_row(rules, position.turn)
    if rules.promotion == IN_PASSING or rules.promotion == DELAYED:
        crowned |= move & CROWNED
    if crowned != 0:
        kings |= target
    if position.turn == 0:
        return Position(own, other, kings, 1)
    return Position(other, own, kings, 0)


@inlined
def has_move(rules: Rules, position: Position) -> bool:
    """Whether `generate` would find a move."""
    if rules.first_king_wins and position.kings != 0:
        return False
    own, other = sides(position)
    forward = 0 if position.turn == 1 else 2
    reached = step(rules, own, forward) | step(rules, own, forward + 1)
    if reached & rules.board & ~(own | other):
        return True
    return has_rarer_move(rules, position)


@kernel
def has_rarer_move(rules: Rules, position: Position) -> bool:
    """Whether the side to move can capture, step backward or pass."""
    own, other = sides(position)
    if capturers(rules, position, own, other) != 0 or count_steps(rules, position) > 0:
        return True
    return bool(rules.passes and must_pass(rules, position))


@kernel
def must_pass(rules: Rules, position: Position) -> bool:
    """Whether a side without a move passes: it has pieces, and the other side can move."""
    own, other = sides(position)
    if own == 0:
        return False
    turned = Position(position.white, position.black, position.kings, 1 - position.turn)
    return count_steps(rules, turned) > 0 or capturers(rules, turned, other, own) != 0


@kernel
def generate_steps(rules: Rules, position: Position, moves: Moves, start: int) -> int:
    """Write the moves that capture nothing to `moves[start:end]` and return `end`."""
    own, other = sides(position)
    empty = rules.board & ~(own | other)
    end = start
    for direction in range(4):
        reached = step(rules, movers(rules, position, own, direction), direction) & empty
        while reached != 0:
            target = reached & -reached
            reached ^= target
            moves[end] = target | step(rules, target, direction ^ 2)
            end += 1
    if rules.flying:
        kings = own & position.kings
        while kings != 0:
            king = kings & -kings
            kings ^= king
            for direction in range(4):
                target = step(rules, king, direction) & empty
                while target != 0:
                    moves[end] = king | target
                    end += 1
                    target = step(rules, target, direction) & empty
    return end


@inlined
def count_steps(rules: Rules, position: Position) -> int:
    """How many moves `generate_steps` would write."""
    own, other = sides(position)
    empty = rules.board & ~(own | other)
    total = 0
    for direction in range(4):
        total += popcount(step(rules, movers(rules, position, own, direction), direction) & empty)
    if rules.flying:
        kings = own & position.kings
        if kings != 0:
            for direction in range(4):
                reached = step(rules, kings, direction) & empty
                while reached != 0:
                    total += popcount(reached)
                    reached = step(rules, reached, direction) & empty
    return total


@inlined
def movers(rules: Rules, position: Position, own: int, direction: int) -> int:
    """The pieces that step one square in a direction: men forward, and kings that do not fly."""
    forward = (direction < 2) == (position.turn == 1)
    if forward:
        if rules.flying:
            return own & ~position.kings
        return own
    if rules.flying:
        return 0
    return own & position.kings


def perft(variant: Variant, position: Position, depth: int) -> int:
    """Count the lines of exactly `depth` plies that start at `position`; moves at the last ply are not made."""
    rules = variant.rules
    return 1 if depth == 0 else int(_compiled_perft(rules)(rules, position, depth, new_buffer()))


def divide(variant: Variant, position: Position, depth: int) -> dict[int, int]:
    """Count the lines after each legal move: its perft at `depth` - 1, in the generator's order."""
    rules = variant.rules
    return {move: perft(variant, apply(rules, position, move), depth - 1) for move in legal_moves(rules, position)}


@cache
def _compiled_perft(rules: Any) -> Any:
    position, buffer = Position(0, 0, 0, 0), new_buffer()
    entry(_perft, types.int64, rules, position, 1, WORDS if is_compiling() else buffer, 0)
    return entry(_perft_in, types.int64, rules, position, 1, buffer)


@kernel
def _perft_in(rules: Rules, position: Position, depth: int, buffer: Moves) -> int:
    """Perft at `depth` of at least 1."""
    return _perft(rules, position, depth, view(buffer, np.int64), 0)


@kernel
def _perft(rules: Rules, position: Position, depth: int, moves: Moves, start: int) -> int:
    """Perft at `depth` of at least 1, with the buffer free from `start` on."""
    if depth == 1:
        return count(rules, position, moves, start)
    end = generate(rules, position, moves, start)
    total = 0
    if depth == 2:
        for i in range(start, end):
            total += count(rules, apply(rules, position, moves[i]), moves, end)
        return total
    for i in range(start, end):
        total += _perft(rules, apply(rules, position, moves[i]), depth - 1, moves, end)
    return total
