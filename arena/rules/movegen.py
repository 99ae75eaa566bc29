"""Generate moves, apply a move.

A move is one integer: bit(origin) | bit(target) | captured, decoded against its position. A move list is a
stretch of an int64 buffer, so that a search keeps the lists of all its plies in one array, end to end; the room
behind a list is the generator's scratch paper. The same capture reached by two paths is one move. A pass is 0.

Captures are grown breadth first: the buffer holds a level of captures begun, each encoded as the move that it
would be if it ended there, and the next level is appended behind it. That makes the majority rule free (the last
level is the majority) and lets captures begun that differ only in their path be merged at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena.rules.board import step
from arena.rules.jit import inlined, kernel, lowest_square, popcount
from arena.rules.position import Position
from arena.rules.rules import DELAYED, IN_PASSING, NEVER, STOPS, Rules

Moves = NDArray[np.int64]

CROWNED = 1 << 62
"""Flag of a capture whose man touched the last row, where that crowns it although it goes on."""
UNFINISHED = 1 << 61
"""Flag, within the generator only, of a capture that may go on but not end there."""
VACATED = 54
"""Shift of the number, from 1, of the bit where a capture ends on the square of a piece that it captured.

That is possible only where captured pieces are removed at once, on boards of no more than 54 bits.
"""
ORDER_SHIFT = 40
ORDER = ((1 << 20) - 1) << ORDER_SHIFT
"""Bits, within the generator only, of the jumps that took a king, the first jump highest."""
FIRST_HOP = 1 << (ORDER_SHIFT + 19)
ROOM = 512
"""Entries that must be free behind a list before it is written to; no position has as many steps."""
BUFFER = 1 << 15
"""Moves in a buffer: room for a search 100 plies deep and for the widest known capture."""


def new_buffer() -> Moves:
    """An empty move buffer, `int64[BUFFER]`."""
    return np.empty(BUFFER, dtype=np.int64)


def legal_moves(rules: Rules, position: Position) -> list[int]:
    """The legal moves, for callers outside kernels."""
    buffer = new_buffer()
    moves: list[int] = buffer[: generate(rules, position, buffer, 0)].tolist()
    return moves


@kernel
def generate(rules: Rules, position: Position, moves: Moves, start: int) -> int:
    """Write the legal moves to `moves[start:end]` and return `end`.

    A side that must pass has the one move 0; a side without a move has none. Raises IndexError if the buffer
    has no room for the moves.
    """
    if start + ROOM > moves.size:
        raise IndexError("the move buffer is full")
    if rules.first_king_wins and position.kings != 0:
        return start
    end = generate_captures(rules, position, moves, start)
    if end == start:
        end = generate_steps(rules, position, moves, start)
        if rules.passes and end == start and must_pass(rules, position):
            moves[start] = 0
            end = start + 1
    return end


@kernel
def count(rules: Rules, position: Position, moves: Moves, start: int) -> int:
    """How many legal moves there are; `moves` from `start` on is used as scratch paper."""
    if rules.first_king_wins and position.kings != 0:
        return 0
    end = generate_captures(rules, position, moves, start)
    if end > start:
        return end - start
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
def target_of(rules: Rules, own: int, other: int, move: int) -> int:
    """The square, as a bit, where a move ends, or a capture begun stands."""
    if rules.removed_at_once:
        vacated = (move >> VACATED) & 63
        if vacated != 0:
            return 1 << (vacated - 1)
    target = move & rules.board & ~(own | other)
    if target == 0:
        return move & own
    return target


@inlined
def landed(rules: Rules, entry: int, square: int) -> int:
    """A capture begun, `entry`, with its piece on `square`."""
    if rules.removed_at_once and entry & square != 0:
        return entry | ((lowest_square(square) + 1) << VACATED)
    return entry | square


@inlined
def sides(position: Position) -> tuple[int, int]:
    """The pieces of the side to move and of the other side."""
    if position.turn == 0:
        return position.white, position.black
    return position.black, position.white


@inlined
def promotion_row(rules: Rules, turn: int) -> int:
    """The row on which men of a side are crowned."""
    if turn == 0:
        return rules.top
    return rules.bottom


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


@inlined
def men_capture_towards(rules: Rules, position: Position, direction: int) -> bool:
    """Whether men of the side to move capture in a direction."""
    if rules.men_capture_backward or direction == 4 or direction == 6:
        return True
    down = direction < 2 or direction == 5
    return down == (position.turn == 1)


@inlined
def capturers(rules: Rules, position: Position, own: int, other: int) -> int:
    """The men that have a capture, and all flying kings if any of them has one; 0 if there is no capture."""
    empty = rules.board & ~(own | other)
    men = own & ~position.kings
    kings = own & position.kings
    prey = other if rules.men_capture_kings else other & ~position.kings
    found = 0
    for direction in range(8 if rules.straight_captures else 4):
        back = direction ^ 2
        if men_capture_towards(rules, position, direction):
            victims = step(rules, men, direction) & prey
            landings = step(rules, victims, direction) & empty
            found |= step(rules, step(rules, landings, back), back)
        if kings != 0:
            if rules.flying:
                reached = kings
                fill = step(rules, kings, direction) & empty
                while fill != 0:
                    reached |= fill
                    fill = step(rules, fill, direction) & empty
                victims = step(rules, reached, direction) & other
                if step(rules, victims, direction) & empty:
                    found |= kings
            else:
                victims = step(rules, kings, direction) & other
                landings = step(rules, victims, direction) & empty
                found |= step(rules, step(rules, landings, back), back)
    return found


@kernel
def generate_captures(rules: Rules, position: Position, moves: Moves, start: int) -> int:
    """Write the legal captures to `moves[start:end]` and return `end`."""
    own, other = sides(position)
    pieces = capturers(rules, position, own, other)
    if pieces == 0:
        return start
    end = start
    while pieces != 0:
        origin = pieces & -pieces
        pieces ^= origin
        end, _ = extend(rules, position, own, other, origin, origin, 0, moves, end, end)
    if not rules.one_hop:
        end = grow(rules, position, own, other, moves, start, end)
    if rules.prefer_value or rules.prefer_king or rules.prefer_kings or rules.prefer_early_kings:
        end = keep_preferred(rules, position, own, other, moves, start, end)
    return end


@kernel
def grow(rules: Rules, position: Position, own: int, other: int, moves: Moves, start: int, end: int) -> int:
    """Carry the first jumps in `moves[start:end]` on to whole captures; return the new end.

    A capture that cannot be carried on moves to the front of the list, over entries that were read already.
    Where the majority counts, only those of the last level stay.
    """
    done = start
    level = start
    while True:
        last = end
        if rules.majority:
            done = start
        for i in range(level, last):
            move = moves[i]
            origin = move & own
            current = target_of(rules, own, other, move)
            end, goes_on = extend(rules, position, own, other, origin, current, move, moves, end, last)
            if not goes_on and move & UNFINISHED == 0:
                moves[done] = move
                done += 1
        if end == last:
            return done
        level = last


@inlined
def extend(
    rules: Rules,
    position: Position,
    own: int,
    other: int,
    origin: int,
    current: int,
    move: int,
    moves: Moves,
    end: int,
    merge_from: int,
) -> tuple[int, bool]:
    """Append what one more jump makes of a capture begun, `move`, whose piece stands on `current`.

    An entry that `moves[merge_from:end]` has already is not written again. Returns the new end, and whether
    there is a jump at all. Raises IndexError when the buffer is full.
    """
    captured = move & other
    king = position.kings & origin != 0
    if rules.promotion == IN_PASSING and move & CROWNED:
        king = True
    crowned = current & promotion_row(rules, position.turn)
    if rules.promotion == STOPS and captured != 0 and crowned != 0 and not king:
        return end, False
    empty = (rules.board & ~(own | other)) | origin
    if rules.removed_at_once:
        empty |= captured
    prey = other & ~captured
    if not king and not rules.men_capture_kings:
        prey &= ~position.kings
    kept = origin | captured | (move & CROWNED)
    if rules.prefer_early_kings:
        kept |= move & ORDER
    goes_on = False
    for direction in range(8 if rules.straight_captures else 4):
        if not (king or men_capture_towards(rules, position, direction)):
            continue
        square = step(rules, current, direction)
        if rules.flying and king:
            while square & empty:
                square = step(rules, square, direction)
        victim = square & prey
        landing = step(rules, victim, direction) & empty
        if landing == 0:
            continue
        if end + ROOM > moves.size:
            raise IndexError("the capture has more paths than the move buffer has room for")
        goes_on = True
        entry = kept | victim
        if rules.prefer_early_kings and victim & position.kings:
            entry |= FIRST_HOP >> popcount(captured)
        if rules.flying and king:
            end = land(
                rules,
                position,
                other,
                origin,
                entry,
                victim,
                landing,
                direction,
                empty,
                moves,
                end,
                merge_from,
            )
        else:
            touches = rules.promotion == IN_PASSING or rules.promotion == DELAYED
            if touches and not king and landing & promotion_row(rules, position.turn):
                entry |= CROWNED
            end = append(moves, merge_from, end, entry | landing)
    return end, goes_on


@kernel
def land(
    rules: Rules,
    position: Position,
    other: int,
    origin: int,
    entry: int,
    victim: int,
    landing: int,
    direction: int,
    empty: int,
    moves: Moves,
    end: int,
    merge_from: int,
) -> int:
    """Append a flying king's jump over `victim`, once for each square it may land on.

    Where the choice is free, a square from which the king can jump on bars those from which it cannot,
    unless the rules let it land anywhere.
    """
    if rules.lands_behind:
        return append(moves, merge_from, end, landed(rules, entry, landing))
    prey = other & ~entry
    if rules.removed_at_once:
        empty |= victim
    bound = False
    if not (rules.majority or rules.prefer_value or rules.one_hop or rules.lands_anywhere):
        square = landing
        while square & empty and not bound:
            bound = jumps_on(rules, square, prey, empty)
            square = step(rules, square, direction)
    square = landing
    while square & empty:
        if not bound or jumps_on(rules, square, prey, empty):
            if rules.killer and victim & position.kings and square != landing:
                end = append(moves, merge_from, end, landed(rules, entry, square) | UNFINISHED)
            else:
                end = append(moves, merge_from, end, landed(rules, entry, square))
        square = step(rules, square, direction)
    return end


@kernel
def jumps_on(rules: Rules, current: int, prey: int, empty: int) -> bool:
    """Whether a flying king on `current` can capture any of `prey`."""
    for direction in range(8 if rules.straight_captures else 4):
        square = step(rules, current, direction)
        while square & empty:
            square = step(rules, square, direction)
        if step(rules, square & prey, direction) & empty:
            return True
    return False


@inlined
def append(moves: Moves, merge_from: int, end: int, entry: int) -> int:
    """Append an entry unless `moves[merge_from:end]` has it; return the new end."""
    for i in range(merge_from, end):
        if moves[i] == entry:
            return end
    moves[end] = entry
    return end + 1


@kernel
def keep_preferred(
    rules: Rules, position: Position, own: int, other: int, moves: Moves, start: int, end: int
) -> int:
    """Keep the captures that rank highest among `moves[start:end]`, in their order; return the new end."""
    best = -1
    for i in range(start, end):
        best = max(best, preference(rules, position, own, other, moves[i]))
    kept = start
    for i in range(start, end):
        if preference(rules, position, own, other, moves[i]) == best:
            moves[kept] = moves[i] & ~ORDER if rules.prefer_early_kings else moves[i]
            kept += 1
    return kept


@kernel
def preference(rules: Rules, position: Position, own: int, other: int, move: int) -> int:
    """A capture's rank among those that the majority leaves: higher bars lower."""
    rank = 0
    if rules.prefer_value:
        kings = popcount(move & other & position.kings)
        rank += ((popcount(move & other) + kings) * 64 - kings) << 44
    if rules.prefer_king and move & own & position.kings:
        rank += 1 << 40
    if rules.prefer_kings:
        rank += popcount(move & other & position.kings) << 32
    if rules.prefer_early_kings:
        rank += (move & ORDER) >> ORDER_SHIFT
    return rank
