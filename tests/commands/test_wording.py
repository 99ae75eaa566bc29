"""Words of messages."""

from arena.base.wording import MAX_CHARACTERS, MAX_CHOICES, cut, phrase, printable, quoted, unknown


def test_the_nearest_choice_is_named_as_it_is_written():
    assert "did you mean 'EloPerGame'?" in unknown("key", "elopergame", ["EloPerGame"])
    assert unknown("player", "x", ()) == "unknown player 'x' (choices: none)"


def test_a_message_has_one_line_whatever_was_written():
    long = unknown("key", "a\nb" * 10**5, [f"name{i}" for i in range(10**3)])
    assert "\n" not in long and len(long) < 2 * MAX_CHARACTERS + 10 * MAX_CHOICES
    assert long.endswith(f" and {10**3 - MAX_CHOICES} more)")
    assert len(phrase([*"ab", "x" * 10**6])) < 2 * MAX_CHARACTERS
    assert cut("can't open file 'engines/stub.py'", 20) == "can't open...s/stub.py'"
    assert cut("a\n  b\tc") == "a b c" and quoted("a\n  b") == r"'a\n  b'"


def test_what_would_turn_or_move_other_text_is_escaped():
    assert printable("plain, Grüße, 漢字\n\tan indent") == "plain, Grüße, 漢字\n\tan indent"
    hostile = "\u202eevil\u2066\x1b[2J\r\x07\ud800\u200b\x9b"
    assert printable(hostile) == r"\u202eevil\u2066\x1b[2J\r\x07\ud800\u200b\x9b"
