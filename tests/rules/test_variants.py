"""Rule sets: the table, boards of other sizes, and rules of one's own."""

import pickle

import numba
import pytest

from arena.rules.custom import VariantError, build_variant, sizes_of, without_draws
from arena.rules.notation import place
from arena.rules.pdn.rules import variant_of_tags
from arena.rules.position import COLOURS, WHITE
from arena.rules.result import Draws
from arena.rules.rules import GEOMETRY, board_rules
from arena.rules.variants import VARIANTS
from tests.helpers import naive
from tests.helpers.command_line import one_line


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
        ({"base": "english", "repetition": 1}, "repetition"),
        ({"base": "frisian", "king_moves": 10}, "king_moves"),
        ({"base": "killer", "one_hop": True}, "one_hop"),
        ({"base": "international", "prefer_early_kings": True}, "prefer_early_kings"),
        ({"base": "english", "top": 3}, "top"),
        ({"base": "english", "rows": 10.0}, "rows"),
        ({"base": "italian", "rows": 10}, "rows"),
        ("english-6x8", "base"),
        ("{base: english, lasca: true}", "lasca"),
        *((text, "") for text in ("{", "{base: english", "{" * 900, "{1: 2}", "{base: !!python/name:os.x }")),
    ],
)
def test_a_wrong_description_is_refused_with_its_key(description, key):
    with pytest.raises(VariantError) as caught:
        build_variant(description)
    one_line(caught.value)
    assert caught.value.key == key


@pytest.mark.parametrize("base", VARIANTS)
def test_a_board_of_another_size_has_the_same_rules_and_rows_of_men_as_far_as_they_fit(base):
    own = VARIANTS[base]
    own_rows = {"base": base, "rows": own.rules.rows}
    assert build_variant(own_rows) == build_variant({"base": base}) == own
    assert build_variant({**own_rows, "men": 4}).name == f"{{base: {base}, men: 4}}"
    for variant in sizes_of(own):
        rules, start = variant.rules, variant.start
        rows = rules.rows
        assert (2 * rules.per_row, variant.squares) == (rows, rows * rows // 2)
        assert rules == own.rules.but(**{name: getattr(rules, name) for name in GEOMETRY})
        rows_of_men = min(own.men // own.rules.per_row, rows // 2 - 1)
        assert naive.squares_of(rules, start.black) == {
            square for square in naive.board_squares(rules) if square[0] < rows_of_men
        }
        assert start.white.bit_count() == start.black.bit_count() == variant.men
        assert build_variant(variant.name) == variant and variant.family == base
        assert (variant.draws, variant.first, variant.mirrored) == (own.draws, own.first, own.mirrored)


def test_the_name_of_a_changed_rule_set_is_the_mapping_of_what_differs_from_its_base():
    variant = build_variant({"promotion": "never", "no_capture": 0, "rows": 6, "base": "english"})
    assert variant == build_variant({"base": "english", "rows": 6, "promotion": "never"})
    assert (variant.family, variant.unchanged, variant.gametype, variant.men) == ("english", "english-6x6", "", 6)
    assert variant.name == "{base: english, rows: 6, promotion: never}"
    assert without_draws(VARIANTS["cis300"]) is VARIANTS["cis300"]
    assert build_variant({"base": "italian", "rows": 10, "prefer_early_kings": False}).men == 15


@pytest.mark.parametrize("base", VARIANTS)
def test_a_rule_set_is_made_again_from_the_name_that_files_have(base):
    own = VARIANTS[base]
    changes = {
        "first": COLOURS[1 - own.first],
        "men": 8,
        "king_moves": 2,
        "endings": False,
        "flying": not own.rules.flying,
    }
    for description in (changes, {"rows": 6, "no_capture": 30}, {}):
        for variant in (made := build_variant({"base": base, **description}), without_draws(made)):
            assert build_variant(variant.name) == variant
            tags = {"Variant": variant.name, "GameType": variant.gametype}
            assert variant_of_tags(tags, None) == variant


def test_names_that_people_give_lead_to_ours():
    for word, name in (("Checkers", "english"), ("draughts", "english"), ("polish", "international")):
        for description in (word, {"base": word}):
            with pytest.raises(VariantError, match=f"did you mean '{name}'"):
                build_variant(description)


def test_draw_rules_and_the_start_can_be_changed_without_compiling_anew():
    changes = {"repetition": 0, "no_progress": 7, "endings": False, "first": "black", "men": 8}
    variant = build_variant({"base": "russian", **changes})
    assert variant.draws == Draws(no_progress=7)
    assert (variant.start.turn, variant.start.white.bit_count()) == (1, 8)
    assert variant.rules == VARIANTS["russian"].rules


def test_rules_that_another_process_sent_are_the_same_to_the_compiler_and_changed_ones_are_not():
    rules = board_rules(8, 4)
    sent, changed = pickle.loads(pickle.dumps(rules)), rules.but(flying=True)
    assert sent == rules != changed
    assert {rules: "compiled"}.get(sent) == "compiled"
    assert numba.typeof(sent) is numba.typeof(rules) != numba.typeof(changed)


@pytest.mark.parametrize("name", [name for name, variant in VARIANTS.items() if variant.gametype])
def test_the_board_and_its_squares_are_those_of_the_game_type(name):
    """PDN 3.0: square 1 is at 0 bottom left, 1 bottom right, 2 top left or 3 top right of who begins."""
    variant = VARIANTS[name]
    first, width, height, notation, inverted = variant.gametype.split(",")[1:]
    assert (first, width, height) == ("WB"[variant.first], str(2 * variant.rules.per_row), str(variant.rules.rows))
    assert variant.mirrored == (inverted == "1")
    if notation[0] == "N":
        column, row = place(variant, variant.bits[0])
        if variant.first != WHITE:
            column, row = 2 * variant.rules.per_row - 1 - column, variant.rules.rows - 1 - row
        is_right, is_top = (part == "1" for part in reversed(f"{int(notation[1]):02b}"))
        assert (column >= variant.rules.per_row, row == 0) == (is_right, is_top)
