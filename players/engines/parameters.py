"""Parameters of an outside program: those that it declares, and what a configuration gives them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from arena.base.wording import choices, quoted, unknown
from arena.rules.hub import Line, variant_words
from arena.rules.variants import VARIANTS, Variant
from players.loading import PlayerError

Value = bool | int | float | str
_KEY = "parameters"
"""The key of a player's entry."""
_REAL = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]{1,2})?")
_NUMBER = {"int": re.compile(r"[-+]?[0-9]{1,18}"), "real": _REAL}


class Declared(NamedTuple):
    """A parameter as a program declares it by a line `param`; bounds and choices may be empty."""

    kind: str
    """bool, int, real, string or enum."""
    value: str
    least: str
    most: str
    choices: tuple[str, ...]


def declared(line: Line) -> Declared:
    """The parameter that a line `param` declares."""
    get = line.arguments.get
    values = tuple(get("values", "").split())
    return Declared(get("type", "string"), get("value", ""), get("min", ""), get("max", ""), values)


def settings(
    known: Mapping[str, Declared], given: Mapping[str, Value], variant: Variant, program: str
) -> dict[str, str]:
    """The values to be set, by name: those that are given and differ from the program's own, and the variant.

    Raises PlayerError for a parameter that the program does not declare, a value that is not of its type or out of
    its bounds, and a variant that the program does not play.
    """
    wanted = {name: _text(name, value, known, program) for name, value in given.items()}
    if "variant" not in wanted:
        wanted |= _of_variant(known, variant, program)
    return {name: text for name, text in wanted.items() if text != known[name].value}


def _of_variant(known: Mapping[str, Declared], variant: Variant, program: str) -> dict[str, str]:
    words = variant_words(variant)
    if "variant" not in known:
        if variant.rules == VARIANTS["international"].rules:
            return {}
        raise PlayerError(f"{program} has no parameter 'variant': it plays international, not {variant.name}")
    if not words:
        raise PlayerError(f"{program} does not play {variant.name}: the Hub protocol has no name for its rules")
    plays = known["variant"].choices
    word = next((word for word in words if word in plays or not plays), None)
    if word is None:
        raise PlayerError(f"{program} does not play {variant.name} {choices(words[0], plays)}")
    return {"variant": word}


def _text(name: str, value: Value, known: Mapping[str, Declared], program: str) -> str:
    if name not in known:
        raise PlayerError(unknown(f"parameter of {program}", name, known), _KEY, name)
    found = known[name]
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if found.kind == "enum" and text not in found.choices:
        raise PlayerError(unknown(f"value of {name!r} of {program}", text, found.choices), _KEY, name)
    if found.kind == "bool":
        fits, wanted = text in ("true", "false"), "true or false"
    elif found.kind in _NUMBER:
        fits = bool(_NUMBER[found.kind].fullmatch(text)) and _is_within(float(text), found)
        whole = "a whole number" if found.kind == "int" else "a number"
        wanted = f"{whole} {_bounds(found)}".rstrip()
    else:
        fits, wanted = True, ""
    if not fits:
        raise PlayerError(f"parameter {name!r} of {program} must be {wanted}, not {quoted(value)}", _KEY, name)
    return text


def _is_within(number: float, found: Declared) -> bool:
    least, most = _limit(found.least), _limit(found.most)
    return (least is None or least <= number) and (most is None or number <= most)


def _limit(text: str) -> float | None:
    return float(text) if _REAL.fullmatch(text) else None


def _bounds(found: Declared) -> str:
    least, most = (text if _limit(text) is not None else "" for text in (found.least, found.most))
    if least and most:
        return f"from {least} to {most}"
    return f"from {least}" if least else f"up to {most}" if most else ""
