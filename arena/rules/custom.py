"""Custom rules: a variant with something changed, as a configuration describes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from typing import Annotated, Any, Literal, get_args

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model
from pydantic_core import ErrorDetails, PydanticKnownError

from arena.base import ArenaError
from arena.base.wording import quoted, unknown
from arena.rules.position import COLOURS
from arena.rules.result import Draws
from arena.rules.rules import GEOMETRY, PROMOTIONS, SIZES, Rules, board_rules
from arena.rules.variants import MOST_KING_MOVES, VARIANTS, Variant, sized_name


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


_Count = Annotated[int, Field(ge=0, lt=2**63)]
_DEFAULTS = {field.name: field.default for field in fields(Rules)}
_KINDS: dict[str, Any] = {
    "base": Literal[tuple(VARIANTS)],
    "rows": Annotated[Literal[SIZES], BeforeValidator(_whole)],
    "men": _Count,
    "first": Literal[COLOURS],
    "king_moves": Annotated[int, Field(ge=0, le=MOST_KING_MOVES)],
    **{name: bool for name, default in _DEFAULTS.items() if isinstance(default, bool)},
    "promotion": Literal[PROMOTIONS],
    **dict.fromkeys(("repetition", "no_progress", "no_capture"), _Count),
    "endings": bool,
}
_EXAMPLE = "{base: english, promotion: never}"
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
_EMPTY = 2  # rows between the sides that men of the start leave empty on a board of another size, at least


def build_variant(description: Variant | str | Mapping[str, Any]) -> Variant:
    """The variant that a configuration names, or describes by a `base` and what is different; a variant is itself.

    `{base: english, promotion: never, repetition: 0}`: any field of `Rules`, draw rules (0 is off, `endings:
    false` switches the endgame rules off), `first`, `men`, `king_moves`, and `rows`, one of SIZES: a square board
    with as many rows of men as the base has, or as leave two rows empty. The mapping, in one order, is the
    variant's name; `english-6x6` is short for `{base: english, rows: 6}`. Raises VariantError.
    """
    if isinstance(description, Variant):
        return description
    if isinstance(description, str) and not description.startswith("{"):
        return _named(description)
    changes = _read(description) if isinstance(description, str) else dict(description)
    try:
        Changes.model_validate(changes)
    except ValidationError as error:
        raise _refusal(changes, error.errors()) from None
    base = VARIANTS[changes["base"]]
    sized = _resized(base, changes.get("rows", base.rules.rows))
    variant = _changed(sized, changes)
    rules = variant.rules
    if rules.prefer_early_kings and (rules.rows > 8 or rules.removed_at_once):
        raise VariantError(
            "prefer_early_kings needs a board of 8x8 at most and not removed_at_once",
            "rows" if sized is not base else "prefer_early_kings",
        )
    if rules.killer and rules.one_hop:
        raise VariantError("killer and one_hop cannot be combined", "one_hop")
    if variant.draws.repetition == 1:  # the start would be a draw
        raise VariantError("'repetition' must be 0 or at least 2, not 1", "repetition")
    if not 1 <= variant.men <= variant.squares // 2:
        raise VariantError(f"men must be 1 to {variant.squares // 2}, not {variant.men}", "men")
    return variant


def sizes_of(base: Variant) -> Iterator[Variant]:
    """One of VARIANTS on each size of board that its rules allow."""
    for rows in SIZES:
        with suppress(VariantError):
            yield build_variant({"base": base.name, "rows": rows})


def without_draws(variant: Variant) -> Variant:
    """The rules without draws by repetition or by counting moves; the variant itself if it has none."""
    return variant if variant.draws == Draws() else _described(variant, draws=Draws())


def _named(name: str) -> Variant:
    """One of VARIANTS, or one of them on a board of another size."""
    if name in VARIANTS:
        return VARIANTS[name]
    sized = {sized_name(base, rows): (base.name, rows) for base in VARIANTS.values() for rows in SIZES}
    if name not in sized:
        raise VariantError(unknown("variant", name, VARIANTS, OTHER_NAMES), "base")
    return build_variant(dict(zip(("base", "rows"), sized[name], strict=True)))


def _read(text: str) -> dict[str, Any]:
    """The mapping that a text is, as YAML has it."""
    try:
        changes = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError):
        changes = None
    if not isinstance(changes, dict) or not all(isinstance(key, str) for key in changes):
        raise VariantError(f"{quoted(text)} is no mapping, as {_EXAMPLE} is", "")
    return changes


def _resized(base: Variant, rows: int) -> Variant:
    """The variant on a square board of so many rows; the variant itself if that is its own."""
    if rows == base.rules.rows:
        return base
    board, gametype = board_rules(rows, rows // 2), base.gametype.split(",")
    gametype[2:4] = [str(rows)] * len(gametype[2:4])
    return replace(
        base,
        name=sized_name(base, rows),
        rules=base.rules.but(**{name: getattr(board, name) for name in GEOMETRY}),
        men=board.per_row * min(base.men // base.rules.per_row, (rows - _EMPTY) // 2),
        gametype=",".join(gametype),
        about=f"{base.name} on {rows}x{rows}",
        base=base.name,
    )


def _changed(sized: Variant, changes: Mapping[str, Any]) -> Variant:
    """The variant with those keys of Changes different, whatever their values lead to."""
    rules = {key: value for key, value in changes.items() if key in _DEFAULTS and key != "rows"}
    if "promotion" in rules:
        rules["promotion"] = PROMOTIONS.index(rules["promotion"])
    draws = {key: value for key, value in changes.items() if key in Draws._fields}
    if draws.pop("endings", True) is False:
        draws["endings"] = ()
    return _described(
        sized,
        rules=sized.rules.but(**rules),
        men=changes.get("men", sized.men),
        first=COLOURS.index(changes["first"]) if "first" in changes else sized.first,
        draws=sized.draws._replace(**draws),
        king_moves=changes.get("king_moves", sized.king_moves),
    )


def _described(variant: Variant, **changes: Any) -> Variant:
    """The variant with other fields, named by what differs from its base; that itself if nothing does."""
    base = VARIANTS[variant.family]
    sized, changed = _resized(base, variant.rules.rows), replace(variant, **changes)
    before, after = values_of(sized), values_of(changed)
    if before == after:
        return sized
    before["rows"] = base.rules.rows
    keys = [
        f"base: {base.name}",
        *(f"{key}: {value}".lower() for key, value in after.items() if value != before[key]),
    ]
    return replace(changed, name=f"{{{', '.join(keys)}}}", gametype="", about="own rules", base=base.name)


def values_of(variant: Variant) -> dict[str, Any]:
    """The value of each key of Changes but the base."""
    rules, draws = variant.rules, variant.draws
    special = {
        "men": variant.men,
        "first": COLOURS[variant.first],
        "king_moves": variant.king_moves,
        "promotion": PROMOTIONS[rules.promotion],
        **draws._asdict(),
        "endings": bool(draws.endings),
    }
    return {key: special[key] if key in special else getattr(rules, key) for key in _KINDS if key != "base"}


def _refusal(description: Mapping[str, Any], errors: Sequence[ErrorDetails]) -> VariantError:
    """What pydantic found wrong in a description, in one line: an unknown key, else the first wrong one."""

    def order(error: ErrorDetails) -> tuple[bool, int]:
        key = error["loc"][0]
        return error["type"] != "extra_forbidden", [*description, key].index(key)

    error = min(errors, key=order)
    key, value = str(error["loc"][0]), error["input"]
    if error["type"] == "missing":
        return VariantError(f"a custom variant needs a base, as in {_EXAMPLE}", "")
    if error["type"] == "extra_forbidden":
        return VariantError(unknown("rule", key, Changes.model_fields), key)
    if error["type"] == "literal_error" and isinstance(value, str):
        return VariantError(unknown(key, value, get_args(_KINDS[key]), OTHER_NAMES), key)
    wanted = _WANTED.get(error["type"]) or error["msg"].removeprefix("Input should ")
    return VariantError(f"{key!r} must {wanted}, not {quoted(value)}", key)
