"""Command `tables`: endgame tables, made if they are not there yet, and what they count."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from arena.base.number import quantity
from arena.commands.common import VARIANT, announcing_compilation
from arena.commands.output import STOPPED, echo, fail, say, show_table
from arena.commands.waiting import ProgressLine
from arena.rules.endgame import MOST_PIECES, USUAL_PIECES
from arena.rules.endgame.index import NO_ENDING, Material, wins
from arena.rules.endgame.tables import EndgameError, EndgameTables, layout, make, path_of
from arena.rules.position import WHITE, Position
from arena.rules.result import in_balance
from arena.rules.variants import Variant
from arena.watch.words import duration

_SECONDS = 0.6e-6
"""Processor time to solve an ending, about."""
_BYTES = 4
"""Memory for an ending of a slice, and the one of the slice with the sides exchanged, while they are solved."""


class Counts(NamedTuple):
    """How many endings there are of some material, for the side to move."""

    positions: int
    won: int
    drawn: int
    lost: int
    longest_win: int
    """Plies."""
    longest_loss: int
    """Plies."""
    beyond_limit: int
    """Won ones that take more plies than the draw rules allow without a capture or a man's move, or with this
    balance of pieces."""


@click.command()
@click.argument("variant", type=VARIANT)
@click.option(
    "--pieces", type=click.IntRange(2, MOST_PIECES), default=USUAL_PIECES, show_default=True, help="Of both sides."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def tables(variant: Variant, pieces: int, as_json: bool) -> None:
    """Solve every ending of VARIANT with few pieces: win, draw or loss, and the plies to the end.

    What is solved is kept in the cache folder. Ctrl-C stops; the same command resumes.
    """
    _show(variant, tables_made(variant, pieces), as_json)


def tables_made(variant: Variant, pieces: int) -> EndgameTables:
    """The tables, what is missing made with its progress shown; exits if that cannot be done or is stopped."""
    progress = _Progress(variant, pieces)
    try:
        with announcing_compilation():
            return make(variant, pieces, progress.report)
    except EndgameError as error:
        progress.end()
        fail(str(error))
    except KeyboardInterrupt:
        progress.end()
        say("stopped; what is solved is kept; rerun the same command to resume")
        sys.exit(STOPPED)
    finally:
        progress.end()


class _Progress:
    """What is expected, then how far it is."""

    def __init__(self, variant: Variant, pieces: int) -> None:
        self._variant, self._pieces = variant, pieces
        self._began, self._done_before = 0.0, 0
        self._line: ProgressLine | None = None

    def report(self, done: int, total: int) -> None:
        """Show how many endings are solved, of how many."""
        if self._line is None:
            self._began, self._done_before = time.monotonic(), done
            largest = max(size for _, _, size in layout(self._variant.constants, self._pieces).slices)
            memory = quantity(_BYTES * largest * (os.cpu_count() or 1), "B")
            say(
                f"solving {total - done:,} endings of {self._variant.name}: about "
                f"{duration((total - done) * _SECONDS)} of processor time, {memory} of memory, "
                f"{quantity(total, 'B')} on disk; Ctrl-C stops, the same command resumes"
            )
            self._line = ProgressLine()
            return
        new, seconds = done - self._done_before, time.monotonic() - self._began
        left = f", {duration(seconds * (total - done) / new)} left" if new else ""
        self._line.show(f"{done:,}/{total:,} endings ({100 * done / total:.0f} %){left}")

    def end(self) -> None:
        """Leave the line of a terminal."""
        if self._line is not None:
            self._line.end()


def _show(variant: Variant, found: EndgameTables, as_json: bool) -> None:
    by_material = {material: _counts(variant, material, codes) for material, codes in found.slices()}
    by_pieces = {
        pieces: _sum(counts for material, counts in by_material.items() if material.pieces == pieces)
        for pieces in range(2, found.pieces + 1)
    }
    path = path_of(variant)
    if as_json:
        document: dict[str, Any] = {"variant": variant.name, "pieces": found.pieces}
        document["by_pieces"] = [{"pieces": pieces, **counts._asdict()} for pieces, counts in by_pieces.items()]
        document["by_material"] = [
            {"material": str(material), **counts._asdict(), "limit": _limit(variant, material)}
            for material, counts in by_material.items()
        ]
        click.echo(json.dumps(document | {"file": str(path), "bytes": path.stat().st_size}))
        return
    header = ("positions", "won", "drawn", "lost", "longest win", "longest loss", "beyond limit")
    for name, rows in (("pieces", by_pieces), ("to move", by_material)):
        show_table((name, *header), [(str(key), *(f"{count:,}" for count in row)) for key, row in rows.items()])
    if beyond := sum(counts.beyond_limit for counts in by_pieces.values()):
        echo(
            f"Limits of moves are not in the tables: {beyond:,} of these wins take more plies than the draw rules "
            f"of {variant.name} may allow."
        )
    echo(f"{path}: {quantity(path.stat().st_size, 'B')}")


def _counts(variant: Variant, material: Material, codes: NDArray[np.uint8]) -> Counts:
    numbers = np.bincount(codes, minlength=NO_ENDING + 1)[:NO_ENDING].tolist()
    decided = [(code, number) for code, number in enumerate(numbers) if code and number]
    won = {code - 1: number for code, number in decided if wins(variant.rules, code)}
    lost = {code - 1: number for code, number in decided if not wins(variant.rules, code)}
    limit = _limit(variant, material)
    return Counts(
        sum(numbers),
        sum(won.values()),
        numbers[0],
        sum(lost.values()),
        max(won, default=0),
        max(lost, default=0),
        sum(number for plies, number in won.items() if limit and plies > limit),
    )


def _sum(counts: Iterable[Counts]) -> Counts:
    """The counts together."""
    columns = list(zip(*counts, strict=True)) or [(0,)] * len(Counts._fields)
    longest = Counts._fields.index("longest_win"), Counts._fields.index("longest_loss")
    return Counts(*((max if place in longest else sum)(column) for place, column in enumerate(columns)))


def _limit(variant: Variant, material: Material) -> int:
    """After how many plies a game may be drawn by a rule that counts moves, at the earliest; 0 if none applies.

    A rule that also asks where a piece stands is left out.
    """
    draws, bits = variant.draws, list(variant.bits)
    white, black = sum(bits[: sum(material[:2])]), sum(bits[sum(material[:2]) : material.pieces])
    kings = sum(bits[: material.own_kings]) + sum(bits[sum(material[:2]) :][: material.other_kings])
    position = Position(white, black, kings, WHITE)
    endings = (it for it in draws.endings if not it.long_diagonal and in_balance(it, variant.rules, position))
    limits = (draws.no_progress, draws.no_capture, *(ending.plies for ending in endings))
    return min(filter(None, limits), default=0)
