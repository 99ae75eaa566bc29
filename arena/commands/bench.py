"""The command that measures this machine: bench. Rates of move generation, searches and whole games.

Rates move by as much as a quarter from run to run, with the machine's load and clock: compare within one run.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import count
from typing import NamedTuple, TypeAlias

import click

from arena.commands.init import CONFIGS
from arena.commands.options import VARIANT, json_option
from arena.commands.output import put, show_json
from arena.play.match import Task, play
from arena.rules.game import Game
from arena.rules.movegen import perft
from arena.rules.notation import fen
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.build import has_network
from players.loading import EXAMPLE
from players.player import Limit, PlayerSpec
from players.table import build_player

USERS = f"{CONFIGS / EXAMPLE}:advance"
"""An evaluation as a user writes one."""
_Work: TypeAlias = Callable[[int], int]
"""A piece of work to time: from a depth in plies, or a number of units, to a number of nodes."""


class Rate(NamedTuple):
    """One measurement."""

    what: str
    variant: str
    depth: int | None  # plies; None for whole games
    nodes: int  # lines counted by a perft, positions entered by a search, plies of games
    seconds: float  # wall time that `nodes` took
    rate: str  # with its unit
    note: str


@click.command()
@click.argument("variants", metavar="[VARIANT]...", nargs=-1, type=VARIANT)
@click.option(
    "--perft", "plies", type=click.IntRange(1, 30), metavar="N", help="Count the lines of N plies instead."
)
@json_option
def bench_command(variants: tuple[Variant, ...], plies: int | None, as_json: bool) -> None:
    """Measure this machine's rates for each VARIANT [all]: move generation, searches, whole games."""
    chosen = variants or VARIANTS.values()
    measured = (row for variant in chosen for row in (_counts(variant, plies) if plies else _rates(variant)))
    if as_json:
        show_json([row._asdict() for row in measured])
    else:
        _show_rows(measured)


def _rates(variant: Variant) -> Iterator[Rate]:
    """Measure the rates of a rule set, each before it is yielded."""
    yield rules(variant)
    for evaluation in ("simple", USERS):
        yield search_rate(variant, "alphabeta", evaluation)
    for evaluation in ("simple", *["neural"] * has_network(variant)):
        yield search_rate(variant, "full", evaluation)
    yield tree_search_rate(variant)
    yield random_games(variant)


def _counts(variant: Variant, plies: int) -> Iterator[Rate]:
    """Count the lines from the start of a rule set at each depth up to `plies`, the test of a move generator."""
    perft(variant, variant.start, 2)  # compiles
    for depth in range(1, plies + 1):
        nodes, seconds = best_run(partial(perft, variant, variant.start), depth)
        yield Rate("perft", variant.name, depth, nodes, seconds, f"{nodes / seconds / 1e6:,.1f} M nodes/s", "")


def _show_rows(measured: Iterable[Rate]) -> None:
    """Print rows as they are measured, under their headings."""
    put(f"{'what':24} {'variant':14} {'depth':>5} {'nodes':>14} {'seconds':>8} {'rate':>16}  note")
    for row in measured:
        depth = "" if row.depth is None else row.depth
        figures = f"{depth:>5} {row.nodes:>14,} {row.seconds:8.3f} {row.rate:>16}"
        put(f"{row.what:24} {row.variant:14} {figures}  {row.note}")


def first_depth(work: _Work, seconds: float) -> int:
    """The first depth at which `work` takes at least `seconds`; a first run that may compile is not timed."""
    work(1)
    return next(depth for depth in count(1) if best_run(work, depth)[1] >= seconds)


def best_run(work: _Work, units: int, repeat: int = 1) -> tuple[int, float]:
    """Nodes and wall time of the fastest of `repeat` runs."""

    def run() -> tuple[int, float]:
        began = time.perf_counter()
        nodes = work(units)
        return nodes, time.perf_counter() - began

    return min((run() for _ in range(repeat)), key=lambda timed: timed[1])


def spell(work: Callable[[], int], seconds: float) -> tuple[int, float]:
    """Units and wall time of work that is repeated for some seconds, at least once."""
    began, units = time.perf_counter(), work()
    while (elapsed := time.perf_counter() - began) < seconds:
        units += work()
    return units, elapsed


def three_figures(number: float) -> str:
    """A number of at least 0 to three significant figures, all digits before the point kept, without exponent."""
    decimals = 2 - math.floor(math.log10(number)) if number else 0
    return f"{number:,.{max(decimals, 0)}f}"


def rules(variant: Variant, seconds: float = 0.5, repeat: int = 3) -> Rate:
    """Perft from the start position. Moves at the last ply are counted, not made."""
    return _by_depth("perft", variant, partial(perft, variant, variant.start), seconds, repeat, "bulk counting")


def search_rate(variant: Variant, preset: str, evaluation: str, seconds: float = 0.5, repeat: int = 3) -> Rate:
    """Negamax from the start position, each time by a new player, with a table of 16 MB if the preset has one."""
    spec = PlayerSpec("negamax", "negamax", Limit(depth=1), {"evaluation": evaluation, "preset": preset})

    def work(depth: int) -> int:
        return build_player(spec, variant).choose(Game(variant), Limit(depth), random.Random(0)).nodes

    return _by_depth(f"negamax, {preset}", variant, work, seconds, repeat, evaluation.rpartition("/")[2])


def _by_depth(what: str, variant: Variant, work: _Work, seconds: float, repeat: int, note: str) -> Rate:
    """The best of `repeat` runs at the first depth that takes `seconds`."""
    depth = first_depth(work, seconds)
    nodes, taken = best_run(work, depth, repeat)
    rate = f"{three_figures(nodes / taken / 1e6)} M nodes/s"
    return Rate(what, variant.name, depth, nodes, taken, rate, note)


def tree_search_rate(variant: Variant, simulations: int = 50_000, repeat: int = 3) -> Rate:
    """Tree search by random games from the start position, each time from nothing: the best of `repeat` runs."""
    player = build_player(PlayerSpec("mcts", "mcts", Limit(nodes=1), {"keep_tree": False, "tree": 256}), variant)

    def work(simulations: int) -> int:
        return player.choose(Game(variant), Limit(nodes=simulations), random.Random(0)).nodes

    work(1)
    nodes, seconds = best_run(work, simulations, repeat)
    rate = f"{three_figures(nodes / seconds)} games/s"
    return Rate("mcts, random games", variant.name, None, nodes, seconds, rate, "a simulation each")


def random_games(variant: Variant, seconds: float = 1.0) -> Rate:
    """Random against random from the start position, recorded as in a tournament; games begin for `seconds`.

    The cost of a ply is wall time, the players' own included.
    """
    spec, numbers, start = PlayerSpec("random", "random"), count(1), fen(variant, variant.start)

    def game() -> int:
        key = time = next(numbers)
        return play(Task(key, variant, start, time, spec, spec, seed=1, max_plies=300)).plies

    game()
    plies, elapsed = spell(game, seconds)
    games = next(numbers) - 2
    note = f"{games:,} games, {1e6 * elapsed / plies:.1f} µs a ply"
    rate = f"{three_figures(games / elapsed)} games/s"
    return Rate("random games", variant.name, None, plies, elapsed, rate, note)
