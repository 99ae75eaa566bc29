"""The command that measures speeds: bench."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import click

from arena.bench.overhead import overhead
from arena.bench.rates import full_search, random_games, rules, search, tree_search
from arena.bench.signature import signature
from arena.bench.timing import Row, kept_time
from arena.commands.common import VARIANT
from arena.rules.variants import VARIANTS, Variant

Benchmark = Callable[[Sequence[Variant]], Iterator[Row]]
"""From variants to rows."""

SIGNATURE = "signature"
"""What searches find within counted limits, which measures no speed."""
_ALL = list(VARIANTS.values())
"""What is measured where no variant is named; of the slower benchmarks the first alone."""


def rows(what: str, variants: Sequence[Variant] = ()) -> Iterator[Row]:
    """The rows of a benchmark of BENCHMARKS, for all variants if none is named. Raises KeyError."""
    return BENCHMARKS[what](variants)


def _rules(variants: Sequence[Variant]) -> Iterator[Row]:
    yield from rules(variants or _ALL)


def _search(variants: Sequence[Variant]) -> Iterator[Row]:
    yield from search(variants or _ALL)
    yield from full_search(variants or _ALL)
    yield from map(tree_search, variants or _ALL)


def _games(variants: Sequence[Variant]) -> Iterator[Row]:
    yield from map(random_games, variants or _ALL)


def _overhead(variants: Sequence[Variant]) -> Iterator[Row]:
    for variant in variants or _ALL[:1]:
        yield from overhead(variant)


def _time(variants: Sequence[Variant]) -> Iterator[Row]:
    yield from map(kept_time, variants or _ALL[:1])


def _all(variants: Sequence[Variant]) -> Iterator[Row]:
    for benchmark in (_rules, _search, _games, _overhead):
        yield from benchmark(variants)


BENCHMARKS: dict[str, Benchmark] = {
    "all": _all,
    "rules": _rules,
    "search": _search,
    "games": _games,
    "overhead": _overhead,
    "time": _time,
}
"""All benchmarks; `all` leaves out `time`, which keeps every core busy."""


@click.command()
@click.argument("what", type=click.Choice([*BENCHMARKS, SIGNATURE]), default="all")
@click.option("--variant", "variants", type=VARIANT, multiple=True, help="Only this variant; may be given again.")
def bench(what: str, variants: tuple[Variant, ...]) -> None:
    """Measure this machine's rates: move generation, search, whole games, and what surrounds a search.

    Not in `all`: `time` measures how well negamax keeps to 20 ms per move while every core is busy. `signature`
    prints what searches find in 20 positions within counted limits, the same lines on every machine.
    """
    if what == SIGNATURE:
        click.echo("\n".join(signature()))
    else:
        show_rows(rows(what, variants))


def show_rows(measured: Iterable[Row]) -> None:
    """Print rows as they are measured, under their headings."""
    click.echo(f"{'what':24} {'variant':14} {'depth':>5} {'nodes':>14} {'seconds':>8} {'rate':>16}  note")
    for row in measured:
        depth = "" if row.depth is None else row.depth
        figures = f"{depth:>5} {row.nodes:>14,} {row.seconds:8.3f} {row.rate:>16}"
        click.echo(f"{row.what:24} {row.variant:14} {figures}  {row.note}")
