"""Options of players: one `Option` each, read from the annotated signature of the class's constructor."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import cached_property
from typing import Any, get_args, get_type_hints

from pydantic import Field, PydanticSchemaGenerationError, TypeAdapter, ValidationError
from pydantic.errors import PydanticInvalidForJsonSchema

from arena.base.wording import quoted, unknown
from players.loading import PlayerError
from players.player import EVALUATIONS, MEANT_LIMITS, Limit, PlayerSpec

ENTRY_KEYS = ("name", "type", "sweep", *Limit._fields)
"""The keys that every entry of `players:` may have; the others are options of its class."""

_NO_SEED = (
    "{} has no option 'seed': all random numbers come from the run's seed ('seed: 2' at the top of the file); "
    "another one there plays another sample"
)
_REQUIRED = inspect.Parameter.empty
_NOUNS = {"integer": "whole number", "number": "number", "string": "text", "object": "mapping", "array": "list"}


def does(what: str, unit: str = "", least: float | None = None, most: float | None = None) -> Any:
    """What an option does, its unit and its bounds, in its annotation."""
    return Field(description=what, json_schema_extra={"unit": unit} if unit else None, ge=least, le=most)


@dataclass(frozen=True)
class Option:
    """An option of a player's class."""

    name: str
    kind: Any = Any  # its type, which may be Annotated with bounds and what `does` says
    default: Any = _REQUIRED

    @property
    def is_required(self) -> bool:
        """Whether every entry must give it."""
        return self.default is _REQUIRED

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        try:
            return TypeAdapter(self.kind)
        except PydanticSchemaGenerationError:  # a type of the user's own, of which nothing can be checked
            return TypeAdapter(Any)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its values, empty if it may be anything, or what no schema describes."""
        try:
            return self._adapter.json_schema()
        except PydanticInvalidForJsonSchema:
            return {}

    @property
    def takes(self) -> str:
        """Its values in words."""
        return takes(self.schema)

    def check(self, value: Any) -> None:
        """Raise PlayerError unless it takes a value."""
        names = self.schema.get("enum", ())
        if isinstance(value, str) and names and value not in names:
            raise PlayerError(unknown(self.name, value, names), self.name)
        try:
            self._adapter.validate_python(value, strict=True)
        except ValidationError as error:
            if self.takes != takes({}):
                message = f"{self.name} takes {self.takes}, not {quoted(value)}"
            else:
                message = f"{self.name}: {error.errors()[0]['msg']}, not {quoted(value)}"
            raise PlayerError(message, self.name) from None


_options: dict[type[Any], Mapping[str, Option]] = {}  # the options of the classes that were asked for


def options_of(maker: type[Any]) -> Mapping[str, Option]:
    """The options of a player's class: the parameters of its constructor but the first, the variant.

    `**name: Annotated[Any, C]` stands for the fields of the dataclass C, without their defaults, any other
    `**name` for the options of the constructor that it extends, or for any option.
    """
    if maker not in _options:
        _options[maker] = {
            parameter.name: Option(
                parameter.name,
                Any if parameter.annotation is _REQUIRED else parameter.annotation,
                parameter.default,
            )
            for parameter in _parameters(maker)
            if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        }
    return _options[maker]


def takes_rules(maker: type[Any]) -> bool:
    """Whether a player's class is built with the variant; one without a constructor is not."""
    return any({"__init__", "__new__"} & vars(kind).keys() for kind in maker.__mro__ if kind is not object)


def takes_any(maker: type[Any]) -> bool:
    """Whether a player's class takes options of any name."""
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in _parameters(maker))


def _parameters(maker: type[Any], line: Sequence[type[Any]] = ()) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a class's constructor; `line` is where it is extended: itself, then what follows."""
    try:
        parameters = list(inspect.signature(maker, eval_str=True).parameters.values())[1:]
    except Exception as error:  # whatever Python says of a text that is evaluated
        raise PlayerError(f"{maker.__name__} has an annotation that cannot be read: {error}", "type") from None
    line = list(line or maker.__mro__)
    made = [kind for kind in line if "__init__" in vars(kind) and not getattr(kind, "_is_protocol", False)]
    extended = [kind for kind in made[1:] if kind is not object]
    for parameter in parameters:
        models = [model for model in get_args(parameter.annotation) if is_dataclass(model)]
        if parameter.kind is not parameter.VAR_KEYWORD:
            yield parameter
        elif models:
            for name, kind in get_type_hints(models[0], include_extras=True).items():
                yield parameter.replace(name=name, kind=parameter.KEYWORD_ONLY, default=None, annotation=kind)
        elif extended:
            names = {parameter.name for parameter in parameters}
            further = _parameters(extended[0], line[line.index(extended[0]) :])
            yield from (one for one in further if one.name not in names)
        else:
            yield parameter


def check_options(maker: type[Any], spec: PlayerSpec) -> dict[str, Any]:
    """The name and the limits of an entry that the constructor takes by name. Raises the first of
    `option_problems`."""
    for problem in option_problems(maker, spec):
        raise problem
    return _asked(maker, spec)


def option_problems(maker: type[Any], spec: PlayerSpec) -> Iterator[PlayerError]:
    """Yield an error for each option that the class does not take, that is missing, or of another type."""
    options, values = options_of(maker), {**_asked(maker, spec), **spec.options}
    for name, value in values.items():
        if name in options:
            try:
                options[name].check(value)
            except PlayerError as error:
                yield error
        elif name == "seed" and not takes_any(maker):
            yield PlayerError(_NO_SEED.format(spec.type), name)
        elif not takes_any(maker):
            yield PlayerError(unknown("option", name, dict.fromkeys((*ENTRY_KEYS, *options)), MEANT_LIMITS), name)
    for name, option in options.items():
        if option.is_required and name not in values:
            kind = "limit" if name in Limit._fields else "option"
            yield PlayerError(f"{spec.type} needs the {kind} {name!r}")


def _asked(maker: type[Any], spec: PlayerSpec) -> dict[str, Any]:
    """What the constructor takes by name of an entry's name and limits."""
    entry, options = {"name": spec.name, **spec.limit._asdict()}, options_of(maker)
    return {name: value for name, value in entry.items() if name in options and value is not None}


def takes(schema: Mapping[str, Any]) -> str:
    """Describe the values that a JSON schema allows: `true, false`, or `whole number, 1 to 64 plies`."""
    if "anyOf" in schema:
        parts = [takes(part) for part in schema["anyOf"] if part.get("type") != "null"]
        text = ", or ".join(dict.fromkeys(parts))
    elif "enum" in schema or "const" in schema:
        words = schema.get("enum", [schema.get("const")])
        text = "an evaluation's name" if set(words) == {*EVALUATIONS} - {"linear"} else ", ".join(map(str, words))
    elif schema.get("type") == "boolean":
        text = "true, false"
    elif "propertyNames" in schema:
        text = f"{{{takes(schema['propertyNames'])}: {takes(schema['additionalProperties'])}}}"
    elif schema.get("type") == "object" and "linear" in schema.get("required", ()):
        text = "{linear: weights of features}"
    elif schema.get("type") == "object" and "mix" in schema.get("required", ()):
        text = "{mix: weights of its parts}"
    elif schema.get("type") == "array" and "items" in schema:
        text = f"list of {takes(schema['items'])}"
    else:
        text = _NOUNS.get(str(schema.get("type")), "anything")
    return " ".join(filter(None, (f"{text}{_bounds(schema)}", schema.get("unit", ""))))


def _bounds(schema: Mapping[str, Any]) -> str:
    """`, 1 to 64`, `, 1 or more`, `, 64 or less`; nothing without bounds."""
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is None:
        return "" if most is None else f", {most} or less"
    return f", {least} or more" if most is None else f", {least} to {most}"
