"""What the tags of a PDN mean: GameType, the variant that it is of, and results as they count them."""

from __future__ import annotations

from collections.abc import Mapping

from arena.rules.variants import VARIANTS, Variant

INTERNATIONAL = {"1-0": "2-0", "1/2-1/2": "1-1", "0-1": "0-2"}
"""Results as PDN 3.0's result type International counts them, by how they are counted elsewhere."""


def variant_of_tags(tags: Mapping[str, str], given: Variant | None) -> Variant | None:
    """The variant that the tags Variant and GameType name, else `given`, which is the one to expect."""
    name, gametype = tags.get("Variant", "").strip().lower(), tags.get("GameType", "")
    if given and given.name == name:
        return given
    if name in VARIANTS:
        return VARIANTS[name]
    if given and gametype and type_number(given.gametype) == type_number(gametype):
        return given
    return variant_of_type(gametype) or given


def variant_of_type(gametype: str) -> Variant | None:
    """The variant with a GameType, or else the first with its number."""
    number = type_number(gametype)
    rows = [row for row in VARIANTS.values() if number and type_number(row.gametype) == number]
    return next((row for row in rows if row.gametype == gametype.replace(" ", "")), rows[0] if rows else None)


def type_number(gametype: str) -> str:
    """The number that a GameType begins with, empty if there is none."""
    return gametype.partition(",")[0].strip()
