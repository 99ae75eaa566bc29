"""Parameters of an outside program: those that it declares, and what a configuration gives them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, FiniteFloat

from arena.base.wording import choices, unknown
from arena.base.work import cores
from arena.rules.hub import Line, variant_words
from arena.rules.variants import VARIANTS, Variant
from players.loading import PlayerError
from players.options import Option, does

ParameterValue = bool | int | float | str
_KEY = "parameters"
"""The key of a player's entry."""
_INT = Annotated[int, Field(ge=-(2**63), le=2**63 - 1)]
"""A whole number as programs keep it."""


class Declared(NamedTuple):
    """A parameter as a program declares it by a line `param`."""

    option: Option
    value: str
    choices: tuple[str, ...]
    """Empty unless it is one of some words."""


def declared(line: Line, program: str) -> Declared:
    """The parameter that a line `param` declares."""
    get = line.arguments.get
    words, type_ = tuple(get("values", "").split()), get("type", "string")
    kinds: dict[str, Any] = {
        "bool": bool,
        "int": _INT,
        "real": FiniteFloat,
        "enum": Literal[words] if words else str,
    }
    kind = kinds.get(type_, ParameterValue)
    if type_ in ("int", "real"):
        kind = Annotated[kind, does("", least=_bound(get("min", "")), most=_bound(get("max", "")))]
    option = Option(f"{get('name', '')} of {program}", kind)
    return Declared(option, get("value", ""), words if type_ == "enum" else ())


def changed_settings(
    declarations: Mapping[str, Declared], values: Mapping[str, ParameterValue], variant: Variant, program: str
) -> dict[str, str]:
    """Return what to set in the program, by name: values that differ from its own, and the variant.

    Raises PlayerError for a parameter that the program does not declare, a value that it does not take, and a
    variant that the program does not play.
    """
    texts = {}
    for name, value in values.items():
        if name not in declarations:
            raise PlayerError(unknown(f"parameter of {program}", name, declarations), _KEY, name)
        texts[name] = str(value).lower() if isinstance(value, bool) else str(value)
        try:
            declarations[name].option.check(texts[name] if declarations[name].choices else value)
        except PlayerError as error:
            raise PlayerError(str(error), _KEY, name) from None
    if "variant" not in texts:
        texts |= _of_variant(declarations, variant, program)
    return {name: text for name, text in texts.items() if text != declarations[name].value}


def cautions(values: Mapping[str, ParameterValue]) -> Iterator[str]:
    """Yield a line for each parameter by which a program takes cores from others: it ponders, has many threads."""
    for name, value in values.items():
        if "ponder" in name.lower() and str(value).lower() == "true":
            yield f"has '{name}: true': what it computes in its opponent's time takes cores from others"
        if "thread" in name.lower() and isinstance(value, int) and value > cores():
            yield f"has '{name}: {value}', more than the {cores()} cores of this machine"


def _of_variant(declarations: Mapping[str, Declared], variant: Variant, program: str) -> dict[str, str]:
    words = variant_words(variant)
    if "variant" not in declarations:
        if variant.rules == VARIANTS["international"].rules:
            return {}
        raise PlayerError(f"{program} has no parameter 'variant': it plays international, not {variant.name}")
    if not words:
        raise PlayerError(f"{program} does not play {variant.name}: the Hub protocol has no name for its rules")
    plays = declarations["variant"].choices
    word = next((word for word in words if word in plays or not plays), None)
    if word is None:
        raise PlayerError(f"{program} does not play {variant.name} {choices(plays)}")
    return {"variant": word}


def _bound(text: str) -> float | None:
    """A bound as a line has it; None for none."""
    try:
        number = float(text)
    except ValueError:
        return None
    return None if not math.isfinite(number) else int(number) if number.is_integer() else number
