"""Options of players: what a class takes, checks of what a configuration gives it, and their JSON schema."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError

from arena.base.wording import quoted, unknown
from players.loading import PlayerError
from players.player import MEANT_LIMITS, Limit, PlayerSpec

F = TypeVar("F", bound=Callable[..., None])

ENTRY_KEYS = ("name", "type", "sweep", "in_process", *Limit._fields)
"""The keys that every entry of `players:` may have; the others are options of its class."""


def options_of(maker: type[Any]) -> Mapping[str, inspect.Parameter]:
    """The options of a player's class: the parameters of its constructor but the first, the variant."""
    parameters = inspect.signature(maker, eval_str=True).parameters.items()
    return MappingProxyType(dict(list(parameters)[1:]))


def takes(kinds: Mapping[str, Any], defaults: Mapping[str, Any] = MappingProxyType({})) -> Callable[[F], F]:
    """Decorator that writes options, by their types, into the signature of a constructor that takes them by `**`.

    The default of one that *defaults* does not name is None.
    """

    def named(constructor: F) -> F:
        signature = inspect.signature(constructor, eval_str=True)
        own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        options = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(name), annotation=kind)
            for name, kind in kinds.items()
        ]
        constructor.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
        return constructor

    return named


def option_schemas(maker: type[Any]) -> dict[str, Any]:
    """The JSON schema of each option of a player's class, anything where its constructor names no type."""
    return {
        name: {} if option.annotation is option.empty else _adapter(option.annotation).json_schema()
        for name, option in options_of(maker).items()
        if option.kind not in (option.VAR_POSITIONAL, option.VAR_KEYWORD)
    }


class NumberKind(NamedTuple):
    """What a number of a player's may be."""

    whole: bool
    least: float | None = None
    most: float | None = None
    """None without a bound; one that it may not reach is given, too."""


@lru_cache
def number_options(maker: Any) -> Mapping[str, NumberKind]:
    """The options of a player's class that are numbers, by their types, or defaults where none is named."""
    found = {}
    for name, schema in option_schemas(maker).items():
        default = options_of(maker)[name].default
        if not schema and isinstance(default, int | float) and not isinstance(default, bool):
            found[name] = NumberKind(isinstance(default, int))
        forms = [schema | form for form in schema.get("anyOf", [{}])]
        for form in forms:
            if form.get("type") in ("integer", "number") and "enum" not in form:
                whole = form["type"] == "integer" and (name not in found or found[name].whole)
                bounds = (form.get(end, form.get(f"exclusive{end.title()}")) for end in ("minimum", "maximum"))
                found[name] = NumberKind(whole, *bounds)
    return MappingProxyType(found)


def check_options(maker: type[Any], spec: PlayerSpec) -> dict[str, Any]:
    """The name and the limits of an entry that the constructor takes by name, beside the options.

    Raises PlayerError for an option that the class does not take, one that is missing, or of another type.
    """
    options = dict(options_of(maker))
    takes_any = [options.pop(o.name) for o in list(options.values()) if o.kind is o.VAR_KEYWORD]
    options = {name: option for name, option in options.items() if option.kind is not option.VAR_POSITIONAL}
    entry = {"name": spec.name, **spec.limit._asdict()}
    asked = {name: value for name, value in entry.items() if name in options and value is not None}
    given = {**asked, **spec.options}
    for name, value in given.items():
        if name in options:
            check_option(name, value, options[name].annotation)
        elif not takes_any:
            known = dict.fromkeys((*ENTRY_KEYS, *options))
            raise PlayerError(unknown("option", name, known, MEANT_LIMITS), name)
    for name, option in options.items():
        if option.default is option.empty and name not in given:
            kind = "limit" if name in Limit._fields else "option"
            raise PlayerError(f"{spec.type} needs the {kind} {name!r}")
    return asked


def check_option(name: str, value: Any, kind: Any) -> None:
    """Raise PlayerError unless a value is of a type, which may be Annotated with bounds and a unit."""
    if kind is inspect.Parameter.empty:
        return
    adapter = _adapter(kind)
    try:
        adapter.validate_python(value, strict=True)
    except ValidationError as error:
        fault = error.errors()[0]
        if fault["type"] in ("greater_than_equal", "less_than_equal"):
            message = f"{name} must be {_bounds(adapter.json_schema())}, not {value}"
        elif fault["type"] == "literal_error" and isinstance(value, str) and (words := words_of(kind)):
            message = unknown(name, value, words)
        else:
            plain = _plain(kind)
            wanted = " or ".join(map(repr, words_of(kind))) or getattr(plain, "__name__", None) or str(plain)
            message = f"{name}: {quoted(value)} is not of type {wanted} ({fault['msg']})"
        raise PlayerError(message, name) from None


def choices_of(kind: Any) -> str:
    """Describe the values of a type: its choices, or its unit."""
    if _plain(kind) is bool:
        return "true, false"
    return ", ".join(words_of(kind)) or _adapter(kind).json_schema().get("unit", "")


def words_of(kind: Any) -> tuple[str, ...]:
    """The choices of a Literal of words, none of any other type."""
    plain = _plain(kind)
    return typing.get_args(plain) if typing.get_origin(plain) is typing.Literal else ()


def _adapter(kind: Any) -> TypeAdapter[Any]:
    """The validator of a type, kept where the type can be hashed, since making it takes longer than using it."""
    try:
        return _kept_adapter(kind)
    except TypeError:
        return TypeAdapter(kind)


@lru_cache
def _kept_adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _plain(kind: Any) -> Any:
    return typing.get_args(kind)[0] if typing.get_origin(kind) is Annotated else kind


def _bounds(schema: Mapping[str, Any]) -> str:
    """`0 to 65536 megabytes` or `0 or more men`."""
    least, most, unit = schema.get("minimum"), schema.get("maximum"), schema.get("unit", "")
    text = f"{least} to {most}" if least is not None and most is not None else ""
    text = text or (f"{most} or less" if least is None else f"{least} or more")
    return f"{text} {unit}".rstrip()
