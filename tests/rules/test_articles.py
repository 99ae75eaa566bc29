"""The rule books: each article that `arena/rules/variants.py` cites, on a position with all its legal moves."""

import re
from pathlib import Path

import pytest

from arena.rules import variants as variants_module
from arena.rules.game import Game, Outcome, Termination
from arena.rules.variants import VARIANTS

ARTICLES = [
    ("WCDF 1.17 a king moves one square", "english", "W:WK18:B1", "18-14 18-15 18-22 18-23"),
    ("WCDF 1.18 a man does not capture backward", "english", "W:W18:B22", "18-14 18-15"),
    ("WCDF 1.19 reaching the last row ends the move", "english", "W:W9:B6,7", "9x2"),
    ("WCDF 1.20 any capture may be chosen", "english", "W:W21,22:B11,17,18", "21x14 22x13 22x8"),
    ("FMJD 3.9 a king moves any distance", "international", "W:WK46:B14,19", "46-41 46-37 46-32 46-28 46-23"),
    ("FMJD 4.1 a man captures backward", "international", "W:W23:B29", "23x34"),
    ("FMJD 4.11 a captured piece blocks the way", "international", "W:WK38:B10,11,32,43", "38x2 38x7"),
    ("APCA 19 a captured piece blocks the way", "pool", "W:WK4:B8,17,26", "4x13 4x31"),
    ("FMJD 4.13 the majority must be captured", "international", "W:W32:B18,27,28", "32x12"),
    ("FMJD 4.13 kings and men count the same", "international", "W:W32:BK27,18,28", "32x12"),
    ("FMJD 4.15 a man that passes the last row goes on", "international", "W:W12:B8,9", "12x14"),
    ("Russian 1.4.5 a king moves any distance", "russian", "W:WK29:B4", "29-25 29-22 29-18 29-15 29-11 29-8"),
    ("Russian 1.5.3 a man captures backward", "russian", "W:W18:B22", "18x25"),
    ("Russian 1.5.15 a man crowned in passing goes on as a king", "russian", "W:W9:B6,7", "9x11 9x16 9x20"),
    ("APCA 14 a man captures backward", "pool", "W:W18:B22", "18x25"),
    ("APCA 15 a king moves any distance", "pool", "W:WK29:B4", "29-25 29-22 29-18 29-15 29-11 29-8"),
    ("APCA 16 a man that passes the last row stays a man", "pool", "W:W9:B6,7", "9x11"),
    ("APCA 20 any capture may be chosen", "pool", "W:W21,22:B11,17,18", "21x23 22x13 22x8"),
    ("FID 4.7 a king moves one square", "italian", "W:WK18:B1", "18-13 18-14 18-21 18-22"),
    ("FID 5.3(a) a man does not capture backward", "italian", "W:W18:B22", "18-13 18-14"),
    ("FID 5.3(b) a man does not capture a king", "italian", "W:W18:BK14", "18-13"),
    ("FID 5.3(b) a king captures a king", "italian", "W:WK18:BK14", "18x11"),
    ("FID 6.6 the majority must be captured", "italian", "W:W21,22:B11,17,18", "21x7"),
    ("FID 6.7 capturing with a king goes before", "italian", "W:W22,K32:B18,28", "32x23"),
    ("FID 6.8 capturing a king goes before capturing a man", "italian", "W:WK29,K32:BK26,28", "29x22"),
    ("FID 6.9 capturing a king earlier goes before", "italian", "W:WK29,K32:B26,K18,K28,20", "32x16"),
    ("Czech 3.9 a king moves any distance", "czech", "W:WK29:B4", "29-25 29-22 29-18 29-15 29-11 29-8"),
    ("Czech 4.1 a man does not capture backward", "czech", "W:W18:B22", "18-14 18-15"),
    ("Czech 4.14 a king captures before a man", "czech", "W:WK32,21:B17,27", "32x23 32x18 32x14 32x9 32x5"),
    ("Thai a king stops right behind what it captures", "thai", "W:WK29:B22", "29x18"),
    ("Thai a king turns back over what it has captured", "thai", "W:WK22:B15,25", "22x11 22x29"),
    ("killer a king stops right behind a king that it takes last", "killer", "W:WK46:BK28", "46x23"),
    ("killer a king may stop anywhere behind a man", "killer", "W:WK46:B28,5", "46x23 46x19 46x14 46x10"),
    ("Frisian a man captures straight ahead", "frisian", "W:W33:B23", "33x13"),
    ("Frisian a man captures sideways", "frisian", "W:W33:B34", "33x35"),
    ("Frisian a king is worth more than a man", "frisian", "W:W28,45:BK23,40", "28x19"),
    ("game3 a move is one hop", "game3", "W:W23:B10,19", "23x14"),
    ("casual-10x10 any capture may be chosen", "casual-10x10", "W:W32:B18,27,28", "32x12 32x21"),
    ("simplified a man on the far row does not move, and its side passes", "simplified", "W:W3:B13", "pass"),
    ("FMJD-64 4.6 a king must land where it can go on", "russian", "W:WK29:B18,8", "29x4"),
]
FIRST_100 = "31-26 31-27 32-27 32-28 33-28 33-29 34-29 34-30 35-30"
SETUPS = [
    ("WCDF 1.1, 1.11 8x8 and 12 men", "english", (8, 8), 12, "9-13 9-14 10-14 10-15 11-15 11-16 12-16"),
    ("FMJD 2.1, 2.8 10x10 and 20 men", "international", (10, 10), 20, FIRST_100),
    ("FID 2.1, 2.3 8x8, dark right", "italian", (8, 8), 12, "21-17 21-18 22-18 22-19 23-19 23-20 24-20"),
    ("Czech 2.1 8x8", "czech", (8, 8), 12, "21-17 22-17 22-18 23-18 23-19 24-19 24-20"),
    ("APCA 1, 5 8x8 and 12 men", "pool", (8, 8), 12, "9-13 9-14 10-14 10-15 11-15 11-16 12-16"),
]
"""Fact, variant, board, men of a side, first moves."""
NUMBER = re.compile(r"(?<![\w-])\d+(?:\.\d+)*(?:\([a-z]\d?\))?(?![\w-])")
KINGS_64, CYCLE_64, ITALIAN = "W:WK30:BK3", "30-25 3-7 25-30 7-3", "30-26 3-7 26-30 7-3"
KINGS_100, CYCLE_100 = "W:WK47,{}:BK4", "47-41 4-9 41-47 9-4"
ENGLISH, CYCLE = "W:WK32:BK1", "32-27 1-6 27-32 6-1"
OFF, ENDLESS = {"repetition": 0, "no_progress": 0}, {"repetition": 0}
BARE = {"repetition": 0, "endings": False}
DRAWS = [
    ("WCDF 1.32.1 the third occurrence", "english", {}, ENGLISH, CYCLE, 8, "repetition"),
    ("WCDF 1.32.2 40 moves each", "english", ENDLESS, ENGLISH, CYCLE, 80, "no_progress"),
    ("FMJD 6.1 the third occurrence", "international", {}, KINGS_100.format("50"), CYCLE_100, 8, "repetition"),
    ("FMJD 6.2 25 moves of kings", "international", BARE, KINGS_100.format("50"), CYCLE_100, 50, "no_progress"),
    ("FMJD 6.3 three against a king", "international", OFF, KINGS_100.format("49,50"), CYCLE_100, 32, "ending"),
    ("FMJD 6.4 two against a king", "international", OFF, KINGS_100.format("50"), CYCLE_100, 10, "ending"),
    ("FMJD-64 7.2.3 the third occurrence", "russian", {}, KINGS_64, CYCLE_64, 8, "repetition"),
    ("FMJD-64 7.2.4 three kings against one", "russian", OFF, "W:WK30,K31,K32:BK3", CYCLE_64, 30, "ending"),
    ("FMJD-64 7.2.5 15 moves each of kings", "russian", BARE, KINGS_64, CYCLE_64, 30, "no_progress"),
    ("FMJD-64 7.2.6 four pieces, 30 moves", "russian", OFF, "W:WK30,32:BK3,1", CYCLE_64, 60, "ending"),
    ("FMJD-64 7.2.6 six pieces, 60 moves", "russian", OFF, "W:WK30,31,32:BK3,1,2", CYCLE_64, 120, "ending"),
    ("FMJD-64 7.2.7 the long diagonal", "russian", OFF, "W:WK30,31,32:BK4", "30-26 4-8 26-30 8-4", 10, "ending"),
    ("FMJD-64 7.2.8 one against one", "russian", OFF, KINGS_64, CYCLE_64, 10, "ending"),
    ("FID 9.3(b1) the fourth occurrence", "italian", {}, KINGS_64, ITALIAN, 12, "repetition"),
    ("FID 10.4 40 moves each", "italian", ENDLESS, KINGS_64, ITALIAN, 80, "no_progress"),
    ("APCA 26 the third occurrence", "pool", {}, KINGS_64, CYCLE_64, 8, "repetition"),
    ("APCA 27 three kings against one, 13 moves", "pool", OFF, "W:WK30,K31,K32:BK3", CYCLE_64, 26, "ending"),
    ("FPD 23 20 moves of kings", "portuguese", ENDLESS, "W:WK31:BK4", "31-27 4-8 27-31 8-4", 40, "no_progress"),
    ("killer has no endings", "killer", ENDLESS, KINGS_100.format("50"), CYCLE_100, 50, "no_progress"),
    ("APCA 26 15 moves each of kings", "pool", ENDLESS, KINGS_64, CYCLE_64, 30, "no_progress"),
    ("Frisian two kings against one, 7 moves", "frisian", OFF, "W:WK47,K50:BK4", CYCLE_100, 14, "ending"),
    ("Frisian one king against one, 2 moves", "frisian", OFF, "W:WK47:BK4", CYCLE_100, 4, "ending"),
    ("game3 100 plies", "game3", ENDLESS, "W:WK29:BK4", "29-26 4-7 26-29 7-4", 100, "no_capture"),
]
"""Fact, variant, what is changed of it, position, moves played over and over, ply of the draw, termination."""


def rows(table):
    """Parameters of a test, each row called by the fact that it begins with."""
    return [pytest.param(*row[1:], id=row[0]) for row in table]


@pytest.mark.parametrize(("name", "position", "expected"), rows(ARTICLES))
def test_the_legal_moves_follow(name, position, expected):
    assert sorted(Game(name, position).legal_texts) == sorted(expected.split())


@pytest.mark.parametrize(("name", "board", "men", "first"), rows(SETUPS))
def test_the_board_and_the_first_moves_follow(name, board, men, first):
    variant = VARIANTS[name]
    assert (2 * variant.rules.per_row, variant.rules.rows) == board
    assert variant.start.white.bit_count() == variant.start.black.bit_count() == men
    assert sorted(Game(name).legal_texts) == sorted(first.split())


@pytest.mark.parametrize(("name", "changes", "position", "cycle", "ply", "termination"), rows(DRAWS))
def test_the_draw_comes_at_the_ply_by(name, changes, position, cycle, ply, termination):
    game, moves = Game({"base": name, **changes}, position), cycle.split()
    while game.outcome is None:
        game.push(moves[len(game.moves) % len(moves)])
    assert (len(game.moves), game.outcome) == (ply, Outcome(None, Termination(termination)))


def test_the_move_that_creates_the_balance_is_not_counted():
    """FMJD 6.4: White's capture leaves two against a king; ten more plies are played."""
    game = Game({"base": "international", **OFF}, "W:WK47,34:B29,K4")
    game.push("34x23")
    while game.outcome is None:
        game.push(("4-9", "47-41", "9-4", "41-47")[(len(game.moves) - 1) % 4])
    assert len(game.moves) == 11


@pytest.mark.full
def test_frisian_bars_a_fourth_move_in_a_row_of_the_same_king():
    game = Game({"base": "frisian", **OFF, "endings": False}, "W:WK47,50:BK4,1")
    for text in ("47-41", "4-9", "41-47", "9-4", "47-41", "4-9"):
        game.push(text)
    assert sorted(game.legal_texts) == ["50-44", "50-45"]
    with pytest.raises(ValueError, match="'41-47' is not legal"):
        game.push("41-47")
    game.push("50-45")
    assert sorted(game.legal_texts) == ["1-6", "1-7"]
    game.push("1-6")
    assert "41-47" in game.legal_texts


@pytest.mark.parametrize(
    ("name", "position", "move", "expected"),
    [
        ("english", "W:W9:B6,7", "9x2", "B:WK2:B7"),
        ("international", "W:W12:B8,9", "12x14", "B:W14:B"),
        ("russian", "W:W9:B6,7", "9x16", "B:WK16:B"),
        ("pool", "W:W9:B6,7", "9x11", "B:W11:B"),
        ("casual-10x10", "W:W12:B8,9", "12x14", "B:WK14:B"),
    ],
    ids=["WCDF 1.19", "FMJD 4.15", "Russian 1.5.15", "APCA 22, 23", "casual-10x10"],
)
def test_a_man_that_captures_over_the_last_row_ends_as(name, position, move, expected):
    game = Game(name, position)
    game.push(move)
    assert game.fen == expected


def test_every_cited_article_is_named_by_a_test():
    source = Path(str(variants_module.__file__)).read_text(encoding="utf-8")
    cited = {number for comment in re.findall(r"#([^\n]*\d[^\n]*)", source) for number in NUMBER.findall(comment)}
    named = " ".join(Path(__file__).read_text(encoding="utf-8").split())
    assert len(cited) > 40
    assert {
        number for number in cited if not re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.])", named)
    } == set()
