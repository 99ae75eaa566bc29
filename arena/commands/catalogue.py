"""Commands about what there is: players, variants, schema, bench."""

from __future__ import annotations

import json

import click

from arena.commands.common import variant_named

BENCHES = ("all", "rules", "search", "games", "rivals", "time", "engines")


@click.command()
def players() -> None:
    """List the players, their options, the evaluations and the features of `linear`."""
    import inspect

    from players import EVALUATORS, PLAYERS
    from players.evaluation.linear import VOCABULARY

    for name, maker in PLAYERS.items():
        parameters = list(inspect.signature(maker).parameters.values())[1:]
        options = ", ".join(p.name if p.default is None else f"{p.name} [{p.default}]" for p in parameters)
        click.echo(f"{name:12} {_first_line(maker.__doc__)}")
        click.echo(f"{'':12} options: {options or 'none'}")
    click.echo("\nevaluations (from the side to move's view):")
    for name, evaluation in EVALUATORS.items():
        click.echo(f"{name:14} {_first_line(evaluation.__doc__)}")
    click.echo("\nfeatures of linear, own minus other; a weight is a number or a pair [opening, ending]:")
    for name, feature in VOCABULARY.items():
        click.echo(f"{name:14} {_first_line(feature.__doc__)}")
    click.echo("\nyour own: type: path/to/file.py:Class, evaluation: path/to/file.py:function")


@click.command()
def variants() -> None:
    """List the variants and their rules."""
    from arena.rules.table import HEADER, variant_rows

    rows = [HEADER, *variant_rows()]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


@click.command()
def schema() -> None:
    """Print the JSON schema of configuration files, for editors."""
    click.echo(schema_text(), nl=False)


@click.command()
@click.argument("what", type=click.Choice(BENCHES), default="all")
@click.option("--variant", "names", multiple=True, help="Only this variant; may be given again.")
def bench(what: str, names: tuple[str, ...]) -> None:
    """Measure node rates: move generation, search, whole games, and other programs that are installed.

    Not in `all`: `time` measures how well negamax keeps to 20 ms a move while every core is busy, and `engines`
    plays a match against dame-rs on the international board, where that is installed.
    """
    from arena.bench.benchmarks import rows

    measured = rows(what, [variant_named(name).name for name in names])
    click.echo(f"{'what':24} {'variant':14} {'depth':>5} {'nodes':>14} {'seconds':>8} {'rate':>16}  note")
    for row in measured:
        depth = "" if row.depth is None else row.depth
        figures = f"{depth:>5} {row.nodes:>14,} {row.seconds:8.3f} {row.rate:>16}"
        click.echo(f"{row.what:24} {row.variant:14} {figures}  {row.note}")


def schema_text() -> str:
    """The JSON schema of configuration files, as a file holds it."""
    from arena.experiment.schema import experiment_schema

    return json.dumps(experiment_schema(), indent=2) + "\n"


def _first_line(text: str | None) -> str:
    return " ".join((text or "").split("\n\n")[0].split())
