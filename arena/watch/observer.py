"""Whoever watches a run while it is played: a terminal, a page, a notebook, or nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.rules.jit.kernel import compilation_announced
from players.engines.program import waiting_announced

_FUNCTIONS = 110
"""What the rules, an alpha-beta search and its evaluations are compiled from, about."""


class Observer:
    """What a run tells, and may be stopped by; as it stands it hears nothing, and lets a run come to its end."""

    def say(self, line: str) -> None:
        """Hear a line: a warning, a failure, what is done next."""

    @contextmanager
    def working(
        self, what: str, total: int, folder: Path | None = None, *, at_once: bool = False
    ) -> Iterator[Callable[[], bool]]:
        """See work on `total` pieces, in words; where they are games, of the run in `folder`.

        Yields a function: whether to begin no further piece. What is stopped `at_once` has no end of a piece to
        wait for: Ctrl-C is a KeyboardInterrupt.
        """
        yield lambda: False

    def done(self, pieces: int) -> None:
        """See how many pieces are done by now."""


@contextmanager
def announcing(say: Callable[[str], None]) -> Iterator[None]:
    """Say so if anything has to be compiled, or an outside program is long in answering."""

    def compiling(functions: int) -> None:
        if not functions:
            say("compiling the rules and the search: some seconds, kept for later runs")
        else:
            say(f"compiled {functions} of about {max(functions, _FUNCTIONS)} functions")

    with compilation_announced(compiling), waiting_announced(say):
        yield
