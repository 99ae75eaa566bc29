"""Commands about what there is: players, variants, schema, bench."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from arena.commands.common import variant_named
from arena.commands.table import show_table

if TYPE_CHECKING:
    from inspect import Parameter


BENCHES = ("all", "rules", "search", "games", "overhead", "rivals", "time", "engines", "volume", "workers")


@click.command()
def players() -> None:
    """List the players, their options, the evaluations and the features of `linear`."""
    from players import EVALUATORS, PLAYERS
    from players.evaluation.linear import VOCABULARY
    from players.negamax.switches import preset_rows, switch_rows
    from players.options import options_of

    show_table(
        ("player", "options", "what it is"),
        [(name, _options(options_of(maker)), _first_line(maker.__doc__)) for name, maker in PLAYERS.items()],
        "players, and their options with the values that they have if not given",
    )
    click.echo()
    show_table(("preset", "what it is"), map(_plain, preset_rows()), "presets of negamax")
    click.echo()
    show_table(("switch", "choices", "what it does"), map(_plain, switch_rows()), "switches of negamax")
    click.echo()
    show_table(
        ("evaluation", "what it is"),
        [(name, _first_line(evaluation.__doc__)) for name, evaluation in EVALUATORS.items()],
        "evaluations, from the side to move's view",
    )
    click.echo()
    show_table(
        ("feature", "what it counts"),
        [(name, _first_line(feature.__doc__)) for name, feature in VOCABULARY.items()],
        "features of linear, own minus other; a weight is a number or a pair [opening, ending]",
    )
    click.echo("\nyour own: type: path/to/file.py:Class, evaluation: path/to/file.py:function")


@click.command()
def variants() -> None:
    """List the variants and their rules."""
    from arena.rules.table import HEADER, variant_rows

    show_table(HEADER, variant_rows())


@click.command()
def schema() -> None:
    """Print the JSON schema of configuration files, for editors."""
    click.echo(schema_text(), nl=False)


@click.command()
@click.argument("what", type=click.Choice(BENCHES), default="all")
@click.option("--variant", "names", multiple=True, help="Only this variant; may be given again.")
def bench(what: str, names: tuple[str, ...]) -> None:
    """Measure rates: move generation, search, whole games, what surrounds them, other programs that are installed.

    Not in `all`: `time` measures how well negamax keeps to 20 ms a move while every core is busy, and `engines`
    plays a match against dame-rs on the international board, where that is installed. Nor `volume`, which fills
    a ledger with made-up games and reports them, nor `workers`, games a second by one process, two, and two
    workers of a Dask scheduler.
    """
    from arena.bench.benchmarks import rows

    measured = rows(what, [variant_named(name).name for name in names])
    click.echo(f"{'what':24} {'variant':14} {'depth':>5} {'nodes':>14} {'seconds':>8} {'rate':>16}  note")
    for row in measured:
        depth = "" if row.depth is None else row.depth
        figures = f"{depth:>5} {row.nodes:>14,} {row.seconds:8.3f} {row.rate:>16}"
        click.echo(f"{row.what:24} {row.variant:14} {figures}  {row.note}")


def schema_text() -> str:
    """The JSON schema of configuration files, experiments, tunings and trainings, as a file holds it."""
    from arena.experiment.schema import experiment_schema
    from arena.training.config import training_schema
    from arena.tuning.config import tuning_schema
    from arena.yaml.schema import either

    others = either("tuning", tuning_schema(), experiment_schema())
    return json.dumps(either("positions", training_schema(), others), indent=2) + "\n"


def _options(parameters: Mapping[str, Parameter]) -> str:
    """A player's options with their defaults; the switches of negamax have a table of their own."""
    from players.negamax.switches import KINDS

    shown = [
        name if option.default in (None, option.empty) else f"{name} [{option.default}]"
        for name, option in parameters.items()
        if name not in KINDS
    ]
    more = ["the switches"] if len(shown) < len(parameters) else []
    return ", ".join([*shown, *more]) or "none"


def _plain(cells: Sequence[str]) -> tuple[str, ...]:
    """Cells of Markdown without the marks of code."""
    return tuple(cell.replace("`", "") for cell in cells)


def _first_line(text: str | None) -> str:
    return " ".join((text or "").split("\n\n")[0].split())
