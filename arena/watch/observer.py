"""Whoever watches a run while it is played: a terminal, a page, a notebook, or nobody."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.base.number import duration, quantity
from arena.rules.endgame.retrograde import solving
from arena.rules.jit.kernel import compiling
from arena.rules.variants import Variant
from players.engines.program import program_is_slow

_FUNCTIONS = 110
"""What the rules, an alpha-beta search and its evaluations are compiled from, about."""
_COMPILING_SECONDS = 4.0
"""Seconds between two lines while kernels are compiled."""
_SOLVING_SECONDS = 10.0
"""Seconds between two lines while endgame tables are made."""
_ENDING_SECONDS = 0.6e-6
"""Processor time to solve an ending, about."""


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
    compiled, last, begun, said = 0, -math.inf, ("", 0), 0.0

    def on_kernel() -> None:
        nonlocal compiled, last
        if time.monotonic() - last >= _COMPILING_SECONDS:
            last = time.monotonic()
            done = f"compiled {compiled} of about {max(compiled, _FUNCTIONS)} functions"
            say(done if compiled else "compiling the rules and the search: some seconds, kept for later runs")
        compiled += 1

    def on_endings(variant: Variant, sizes: Collection[int], solved: int) -> None:
        nonlocal begun, said
        tables, left, now = (variant.name, sum(sizes)), sum(sizes) - solved, time.monotonic()
        if tables != begun or (left and now - said >= _SOLVING_SECONDS):
            begun, said = tables, now
            takes = (
                f"about {duration(left * _ENDING_SECONDS)} of processor time, {quantity(sum(sizes), 'B')} on disk"
            )
            say(f"solving {left:,} endings of {variant.name}: {takes}; Ctrl-C stops, the same command resumes")

    with compiling.heard_by(on_kernel), solving.heard_by(on_endings), program_is_slow.heard_by(say):
        yield
