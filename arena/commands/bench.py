"""The command that measures speeds: bench."""

from __future__ import annotations

from collections.abc import Iterable

import click

from arena.bench.benchmarks import BENCHMARKS, rows
from arena.bench.timing import Row
from arena.commands.common import variant_named


@click.command()
@click.argument("what", type=click.Choice(list(BENCHMARKS)), default="all")
@click.option("--variant", "names", multiple=True, help="Only this variant; may be given again.")
def bench(what: str, names: tuple[str, ...]) -> None:
    """Measure this machine's rates: move generation, search, whole games, and what surrounds a search.

    Not in `all`: `time` measures how well negamax keeps to 20 ms per move while every core is busy.
    """
    show_rows(rows(what, [variant_named(name).name for name in names]))


def show_rows(measured: Iterable[Row]) -> None:
    """Print rows as they are measured, under their headings."""
    click.echo(f"{'what':24} {'variant':14} {'depth':>5} {'nodes':>14} {'seconds':>8} {'rate':>16}  note")
    for row in measured:
        depth = "" if row.depth is None else row.depth
        figures = f"{depth:>5} {row.nodes:>14,} {row.seconds:8.3f} {row.rate:>16}"
        click.echo(f"{row.what:24} {row.variant:14} {figures}  {row.note}")
