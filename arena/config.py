"""Experiment configuration: YAML read into frozen objects, every error with its file, line and column.

A new top-level section is one more field of `Experiment` with a small model of its own, a `Section`: its
validation, the valid keys that errors name, `Experiment.as_dict` and `schema` follow from the field.

Stricter than YAML 1.1: a plain word that it takes for something else than it looks (`no`, `012`, `1:30`,
`1e3`, a date) is an error wherever it stands. So are keys given twice, keys that are not text, merge keys,
and numbers not finite or not below 2**63. Anchors and aliases work.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_type_hints

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetPydanticSchema,
    ValidationError,
    WithJsonSchema,
    create_model,
)
from pydantic_core import CoreSchema, ErrorDetails, core_schema
from yaml.constructor import SafeConstructor

from arena import sweep
from arena.formats import FORMATS, TESTED, Format, RoundRobin, Section, Sprt
from arena.player import Limit, PlayerSpec
from arena.wording import choices as _choices
from arena.wording import shown as _shown

LIMIT_FIELDS = {
    "depth": Field(ge=1, le=64, description="Plies to search."),
    "nodes": Field(gt=0, description="Positions to enter."),
    "seconds": Field(gt=0, description="Seconds for the move; who takes longer loses."),
    "clock": Field(gt=0, description="Seconds for the whole game; who takes longer loses."),
    "increment": Field(ge=0, description="Seconds that the clock gains with each move."),
}
"""Bounds of the fields of `Limit`; one not listed must be above 0."""
MAX_NESTING, MAX_VALUES = 32, 100_000
"""Levels and values in a file, aliases written out, so that an alias inside itself comes to an end."""

_TAG = "tag:yaml.org,2002:"
_PLAIN = {
    "bool": ("(?i)true|false", "true or false"),
    "int": ("[-+]?(0|[1-9][0-9_]*|0[xb].+)", "a number without a leading 0 (octal) or a colon (base 60)"),
    "float": ("[^:]+", "a number without a colon (base 60)"),
    "str": ("(?!([-+]?([0-9.][0-9._]*[eE][-+]?|0)|0o)[0-9]+$).*", "a number in full or like 1.0e+3"),
}
"""For each type in YAML, the plain words that look like it, and what to write in place of others."""
_FOLDER = "^[A-Za-z0-9][A-Za-z0-9._-]*$"
_EXPECTED = {
    _FOLDER: "a folder name (letters and digits, then also '.', '_' and '-')",
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "text (a number, true or null needs quotes)",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "model_type": "a mapping of keys to values",
}

Keys = tuple[str | int, ...]
"""The way to a value: `("players", 2, "depth")`, entries of a list counted from 0."""
Problem = tuple[str, int, int, str]
"""File, line, column and message; line and column count from 1."""


class ConfigError(Exception):
    """All that is wrong with a configuration: `problems` by position, as text one line of each."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(set(problems))
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(f"{file}:{line}:{column}: {message}" for file, line, column, message in self.problems)


class Openings(Section):
    """The openings; each is played twice by every pairing, colours swapped."""

    random_plies: int = Field(default=4, ge=0, description="Random plies from the start position.")
    balanced: bool = Field(default=True, description="Throw out random openings in which material is won.")
    ballots: Literal[2, 3] | None = Field(default=None, description="Use the 2- or 3-move ballots (English).")
    barred: bool = Field(default=False, description="With ballots: the barred ones, too.")
    file: str | None = Field(default=None, description="Use a file of FENs, one a line, or a PDN.")
    count: int | None = Field(default=None, ge=1, description="Openings: 50 random ones, or all of the others.")


class Probe(Section):
    """Positions that every player searches to one depth, before the games and with no other limit."""

    depth: int = Field(ge=1, le=64, description="Plies to search.")
    positions: int = Field(default=40, ge=2, description="Positions, the same ones for every player.")
    plies: int | None = Field(default=None, ge=0, description="Random plies to each position [6 to 40].")


def _player_name(name: str) -> str:
    if not name.isprintable() or name != name.strip():
        raise ValueError(f"must be printable characters with no space at either end, not {_shown(name)}")
    return name


class _NamedEntry(Section):
    """A player: its name, its type, limits of a move; every other key goes to the player's constructor."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"dependentRequired": {"increment": ["clock"]}})
    name: Annotated[str, AfterValidator(_player_name)] = Field(min_length=1, max_length=40)
    type: str = Field(description="A built-in player, or package.module:Class, or path/to/file.py:Class.")


_limits: Any = {
    name: (Annotated[hint, LIMIT_FIELDS.get(name, Field(gt=0))], None)
    for name, hint in get_type_hints(Limit).items()
}
_PlayerEntry = create_model("Player", __base__=_NamedEntry, __doc__=_NamedEntry.__doc__, **_limits)


def _spec_of(entry: _NamedEntry) -> PlayerSpec:
    limit = Limit(*(getattr(entry, name) for name in Limit._fields))
    return PlayerSpec(entry.name, entry.type, limit, entry.model_extra or {})


def _entry_of(spec: PlayerSpec) -> dict[str, Any]:
    limits = {name: value for name, value in spec.limit._asdict().items() if value is not None}
    return {"name": spec.name, "type": spec.type, **limits, **spec.options}


def _player_schema(_: Any, handler: Any) -> CoreSchema:
    dump = core_schema.plain_serializer_function_ser_schema(_entry_of)
    return core_schema.no_info_after_validator_function(_spec_of, handler(_PlayerEntry), serialization=dump)


def _variant(value: Any) -> str | dict[str, Any]:
    from arena.rules.variants import VARIANTS

    if isinstance(value, dict):
        return value
    if not isinstance(value, str):
        raise ValueError(f"must be text or a mapping with a base, not {_shown(value)}")
    if value not in VARIANTS:
        raise ValueError(f"must be a known variant, not {_shown(value)}; {_choices(value, VARIANTS)}")
    return value


_VariantField = Annotated[
    Any,
    AfterValidator(_variant),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object", "required": ["base"]}]}),
]


def _format(value: Any) -> Any:
    return {"type": value} if isinstance(value, str) else value


class Experiment(Section):
    """One tournament: who plays whom, from which openings, under which rules."""

    name: str = Field(max_length=100, pattern=_FOLDER, description="The run, kept in reports/<name>/.")
    variant: _VariantField = Field(description="The rules: a name, or a base and what is different.")
    seed: int = Field(default=0, ge=0, description="The source of all chance.")
    openings: Openings = Openings()
    format: Annotated[Format, Field(discriminator="type"), BeforeValidator(_format)] = Field(
        default=RoundRobin(), description="Who meets whom: a name, or a mapping with a type."
    )
    sprt: Sprt | None = Field(default=None, description="Stop a match when a sequential test is decided.")
    max_plies: int = Field(default=300, ge=1, description="Plies after which a game ends.")
    time_margin: float = Field(default=0.1, ge=0, description="Seconds that a move may be late.")
    probe: Probe | None = Field(default=None, description="Measure searches to one depth, too.")
    anchor: str | None = Field(default=None, description="The player whose Elo is 0.")
    players: tuple[Annotated[PlayerSpec, GetPydanticSchema(_player_schema)], ...] = Field(
        strict=False, json_schema_extra={"minItems": 1}
    )
    _source: _Source

    @property
    def path(self) -> Path:
        """The file that this was loaded from, as given to `load`."""
        return self._source.path

    def error(self, keys: Iterable[str | int], message: str) -> ConfigError:
        """An error at the key `keys`, or at the nearest enclosing key that the file has."""
        return ConfigError([self._source.problem(tuple(keys), message)])

    def as_dict(self) -> dict[str, Any]:
        """The configuration as JSON types, defaults filled in; equal for equal experiments."""
        return self.model_dump(mode="json")


def load(path: str | Path) -> Experiment:
    """Read the experiment in the YAML file `path`; raises ConfigError with all the problems that it has."""
    source = _Source(Path(path))
    data = source.read()
    problems = [*source.problems, *_expand(source, data)]
    if len(problems) == len(source.problems):
        problems += _cross_problems(source, data)
    try:
        experiment = Experiment.model_validate(data)
    except ValidationError as error:
        new = (e for e in error.errors() if not source.refuses(_place(e)) or e["type"] == "extra_forbidden")
        raise ConfigError([*problems, *(source.problem(_place(e), _message(e)) for e in new)]) from None
    if problems:
        raise ConfigError(problems)
    experiment._source = source
    return experiment


def inline(text: str, name: str) -> Any:
    """The data of YAML on the command line, under the rules of a file; raises ConfigError, naming `name`."""
    source = _Source(Path(name))
    try:
        node = yaml.compose(text, yaml.SafeLoader)
    except yaml.YAMLError as error:
        reason = getattr(error, "problem", None) or "this is no text"
        raise ConfigError([(name, 1, 1, f"YAML syntax: {reason}")]) from None
    data = source.value(node, ()) if node is not None else None
    if source.problems:
        raise ConfigError(source.problems[:1])
    return data


def schema() -> dict[str, Any]:
    """The JSON schema of a configuration, for editors that complete and check YAML."""
    from arena.rules.variants import VARIANTS

    result = Experiment.model_json_schema()
    result["properties"]["variant"]["anyOf"][0]["enum"] = list(VARIANTS)
    player = result["$defs"]["Player"]
    player["properties"]["sweep"] = sweep.SCHEMA
    player["anyOf"] = [{"required": player.pop("required")}, {"required": ["sweep"]}]
    mapping = result["properties"]["format"]
    result["properties"]["format"] = {"anyOf": [{"enum": list(FORMATS)}, mapping]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **result}


@dataclass
class _Source:
    """A YAML file: where its keys stand, and which values are refused before asking what they are for."""

    path: Path
    positions: dict[Keys, tuple[int, int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    refused: set[Keys] = field(default_factory=set)
    values: int = 0
    expansion: sweep.Expansion | None = None

    def problem(self, keys: Keys, message: str) -> Problem:
        keys = self.expansion.origin(keys) if self.expansion else keys
        while keys and keys not in self.positions:
            keys = keys[:-1]
        return str(self.path), *self.positions.get(keys, (1, 1)), message

    def refuses(self, keys: Keys) -> bool:
        return (self.expansion.origin(keys) if self.expansion else keys) in self.refused

    def read(self) -> Any:
        """The file's data, None in the place of what is refused; raises ConfigError if it is not YAML."""
        text, loader, position = "", None, (1, 1)
        try:
            text = self.path.read_text("utf-8", "surrogateescape")
            loader = yaml.SafeLoader(text)
            node = loader.get_single_node()
        except OSError as error:
            message = f"cannot read the file: {error.strerror}"
        except yaml.reader.ReaderError as error:
            before, bad = text[: error.position], error.character
            position = before.count("\n") + 1, len(before) - before.rfind("\n")
            utf8 = not 0xDC80 <= bad <= 0xDCFF
            message = f"YAML does not allow U+{bad:04X}" if utf8 else f"byte 0x{bad - 0xDC00:x} is not UTF-8"
        except yaml.MarkedYAMLError as error:
            position = _position(error.problem_mark)
            begun = f"{error.context} (line {error.context_mark.line + 1}): " if error.context_mark else ""
            message = f"YAML syntax: {begun}{error.problem}"
        except (ValueError, OverflowError, RecursionError) as error:
            position = _position(loader.get_mark() if loader else None)
            message = f"cannot read the file: {error}"
        else:
            if node is not None:
                return self.value(node, ())
            message = "the file is empty"
        raise ConfigError([(str(self.path), *position, message)])

    def value(self, node: yaml.Node, keys: Keys) -> Any:
        """Plain data of the node at `keys`."""
        self.values += 1
        if len(keys) > MAX_NESTING or self.values > MAX_VALUES:
            raise ConfigError([self.problem(keys, "too many levels or values: is an alias inside itself?")])
        if isinstance(node, yaml.MappingNode) and node.tag == _TAG + "map":
            return self.mapping(node, keys)
        if isinstance(node, yaml.SequenceNode) and node.tag == _TAG + "seq":
            self.positions |= {(*keys, i): _position(item.start_mark) for i, item in enumerate(node.value)}
            return [self.value(item, (*keys, i)) for i, item in enumerate(node.value)]
        try:
            return _scalar(node)
        except ValueError as error:
            self.refused.add(keys)
            self.problems.append(self.problem(keys, str(error)))
            return None

    def mapping(self, node: yaml.MappingNode, keys: Keys) -> dict[str, Any]:
        """Plain data of a mapping, without the keys that are refused."""
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            position = _position(key_node.start_mark)
            try:
                key = _scalar(key_node)
                if not isinstance(key, str):
                    raise ValueError(f"a key must be text, not {_shown(key)}: put it in quotes")
                if key in result:
                    line = self.positions[*keys, key][0]
                    raise ValueError(f"the key {key!r} is given twice, first in line {line}")
            except ValueError as error:
                self.problems.append((str(self.path), *position, str(error)))
                continue
            self.positions[*keys, key] = position
            result[key] = self.value(value_node, (*keys, key))
        return result


def _scalar(node: yaml.Node) -> Any:
    """The value of a scalar; raises ValueError for what a configuration may not hold."""
    kind, text = node.tag.removeprefix(_TAG), node.value
    if not isinstance(node, yaml.ScalarNode) or kind not in (*_PLAIN, "null"):
        what = repr(text) if isinstance(node, yaml.ScalarNode) else "this"
        raise ValueError(f"YAML 1.1 reads {what} as a {kind}, which has no place here: put text in quotes")
    try:
        value = SafeConstructor().construct_object(node)
    except (LookupError, ValueError):
        raise ValueError(f"{_shown(text)} is not a valid {kind}") from None
    words, instead = _PLAIN.get(kind, (".*", ""))
    if node.style is None and not re.fullmatch(words, text, re.DOTALL):
        raise ValueError(
            f"YAML 1.1 reads {text} as {_shown(value)}: write {instead}, or '{text}' in quotes for text"
        )
    if isinstance(value, int | float) and not abs(value) < 2**63:
        raise ValueError(f"a number must be finite and below 2**63, not {text:.60}")
    if isinstance(value, str):
        value.encode()
    return value


def _expand(source: _Source, data: Any) -> list[Problem]:
    """Write the sweeps out, in `data` itself; what is wrong in them."""
    if not isinstance(data, dict) or not isinstance(data.get("players"), list):
        return []
    expansion = sweep.expand(data["players"], Limit._fields)
    problems = [source.problem(*problem) for problem in expansion.problems if not source.refuses(problem[0])]
    data["players"], source.expansion = expansion.players, expansion
    return problems


def _cross_problems(source: _Source, data: Any) -> Iterator[Problem]:
    """What is wrong between values, whatever else is wrong."""
    from arena.rules.variants import VariantError, build_variant

    try:
        if isinstance(data, dict) and isinstance(data.get("variant"), dict):
            build_variant(data["variant"])
    except VariantError as error:
        yield source.problem(("variant", error.key), str(error))
    players = data.get("players") if isinstance(data, dict) else None
    if players == []:
        yield source.problem(("players",), "'players' must list at least one player")
    first: dict[str, int] = {}
    for i, player in enumerate(players if isinstance(players, list) else []):
        name = player.get("name") if isinstance(player, dict) else None
        if isinstance(name, str) and first.setdefault(name, i) != i:
            line = source.problem(("players", first[name], "name"), "")[1]
            message = f"the player {name!r} is already in line {line}: names must differ"
            yield source.problem(("players", i, "name"), message)
        if isinstance(player, dict) and player.get("increment") is not None and player.get("clock") is None:
            yield source.problem(("players", i, "increment"), "'increment' needs a 'clock' to add it to")
    if isinstance(data, dict) and isinstance(players, list):
        yield from _format_problems(source, data, first)
    anchor = data.get("anchor") if first else None
    if isinstance(anchor, str) and anchor not in first:
        message = f"'anchor' must be a player, not {_shown(anchor)}; {_choices(anchor, first)}"
        yield source.problem(("anchor",), message)


def _format_problems(source: _Source, data: dict[str, Any], names: Collection[str]) -> Iterator[Problem]:
    """What is wrong between the format or the sequential test and the players, `names`."""
    given = _format(data.get("format", "round-robin"))
    settings = given if isinstance(given, dict) else {}
    kind = str(settings.get("type"))
    if kind not in FORMATS:
        return
    if kind != "round-robin" and (len(names) != 2 if kind == "match" else len(names) < 2):
        least = "exactly" if kind == "match" else "at least"
        yield source.problem(("format", "type"), f"{kind!r} needs {least} two players, not {len(names)}")
    for key, most in (("rounds", len(names) - 1), ("top", len(names))):
        number = settings.get(key) if key in FORMATS[kind].model_fields else None
        if isinstance(number, int) and number > most > 0:
            yield source.problem(("format", key), f"{key!r} must be at most {most} with {len(names)} players")
    yield from _seed_problems(source, settings.get("seeds") if kind == "gauntlet" else None, names)
    if data.get("sprt") is not None and kind not in TESTED:
        message = f"'sprt' does not go with the format {kind!r}; {_choices(kind, TESTED)}"
        yield source.problem(("sprt",), message)
    elif data.get("sprt") is not None and len(names) != 2:
        yield source.problem(("sprt",), f"'sprt' needs exactly two players, not {len(names)}")


def _seed_problems(source: _Source, seeds: Any, names: Collection[str]) -> Iterator[Problem]:
    if not isinstance(seeds, list):
        return
    for i, seed in enumerate(seeds):
        if isinstance(seed, str) and seed not in names:
            message = f"a seed must be a player, not {_shown(seed)}; {_choices(seed, names)}"
            yield source.problem(("format", "seeds", i), message)
        elif seed in seeds[:i]:
            yield source.problem(("format", "seeds", i), f"the seed {seed!r} is given twice")
    if not seeds:
        yield source.problem(("format", "seeds"), "'seeds' must list at least one player")
    elif names and set(names) <= {seed for seed in seeds if isinstance(seed, str)}:
        yield source.problem(("format", "seeds"), "'seeds' must leave out a player: seeds do not meet each other")


def _place(error: ErrorDetails) -> Keys:
    """The keys of what pydantic found, without the name of the format that it puts among them."""
    loc = error["loc"]
    if loc[:1] != ("format",):
        return loc
    return (*loc, "type") if error["type"].startswith("union_tag") else (*loc[:1], *loc[2:])


def _message(error: ErrorDetails, model: type[BaseModel] = Experiment) -> str:
    """What pydantic found, in the words of the file, which is a `model`."""
    loc, kind, shown = error["loc"], error["type"], _shown(error["input"])
    if kind == "union_tag_invalid":
        tag = str(error["ctx"]["tag"])
        return f"'format' must be a known format, not {_shown(tag)}; {_choices(tag, FORMATS)}"
    if kind == "union_tag_not_found":
        return f"'format' must have a type; {_choices('', FORMATS)}"
    if kind == "model_attributes_type" and loc == ("format",):
        return f"'format' must be text or a mapping with a type, not {shown}; {_choices('', FORMATS)}"
    key = loc[-1] if loc else None
    subject = "the file" if key is None else f"an entry of {loc[-2]!r}" if isinstance(key, int) else repr(key)
    if kind == "missing":
        return f"the key {key!r} is missing"
    if kind == "extra_forbidden":
        return f"unknown key {key!r}; {_choices(str(key), _section(loc[:-1], model).model_fields)}"
    if kind == "value_error":
        return f"{subject} {error['ctx']['error']}"
    expected = _EXPECTED.get(error.get("ctx", {}).get("pattern", kind))
    rule = f"be {expected}" if expected else re.sub("^[A-Z][a-z]+ should ", "", error["msg"])
    return f"{subject} must {rule}, not {shown}"


def _section(keys: Keys, model: type[BaseModel]) -> type[BaseModel]:
    """The model at `keys` of a `model`, which is a field's type or part of it, as in `Openings | None`."""
    for key in keys:
        if key in FORMATS:
            model = FORMATS[str(key)]
        elif isinstance(key, str) and key != "format":
            hint = model.model_fields[key].annotation
            model = next(t for t in (hint, *get_args(hint)) if isinstance(t, type) and issubclass(t, BaseModel))
    return model


def _position(mark: yaml.Mark | None) -> tuple[int, int]:
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)
