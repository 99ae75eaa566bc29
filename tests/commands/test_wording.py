"""Words of messages."""

from arena.base.wording import MAX_CHARACTERS, MAX_CHOICES, cut, listed, printable, quoted, shown, unknown


def test_the_nearest_choice_is_named_as_it_is_written() -> None:
    assert unknown("key", "elopergame", ["EloPerGame"]).endswith(
        "did you mean 'EloPerGame'? (choices: EloPerGame)"
    )
    assert unknown("player", "x", ()) == "unknown player 'x' (choices: none)"


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


def test_what_would_turn_or_move_other_text_is_escaped() -> None:
    assert printable("plain, Grüße, 漢字\n\tan indent") == "plain, Grüße, 漢字\n\tan indent"
    hostile = "\u202eevil\u2066\x1b[2J\r\x07\ud800\u200b\x9b"
    assert printable(hostile) == r"\u202eevil\u2066\x1b[2J\r\x07\ud800\u200b\x9b"


def test_the_last_of_a_list_is_joined_by_a_word() -> None:
    assert [listed(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "", "a", "a and b", "a, b and c"
    ]  # fmt: skip
    assert listed(["a", "b"], "or") == "a or b"
