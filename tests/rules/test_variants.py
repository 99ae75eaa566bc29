"""Variants: the table, and rule sets of one's own."""

import pytest

from arena.rules.custom import VariantError, build_variant, is_named, sizes_of, without_draws
from arena.rules.rules import GEOMETRY
from arena.rules.variants import VARIANTS
from tests.helpers import naive
from tests.helpers.command_line import one_line
from tests.helpers.rule_sets import by_constants


@pytest.mark.parametrize(
    ("description", "key"),
    [
        ("englsh", "base"),
        ({"promotion": "never"}, ""),
        ({"bas": "english"}, "bas"),
        ({"flying": "yes", "base": "englsh"}, "flying"),
        ({"rows": 12, "promotion": "never"}, "rows"),
        ({"base": "english", "promotion": "sometimes"}, "promotion"),
        ({"base": "english", "men": 17}, "men"),
        ({"base": "english", "repetition": -1}, "repetition"),
        ({"base": "killer", "one_hop": True}, "one_hop"),
        ({"base": "international", "prefer_early_kings": True}, "prefer_early_kings"),
        ({"base": "english", "top": 3}, "top"),
        ({"base": "english", "rows": 10.0}, "rows"),
        ({"base": "english", "rows": 6, "men": 10}, "men"),
        ({"base": "italian", "rows": 10}, "rows"),
        ("english-12x12", "rows"),
        ("english-6x8", "base"),
    ],
)
def test_a_wrong_description_is_told_with_its_key(description, key) -> None:
    with pytest.raises(VariantError) as caught:
        build_variant(description)
    one_line(caught.value)
    assert caught.value.key == key


def test_every_rule_set_keeps_its_own_size_and_name() -> None:
    for name, variant in VARIANTS.items():
        rows = variant.rules.rows
        assert build_variant({"base": name, "rows": rows}) is build_variant(f"{name}-{rows}x{rows}") is variant
        assert build_variant({"base": name, "rows": rows, "men": 4}).name == f"{name} (men 4)"


@pytest.mark.parametrize("base", VARIANTS)
def test_a_board_of_another_size_has_the_same_rules_and_rows_of_men_as_far_as_they_fit(base: str) -> None:
    own = VARIANTS[base]
    for variant in sizes_of(own):
        rules, start = variant.rules, variant.start
        rows = rules.rows
        assert (2 * rules.per_row, variant.squares) == (rows, rows * rows // 2)
        assert rules[len(GEOMETRY) :] == own.rules[len(GEOMETRY) :]
        rows_of_men = min(own.men // own.rules.per_row, rows // 2 - 1)
        assert naive.squares_of(rules, start.black) == {
            square for square in naive.board_squares(rules) if square[0] < rows_of_men
        }
        assert start.white.bit_count() == start.black.bit_count() == variant.men
        assert is_named(variant) and variant.family == base
        assert (variant.draws, variant.first, variant.mirrored) == (own.draws, own.first, own.mirrored)


def test_the_name_of_a_changed_rule_set_says_what_is_changed() -> None:
    variant = build_variant({"base": "english", "rows": 6, "promotion": "never"})
    assert (variant.family, variant.gametype, variant.men) == ("english", "", 6)
    assert (variant.name, variant.unchanged) == ("english-6x6 (promotion never)", "english-6x6")
    others = ({"flying": True}, {"men_capture_kings": False}, {"repetition": 0, "endings": False})
    names = [build_variant({"base": "english", **changes}).name for changes in others]
    assert names == ["english (flying)", "english (no men_capture_kings)", "english (repetition 0, no endings)"]
    assert without_draws(variant).name == "english-6x6 (promotion never, no draws)"
    assert not is_named(variant)
    assert build_variant({"base": "italian", "rows": 10, "prefer_early_kings": False}).men == 15


def test_draw_rules_and_the_start_can_be_changed_without_compiling_anew() -> None:
    base = VARIANTS["russian"]
    variant = build_variant(
        {"base": "russian", "repetition": 0, "no_progress": 7, "endings": False, "first": "black", "men": 8}
    )
    assert (variant.draws.repetition, variant.draws.no_progress, variant.draws.endings) == (0, 7, ())
    assert (variant.start.turn, variant.start.white.bit_count()) == (1, 8)
    assert variant.constants == by_constants(base).constants
