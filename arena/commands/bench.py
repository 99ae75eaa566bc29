"""The command that measures speeds: bench."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import click

from arena.bench.rates import random_games, rules, search, tree_search
from arena.bench.signature import signature
from arena.bench.timing import Row
from arena.commands.common import VARIANT
from arena.commands.init import TEMPLATES
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.build import has_network

USERS = f"{TEMPLATES / 'my_heuristic.py'}:advance"
"""An evaluation as a user writes one."""


def rows(what: str, variants: Sequence[Variant] = ()) -> Iterator[Row]:
    """The rows of `all`, `rules`, `search` or `games`, for all variants if none is named."""
    chosen = variants or list(VARIANTS.values())
    if what in ("all", "rules"):
        yield from map(rules, chosen)
    if what in ("all", "search"):
        for variant in chosen:
            yield from (search(variant, "alphabeta", evaluation) for evaluation in ("simple", USERS))
            neural = ["neural"] * has_network(variant)
            yield from (search(variant, "full", evaluation) for evaluation in ("simple", *neural))
            yield tree_search(variant)
    if what in ("all", "games"):
        yield from map(random_games, chosen)


@click.command()
@click.argument("what", type=click.Choice(["all", "rules", "search", "games", "signature"]), default="all")
@click.option("--variant", "variants", type=VARIANT, multiple=True, help="Only this variant; may be given again.")
def bench(what: str, variants: tuple[Variant, ...]) -> None:
    """Measure this machine's rates: move generation, searches, whole games.

    `signature` prints what searches find in 20 positions within counted limits, the same lines on every machine.
    """
    if what == "signature":
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
