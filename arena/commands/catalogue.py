"""Commands that list what is available: players, variants, schema."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import click

from arena.commands.common import VARIANT
from arena.commands.output import broken, echo, say, show_table, unbroken, width_of
from arena.experiment.schema import experiment_schema
from arena.experiment.yaml.schema import either
from arena.learning.config import training_schema, tuning_schema
from arena.rules.table import HEADER, variant_rows
from arena.rules.variants import VARIANTS, Variant
from players.catalogue import catalogue

_PARTS = {
    "presets": "presets of negamax",
    "switches": "switches of negamax",
    "evaluations": "evaluations, from the side to move's view",
    "features": "features of linear, own minus other",
}
"""The parts of the catalogue beside the players, with their titles."""

_SHORT = ("variant", "board", "about")
"""The columns of a list of variants."""

SCHEMA = "arena.schema.json"
"""The file that the first line of a configuration names to editors."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def players(as_json: bool) -> None:
    """List the players with their options and limits, the evaluations and the features of `linear`."""
    there_is = catalogue()
    if as_json:
        click.echo(json.dumps(there_is, indent=2))
        return
    text = click.HelpFormatter(width=min(width_of(sys.stdout) or 80, 100) - 2)
    for name, player in there_is["players"].items():
        with text.section(f"type {name}"):
            text.write_text(unbroken(player["what"]))
            text.write_dl([("limits:", _limits(player)), *_options(player["options"], there_is["switches"])])
    for part, title in _PARTS.items():
        with text.section(title):
            rows = there_is[part].items()
            if part == "features":
                text.write_text("a weight is a number or [opening, ending]")
            text.write_dl([(n, unbroken(it if isinstance(it, str) else "; ".join(it.values()))) for n, it in rows])
    with text.section("your own"):
        text.write_dl([("type", "path/to/file.py:Class"), ("evaluation", "path/to/file.py:function")])
    click.echo(broken(text.getvalue().strip("\n")))


@click.command()
@click.argument("name", required=False, type=VARIANT)
@click.option("--json", "as_json", is_flag=True, help="Print all rules as JSON.")
def variants(name: Variant | None, as_json: bool) -> None:
    """List the variants, or all rules of NAME."""
    rows = [dict(zip(HEADER, row, strict=True)) for row in variant_rows([name] if name else VARIANTS.values())]
    if as_json:
        click.echo(json.dumps(rows[0] if name else rows, indent=2))
    elif name:
        header, *others = rows[0].items()
        show_table(header, others)
    else:
        show_table(_SHORT, [[row[heading] for heading in _SHORT] for row in rows])
        say("arena variants NAME lists all rules of one")


@click.command()
@click.option("--install", is_flag=True, help=f"Write it into {SCHEMA} in this folder.")
def schema(install: bool) -> None:
    """Print the JSON schema of configuration files, for editors."""
    if not install:
        click.echo(schema_text(), nl=False)
        return
    Path(SCHEMA).write_text(schema_text(), encoding="utf-8")
    echo(f"wrote {SCHEMA}; an editor uses it for files that begin with this line:")
    click.echo(f"# yaml-language-server: $schema={SCHEMA}")


def schema_text() -> str:
    """The JSON schema of configuration files, experiments, tunings and trainings, as a file holds it."""
    others = either("tuning", tuning_schema(), experiment_schema())
    return json.dumps(either("positions", training_schema(), others), indent=2) + "\n"


def _limits(player: Mapping[str, Any]) -> str:
    if not player["limits"]:
        return "none, it answers at once"
    own = ", ".join(f"{name} {value:g}" for name, value in player["default_limit"].items())
    without = "; at least one" if player["needs_limit"] else f"; {own} unless given"
    return ", ".join(player["limits"]) + without


def _options(options: Mapping[str, Mapping[str, Any]], switches: Collection[str]) -> list[tuple[str, str]]:
    rows = []
    for name, option in options.items():
        if name in switches:
            continue
        default = "required" if option["required"] else _yaml(option["default"])
        given = f"{option['takes']} [{default}]" if default else option["takes"]
        rows.append((name, "; ".join(filter(None, (given, option["what"])))))
    return rows if len(rows) == len(options) else [*rows, ("...", "the switches of negamax")]


def _yaml(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_yaml(part)}' for key, part in value.items())}}}"
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
