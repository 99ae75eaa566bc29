"""Whoever watches a run while it is played: a terminal, a page, a notebook, or nobody."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.base.number import quantity
from arena.base.work import cores
from arena.rules.endgame.retrograde import solving_announced
from arena.rules.jit.kernel import compilation_announced
from arena.rules.variants import Variant
from arena.watch.words import duration
from players.engines.program import waiting_announced

_FUNCTIONS = 110
"""What the rules, an alpha-beta search and its evaluations are compiled from, about."""
_SOLVING_SECONDS = 10.0
"""Seconds between two lines while endgame tables are made."""
_ENDING_SECONDS = 0.6e-6
"""Processor time to solve an ending, about."""
_ENDING_BYTES = 4
"""Memory for an ending of a slice, and the one of the slice with the sides exchanged, while they are solved."""


class Observer:
    """What a run tells, and may be stopped by; as it stands it hears nothing, and lets a run come to its end."""

    def say(self, line: str) -> None:
        """Hear a line: a warning, a failure, what is done next."""

    @contextmanager
    def working(self, what: str, total: int, folder: Path | None = None) -> Iterator[Callable[[], bool]]:
        """See work on `total` pieces, in words; where they are games, of the run in `folder`.

        Yields a function: whether to begin no further piece.
        """
        yield lambda: False

    def done(self, pieces: int) -> None:
        """See how many pieces are done by now."""


@contextmanager
def announcing(say: Callable[[str], None]) -> Iterator[None]:
    """Say so if anything has to be compiled or solved, or an outside program is long in answering."""
    begun, said = ("", 0), 0.0

    def compiling(functions: int) -> None:
        if not functions:
            say("compiling the rules and the search: some seconds, kept for later runs")
        else:
            say(f"compiled {functions} of about {max(functions, _FUNCTIONS)} functions")

    def solving(variant: Variant, sizes: Collection[int], solved: int) -> None:
        nonlocal begun, said
        total, now = sum(sizes), time.monotonic()
        if begun != (variant.name, total):
            begun, said = (variant.name, total), now
            memory = quantity(_ENDING_BYTES * max(sizes) * cores(), "B")
            say(
                f"solving {total - solved:,} endings of {variant.name}: about "
                f"{duration((total - solved) * _ENDING_SECONDS)} of processor time, {memory} of memory, "
                f"{quantity(total, 'B')} on disk; Ctrl-C stops, the same command resumes"
            )
        elif now - said >= _SOLVING_SECONDS:
            said = now
            say(f"solved {solved:,} of {total:,} endings of {variant.name}")

    with compilation_announced(compiling), solving_announced(solving), waiting_announced(say):
        yield
