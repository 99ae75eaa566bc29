"""Node rates of other programs in the same run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module, metadata
from operator import attrgetter, methodcaller
from typing import Any, NamedTuple

from arena.base.wording import cut
from arena.bench.rates import perft_of
from arena.bench.timing import Row, Work, best_runs, first_depth, millions, three_figures
from arena.rules.variants import VARIANTS


class Rival(NamedTuple):
    """Another program that can count the international tree."""

    distribution: str
    """Its name on PyPI."""
    module: str
    """What it is imported as."""
    method: str
    perft: Callable[[Any], Work]
    """Perft of the start position by the imported module."""


def rivals(seconds_per_rival: float = 0.5, repeat: int = 3) -> Iterator[Row]:
    """Perft from the international start position, ours and then other programs'; each at a depth of its own.

    Timed as in `arena.bench.rates.rules`. A rival's count is compared with ours at its depth; one that is not
    installed, fails or counts otherwise has a row that says so.
    """
    international = VARIANTS["international"]
    ours = perft_of(international)
    depth = first_depth(ours, seconds_per_rival)
    [(nodes, seconds)] = best_runs(depth, repeat, ours)
    yield Row("perft: ours", international.name, depth, nodes, seconds, millions(nodes, seconds), "bulk counting")
    for rival in RIVALS:
        what = f"perft: {rival.distribution}"
        missing = Row(what, international.name, None, 0, 0.0, "", _obstacle(rival))
        if missing.note:
            yield missing
            continue
        try:
            theirs = rival.perft(import_module(rival.module))
            their_depth = first_depth(theirs, seconds_per_rival)
            [(counted, taken)] = best_runs(their_depth, repeat, theirs)
        except Exception as error:
            yield missing._replace(note=f"failed: {type(error).__name__}: {cut(str(error), 200)}")
            continue
        right = ours(their_depth)
        if counted == right:
            verdict = f"ours is {three_figures(nodes / seconds * taken / counted)} times as fast"
        else:
            verdict = f"COUNTS DIFFER: ours is {right:,}"
        note = f"version {metadata.version(rival.distribution)}, {rival.method}; {verdict}"
        yield Row(what, international.name, their_depth, counted, taken, millions(counted, taken), note)


def _obstacle(rival: Rival) -> str:
    """Why a rival cannot be measured in this environment; empty if it can."""
    if not _installed(rival):
        return f"not installed: pip install {rival.distribution}"
    for other in RIVALS:
        if other != rival and other.module == rival.module and _installed(other):
            return f"not measured: {other.distribution} is installed too, and both are imported as {rival.module}"
    return ""


def _installed(rival: Rival) -> bool:
    try:
        metadata.version(rival.distribution)
    except metadata.PackageNotFoundError:
        return False
    return True


def _dame(dame: Any) -> Work:
    return lambda depth: int(dame.perft(dame.Board(), depth))


def _py_draughts(draughts: Any) -> Work:
    return lambda depth: _walk(draughts.Board(), attrgetter("legal_moves"), depth)


def _pydraughts(draughts: Any) -> Work:
    return lambda depth: _walk(draughts.Board(), methodcaller("legal_moves"), depth)


RIVALS: tuple[Rival, ...] = (
    Rival("dame-rs", "dame", "its own perft", _dame),
    Rival("py-draughts", "draughts", "bulk counting in a Python loop", _py_draughts),
    Rival("pydraughts", "draughts", "bulk counting in a Python loop", _pydraughts),
)
"""Programs on PyPI that play by the international rules, the fastest first."""


def _walk(board: Any, legal_moves: Callable[[Any], Sequence[Any]], depth: int) -> int:
    """Perft at `depth` of at least 1 by a board with `push` and `pop`."""
    moves = legal_moves(board)
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        board.push(move)
        total += _walk(board, legal_moves, depth - 1)
        board.pop()
    return total
