"""Custom rules: a variant with something changed, as a configuration describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from arena.base.wording import unknown
from arena.rules.position import COLOURS
from arena.rules.rules import GEOMETRY, PROMOTIONS, Rules
from arena.rules.variants import VARIANTS, Variant


class VariantError(ValueError):
    """A variant that cannot be made; `key` is the key of its description to blame."""

    def __init__(self, message: str, key: str) -> None:
        super().__init__(message)
        self.key = key


class _Change(NamedTuple):
    kind: type
    choices: tuple[str, ...] = ()


_RULE_KEYS = {
    name: _Change(bool) for name, default in Rules._field_defaults.items() if isinstance(default, bool)
} | {"promotion": _Change(str, PROMOTIONS)}
_DRAW_KEYS = {"repetition": _Change(int), "no_progress": _Change(int), "no_capture": _Change(int)}
_OTHER_KEYS = {
    "base": _Change(str, tuple(VARIANTS)),
    "endings": _Change(bool),
    "first": _Change(str, COLOURS),
    "men": _Change(int),
    "king_moves": _Change(int),
}
CHANGES = _OTHER_KEYS | _RULE_KEYS | _DRAW_KEYS
"""The keys of a variant's description, besides the base."""
assert not set(CHANGES) & set(GEOMETRY)


def build_variant(description: str | Mapping[str, Any]) -> Variant:
    """The variant that a configuration names, or describes by a `base` and what is different.

    `{base: english, promotion: never, repetition: 0}`: any rule of `Rules` by its name, draw rules (0 is off;
    `endings: false` switches the endgame rules off), `first`, `men`, `king_moves`. Raises VariantError.
    """
    if isinstance(description, str):
        if description not in VARIANTS:
            raise VariantError(unknown("variant", description, VARIANTS), "base")
        return VARIANTS[description]
    for key, value in description.items():
        _check(key, value)
    if "base" not in description:
        raise VariantError("a custom variant needs a base, such as {base: english, promotion: never}", "")
    base = VARIANTS[description["base"]]
    changes = {key: value for key, value in description.items() if key != "base"}
    if not changes:
        return base
    rules = {key: value for key, value in changes.items() if key in _RULE_KEYS}
    if "promotion" in rules:
        rules["promotion"] = PROMOTIONS.index(rules["promotion"])
    draws = {key: value for key, value in changes.items() if key in _DRAW_KEYS}
    if not changes.get("endings", True):
        draws["endings"] = ()
    changed = base.rules._replace(**rules)
    if changed.prefer_early_kings and (changed.rows > 8 or changed.removed_at_once):
        raise VariantError("prefer_early_kings needs 8x8 and not removed_at_once", "prefer_early_kings")
    if changed.killer and changed.one_hop:
        raise VariantError("killer and one_hop cannot be combined", "one_hop")
    men = changes.get("men", base.men)
    if not 1 <= men <= base.squares // 2:
        raise VariantError(f"men must be 1 to {base.squares // 2}, not {men}", "men")
    return replace(
        base,
        name=f"{base.name}*",
        rules=changed,
        men=men,
        first=COLOURS.index(changes["first"]) if "first" in changes else base.first,
        draws=base.draws._replace(**draws),
        king_moves=changes.get("king_moves", base.king_moves),
        gametype="",
        about=f"{base.name} with {', '.join(f'{key}: {value}' for key, value in changes.items())}",
    )


def _check(key: str, value: Any) -> None:
    if key not in CHANGES:
        raise VariantError(unknown("rule", key, CHANGES), key)
    change = CHANGES[key]
    kind: type = type(value)
    if kind is not change.kind:
        wanted = {bool: "true or false", int: "a whole number", str: "text"}[change.kind]
        raise VariantError(f"{key!r} must be {wanted}, not {value!r}", key)
    if change.choices and value not in change.choices:
        raise VariantError(unknown(key, value, change.choices), key)
    if change.kind is int and value < 0:
        raise VariantError(f"{key!r} must not be below 0", key)
