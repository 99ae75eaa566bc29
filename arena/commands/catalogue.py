"""The command that lists what a configuration can name: list."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from arena.base.errors import ArenaError
from arena.base.number import signed
from arena.base.wording import first_line, unknown
from arena.base.writing import markdown_table
from arena.commands.options import json_option, refuse
from arena.commands.output import put, say, show_json, show_table, width_of
from arena.experiment.model import Experiment
from arena.experiment.openings import SETS
from arena.experiment.openings.sources import set_openings
from arena.experiment.yaml.values import inline, read
from arena.rules.custom import build_variant, values_of
from arena.rules.notation import fen
from arena.rules.position import BLACK, COLOURS, WHITE
from arena.rules.result import Ending
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.build import EVALUATORS
from players.evaluation.features import VOCABULARY
from players.negamax.switches import preset_texts
from players.options import options_of
from players.player import Limit, default_limit, limits_of
from players.table import PLAYERS

POOLS = Path(__file__).with_name("pools")
_UNLISTED = ("variant", "variants", "limits", "judge", "sweep")
"""Keys whose values are rules, limits or players: the keys of these are listed once, elsewhere."""
_PARTS = {
    "presets": "presets of negamax",
    "evaluations": "evaluations, from the side to move's view",
    "features": "features of linear, own minus other",
}
"""The parts of the catalogue beside the players, with their titles."""


@click.command()
@click.argument("what", type=click.Choice(["players", "variants", "openings", "pools", "keys", "schema"]))
@click.argument("name", required=False)
@json_option
def list_command(what: str, name: str | None, as_json: bool) -> None:
    """List what a configuration can name.

    \b
    players   types with options and limits, evaluations, features
    variants  rule sets, or all rules of NAME, which may be YAML
    openings  sets of openings, or the openings of the set NAME, barred ones too
    pools     players of known Elo for `arena match --pool`, or those of NAME
    keys      all keys of configurations, as Markdown
    schema    their JSON schema, for editors: arena list schema > arena.schema.json
    """
    if name is not None and what not in (named := ("variants", "openings", "pools")):
        raise ArenaError(f"{name!r}: only {', '.join(named)} have names to list")
    if what not in ("players", "variants"):
        refuse(f"is for players and variants, not {what}", json=as_json)
    listing: Mapping[str, Callable[[], None]] = {
        "players": lambda: _show_players(as_json),
        "variants": lambda: _show_variants(name, as_json),
        "openings": lambda: _show_openings(name),
        "pools": lambda: _show_pools(name),
        "keys": lambda: put(key_lists()),
        "schema": lambda: put(schema_text().rstrip()),
    }
    listing[what]()


# --- players


def _show_players(as_json: bool) -> None:
    listed = catalogue()
    if as_json:
        show_json(listed)
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
    put(text.getvalue().strip("\n"))


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


def _limits(player: Mapping[str, Any]) -> str:
    if not player["limits"]:
        return "none, it answers at once"
    usual = ", ".join(f"{name} {value:g}" for name, value in player["default_limit"].items())
    without = "; at least one" if player["needs_limit"] else f"; {usual} unless given"
    return ", ".join(player["limits"]) + without


def _options(options: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for name, option in options.items():
        default = "required" if option["required"] else _in_words(option["default"])
        takes = f"{option['takes']} [{default}]" if default else option["takes"]
        yield name, "; ".join(filter(None, (takes, option["what"])))


# --- rule sets


def _show_variants(name: str | None, as_json: bool) -> None:
    chosen = [build_variant(inline(name, "NAME"))] if name else VARIANTS.values()
    rows = [*map(variant_row, chosen)]
    if as_json:
        show_json(rows[0] if name else rows)
    elif name:
        header, *others = rows[0].items()
        show_table(header, others)
    else:
        show_table(("variant", "rows", "about"), [(row["variant"], row["rows"], row["about"]) for row in rows])
        say("arena list variants NAME lists all rules of one")


def variant_row(variant: Variant) -> dict[str, str]:
    """What a list says of a rule set: its name, its rules as a configuration has them, and where they stand."""
    return {
        "variant": variant.name,
        "about": variant.about,
        **{key: _in_words(value) for key, value in values_of(variant).items()},
        "counted endings": "; ".join(map(_ending, variant.draws.endings)),
        "source of draws": variant.draws_source,
        "GameType": variant.gametype,
        "square 1": f"{COLOURS[WHITE if variant.from_white else BLACK].capitalize()}'s side",
        "their source": variant.gametype_source if variant.gametype else "no source found",
    }


def _ending(ending: Ending) -> str:
    """`4: 3 kings v lone king, 13`, the pieces on the board and the moves after which it is drawn."""
    pieces = f"{ending.least}" if ending.least == ending.most else f"{ending.least}-{ending.most}"
    strong = f"{ending.kings} kings" if ending.kings > 1 else "king"
    weak = f"lone king{' on the long diagonal' * ending.long_diagonal}" if ending.lone_king else strong
    return f"{pieces}: {strong} v {weak}, {ending.plies // 2}{' since a capture' * ending.restarts}"


def _variants_table() -> str:
    """All rule sets in Markdown: what is unlike the first, what is counted, and where it stands."""
    first, rows = values_of(next(iter(VARIANTS.values()))), [*map(variant_row, VARIANTS.values())]
    notation = ("GameType", "square 1", "their source")
    columns = ("variant", "about", "unlike english", "counted endings", "source of draws", *notation)
    for row in rows:
        row["unlike english"] = ", ".join(
            f"{key}: {row[key]}" for key in first if row[key] != _in_words(first[key])
        )
    return markdown_table(columns, [[row[name] for name in columns] for row in rows])


# --- openings and pools


def _show_openings(name: str | None) -> None:
    """The sets, or each opening of one: FEN, then its moves, its mark, and how many men White is ahead by."""
    if name is None:
        rows = [(listed.name, listed.variant, listed.counts, listed.source) for listed in SETS.values()]
        show_table(("set", "variant", "openings", "source"), rows)
        say("arena list openings NAME lists the openings of one")
        return
    if name not in SETS:
        raise ArenaError(unknown("set of openings", name, SETS))
    variant = VARIANTS[SETS[name].variant]
    for opening in set_openings(variant, name, barred=True):
        notes = "; ".join(filter(None, (opening.name, opening.mark, opening.balance)))
        put(fen(variant, opening.position) + (f"  {{{notes}}}" if notes else ""))


def pool_named(name: str) -> Mapping[str, Any]:
    """The configuration of a pool; of "english" that of the newest."""
    files = sorted(POOLS.glob("*.yaml"))
    named = [file for file in files if name in (file.stem, file.stem.rpartition("-")[0])]
    if not named:
        raise ArenaError(unknown("pool", name, [file.stem for file in files]))
    pool: Mapping[str, Any] = read(named[-1]).data
    return pool


def _show_pools(name: str | None) -> None:
    if name is None:
        pools = [pool_named(file.stem) for file in sorted(POOLS.glob("*.yaml"))]
        rows = [(pool["name"], str(len(pool["players"])), pool["openings"]["set"]) for pool in pools]
        show_table(("pool", "players", "openings"), rows)
        return
    players = sorted(pool_named(name)["anchor"].items(), key=lambda row: -row[1])
    show_table(("player", "Elo"), [(player, signed(elo)) for player, elo in players])


# --- keys


def schema_text() -> str:
    """The JSON schema of configuration files, as a file holds it."""
    return json.dumps(Experiment.model_json_schema(), indent=2) + "\n"


def key_lists() -> str:
    """All keys of an experiment and of an entry of its players, and all rule sets, as tables in Markdown."""
    schema = Experiment.model_json_schema()
    sections = schema["$defs"]
    keys = {name: key for name, key in schema["properties"].items() if name != "players"}
    parts = [
        "# All keys\n\nPrinted by `arena list keys`. `[...]` is a default; a dot leads into a section: "
        "`openings.count: 20` stands in a file as\n`openings: {count: 20}`.",
        _table("An experiment", _keys(keys, sections)),
        _table("A player", _keys(sections["PlayerEntry"]["properties"], sections)),
        "The options of each type: `arena list players`.",
        "## Rule sets",
        "Of a counted ending: pieces on the board, who against whom, and after how many moves it is drawn.",
        _variants_table(),
    ]
    return "\n\n".join(parts)


def _table(title: str, keys: Iterator[Sequence[str]]) -> str:
    rows = [(f"`{name}`{f' [{default}]' if default else ''}", what) for name, default, what in keys]
    return f"## {title}\n\n{markdown_table(('key', 'what it sets'), rows)}"


def _keys(properties: Mapping[str, Any], sections: Mapping[str, Any], inside: str = "") -> Iterator[Sequence[str]]:
    """Yield each key with the sections that it stands in (`openings.count`), its default, and what it sets."""
    for name, given in properties.items():
        schema = _resolved(given, sections)
        parts = {} if name in _UNLISTED else _keys_of_section(schema, sections)
        default = schema.get("default")
        is_shown = not parts and default not in ({}, [], "")
        yield f"{inside}{name}", _in_words(default) if is_shown else "", schema["description"].replace("|", r"\|")
        yield from _keys(parts, sections, f"{inside}{name}.")


def _keys_of_section(schema: Mapping[str, Any], sections: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a section, those of all its forms."""
    parts = dict(schema.get("properties", {}))
    for form in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        inner = _keys_of_section(_resolved(form, sections), sections)
        parts |= {name: part for name, part in inner.items() if name not in {*parts, "type"}}
    return parts


def _resolved(schema: Mapping[str, Any], sections: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema with what the section has that it refers to."""
    section = schema.get("$ref", "").rpartition("/")[2]
    return {**sections[section], **schema} if section else schema


def _in_words(value: Any) -> str:
    """A default in the line of a table, "" for None."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_in_words(part)}' for key, part in value.items())}}}"
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
