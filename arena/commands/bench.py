"""The command that measures speeds and counts move trees: bench."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from arena.bench.rates import Row, random_games, rules, search, tree_search
from arena.bench.signature import signature
from arena.commands.common import VARIANT
from arena.rules.move_text import move_text
from arena.rules.movegen import divide as divide_perft
from arena.rules.movegen import legal_moves
from arena.rules.movegen import perft as count_perft
from arena.rules.notation import fen, parse_fen
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.build import has_network

USERS = f"{Path(__file__).with_name('templates') / 'my_heuristic.py'}:advance"
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


@click.group(invoke_without_command=True)
@click.pass_context
def bench(context: click.Context) -> None:
    """Measure this machine's rates, as `arena bench rates` does; count move trees; print what searches find."""
    if context.invoked_subcommand is None:
        context.invoke(rates)


@bench.command()
@click.argument("what", type=click.Choice(["all", "rules", "search", "games"]), default="all")
@click.option("--variant", "variants", type=VARIANT, multiple=True, help="Only this variant; may be given again.")
def rates(what: str, variants: tuple[Variant, ...] = ()) -> None:
    """Measure this machine's rates: move generation, searches, whole games."""
    show_rows(rows(what, variants))


@bench.command("signature")
def print_signature() -> None:
    """Print what searches find in 20 positions within counted limits: the same lines on every machine."""
    click.echo("\n".join(signature()))


@bench.command()
@click.argument("variant", type=VARIANT, default="english")
@click.option("--depth", type=click.IntRange(1, 30), default=6, show_default=True, help="Plies.")
@click.option("--fen", "start", help="Position to count from [the start position].")
@click.option("--divide", is_flag=True, help="Count each move of the position by itself.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def perft(variant: Variant, depth: int, start: str | None, divide: bool, as_json: bool) -> None:
    """Count the move tree of VARIANT, the test of a move generator."""
    position = parse_fen(variant, start) if start else variant.start
    if divide:
        legal = legal_moves(variant.constants, position)
        counts = {
            move_text(variant, position, move, legal): nodes
            for move, nodes in divide_perft(variant, position, depth).items()
        }
        if as_json:
            click.echo(json.dumps({"variant": variant.name, "fen": fen(variant, position), "divide": counts}))
        else:
            for text, nodes in counts.items():
                click.echo(f"{text:>12}  {nodes:>14,}")
            click.echo(f"{'total':>12}  {sum(counts.values()):>14,}")
        return
    count_perft(variant, position, 2)
    began = time.perf_counter()
    totals: list[int] = []
    for plies in range(1, depth + 1):
        before = time.perf_counter()
        totals.append(count_perft(variant, position, plies))
        seconds = time.perf_counter() - before
        if not as_json:
            rate = totals[-1] / seconds / 1e6 if seconds > 1e-3 else 0
            speed = f"{rate:8.1f} million/s" if rate else ""
            click.echo(f"{plies:>3}  {totals[-1]:>16,}  {seconds:9.3f} s {speed}")
    if as_json:
        seconds = time.perf_counter() - began
        document = {"variant": variant.name, "fen": fen(variant, position), "nodes": totals, "seconds": seconds}
        click.echo(json.dumps(document))


def show_rows(measured: Iterable[Row]) -> None:
    """Print rows as they are measured, under their headings."""
    click.echo(f"{'what':24} {'variant':14} {'depth':>5} {'nodes':>14} {'seconds':>8} {'rate':>16}  note")
    for row in measured:
        depth = "" if row.depth is None else row.depth
        figures = f"{depth:>5} {row.nodes:>14,} {row.seconds:8.3f} {row.rate:>16}"
        click.echo(f"{row.what:24} {row.variant:14} {figures}  {row.note}")
