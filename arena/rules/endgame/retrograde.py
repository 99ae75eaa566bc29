"""Retrograde analysis: how endgame tables are made, from the end of games backward.

Quiet moves lead from a slice to the one with the sides exchanged, so these two are solved together; captures and
crownings lead to slices solved before. First every ending is looked at once: a side without a move has lost, what
captures and crownings lead to is known, and the quiet moves are counted. Then, in the order of the plies to the
end, each decided ending is carried back over the quiet moves that lead to it. A loss of the side to move is a win
for the side before, one ply longer; a win takes a quiet move from the side before, which has lost with its last
one. What is left over is drawn. Where losing wins it is the other way round.

K. Thompson, Retrograde Analysis of Certain Endgames, 1986.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import types

from arena.base.files import FolderError, lock_folder, replace
from arena.base.work import Announcement, cores
from arena.rules.endgame.tables import (
    NO_ENDING,
    Codes,
    EndgameError,
    EndgameTables,
    Material,
    folder_of,
    load,
    place,
    probe,
    read_slice,
    row_of,
    row_size,
    rows,
    slice_sizes,
    subset,
    why_no_tables,
    wins,
)
from arena.rules.jit.cache import delete_stale
from arena.rules.jit.kernel import entry, kernel
from arena.rules.jit.native import popcount, view
from arena.rules.movegen import apply, generate
from arena.rules.moves import Moves, new_buffer, step, turned
from arena.rules.position import BLACK, WHITE, Position
from arena.rules.rules import NEVER, Rules
from arena.rules.variants import Variant

LONGEST = 253  # plies to the end that a byte has room for
solving = Announcement()
"""Announces, several times a second, a rule set, its slices' sizes, and how many of their endings are solved."""
_REPORT_SECONDS = 0.2
_PART = 1 << 20  # endings that a kernel works on before it looks whether it is to stop
_SAFE = 128
"""Added to the number of quiet moves where a capture or crowning wins or draws, so that it never falls to 0."""


def make(variant: Variant, pieces: int) -> EndgameTables:
    """The tables of a rule set's endings of up to some pieces; slices that are missing or damaged are solved.

    Each pair of slices is kept when it is solved, so that a call that was interrupted is resumed; another process
    that solves is waited for. Raises EndgameError if there can be no tables, or the folder cannot be written to.
    """
    if line := why_no_tables(variant):
        raise EndgameError(line)
    with suppress(EndgameError):
        return load(variant, pieces)
    folder = folder_of(variant)
    try:
        lock = lock_folder(folder.parent, waits=True)
    except FolderError as error:
        raise EndgameError(f"the endgame tables of {variant.name} cannot be made: {error}") from None
    try:
        delete_stale(other for other in folder.parent.glob("*/") if other != folder)
        Solver(variant, pieces, folder).solve()
    except OSError as error:
        raise EndgameError(f"{folder} cannot be written to: {error.strerror}") from None
    finally:
        lock.release()
    return load(variant, pieces)


opened = lru_cache(8)(make)  # `make`, which keeps the latest tables open


class Solver:
    """Solves the slices that a folder lacks, a pair in a thread, a thread for each processor."""

    def __init__(self, variant: Variant, pieces: int, folder: Path) -> None:
        self._variant, self._rules, self._folder = variant, variant.rules, folder
        self._sizes = slice_sizes(self._rules, pieces)
        self._tables = EndgameTables(self._rules, pieces)
        self._solved = dict.fromkeys(self._sizes, 0)  # endings; in work, half of those that were looked at
        self._is_stopping = False

    def solve(self) -> None:
        """Solve what is missing. Whatever ends this early, such as Ctrl-C, ends the threads within a second."""
        self._folder.mkdir(exist_ok=True)
        for unfinished in self._folder.glob(".*.tmp"):  # of a process that was killed
            unfinished.unlink()
        missing = []
        for material in self._sizes:
            try:
                self._find(material)
            except EndgameError:
                missing.append(material)
        self._announce()
        for _, level in groupby(missing, lambda material: (sum(material), material.own_men + material.other_men)):
            pairs = {min(material, material.swapped) for material in level}
            self._solve_pairs(sorted(pairs, key=self._sizes.__getitem__, reverse=True))

    def _find(self, material: Material) -> None:
        """Let kernels find a slice that the folder has. Raises EndgameError if it has none."""
        size = self._sizes[material]
        self._tables.add(material, read_slice(self._folder / f"{material}.npy", size))
        self._solved[material] = size

    def _keep(self, material: Material, codes: Codes) -> None:
        def write(path: Path) -> None:
            with path.open("wb") as file:
                np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(codes))
                file.write(codes.data)  # np.save does not say why it fails

        replace(self._folder / f"{material}.npy", write)
        self._find(material)

    def _announce(self) -> None:
        solving(self._variant, self._sizes.values(), sum(self._solved.values()))

    def _solve_pairs(self, pairs: Iterable[Material]) -> None:
        """Solve pairs that do not need each other, named by one of their slices, and keep each that is solved."""
        with ThreadPoolExecutor(cores()) as threads:
            running = {threads.submit(self._pair, material) for material in pairs}
            try:
                while running:
                    ready, running = wait(running, _REPORT_SECONDS, FIRST_COMPLETED)
                    for future in ready:
                        for material, codes in future.result().items():
                            self._keep(material, codes)
                    self._announce()
            except BaseException:
                self._is_stopping = True
                raise

    def _pair(self, material: Material) -> dict[Material, Codes]:
        """The codes of both slices of a pair."""
        look, carry_back = _compiled(self._rules)
        slices, size = sorted({material, material.swapped}), self._sizes[material]
        codes = {each: np.empty(size, np.uint8) for each in slices}
        quiet = {each: np.empty(size, np.uint8) for each in slices}
        address, moves, highest = self._tables.address, new_buffer(), 0
        works = [
            _Work(each, codes[each], quiet[each], codes[each.swapped], quiet[each.swapped], address, moves)
            for each in slices
        ]
        for work in works:
            for first, last in self._parts(work.material):
                highest = max(highest, look(self._rules, work, first, last))
                self._solved[work.material] = last * row_size(self._rules, work.material) // 2
        code = 0
        while code < highest:
            code += 1
            if code > LONGEST:
                line = f"an ending of {material} takes more than {LONGEST} plies, too many for a byte"
                raise EndgameError(f"{self._variant.name} has no endgame tables: {line}")
            for work in works:
                for first, last in self._parts(work.material):
                    highest = max(highest, carry_back(self._rules, work, code, first, last))
        return codes

    def _parts(self, material: Material) -> Iterator[tuple[int, int]]:
        """A slice's rows in parts of less than a second. Raises InterruptedError once it is to stop."""
        count, each = rows(self._rules, material), max(1, _PART // row_size(self._rules, material))
        for first in range(0, count, each):
            if self._is_stopping:
                raise InterruptedError
            yield first, min(first + each, count)


class _Work(NamedTuple):
    """What kernels work on: a slice, the one with the sides exchanged, and what both need."""

    material: Material
    codes: Codes  # by ending: 0 if it is not decided yet, NO_ENDING, else one more than the plies to the end
    quiet: Codes  # by ending: the quiet moves that are not known to lose; 0 if it is decided without any
    codes_before: Codes  # of the slice with the sides exchanged, from which quiet moves lead here
    quiet_before: Codes
    address: Any  # of the tables with all that is solved
    moves: Moves  # A buffer


@cache
def _compiled(rules: Any) -> tuple[Any, Any]:
    """The native code of `look` and `carry_back` for a rule set."""
    none = np.zeros(0, np.uint8)
    work = _Work(Material(0, 0, 0, 0), none, none, none, none, 0, new_buffer())
    return entry(look, types.int64, rules, work, 0, 0), entry(carry_back, types.int64, rules, work, 0, 0, 0)


@kernel
def look(rules: Rules, work: _Work, first: int, last: int) -> int:
    """Give the endings of a slice's rows from `first` up to `last` the code that their captures and crownings make
    of them, and the number of their quiet moves. Returns the highest code written."""
    material, size = work.material, row_size(rules, work.material)
    highest = 0
    for row in range(first, last):
        shared = row_of(rules, material, row)
        at = row * size
        if shared.white & shared.black != 0:
            work.codes[at : at + size] = NO_ENDING
            work.quiet[at : at + size] = 0
            continue
        free = rules.board & ~(shared.white | shared.black)
        for number in range(size):
            kings = subset(number, material.other_kings, free)
            position = Position(shared.white, shared.black | kings, shared.kings | kings, WHITE)
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
def alternatives(rules: Rules, position: Position, work: _Work) -> tuple[int, bool, int, int]:
    """What captures and crownings make of an ending: the code of the quickest win, 0 without one; whether there is
    a draw; the code of the longest loss, of 0 plies for a side without a move; and how many quiet moves there
    are."""
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
def carry_back(rules: Rules, work: _Work, code: int, first: int, last: int) -> int:
    """Carry the endings with a code, in a slice's rows from `first` up to `last`, back over one quiet move.
    Returns the highest code written."""
    size = row_size(rules, work.material)
    highest = 0
    for row in range(first, last):
        at = row * size
        is_known = False
        shared = Position(0, 0, 0, WHITE)
        for number in range(size):
            if work.codes[at + number] != code:
                continue
            if not is_known:
                shared = row_of(rules, work.material, row)
                is_known = True
            kings = subset(number, work.material.other_kings, rules.board & ~(shared.white | shared.black))
            position = Position(shared.white, shared.black | kings, shared.kings | kings, BLACK)
            highest = max(highest, carry_one(rules, work, code, turned(rules, position)))
    return highest


@kernel
def carry_one(rules: Rules, work: _Work, code: int, position: Position) -> int:
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
def decide(rules: Rules, work: _Work, code: int, former: Position) -> int:
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
    men = former.white & ~former.kings
    if rules.promotion != NEVER and (step(rules, men, 2) | step(rules, men, 3)) & rules.top != 0:
        _, _, loss, _ = alternatives(rules, former, work)
        lost = max(lost, loss)
    work.codes_before[at] = lost
    return lost
