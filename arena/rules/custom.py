"""Custom rules: a variant with something changed, as a configuration describes it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model
from pydantic_core import ErrorDetails, PydanticKnownError

from arena.base.errors import ArenaError
from arena.base.wording import quoted, unknown
from arena.rules.position import COLOURS
from arena.rules.result import Draws
from arena.rules.rules import GEOMETRY, PROMOTIONS, SIZES, Rules, board_rules
from arena.rules.variants import VARIANTS, Variant


class VariantError(ArenaError, ValueError):
    """A variant that cannot be made; `key` is the key of its description to blame."""

    def __init__(self, message: str, key: str) -> None:
        super().__init__(message)
        self.key = key


def _whole(number: object) -> object:
    """The number, refused if it is no int: a Literal takes whatever equals one, such as 10.0."""
    if type(number) is not int:
        raise PydanticKnownError("int_type")
    return number


_Count = Annotated[int, Field(ge=0)]
_DEFAULTS = {field.name: field.default for field in fields(Rules)}
_KINDS: dict[str, Any] = {
    "base": Literal[tuple(VARIANTS)],
    "endings": bool,
    "first": Literal[COLOURS],
    "rows": Annotated[Literal[SIZES], BeforeValidator(_whole)],
    **dict.fromkeys(("men", "king_moves"), _Count),
    **{name: bool for name, default in _DEFAULTS.items() if isinstance(default, bool)},
    "promotion": Literal[PROMOTIONS],
    **dict.fromkeys(("repetition", "no_progress", "no_capture"), _Count),
}
_WANTED = {"bool_type": "be true or false", "int_type": "be a whole number"}
Changes: type[BaseModel] = create_model(  # type: ignore[call-overload]
    "Changes",
    __config__=ConfigDict(extra="forbid", strict=True),
    **{name: (kind, ... if name == "base" else None) for name, kind in _KINDS.items()},
)
"""The description of a rule set: a base, and what is different."""
OTHER_NAMES = {
    **dict.fromkeys(("checkers", "draughts", "american", "american checkers", "english draughts"), "english"),
    **dict.fromkeys(("polish", "10x10", "international draughts", "polish draughts", "dammen"), "international"),
}
"""The rule sets of names that people give them, which are unlike their names here."""
_EMPTY = 2
"""Rows between the sides that men of the start leave empty on a board of another size, at least."""
_SIZED = re.compile(r"(.+)-([0-9]{1,3})x\2")
_CHANGED = re.compile(r"([^()]+) \(([^()]+)\)")
"""The name of a rule set with something changed, which stands in brackets."""
_DRAWS = "draws"
"""All draw rules, in a name, where `without_draws` has taken them."""


def build_variant(description: str | Mapping[str, Any]) -> Variant:
    """The variant that a configuration names, or describes by a `base` and what is different.

    `{base: english, promotion: never, repetition: 0}`: any rule of `Rules` by its name, draw rules (0 is off;
    `endings: false` switches the endgame rules off), `first`, `men`, `king_moves`, and `rows`, one of SIZES, for a
    square board with as many rows of men as the base has, or as leave two rows empty. `english-6x6` is the name of
    `{base: english, rows: 6}`; what else is changed stands in brackets, `english-6x6 (promotion never)`. A variant
    is made again from its name. Raises VariantError.
    """
    if isinstance(description, str):
        return _named(description)
    try:
        Changes.model_validate(dict(description))
    except ValidationError as error:
        raise _refusal(description, error.errors()) from None
    base = VARIANTS[description["base"]]
    sized = _resized(base, description.get("rows", base.rules.rows))
    changes = {key: value for key, value in description.items() if key not in ("base", "rows")}
    variant = _changed(sized, changes) if changes else sized
    rules = variant.rules
    if rules.prefer_early_kings and (rules.rows > 8 or rules.removed_at_once):
        raise VariantError(
            "prefer_early_kings needs a board of 8x8 at most and not removed_at_once",
            "rows" if sized is not base else "prefer_early_kings",
        )
    if rules.killer and rules.one_hop:
        raise VariantError("killer and one_hop cannot be combined", "one_hop")
    if not 1 <= variant.men <= variant.squares // 2:
        raise VariantError(f"men must be 1 to {variant.squares // 2}, not {variant.men}", "men")
    return variant


def sizes_of(base: Variant) -> Iterator[Variant]:
    """One of VARIANTS on each size of board that its rules allow."""
    for rows in SIZES:
        with suppress(VariantError):
            yield build_variant({"base": base.name, "rows": rows})


def _named(name: str) -> Variant:
    """The variant of a name: one of VARIANTS, one with the size of its board, or one with changes in brackets."""
    if name in VARIANTS:
        return VARIANTS[name]
    changed, changes = _CHANGED.fullmatch(name), dict[str, Any]()
    sized = _SIZED.fullmatch(changed[1] if changed else name)
    base = sized[1] if sized else changed[1] if changed else name
    if base not in VARIANTS:
        raise VariantError(unknown("variant", base, VARIANTS, OTHER_NAMES), "base")
    words = changed[2].split(", ") if changed else []
    for word in words:
        key, _, value = word.removeprefix("no ").partition(" ")
        changes[key] = int(value) if re.fullmatch("[0-9]{1,9}", value) else value or word == key
    draws = changes.pop(_DRAWS, True)
    variant = build_variant({**changes, "base": base} | ({"rows": int(sized[2])} if sized else {}))
    return variant if draws else without_draws(variant)


def _resized(base: Variant, rows: int) -> Variant:
    """The variant on a square board of so many rows; the variant itself if that is its own."""
    if rows == base.rules.rows:
        return base
    board, gametype = board_rules(rows, rows // 2), base.gametype.split(",")
    gametype[2:4] = [str(rows)] * len(gametype[2:4])
    return replace(
        base,
        name=f"{base.name}-{rows}x{rows}",
        rules=base.rules.but(**{name: getattr(board, name) for name in GEOMETRY}),
        men=board.per_row * min(base.men // base.rules.per_row, (rows - _EMPTY) // 2),
        gametype=",".join(gametype),
        about=f"{base.name} on {rows}x{rows}",
        base=base.name,
    )


def _changed(base: Variant, changes: Mapping[str, Any]) -> Variant:
    """The variant with those keys of Changes different, whatever their values lead to."""
    rules = {key: value for key, value in changes.items() if key in _DEFAULTS}
    if "promotion" in rules:
        rules["promotion"] = PROMOTIONS.index(rules["promotion"])
    draws = {key: value for key, value in changes.items() if key in Draws._fields}
    if not draws.pop("endings", True):
        draws["endings"] = ()
    return _named_after(
        base,
        ", ".join(_told(*change) for change in changes.items()),
        rules=base.rules.but(**rules),
        men=changes.get("men", base.men),
        first=COLOURS.index(changes["first"]) if "first" in changes else base.first,
        draws=base.draws._replace(**draws),
        king_moves=changes.get("king_moves", base.king_moves),
    )


def _told(key: str, value: object) -> str:
    """A change in a rule set's name: `promotion never`, `flying`, `no endings`."""
    return key if value is True else f"no {key}" if value is False else f"{key} {value}"


def without_draws(variant: Variant) -> Variant:
    """The rules without draws by repetition or by counting moves; the variant itself if it has none."""
    if variant.draws == Draws():
        return variant
    return _named_after(variant, _told(_DRAWS, False), draws=Draws())


def _named_after(variant: Variant, changes: str, **fields: Any) -> Variant:
    """The variant with other fields, and with what is changed in the brackets of its name."""
    before = variant.name.removeprefix(variant.unchanged).strip(" ()")
    return replace(
        variant,
        name=f"{variant.unchanged} ({', '.join(filter(None, [before, changes]))})",
        gametype="",
        about=f"{variant.name} with {changes}",
        base=variant.family,
        **fields,
    )


def _refusal(description: Mapping[str, Any], errors: Sequence[ErrorDetails]) -> VariantError:
    """What pydantic found wrong in a description, in one line: an unknown key, else the first wrong one."""
    keys = list(description)

    def order(error: ErrorDetails) -> tuple[bool, int]:
        key = error["loc"][0]
        return error["type"] != "extra_forbidden", keys.index(key) if key in keys else len(keys)

    error = min(errors, key=order)
    key, value = str(error["loc"][0]), error["input"]
    if error["type"] == "missing":
        return VariantError("a custom variant needs a base, such as {base: english, promotion: never}", "")
    if error["type"] == "extra_forbidden":
        return VariantError(unknown("rule", key, Changes.model_fields), key)
    if error["type"] == "literal_error" and isinstance(value, str):
        return VariantError(unknown(key, value, get_args(_KINDS[key]), OTHER_NAMES), key)
    wanted = _WANTED.get(error["type"]) or error["msg"].removeprefix("Input should ")
    return VariantError(f"{key!r} must {wanted}, not {quoted(value)}", key)
