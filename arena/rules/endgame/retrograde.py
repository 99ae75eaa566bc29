"""Retrograde analysis: how endgame tables are made, from the end of games backward.

Quiet moves lead from a slice to the one with the sides exchanged; captures and crownings lead to slices solved
before. So the two slices are solved together. First every ending is looked at once: a side without a move has lost
at once, what captures and crownings lead to is known, and the quiet moves are counted. Then, in the order of the
plies to the end, each decided ending is carried back over the quiet moves that lead to it. One that the side to
move loses is a win for the side before, in one ply more; one that it wins takes a quiet move from the side before,
and with the last of its moves that side has lost. What is left over is drawn. Where losing wins it is the other
way round.

K. Thompson, Retrograde Analysis of Certain Endgames, 1986.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from arena.rules.endgame.index import (
    NO_ENDING,
    Material,
    Seen,
    place,
    probe,
    row_of,
    row_size,
    rows,
    slice_size,
    subset,
    turned,
    wins,
)
from arena.rules.jit.kernel import entry, inlined, is_compiling, kernel
from arena.rules.jit.native import popcount, view
from arena.rules.movegen import apply, generate
from arena.rules.moves import Moves, new_buffer, step
from arena.rules.position import WHITE, Position
from arena.rules.rules import NEVER, Rules

LONGEST = 253
"""Plies to the end that a byte has room for."""
Bytes = NDArray[np.uint8]
_REPORT_SECONDS = 0.2
_PART = 1 << 20
"""Endings that a kernel works on before it looks whether it is to stop."""
_SAFE = 128
"""Added to the number of quiet moves where a capture or crowning wins or draws, so that it never falls to 0."""


class TooLongError(Exception):
    """An ending that takes more plies than LONGEST."""


class Solver:
    """Solves pairs of slices, in a thread for each processor, from those in a file, which it reads as it grows."""

    def __init__(self, rules: Rules, data: Bytes, keep: Callable[[Mapping[Material, Bytes]], object]) -> None:
        self._done: dict[Material, int] = {}
        """By pair, its endings that are solved; of one in work, half of those that were looked at, and more."""
        self._rules, self._data, self._keep = rules, data, keep
        self._address = data.ctypes.data if is_compiling() else data
        self._look, self._carry_back = _compiled(rules)
        self._is_stopping = False

    @property
    def done(self) -> int:
        """How many endings are solved, about: exactly, when nothing is in work."""
        return sum(self._done.values())

    def solve(self, pairs: Iterable[Material], report: Callable[[], object]) -> None:
        """Solve pairs that do not need each other, named by one of both slices, and keep each when it is solved.

        Whatever ends this early, such as Ctrl-C, ends the threads within a second.
        """
        largest_first = sorted(pairs, key=self._size, reverse=True)
        self._done |= dict.fromkeys(largest_first, 0)
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            running = {threads.submit(self._solved, each) for each in largest_first}
            try:
                while running:
                    ready, running = wait(running, _REPORT_SECONDS, FIRST_COMPLETED)
                    for future in ready:
                        self._keep(future.result())
                    report()
            except BaseException:
                self._is_stopping = True
                raise

    def _size(self, material: Material) -> int:
        return int(slice_size(self._rules, material))

    def _solved(self, material: Material) -> dict[Material, Bytes]:
        """The codes of both slices of a pair."""
        slices, size = sorted({material, material.swapped}), self._size(material)
        codes = {each: np.empty(size, np.uint8) for each in slices}
        quiet = {each: np.empty(size, np.uint8) for each in slices}
        moves, highest, looked, total = new_buffer(), 0, 0, len(slices) * size
        works = [
            Work(each, codes[each], quiet[each], codes[each.swapped], quiet[each.swapped], self._address, moves)
            for each in slices
        ]
        for work in works:
            for first, last in self._parts(work.material):
                highest = max(highest, self._look(self._rules, work, first, last))
                looked += (last - first) * int(row_size(self._rules, work.material))
                self._done[material] = looked // 2
        code = 0
        while code < highest:
            code += 1
            if code > LONGEST:
                raise TooLongError(f"an ending of {material} takes more than {LONGEST} plies, too many for a byte")
            for work in works:
                for first, last in self._parts(work.material):
                    highest = max(highest, self._carry_back(self._rules, work, code, first, last))
            self._done[material] = max(self._done[material], total * (highest + code) // (2 * highest))
        self._done[material] = total
        return codes

    def _parts(self, material: Material) -> Iterator[tuple[int, int]]:
        """A slice's rows in parts of less than a second. Raises InterruptedError once the work is stopped."""
        count, each = rows(self._rules, material), max(1, _PART // row_size(self._rules, material))
        for first in range(0, count, each):
            if self._is_stopping:
                raise InterruptedError
            yield first, min(first + each, count)


class Work(NamedTuple):
    """What kernels work on: a slice, the one with the sides exchanged, and what both need."""

    material: Material
    codes: Bytes
    """By ending: 0 if it is not decided yet, NO_ENDING, else one more than the plies to the end."""
    quiet: Bytes
    """By ending: the quiet moves that are not known to lose; 0 if it is decided without any."""
    codes_before: Bytes
    """Of the slice with the sides exchanged, from which quiet moves lead here."""
    quiet_before: Bytes
    address: Any
    """Of the tables with all that is solved."""
    moves: Moves
    """A buffer."""


@cache
def _compiled(rules: Any) -> tuple[Any, Any]:
    """The native code of `look` and `carry_back` for a rule set."""
    none = np.zeros(0, np.uint8)
    work = Work(Material(0, 0, 0, 0), none, none, none, none, 0, new_buffer())
    return entry(look, types.int64, rules, work, 0, 0), entry(carry_back, types.int64, rules, work, 0, 0, 0)


@kernel
def look(rules: Rules, work: Work, first: int, last: int) -> int:
    """Look at the endings of a slice's rows from `first` up to `last`; returns the highest code written.

    They get the code that their captures and crownings make of them, and the number of their quiet moves.
    """
    material, size = work.material, row_size(rules, work.material)
    highest = 0
    for row in range(first, last):
        shared = row_of(rules, material, row)
        at = row * size
        if shared.own & shared.other != 0:
            work.codes[at : at + size] = NO_ENDING
            work.quiet[at : at + size] = 0
            continue
        free = rules.board & ~(shared.own | shared.other)
        for number in range(size):
            kings = subset(number, material.other_kings, free)
            position = Position(shared.own, shared.other | kings, shared.kings | kings, WHITE)
            win, draws, loss, quiet = alternatives(rules, position, work)
            code = win
            if quiet == 0 and win == 0 and not draws:
                code = loss
            if quiet != 0 and (win != 0 or draws):
                quiet += _SAFE
            work.codes[at + number] = code
            work.quiet[at + number] = quiet
            highest = max(highest, code)
    return highest


@kernel
def alternatives(rules: Rules, position: Position, work: Work) -> tuple[int, bool, int, int]:
    """What the captures and crownings of an ending make of it, and how many quiet moves there are.

    The code of the quickest win, 0 without one; whether there is a draw; the code of the longest loss, which has
    0 plies for a side without a move.
    """
    end = generate(rules, position, view(work.moves, np.int64), 0)
    if end == 0:
        return 0, False, 1, 0
    win, draws, loss, quiet = 0, False, 0, 0
    pieces = popcount(position.white | position.black)
    for i in range(end):
        move = work.moves[i]
        after = apply(rules, position, move)
        if move & position.black == 0 and popcount(after.kings) == popcount(position.kings):
            quiet += 1
            continue
        code = probe(rules, after, work.address, pieces)
        if code == 0:
            draws = True
        elif wins(rules, code):
            loss = max(loss, code + 1)
        elif win == 0 or code + 1 < win:
            win = code + 1
    return win, draws, loss, quiet


@kernel
def carry_back(rules: Rules, work: Work, code: int, first: int, last: int) -> int:
    """Carry the endings with a code, in a slice's rows from `first` up to `last`, back over one quiet move.

    Returns the highest code written.
    """
    size = row_size(rules, work.material)
    highest = 0
    for row in range(first, last):
        at = row * size
        is_known = False
        shared = Seen(0, 0, 0)
        for number in range(size):
            if work.codes[at + number] != code:
                continue
            if not is_known:
                shared = row_of(rules, work.material, row)
                is_known = True
            kings = subset(number, work.material.other_kings, rules.board & ~(shared.own | shared.other))
            # The side before sees the board turned, and its own pieces are the other ones.
            own, other = turned(rules, shared.other | kings), turned(rules, shared.own)
            position = Position(own, other, turned(rules, shared.kings | kings), WHITE)
            highest = max(highest, carry_one(rules, work, code, position))
    return highest


@kernel
def carry_one(rules: Rules, work: Work, code: int, position: Position) -> int:
    """Take back each quiet move by which White may have come to `position`, which has a code for Black to move."""
    highest = 0
    empty = rules.board & ~(position.white | position.black)
    for direction in range(4):
        pieces = position.white & position.kings
        if direction < 2:
            pieces = position.white
        while pieces != 0:
            piece = pieces & -pieces
            pieces ^= piece
            is_king = piece & position.kings != 0
            origin = step(rules, piece, direction) & empty
            while origin != 0:
                kings = position.kings ^ piece ^ origin if is_king else position.kings
                former = Position(position.white ^ piece ^ origin, position.black, kings, WHITE)
                highest = max(highest, decide(rules, work, code, former))
                origin = step(rules, origin, direction) & empty if rules.flying and is_king else 0
    if rules.passes and generate(rules, position, view(work.moves, np.int64), 0) == 1 and work.moves[0] == 0:
        highest = max(highest, decide(rules, work, code, position))
    return highest


@kernel
def decide(rules: Rules, work: Work, code: int, former: Position) -> int:
    """Give an ending what a quiet move to one with a code makes of it; returns the code written, or 0."""
    at = place(rules, former.white, former.black, former.kings)
    left = work.quiet_before[at]
    if left == 0:
        return 0
    if not wins(rules, code):
        if work.codes_before[at] == 0 or work.codes_before[at] > code + 1:
            work.codes_before[at] = code + 1
            return code + 1
        return 0
    work.quiet_before[at] = left - 1
    if left > 1:
        return 0
    lost = code + 1
    if rules.promotion != NEVER and can_crown(rules, former):
        _, _, loss, _ = alternatives(rules, former, work)
        lost = max(lost, loss)
    work.codes_before[at] = lost
    return lost


@inlined
def can_crown(rules: Rules, position: Position) -> bool:
    """Whether a man of White's stands before the last row."""
    men = position.white & ~position.kings
    return (step(rules, men, 2) | step(rules, men, 3)) & rules.top != 0
