"""The variants and their rules as rows of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arena.rules.position import COLOURS
from arena.rules.rules import AT_END, DELAYED, IN_PASSING, NEVER, STOPS, Rules
from arena.rules.variants import VARIANTS, Variant

HEADER = (
    "variant",
    "board",
    "men",
    "first",
    "men capture",
    "kings",
    "captures",
    "promotion",
    "drawn after",
    "about",
)

_PROMOTION = {
    NEVER: "never",
    AT_END: "where a move ends",
    STOPS: "ends the move",
    IN_PASSING: "at once, in passing",
    DELAYED: "after the move, in passing",
}


def variant_rows(variants: Iterable[Variant] = VARIANTS.values()) -> Iterator[tuple[str, ...]]:
    """A row for each variant, in the columns of HEADER."""
    for variant in variants:
        rules = variant.rules
        yield (
            variant.name,
            f"{2 * rules.per_row}x{rules.rows}",
            str(variant.men),
            COLOURS[variant.first],
            _men(rules),
            _kings(variant),
            _captures(rules),
            _PROMOTION[rules.promotion],
            _draws(variant),
            variant.about,
        )


def _men(rules: Rules) -> str:
    text = "forward, back" if rules.men_capture_backward else "forward"
    if rules.straight_captures:
        text += ", straight"
    return text if rules.men_capture_kings else text + "; no kings"


def _kings(variant: Variant) -> str:
    rules = variant.rules
    if rules.promotion == NEVER:
        return "none"
    text = "flying" if rules.flying else "one step"
    if rules.lands_behind:
        text += ", land behind"
    if rules.killer:
        text += ", killer"
    if variant.king_moves:
        text += f", {variant.king_moves} in a row"
    return text


def _captures(rules: Rules) -> str:
    if rules.one_hop:
        return "one hop"
    wanted = [
        (rules.majority, "most pieces"),
        (rules.prefer_value, "most value"),
        (rules.prefer_king, "with a king"),
        (rules.prefer_kings, "most kings"),
        (rules.prefer_early_kings, "kings first"),
    ]
    return ", ".join(text for holds, text in wanted if holds) or "free"


def _draws(variant: Variant) -> str:
    draws = variant.draws
    rules = [
        (draws.repetition, f"{draws.repetition} times the same"),
        (draws.no_progress, f"{draws.no_progress} plies of kings"),
        (draws.no_capture, f"{draws.no_capture} plies, no capture"),
        (len(draws.endings), f"{len(draws.endings)} endings"),
    ]
    return ", ".join(text for holds, text in rules if holds) or "never"
