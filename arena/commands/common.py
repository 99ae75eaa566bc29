"""What the commands share: errors, names of variants, and interruption."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from arena.rules.variants import Variant


def fail(message: str) -> NoReturn:
    """Print what is wrong and exit with code 2."""
    click.echo(message, err=True)
    sys.exit(2)


def say(text: str) -> None:
    """Print a line beside the command's output."""
    click.echo(text, err=True)


def variant_named(name: str) -> Variant:
    """The variant of that name, or an error that lists them."""
    from arena.rules.variants import VARIANTS
    from arena.wording import unknown

    if name not in VARIANTS:
        fail(unknown("variant", name, VARIANTS))
    return VARIANTS[name]


@contextmanager
def announcing_compilation() -> Iterator[None]:
    """Say so if anything has to be compiled."""
    from arena.rules.jit.kernel import compilation_announced

    with compilation_announced(
        lambda: say("compiling the rules and the search: some seconds, kept for later runs")
    ):
        yield


@contextmanager
def interruptible(say: Callable[[str], None]) -> Iterator[list[int]]:
    """Collect Ctrl-C and SIGTERM: the first lets what is under way finish, the second stops at once.

    Yields the signals received so far, a list that grows; `say` prints a line.
    """
    received: list[int] = []

    def handle(number: int, _frame: Any) -> None:
        received.append(number)
        if len(received) > 1:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTERM)
        say("finishing what is under way; once more to stop now")

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
