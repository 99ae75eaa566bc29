"""Measure one of BENCHMARKS: `python -m tests.benchmarks NAME [VARIANT ...]`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import click

from arena.bench.rates import Rate
from arena.commands.develop import show_rows
from tests.benchmarks.claims import claims
from tests.benchmarks.kept_time import kept_time
from tests.benchmarks.overhead import overhead
from tests.benchmarks.separating import separating
from tests.benchmarks.volume import volume

BENCHMARKS: dict[str, Callable[[Sequence[str]], Iterator[Rate]]] = {
    "volume": lambda variants: volume(),
    "claims": lambda variants: (row for name in variants or ["english"] for row in claims(name)),
    "separating": lambda variants: (row for name in variants or ["english"] for row in separating(name)),
    "overhead": lambda variants: (row for name in variants or ["english"] for row in overhead(name)),
    "time": lambda variants: map(kept_time, variants or ["english"]),
}
"""From names of variants to rows; most play by one variant only."""


@click.command()
@click.argument("what", type=click.Choice(list(BENCHMARKS)))
@click.argument("variants", nargs=-1)
def main(what: str, variants: tuple[str, ...]) -> None:
    """Measure what developers compare.

    `volume`: a ledger of made-up games and its report; `claims`: certain wins that searches report, against the
    endgame tables; `separating`: positions, and games, that tell two players apart; `overhead`: what the arena
    itself takes for a search, a move, a ply and a step of an environment; `time`: how well negamax keeps to 20 ms
    per move while every core is busy.
    """
    show_rows(BENCHMARKS[what](variants))


main()
