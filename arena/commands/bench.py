"""The command that measures this machine: bench."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import click

from arena.bench.rates import Rate, best_run, random_games, rules, search_rate, tree_search_rate
from arena.commands.init import CONFIGS
from arena.commands.options import VARIANT, json_option
from arena.commands.output import put, show_json
from arena.rules.movegen import perft
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.build import has_network
from players.loading import EXAMPLE

USERS = f"{CONFIGS / EXAMPLE}:advance"
"""An evaluation as a user writes one."""


@click.command()
@click.argument("variants", metavar="[VARIANT]...", nargs=-1, type=VARIANT)
@click.option(
    "--perft", "plies", type=click.IntRange(1, 30), metavar="N", help="Count the lines of N plies instead."
)
@json_option
def bench_command(variants: tuple[Variant, ...], plies: int | None, as_json: bool) -> None:
    """Measure this machine's rates for each VARIANT [all]: move generation, searches, whole games."""
    chosen = variants or VARIANTS.values()
    measured = (row for variant in chosen for row in (counts(variant, plies) if plies else rates(variant)))
    if as_json:
        show_json([row._asdict() for row in measured])
    else:
        show_rows(measured)


def rates(variant: Variant) -> Iterator[Rate]:
    """Measure the rates of a rule set, each before it is yielded."""
    yield rules(variant)
    for evaluation in ("simple", USERS):
        yield search_rate(variant, "alphabeta", evaluation)
    for evaluation in ("simple", *["neural"] * has_network(variant)):
        yield search_rate(variant, "full", evaluation)
    yield tree_search_rate(variant)
    yield random_games(variant)


def counts(variant: Variant, plies: int) -> Iterator[Rate]:
    """Count the lines from the start of a rule set at each depth up to `plies`, the test of a move generator."""
    perft(variant, variant.start, 2)  # compiles
    for depth in range(1, plies + 1):
        nodes, seconds = best_run(partial(perft, variant, variant.start), depth)
        yield Rate("perft", variant.name, depth, nodes, seconds, f"{nodes / seconds / 1e6:,.1f} M nodes/s", "")


def show_rows(measured: Iterable[Rate]) -> None:
    """Print rows as they are measured, under their headings."""
    put(f"{'what':24} {'variant':14} {'depth':>5} {'nodes':>14} {'seconds':>8} {'rate':>16}  note")
    for row in measured:
        depth = "" if row.depth is None else row.depth
        figures = f"{depth:>5} {row.nodes:>14,} {row.seconds:8.3f} {row.rate:>16}"
        put(f"{row.what:24} {row.variant:14} {figures}  {row.note}")
