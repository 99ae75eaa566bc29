"""The JSON schema of experiments, for editors: every key, with the players, options and rules that there are."""

from __future__ import annotations

from arena.base.docs import docstring, first_line
from arena.experiment.expand import LIMIT_KEY
from arena.experiment.model import Experiment
from arena.experiment.yaml.schema import DIALECT, Schema, field_docs, model_schema, one_of
from arena.experiment.yaml.section import FOLDER_NAME
from arena.rules.custom import Changes
from arena.rules.result import Draws
from arena.rules.rules import SIZES, Rules
from arena.rules.variants import VARIANTS, Variant
from players.options import options_of
from players.player import Limit
from players.table import PLAYERS

_RANGE = {
    "type": "object",
    "properties": {
        "from": {"type": "number", "description": "The first number."},
        "to": {"type": "number", "description": "The last number, where a step leads to it."},
        "step": {"type": "number", "description": "From one number to the next [1]."},
        "factor": {"type": "number", "description": "In place of a step: 2 for doublings."},
    },
    "required": ["from", "to"],
    "additionalProperties": False,
}
_FILES = {
    "type": "object",
    "properties": {"files": {"type": "string", "description": 'A pattern such as "runs/*.npz": a player a file.'}},
    "required": ["files"],
    "additionalProperties": False,
}
_SHORT = {"type": "string", "description": "A player in short form: simple@d6, mcts@n2000, file.py:Class@0.1s."}
_CLASS = {
    "type": "string",
    "pattern": ":",
    "description": "A class: path/to/file.py:Class or package.module:Class.",
}
_PATTERN = {
    "type": "string",
    "pattern": r"[*?].*\.py$",
    "description": 'A pattern such as "submissions/*.py": a player for each file.',
}


def experiment_schema() -> Schema:
    """The JSON schema of an experiment."""
    schema = model_schema(Experiment)
    properties = schema["properties"]
    rules = variant_schema()
    properties["variant"] = rules | {"description": properties["variant"]["description"]}
    properties["variants"] = _variants_schema(rules)
    properties["limits"] = _limits_schema(properties["players"]["items"])
    schema["required"].remove("variant")
    schema["oneOf"] = [{"required": ["variant"]}, {"required": ["variants"]}]
    by_rules = {"type": "object", "description": "A value for each of some rule sets of 'variants'."}
    for key, value in properties["openings"]["properties"].items():
        described = {name: value.pop(name) for name in ("description", "default") if name in value}
        properties["openings"]["properties"][key] = {**described, "anyOf": [value, by_rules]}
    for kind in properties["format"]["anyOf"][-1]["oneOf"]:
        kind["properties"]["type"]["description"] = kind["description"]
    properties["players"]["items"] = {"anyOf": [_SHORT, _player_schema(properties["players"]["items"])]}
    return {"$schema": DIALECT, **schema}


def variant_schema() -> Schema:
    """The JSON schema of a variant: a name, or a base and what is different."""
    docs = field_docs(Rules) | field_docs(Variant) | field_docs(Draws)
    docs |= {"base": "The variant to start from.", "endings": "False switches the endgame draws off."}
    names = one_of({name: variant.about or name for name, variant in VARIANTS.items()})
    properties = model_schema(Changes)["properties"]
    for key, described in properties.items():
        described.pop("default", None)
        described["description"] = docs.get(key) or key.replace("_", " ").capitalize() + "."
    properties["base"] |= names
    properties["rows"]["description"] = "Rows and columns of the board."
    sized = {
        "type": "string",
        "pattern": f"^({'|'.join(VARIANTS)})-({'|'.join(f'{rows}x{rows}' for rows in SIZES)})$",
        "description": "A variant on a board of another size.",
    }
    own = {"type": "object", "properties": properties, "required": ["base"], "additionalProperties": False}
    return {"anyOf": [names, sized, own]}


def _variants_schema(rules: Schema) -> Schema:
    """Several rule sets: a list of names, or a mapping from names that the file chooses."""
    one_of = {"type": "array", "minItems": 2, "items": {"anyOf": rules["anyOf"][:2]}}
    own = {"type": "object", "minProperties": 2, "additionalProperties": rules}
    description = "In place of variant: several rule sets, by each of which all is played."
    return {"description": description, "anyOf": [one_of, own]}


def _limits_schema(entry: Schema) -> Schema:
    """Several limits by names that the file chooses, with the bounds that they have in a player's entry."""
    increment = {"dependentRequired": entry["dependentRequired"]}
    limit = _limit_schema({name: entry["properties"][name] for name in Limit._fields}) | increment
    return {
        "description": "Several limits: the players without one of their own play at each of them, a run each.",
        "type": "object",
        "minProperties": 2,
        "propertyNames": {"pattern": FOLDER_NAME},
        "additionalProperties": limit,
    }


def _limit_schema(limits: Schema) -> Schema:
    return {"type": "object", "minProperties": 1, "properties": limits, "additionalProperties": False}


def options_schema(type: str) -> dict[str, Schema]:
    """The JSON schemas of the options of a player of PLAYERS, by their names."""
    options = options_of(PLAYERS[type]).values()
    return {option.name: {"description": f"Option of {type}."} | option.schema for option in options}


def _player_schema(entry: Schema) -> Schema:
    """An entry of `players:` as a mapping, with the options of each type of PLAYERS."""
    keys = entry["properties"]
    keys["name"].pop("maxLength")  # a template may be longer
    keys["type"] = {
        "description": keys["type"]["description"],
        "default": "negamax",
        "anyOf": [*_types(), _PATTERN],
    }
    limits = {name: keys[name] for name in Limit._fields}
    keys["sweep"] = _sweep_schema({}, limits)
    del entry["required"]
    kinds = []
    for type in PLAYERS:
        options = options_schema(type)
        sweep = _sweep_schema(options, limits) | {"additionalProperties": False}
        kinds.append(_if_type(type, dict.fromkeys(keys, True) | options | {"sweep": sweep}))
    return entry | {"allOf": kinds}


def _types() -> list[Schema]:
    """The schemas of a player's type: one of PLAYERS, or a class."""
    return [*one_of({name: first_line(docstring(maker)) for name, maker in PLAYERS.items()})["anyOf"], _CLASS]


def _if_type(type: str, properties: Schema) -> Schema:
    """A condition: an entry of this type has these keys alone."""
    return {
        "if": {"properties": {"type": {"const": type}}, "required": ["type"]},
        "then": {"properties": properties, "additionalProperties": False},
    }


def _sweep_schema(options: dict[str, Schema], limits: Schema) -> Schema:
    return {
        "type": "object",
        "minProperties": 1,
        "description": "Settings to try, in every combination: for each a list of values, or a range.",
        "properties": {
            LIMIT_KEY: {
                "description": "Limits to try: a list such as [{depth: 6}, {seconds: 0.02}].",
                "type": "array",
                "minItems": 1,
                "items": _limit_schema(limits),
            },
            **{key: _axis_schema(value) for key, value in (limits | options).items()},
            "name": False,
            "sweep": False,
        },
        "patternProperties": {r"\.": _axis_schema({})},
        "additionalProperties": _axis_schema({}),
    }


def _axis_schema(value: Schema) -> Schema:
    described = {"description": value["description"]} if "description" in value else {}
    return described | {"anyOf": [{"type": "array", "minItems": 1, "items": value}, _RANGE, _FILES]}
