"""The command that lists what a configuration can name: list."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from arena.base import ArenaError
from arena.base.files import markdown_table
from arena.base.number import signed
from arena.base.wording import first_line, unknown
from arena.commands.output import put, say, show_table, width_of
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
from players.options import Option, options_of
from players.player import default_limit, limits_of
from players.table import PLAYERS

POOLS = Path(__file__).with_name("pools")
_UNLISTED = ("variant", "variants", "limits", "judge", "sweep")
"""Keys whose values are rules, limits or players: the keys of these are listed once, elsewhere."""


@click.command()
@click.argument("what", type=click.Choice(["players", "variants", "openings", "pools", "keys", "schema"]))
@click.argument("name", required=False)
def list_command(what: str, name: str | None) -> None:
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
    listing: Mapping[str, Callable[[], None]] = {
        "players": _show_players,
        "variants": lambda: _show_variants(name),
        "openings": lambda: _show_openings(name),
        "pools": lambda: _show_pools(name),
        "keys": lambda: put(key_lists()),
        "schema": lambda: put(schema_text().rstrip()),
    }
    listing[what]()


# --- players


def _show_players() -> None:
    text = click.HelpFormatter(width=min(width_of(sys.stdout) or 80, 100) - 2)
    for name, maker in PLAYERS.items():
        with text.section(f"type {name}"):
            text.write_text(_about(maker))
            text.write_dl([("limits:", _limits_text(maker)), *map(_option, options_of(maker).values())])
    with text.section("presets of negamax"):
        text.write_dl([(name, what.replace("`", "")) for name, what in preset_texts().items()])
    with text.section("evaluations, from the side to move's view"):
        text.write_dl([(name, _about(evaluation)) for name, evaluation in EVALUATORS.items()])
    with text.section("features of linear, own minus other; a weight is a number or [opening, ending]"):
        text.write_dl([(name, _about(feature)) for name, feature in VOCABULARY.items()])
    with text.section("your own"):
        text.write_dl([("type", "path/to/file.py:Class"), ("evaluation", "path/to/file.py:function")])
    put(text.getvalue().strip("\n"))


def _about(thing: Any) -> str:
    """The first paragraph of a docstring in one line, without the marks of code."""
    return first_line(thing).replace("`", "")


def _limits_text(maker: type[Any]) -> str:
    """The limits that a type of player obeys, and its default limit."""
    limits, default = limits_of(maker), default_limit(maker)
    if not limits:
        return "none, it answers at once"
    usual = ", ".join(f"{name} {value:g}" for name, value in default._asdict().items() if value is not None)
    return ", ".join(limits) + (f"; {usual} unless given" if usual else "; at least one")


def _option(option: Option) -> tuple[str, str]:
    """An option, what it takes, its default, and what it does."""
    default = "required" if option.is_required else _in_words(option.default)
    takes = f"{option.takes} [{default}]" if default else option.takes
    what = option.schema.get("description", "").replace("`", "")
    return option.name, "; ".join(filter(None, (takes, what)))


# --- rule sets


def _show_variants(name: str | None) -> None:
    if name:
        header, *others = variant_row(build_variant(inline(name, "NAME"))).items()
        show_table(header, others)
        return
    rows = map(variant_row, VARIANTS.values())
    show_table(("variant", "rows", "about"), [(row["variant"], row["rows"], row["about"]) for row in rows])
    say("arena list variants NAME lists all rules of one")


def variant_row(variant: Variant) -> dict[str, str]:
    """A rule set as a row: its name, its rules as a configuration has them, and their sources."""
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
    """All rule sets in Markdown: how each differs from the first, which endings are counted, and the sources."""
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
    """The configuration of a pool; for "english" the newest one."""
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
    """The keys of a section in all its forms."""
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
