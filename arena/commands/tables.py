"""Command `tables`: endgame tables, made if they are not there yet."""

from __future__ import annotations

import os
import sys
import time

import click

from arena.base.number import quantity
from arena.commands.common import VARIANT, announcing_compilation
from arena.commands.output import STOPPED, echo, fail, say
from arena.commands.waiting import ProgressLine
from arena.rules.endgame import MOST_PIECES, USUAL_PIECES
from arena.rules.endgame.tables import EndgameError, layout, make, path_of
from arena.rules.variants import Variant
from arena.watch.words import duration

_SECONDS = 0.6e-6
"""Processor time to solve an ending, about."""
_BYTES = 4
"""Memory for an ending of a slice, and the one of the slice with the sides exchanged, while they are solved."""


@click.command()
@click.argument("variant", type=VARIANT, default="english")
@click.option(
    "--pieces", type=click.IntRange(2, MOST_PIECES), default=USUAL_PIECES, show_default=True, help="Of both sides."
)
def tables(variant: Variant, pieces: int) -> None:
    """Solve every ending of VARIANT with few pieces: win, draw or loss, and the plies to the end.

    What is solved is kept in the cache folder. Ctrl-C stops; the same command resumes.
    """
    make_tables(variant, pieces)
    path = path_of(variant)
    echo(f"{path}: {quantity(path.stat().st_size, 'B')}")


def make_tables(variant: Variant, pieces: int) -> None:
    """Solve what the tables lack, with its progress shown; exits if that cannot be done or is stopped."""
    progress = _Progress(variant, pieces)
    try:
        with announcing_compilation():
            make(variant, pieces, progress.report)
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
