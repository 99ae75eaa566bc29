"""The keys of configurations as tables in Markdown, made from their JSON schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arena.base.writing import markdown_table
from arena.experiment.model import Experiment

Key = tuple[str, str, str]
"""A key with the sections that it stands in (`openings.count`), its default, and what it sets."""
ENTRIES = ("variant", "variants", "limits", "judge", "sweep")
"""Keys whose values are rules, limits or players: the keys of these are listed once, elsewhere."""


def key_tables() -> str:
    """All keys of an experiment and of an entry of its players, as tables in Markdown."""
    schema = Experiment.model_json_schema()
    sections = schema["$defs"]
    keys = {name: key for name, key in schema["properties"].items() if name != "players"}
    parts = [
        "# All keys\n\nPrinted by `arena list keys`. `[...]` is a default; a dot leads into a section: "
        "`openings.count: 20` stands in a file as\n`openings: {count: 20}`.",
        _table("An experiment", _keys(keys, sections)),
        _table("A player", _keys(sections["PlayerEntry"]["properties"], sections)),
        "The options of each type: `arena list players`.",
    ]
    return "\n\n".join(parts)


def _table(title: str, keys: Iterator[Key]) -> str:
    rows = [(f"`{name}`{f' [{default}]' if default else ''}", what) for name, default, what in keys]
    return f"## {title}\n\n{markdown_table(('key', 'what it sets'), rows)}"


def _keys(properties: Mapping[str, Any], sections: Mapping[str, Any], inside: str = "") -> Iterator[Key]:
    for name, given in properties.items():
        schema = _resolved(given, sections)
        parts = {} if name in ENTRIES else _parts(schema, sections)
        default = schema.get("default")
        is_shown = not parts and default not in ({}, [], "")
        yield f"{inside}{name}", in_words(default) if is_shown else "", schema["description"].replace("|", r"\|")
        yield from _keys(parts, sections, f"{inside}{name}.")


def _parts(schema: Mapping[str, Any], sections: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a section, those of all its forms."""
    parts = dict(schema.get("properties", {}))
    for form in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        inner = _parts(_resolved(form, sections), sections)
        parts |= {name: part for name, part in inner.items() if name not in {*parts, "type"}}
    return parts


def _resolved(schema: Mapping[str, Any], sections: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema with what the section has that it refers to."""
    section = schema.get("$ref", "").rpartition("/")[2]
    return {**sections[section], **schema} if section else schema


def in_words(value: Any) -> str:
    """A default in the line of a table, "" for None."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {in_words(part)}' for key, part in value.items())}}}"
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
