"""The commands that measure: bench."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from arena.bench.rates import Rate, random_games, rules, search_rate, tree_search_rate
from arena.commands.cli import CommandGroup
from arena.commands.options import VARIANT, json_option
from arena.rules.move_text import move_text
from arena.rules.movegen import divide as divide_perft
from arena.rules.movegen import legal_moves, perft
from arena.rules.notation import fen, parse_fen
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.build import has_network

USERS = f"{Path(__file__).with_name('templates') / 'my_heuristic.py'}:advance"
"""An evaluation as a user writes one."""


def rate_rows(what: str, variants: Sequence[Variant] = ()) -> Iterator[Rate]:
    """The rows of `all`, `rules`, `search` or `games`, for all variants if none is named."""
    chosen = variants or list(VARIANTS.values())
    if what in ("all", "rules"):
        yield from map(rules, chosen)
    if what in ("all", "search"):
        for variant in chosen:
            yield from (search_rate(variant, "alphabeta", evaluation) for evaluation in ("simple", USERS))
            neural = ["neural"] * has_network(variant)
            yield from (search_rate(variant, "full", evaluation) for evaluation in ("simple", *neural))
            yield tree_search_rate(variant)
    if what in ("all", "games"):
        yield from map(random_games, chosen)


@click.group(cls=CommandGroup, invoke_without_command=True)
@click.pass_context
def bench_command(context: click.Context) -> None:
    """Measure this machine's rates, as `arena bench rates` does; count move trees."""
    if context.invoked_subcommand is None:
        context.invoke(rates_command)


@bench_command.command(short_help="nodes and games per second")
@click.argument("what", type=click.Choice(["all", "rules", "search", "games"]), default="all")
@click.option("--variant", "variants", type=VARIANT, multiple=True, help="Only this variant; may be given again.")
def rates_command(what: str, variants: tuple[Variant, ...] = ()) -> None:
    """Measure this machine's rates: move generation, searches, whole games."""
    show_rows(rate_rows(what, variants))


def show_rows(measured: Iterable[Rate]) -> None:
    """Print rows as they are measured, under their headings."""
    click.echo(f"{'what':24} {'variant':14} {'depth':>5} {'nodes':>14} {'seconds':>8} {'rate':>16}  note")
    for row in measured:
        depth = "" if row.depth is None else row.depth
        figures = f"{depth:>5} {row.nodes:>14,} {row.seconds:8.3f} {row.rate:>16}"
        click.echo(f"{row.what:24} {row.variant:14} {figures}  {row.note}")


@bench_command.command(short_help="leaves of the move tree, by depth")
@click.argument("variant", type=VARIANT, default="english")
@click.option("--depth", type=click.IntRange(1, 30), default=6, metavar="N", help="Plies [6].")
@click.option("--fen", "start", help="Position to count from [the start position].")
@click.option("--divide", is_flag=True, help="Count each move of the position by itself.")
@json_option
def perft_command(variant: Variant, depth: int, start: str | None, divide: bool, as_json: bool) -> None:
    """Count the move tree of VARIANT, the test of a move generator."""
    position = parse_fen(variant, start) if start else variant.start
    document = {"variant": variant.name, "fen": fen(variant, position)}
    if divide:
        legal = legal_moves(variant.rules, position)
        counts = divide_perft(variant, position, depth)
        by_text = {move_text(variant, position, move, legal): nodes for move, nodes in counts.items()}
        for text, nodes in () if as_json else (*by_text.items(), ("total", sum(by_text.values()))):
            click.echo(f"{text:>12}  {nodes:>14,}")
        if as_json:
            click.echo(json.dumps(document | {"divide": by_text}))
        return
    perft(variant, position, 2)  # compiles
    totals: list[int] = []
    began = time.perf_counter()
    for plies in range(1, depth + 1):
        before = time.perf_counter()
        totals.append(perft(variant, position, plies))
        seconds = time.perf_counter() - before
        if not as_json:
            speed = f"{totals[-1] / seconds / 1e6:8.1f} million/s" if seconds > 1e-3 else ""
            click.echo(f"{plies:>3}  {totals[-1]:>16,}  {seconds:9.3f} s {speed}")
    if as_json:
        click.echo(json.dumps(document | {"nodes": totals, "seconds": time.perf_counter() - began}))
