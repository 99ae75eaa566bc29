"""Words of messages."""

import pytest

from arena.base.wording import MAX_CHARACTERS, MAX_CHOICES, choices, cut, listed, printable, quoted, shown, unknown


def test_an_unknown_word_is_named_with_the_nearest_and_all_choices() -> None:
    players = {"random": 1, "negamax": 2}
    assert unknown("player", "negamx", players) == (
        "unknown player 'negamx'; did you mean 'negamax'? (choices: random, negamax)"
    )
    assert unknown("player", "xyz", players) == "unknown player 'xyz' (choices: random, negamax)"
    assert unknown("player", "NEGAMAX", players).startswith("unknown player 'NEGAMAX'; did you mean 'negamax'?")
    assert unknown("player", "x", ()) == "unknown player 'x' (choices: none)"


def test_a_word_that_stands_for_another_is_answered_by_that_one() -> None:
    valid, meant = ("name", "openings"), {"games": "openings: {count: 20}"}
    assert unknown("key", "games", valid, meant) == (
        "unknown key 'games'; did you mean 'openings: {count: 20}'? (choices: name, openings)"
    )


def test_the_nearest_choice_is_named_as_it_is_written() -> None:
    assert choices("elopergame", ["EloPerGame"]) == "did you mean 'EloPerGame'? (choices: EloPerGame)"


def test_a_message_has_one_line_whatever_was_written() -> None:
    long = unknown("key", "a\nb" * 10**6, [f"name{i}" for i in range(10**4)])
    assert "\n" not in long and len(long) < 2 * MAX_CHARACTERS + 10 * MAX_CHOICES
    assert long.endswith(f" and {10**4 - MAX_CHOICES} more)")
    half = MAX_CHARACTERS // 2
    assert (
        shown([*"ab", "x" * 10**6])
        == "the list ['a', 'b', '" + (half - 12) * "x" + "..." + (half - 2) * "x" + "']"
    )
    assert cut("can't open file 'engines/stub.py'", 20) == "can't open...s/stub.py'"
    assert cut("a\n  b\tc") == "a b c" and quoted("a\n  b") == r"'a\n  b'"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "nothing"),
        (True, "the boolean true"),
        (3, "the whole number 3"),
        (1.5, "the number 1.5"),
        ("a", "the text 'a'"),
        ([1], "the list [1]"),
        ({"a": 1}, "the mapping {'a': 1}"),
        ((1,), "the tuple (1,)"),
    ],
)
def test_a_value_is_shown_with_its_type(value: object, text: str) -> None:
    assert shown(value) == text


def test_what_would_turn_or_move_other_text_is_escaped() -> None:
    assert printable("plain, Grüße, 漢字\n\tan indent") == "plain, Grüße, 漢字\n\tan indent"
    hostile = "\u202eevil\u2066\x1b[2J\r\x07\ud800\u200b\x9b"
    assert printable(hostile) == r"\u202eevil\u2066\x1b[2J\r\x07\ud800\u200b\x9b"


def test_the_last_of_a_list_is_joined_by_a_word() -> None:
    assert [listed(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "", "a", "a and b", "a, b and c"
    ]  # fmt: skip
    assert listed(["a", "b"], "or") == "a or b"
