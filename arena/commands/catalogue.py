"""The command that lists what a configuration can name: list."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import click

from arena.base.errors import ArenaError
from arena.base.wording import first_line, unknown
from arena.base.writing import markdown_table
from arena.commands.cli import CommandGroup
from arena.commands.keys import in_words, key_tables
from arena.commands.options import VARIANT, json_option
from arena.commands.output import echo, say, show_table, width_of
from arena.experiment.model import Experiment
from arena.experiment.openings import SETS
from arena.experiment.openings.sources import set_openings
from arena.rules.notation import fen
from arena.rules.position import BLACK, COLOURS, WHITE
from arena.rules.result import Draws, Ending
from arena.rules.rules import AT_END, DELAYED, IN_PASSING, NEVER, STOPS, Rules
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.build import EVALUATORS
from players.evaluation.features import VOCABULARY
from players.negamax.switches import preset_texts
from players.options import options_of
from players.player import Limit, default_limit, limits_of
from players.table import PLAYERS

_RULES = ("variant", "board", "men", "first", "men capture", "kings", "captures", "promotion", "about")
_NOTATION = (
    "variant",
    "GameType",
    "square 1",
    "their source",
    "drawn after",
    "counted endings",
    "source of draws",
)
"""The columns of the two tables of all rule sets."""

_PROMOTION = {
    NEVER: "never",
    AT_END: "where a move ends",
    STOPS: "ends the move",
    IN_PASSING: "at once, in passing",
    DELAYED: "after the move, in passing",
}


def variant_rows(variants: Iterable[Variant] = VARIANTS.values()) -> Iterator[dict[str, str]]:
    """What a list says of each variant, by the columns of _RULES and _NOTATION."""
    for variant in variants:
        rules = variant.rules
        yield {
            "variant": variant.name,
            "board": f"{2 * rules.per_row}x{rules.rows}",
            "men": str(variant.men),
            "first": COLOURS[variant.first],
            "men capture": _men(rules),
            "kings": _kings(variant),
            "captures": _captures(rules),
            "promotion": _PROMOTION[rules.promotion],
            "drawn after": _draws(variant.draws),
            "counted endings": "; ".join(map(_ending, variant.draws.endings)),
            "source of draws": variant.draws_source,
            "GameType": variant.gametype,
            "square 1": f"{COLOURS[WHITE if variant.from_white else BLACK].capitalize()}'s side",
            "their source": variant.gametype_source if variant.gametype else "no source found",
            "about": variant.about,
        }


def _columns(rows: Iterable[Mapping[str, str]], names: Sequence[str]) -> list[list[str]]:
    return [[row[name] for name in names] for row in rows]


def _men(rules: Rules) -> str:
    text = "forward, back" if rules.men_capture_backward else "forward"
    if rules.straight_captures:
        text += ", straight"
    return text if rules.men_capture_kings else text + "; no kings"


def _kings(variant: Variant) -> str:
    rules = variant.rules
    if rules.promotion == NEVER:
        return "none"
    text = "flying" if rules.flying else "one step"
    if rules.lands_behind:
        text += ", land behind"
    if rules.killer:
        text += ", killer"
    if variant.king_moves:
        text += f", {variant.king_moves} in a row"
    return text


def _captures(rules: Rules) -> str:
    if rules.one_hop:
        return "one hop"
    wanted = [
        (rules.majority, "most pieces"),
        (rules.prefer_value, "most value"),
        (rules.prefer_king, "with a king"),
        (rules.prefer_kings, "most kings"),
        (rules.prefer_early_kings, "kings first"),
    ]
    return ", ".join(text for holds, text in wanted if holds) or "free"


def _draws(draws: Draws) -> str:
    rules = [
        (draws.repetition, f"{draws.repetition} times the same"),
        (draws.no_progress, f"{draws.no_progress} plies of kings"),
        (draws.no_capture, f"{draws.no_capture} plies, no capture"),
    ]
    return "; ".join(text for holds, text in rules if holds) or "never"


def _ending(ending: Ending) -> str:
    """`4: 3 kings v lone king, 13`, the pieces on the board and the moves after which it is drawn."""
    pieces = f"{ending.least}" if ending.least == ending.most else f"{ending.least}-{ending.most}"
    strong = f"{ending.kings} kings" if ending.kings > 1 else "king"
    weak = f"lone king{' on the long diagonal' * ending.long_diagonal}" if ending.lone_king else strong
    since = " since a capture" if ending.restarts else ""
    return f"{pieces}: {strong} v {weak}, {ending.plies // 2}{since}"


_PARTS = {
    "presets": "presets of negamax",
    "evaluations": "evaluations, from the side to move's view",
    "features": "features of linear, own minus other",
}
"""The parts of the catalogue beside the players, with their titles."""

_SHORT = ("variant", "board", "about")
"""The columns of a list of variants."""

SCHEMA = "arena.schema.json"
"""The file that the first line of a configuration names to editors."""


class _ListGroup(CommandGroup):
    """`arena list`, whose parts have other names elsewhere."""

    synonyms: ClassVar[Mapping[str, str]] = {"rules": "variants", "options": "players", "evaluations": "players"}


@click.group(cls=_ListGroup, invoke_without_command=True)
@click.pass_context
def list_command(context: click.Context) -> None:
    """List what a configuration can name: players with their options, rule sets, openings, keys, the schema."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@list_command.command(short_help="types of players, evaluations, features, with options")
@json_option
def players_command(as_json: bool) -> None:
    """List the players with their options and limits, the evaluations and the features of `linear`."""
    listed = catalogue()
    if as_json:
        click.echo(json.dumps(listed, indent=2))
        return
    text = click.HelpFormatter(width=min(width_of(sys.stdout) or 80, 100) - 2)
    for name, player in listed["players"].items():
        with text.section(f"type {name}"):
            text.write_text(player["what"])
            text.write_dl([("limits:", _limits(player)), *_options(player["options"])])
    for part, title in _PARTS.items():
        with text.section(title):
            if part == "features":
                text.write_text("a weight is a number or [opening, ending]")
            text.write_dl(list(listed[part].items()))
    with text.section("your own"):
        text.write_dl([("type", "path/to/file.py:Class"), ("evaluation", "path/to/file.py:function")])
    click.echo(text.getvalue().strip("\n"))


def catalogue() -> dict[str, dict[str, Any]]:
    """Everything that a configuration can name, as plain data.

    `players` has for each type `what` it is, the `limits` that it heeds, whether it `needs_limit`, its own limit
    where it is given none, `default_limit`, and its `options`: what each `takes`, its `default`, whether it is
    `required`, and `what` it does. The other parts have one text for each name.
    """
    return {
        "players": {name: _player(maker) for name, maker in PLAYERS.items()},
        "presets": {name: text.replace("`", "") for name, text in preset_texts().items()},
        "evaluations": {name: _about(evaluation) for name, evaluation in EVALUATORS.items()},
        "features": {name: _about(feature) for name, feature in VOCABULARY.items()},
    }


def _player(maker: type[Any]) -> dict[str, Any]:
    limits, default = limits_of(maker), default_limit(maker)
    return {
        "what": _about(maker),
        "limits": list(limits),
        "needs_limit": bool(limits) and default == Limit(),
        "default_limit": {name: value for name, value in default._asdict().items() if value is not None},
        "options": {
            option.name: {
                "takes": option.takes,
                "default": None if option.is_required else option.default,
                "required": option.is_required,
                "what": option.schema.get("description", "").replace("`", ""),
            }
            for option in options_of(maker).values()
        },
    }


def _about(thing: Any) -> str:
    """The first paragraph of a docstring in one line, without the marks of code."""
    return first_line(thing).replace("`", "")


@list_command.command(short_help="rule sets, or all rules of one")
@click.argument("name", required=False, type=VARIANT)
@json_option
def variants_command(name: Variant | None, as_json: bool) -> None:
    """List the variants, or all rules of NAME."""
    rows = list(variant_rows([name] if name else VARIANTS.values()))
    if as_json:
        click.echo(json.dumps(rows[0] if name else rows, indent=2))
    elif name:
        header, *others = rows[0].items()
        show_table(header, others)
    else:
        show_table(_SHORT, _columns(rows, _SHORT))
        say("arena list variants NAME lists all rules of one")


@list_command.command(short_help="sets of openings, or the openings of one")
@click.argument("name", required=False)
def openings_command(name: str | None) -> None:
    """List the sets of openings, or the openings of the set NAME, barred ones too.

    An opening is a FEN, then its moves, its mark, and how many men White is ahead by.
    """
    if name is None:
        show_table(
            ("set", "variant", "openings", "source"),
            [(listed.name, listed.variant, listed.counts, listed.source) for listed in SETS.values()],
        )
        say("arena list openings NAME lists the openings of one")
        return
    if name not in SETS:
        raise ArenaError(unknown("set of openings", name, SETS))
    variant = VARIANTS[SETS[name].variant]
    for opening in set_openings(variant, name, barred=True):
        notes = "; ".join(filter(None, (opening.name, opening.mark, opening.balance)))
        click.echo(fen(variant, opening.position) + (f"  {{{notes}}}" if notes else ""))


@list_command.command(short_help="all keys of configurations, with their defaults")
def keys_command() -> None:
    """Print all keys of configuration files with their defaults, and all rule sets, as tables in Markdown."""
    rows = list(variant_rows())
    tables = [markdown_table(names, _columns(rows, names)) for names in (_RULES, _NOTATION)]
    notation = "Of a counted ending: pieces on the board, who against whom, and after how many moves it is drawn."
    click.echo("\n\n".join([key_tables(), "## Rule sets", tables[0], notation, tables[1]]))


@list_command.command(short_help="the JSON schema of configurations, for editors")
@click.option("--install", is_flag=True, help=f"Write it into {SCHEMA} in this folder.")
def schema_command(install: bool) -> None:
    """Print the JSON schema of configuration files, for editors."""
    if not install:
        click.echo(schema_text(), nl=False)
        return
    Path(SCHEMA).write_text(schema_text(), encoding="utf-8")
    echo(f"wrote {SCHEMA}; an editor uses it for files that begin with this line:")
    click.echo(f"# yaml-language-server: $schema={SCHEMA}")


def schema_text() -> str:
    """The JSON schema of configuration files, as a file holds it."""
    return json.dumps(Experiment.model_json_schema(), indent=2) + "\n"


def _limits(player: Mapping[str, Any]) -> str:
    if not player["limits"]:
        return "none, it answers at once"
    usual = ", ".join(f"{name} {value:g}" for name, value in player["default_limit"].items())
    without = "; at least one" if player["needs_limit"] else f"; {usual} unless given"
    return ", ".join(player["limits"]) + without


def _options(options: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for name, option in options.items():
        default = "required" if option["required"] else in_words(option["default"])
        takes = f"{option['takes']} [{default}]" if default else option["takes"]
        yield name, "; ".join(filter(None, (takes, option["what"])))
