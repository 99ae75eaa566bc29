"""Custom rules: a variant with something changed, as a configuration describes it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from arena.base.errors import ArenaError
from arena.base.wording import unknown
from arena.rules.position import COLOURS
from arena.rules.result import Draws
from arena.rules.rules import GEOMETRY, PROMOTIONS, SIZES, Rules, board_rules
from arena.rules.variants import VARIANTS, Variant


class VariantError(ArenaError, ValueError):
    """A variant that cannot be made; `key` is the key of its description to blame."""

    def __init__(self, message: str, key: str) -> None:
        super().__init__(message)
        self.key = key


class _Change(NamedTuple):
    kind: type
    choices: tuple[Any, ...] = ()


_RULE_KEYS = {
    name: _Change(bool) for name, default in Rules._field_defaults.items() if isinstance(default, bool)
} | {"promotion": _Change(str, PROMOTIONS)}
_DRAW_KEYS = {"repetition": _Change(int), "no_progress": _Change(int), "no_capture": _Change(int)}
_OTHER_KEYS = {
    "base": _Change(str, tuple(VARIANTS)),
    "endings": _Change(bool),
    "first": _Change(str, COLOURS),
    "rows": _Change(int, SIZES),
    "men": _Change(int),
    "king_moves": _Change(int),
}
CHANGES = _OTHER_KEYS | _RULE_KEYS | _DRAW_KEYS
"""The keys of a variant's description, besides the base."""
assert set(CHANGES) & set(GEOMETRY) == {"rows"}
_EMPTY = 2
"""Rows between the sides that men of the start leave empty on a board of another size, at least."""
_SIZED = re.compile(r"(.+)-([0-9]{1,3})x\2")


def build_variant(description: str | Mapping[str, Any]) -> Variant:
    """The variant that a configuration names, or describes by a `base` and what is different.

    `{base: english, promotion: never, repetition: 0}`: any rule of `Rules` by its name, draw rules (0 is off;
    `endings: false` switches the endgame rules off), `first`, `men`, `king_moves`, and `rows`, one of SIZES, for a
    square board with as many rows of men as the base has, or as leave two rows empty. `english-6x6` is the name of
    `{base: english, rows: 6}`; what else is changed stands in brackets, `english-6x6 (promotion never)`. Raises
    VariantError.
    """
    if isinstance(description, str):
        return _named(description)
    for key, value in description.items():
        _check(key, value)
    if "base" not in description:
        raise VariantError("a custom variant needs a base, such as {base: english, promotion: never}", "")
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


def is_named(variant: Variant) -> bool:
    """Whether `build_variant` makes the variant of its name alone."""
    try:
        return _named(variant.name) == variant
    except VariantError:
        return False


def _named(name: str) -> Variant:
    """The variant of a name, one of VARIANTS or one of those with the size of its board."""
    if name in VARIANTS:
        return VARIANTS[name]
    sized = _SIZED.fullmatch(name)
    if sized is None or sized[1] not in VARIANTS:
        raise VariantError(unknown("variant", name, VARIANTS), "base")
    return build_variant({"base": sized[1], "rows": int(sized[2])})


def _resized(base: Variant, rows: int) -> Variant:
    """The variant on a square board of so many rows; the variant itself if that is its own."""
    if rows == base.rules.rows:
        return base
    board, gametype = board_rules(rows, rows // 2), base.gametype.split(",")
    gametype[2:4] = [str(rows)] * len(gametype[2:4])
    return replace(
        base,
        name=f"{base.name}-{rows}x{rows}",
        rules=base.rules._replace(**{name: getattr(board, name) for name in GEOMETRY}),
        men=board.per_row * min(base.men // base.rules.per_row, (rows - _EMPTY) // 2),
        gametype=",".join(gametype),
        about=f"{base.name} on {rows}x{rows}",
        base=base.name,
    )


def _changed(base: Variant, changes: Mapping[str, Any]) -> Variant:
    """The variant with those keys of CHANGES different, whatever their values lead to."""
    rules = {key: value for key, value in changes.items() if key in _RULE_KEYS}
    if "promotion" in rules:
        rules["promotion"] = PROMOTIONS.index(rules["promotion"])
    draws = {key: value for key, value in changes.items() if key in _DRAW_KEYS}
    if not changes.get("endings", True):
        draws["endings"] = ()
    return replace(
        base,
        name=f"{base.name} ({', '.join(_told(*change) for change in changes.items())})",
        rules=base.rules._replace(**rules),
        men=changes.get("men", base.men),
        first=COLOURS.index(changes["first"]) if "first" in changes else base.first,
        draws=base.draws._replace(**draws),
        king_moves=changes.get("king_moves", base.king_moves),
        gametype="",
        about=f"{base.name} with {', '.join(f'{key}: {value}' for key, value in changes.items())}",
        base=base.family,
    )


def _told(key: str, value: object) -> str:
    """A change in a rule set's name: `promotion never`, `flying`, `no endings`."""
    return key if value is True else f"no {key}" if value is False else f"{key} {value}"


def without_draws(variant: Variant) -> Variant:
    """The rules without draws by repetition or by counting moves; the variant itself if it has none."""
    if variant.draws == Draws():
        return variant
    changes = variant.name.removeprefix(variant.unchanged).strip(" ()")
    return replace(
        variant,
        name=f"{variant.unchanged} ({', '.join(filter(None, [changes, 'no draws']))})",
        draws=Draws(),
        gametype="",
        about=f"{variant.about}; no draws by repetition or by counting moves",
        base=variant.family,
    )


def _check(key: str, value: Any) -> None:
    if key not in CHANGES:
        raise VariantError(unknown("rule", key, CHANGES), key)
    change = CHANGES[key]
    kind: type = type(value)
    if kind is not change.kind:
        wanted = {bool: "true or false", int: "a whole number", str: "text"}[change.kind]
        raise VariantError(f"{key!r} must be {wanted}, not {value!r}", key)
    if key == "rows" and value not in SIZES:
        raise VariantError(_no_size(value), key)
    if change.choices and value not in change.choices:
        raise VariantError(unknown(key, value, change.choices), key)
    if change.kind is int and value < 0:
        raise VariantError(f"{key!r} must not be below 0", key)


def _no_size(rows: int) -> str:
    """Why there is no board of so many rows."""
    words = f"rows must be {', '.join(map(str, SIZES[:-1]))} or {SIZES[-1]}, not {rows}"
    if rows < SIZES[-1] or rows % 2:
        return words
    return f"{words}: a board of {rows}x{rows} has {rows * rows // 2} squares, too many for 64 bits"
