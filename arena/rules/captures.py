"""Captures: every legal capture of a position.

They are completed breadth first: the buffer holds the captures begun, each encoded as the move that it would be if
it ended there, and behind them those of one jump more. So the majority rule is free, as the last level is the
majority, and captures that differ only in their path are merged at once.
"""

from __future__ import annotations

from arena.rules.jit.kernel import inlined, kernel
from arena.rules.jit.native import popcount
from arena.rules.moves import (
    CROWNED,
    FIRST_HOP,
    HOP_ORDER,
    ORDER_SHIFT,
    ROOM,
    UNFINISHED,
    Moves,
    capacity,
    land,
    promotion_row,
    step,
    target_of,
)
from arena.rules.position import Position
from arena.rules.rules import DELAYED, IN_PASSING, STOPS, Rules


@kernel
def generate_captures(
    rules: Rules, position: Position, own: int, other: int, pieces: int, moves: Moves, start: int
) -> int:
    """Write the legal captures of `pieces`, which `capturers` found, to `moves[start:end]` and return `end`."""
    end = start
    while pieces != 0:
        origin = pieces & -pieces
        pieces ^= origin
        end, _ = add_jumps(rules, position, own, other, origin, origin, 0, moves, end, end)
    if not rules.one_hop:
        end = complete_captures(rules, position, own, other, moves, start, end)
    if rules.prefer_value or rules.prefer_king or rules.prefer_kings or rules.prefer_early_kings:
        end = keep_preferred(rules, position, own, other, moves, start, end)
    return end


@inlined
def capturers(rules: Rules, position: Position, own: int, other: int) -> int:
    """The men that have a capture, and all flying kings if any of them has one; 0 if there is no capture."""
    pieces = 0
    for direction in range(4):
        pieces |= capturers_towards(rules, position, own, other, direction)
    if rules.straight_captures:
        for direction in range(4, 8):
            pieces |= capturers_towards(rules, position, own, other, direction)
    return pieces


@inlined
def capturers_towards(rules: Rules, position: Position, own: int, other: int, direction: int) -> int:
    """`capturers` in one direction."""
    empty = rules.board & ~(own | other)
    men = own & ~position.kings
    kings = own & position.kings
    prey = other if rules.men_capture_kings else other & ~position.kings
    pieces = 0
    back = direction ^ 2
    if men_capture_towards(rules, position, direction):
        victims = step(rules, men, direction) & prey
        landings = step(rules, victims, direction) & empty
        pieces |= step(rules, step(rules, landings, back), back)
    if kings != 0:
        if rules.flying:
            reached = kings
            fill = step(rules, kings, direction) & empty
            while fill != 0:
                reached |= fill
                fill = step(rules, fill, direction) & empty
            victims = step(rules, reached, direction) & other
            if step(rules, victims, direction) & empty:
                pieces |= kings
        else:
            victims = step(rules, kings, direction) & other
            landings = step(rules, victims, direction) & empty
            pieces |= step(rules, step(rules, landings, back), back)
    return pieces


@inlined
def men_capture_towards(rules: Rules, position: Position, direction: int) -> bool:
    """Whether men of the side to move capture in a direction."""
    if rules.men_capture_backward or direction == 4 or direction == 6:
        return True
    down = direction < 2 or direction == 5
    return down == (position.turn == 1)


@kernel
def complete_captures(
    rules: Rules, position: Position, own: int, other: int, moves: Moves, start: int, end: int
) -> int:
    """Carry the first jumps in `moves[start:end]` on to whole captures; return the new end.

    A capture that is whole moves to the front, over entries that were read; of a majority only the last level
    stays.
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
            end, goes_on = add_jumps(rules, position, own, other, origin, current, move, moves, end, last)
            if not goes_on and move & UNFINISHED == 0:
                moves[done] = move
                done += 1
        if end == last:
            return done
        level = last


@inlined
def add_jumps(
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
    """Append what one more jump makes of a capture begun, `move`, whose piece stands on `current`, unless
    `moves[merge_from:end]` has it. Returns the new end, and whether there is a jump at all. Raises IndexError when
    the buffer is full."""
    captured = move & other
    king = position.kings & origin != 0 or (rules.promotion == IN_PASSING and move & CROWNED != 0)
    if rules.promotion == STOPS and captured != 0 and not king and current & promotion_row(rules, position.turn):
        return end, False
    empty = (rules.board & ~(own | other)) | origin
    if rules.removed_at_once:
        empty |= captured
    prey = other & ~captured
    if not king and not rules.men_capture_kings:
        prey &= ~position.kings
    kept = origin | captured | (move & CROWNED)
    if rules.prefer_early_kings:
        kept |= move & HOP_ORDER
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
        if end + ROOM > capacity(moves):
            raise IndexError("the capture has more paths than the move buffer has room for")
        goes_on = True
        entry = kept | victim
        if rules.prefer_early_kings and victim & position.kings:
            entry |= FIRST_HOP >> popcount(captured)
        if rules.flying and king:
            end = add_landings(
                rules, position, other, entry, victim, landing, direction, empty, moves, end, merge_from
            )
        else:
            touches = rules.promotion == IN_PASSING or rules.promotion == DELAYED
            if touches and not king and landing & promotion_row(rules, position.turn):
                entry |= CROWNED
            end = add_once(moves, merge_from, end, entry | landing)
    return end, goes_on


@kernel
def add_landings(
    rules: Rules,
    position: Position,
    other: int,
    entry: int,
    victim: int,
    landing: int,
    direction: int,
    empty: int,
    moves: Moves,
    end: int,
    merge_from: int,
) -> int:
    """Append a flying king's jump over `victim`, once for each square it may land on: where it has the choice, one
    from which it can jump on, unless the rules let it land anywhere."""
    if rules.lands_behind:
        return add_once(moves, merge_from, end, land(rules, entry, landing))
    prey = other & ~entry
    if rules.removed_at_once:
        empty |= victim
    must_go_on = False
    if not (rules.majority or rules.prefer_value or rules.one_hop or rules.lands_anywhere):
        square = landing
        while square & empty and not must_go_on:
            must_go_on = jumps_on(rules, square, prey, empty)
            square = step(rules, square, direction)
    square = landing
    while square & empty:
        if not must_go_on or jumps_on(rules, square, prey, empty):
            if rules.killer and victim & position.kings and square != landing:
                end = add_once(moves, merge_from, end, land(rules, entry, square) | UNFINISHED)
            else:
                end = add_once(moves, merge_from, end, land(rules, entry, square))
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
def add_once(moves: Moves, merge_from: int, end: int, entry: int) -> int:
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
            moves[kept] = moves[i] & ~HOP_ORDER if rules.prefer_early_kings else moves[i]
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
        rank += (move & HOP_ORDER) >> ORDER_SHIFT
    return rank
