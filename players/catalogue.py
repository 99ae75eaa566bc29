"""The catalogue: every player with its options and limits, evaluation, feature, preset and switch there is."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

from players.evaluation.build import EVALUATORS
from players.evaluation.features import VOCABULARY
from players.negamax.switches import preset_rows, switch_rows
from players.options import option_schemas, options_of
from players.player import Limit, default_limit, limits_of
from players.table import PLAYERS

_NOUNS = {"integer": "whole number", "number": "number", "string": "text", "object": "mapping", "array": "list"}

_NAMED = set(EVALUATORS) - {"linear"}
"""The evaluations that need nothing but their name."""


def catalogue() -> dict[str, dict[str, Any]]:
    """Everything that a configuration can name, as plain data.

    `players` has for each type `what` it is, the `limits` that it heeds, whether it `needs_limit`, its own limit
    where it is given none, `default_limit`, and its `options`: what each `takes`, its `default`, whether it is
    `required`, and `what` it does. The other parts have one text for each name; a switch has what it `takes`, too.
    """
    return {
        "players": {name: _player(maker) for name, maker in PLAYERS.items()},
        "presets": {_name(row): _plain(row[1]) for row in preset_rows()},
        "switches": {_name(row): {"takes": row[1], "what": _plain(row[2])} for row in switch_rows()},
        "evaluations": {name: first_words(evaluation.__doc__) for name, evaluation in EVALUATORS.items()},
        "features": {name: first_words(feature.__doc__) for name, feature in VOCABULARY.items()},
    }


def first_words(text: str | None) -> str:
    """The first paragraph of a docstring in one line, without the marks of code."""
    return _plain(" ".join((text or "").split("\n\n")[0].split()))


def takes(schema: Mapping[str, Any]) -> str:
    """Describe the values that a JSON schema allows: `true, false`, or `whole number, 1 to 64 plies`."""
    if "anyOf" in schema:
        parts = [takes(part) for part in schema["anyOf"] if part.get("type") != "null"]
        text = ", or ".join(dict.fromkeys(parts))
    elif "enum" in schema or "const" in schema:
        words = schema.get("enum", [schema.get("const")])
        text = "an evaluation's name" if set(words) == _NAMED else ", ".join(map(str, words))
    elif schema.get("type") == "boolean":
        text = "true, false"
    elif schema.get("type") == "object" and schema.get("required"):
        text = ", ".join(f"{name}: {takes(schema['properties'][name])}" for name in schema["required"])
        text = f"{{{text}}}" if "linear" not in schema["required"] else "{linear: weights of features}"
    elif schema.get("type") == "array" and "items" in schema:
        text = f"list of {takes(schema['items'])}"
    else:
        text = _NOUNS.get(str(schema.get("type")), "anything")
    return " ".join(filter(None, (f"{text}{_bounds(schema)}", schema.get("unit", ""))))


def _player(maker: type[Any]) -> dict[str, Any]:
    limits, default = limits_of(maker), default_limit(maker)
    schemas, options = option_schemas(maker), {}
    for name, schema in schemas.items():
        option = options_of(maker)[name]
        required = option.default is inspect.Parameter.empty
        options[name] = {
            "takes": takes(schema),
            "default": None if required else option.default,
            "required": required,
            "what": _plain(schema.get("description", "")),
        }
    return {
        "what": first_words(maker.__doc__),
        "limits": list(limits),
        "needs_limit": bool(limits) and default == Limit(),
        "default_limit": {name: value for name, value in default._asdict().items() if value is not None},
        "options": options,
    }


def _bounds(schema: Mapping[str, Any]) -> str:
    """`, 1 to 64`, `, 1 or more`, `, 64 or less`; nothing without bounds."""
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is None:
        return "" if most is None else f", {most} or less"
    return f", {least} or more" if most is None else f", {least} to {most}"


def _name(row: tuple[str, ...]) -> str:
    return str(re.findall("`([^`]+)`", row[0])[0])


def _plain(text: str) -> str:
    return text.replace("`", "")
