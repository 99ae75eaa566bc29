"""PDN: what is written is read back, other programs' files are read, and faults have their place."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.report.together import read_results
from arena.rules.custom import build_variant
from arena.rules.game import Game
from arena.rules.movegen import legal_moves
from arena.rules.notation import fen, parse_fen
from arena.rules.pdn.read import read_pdn
from arena.rules.pdn.tokens import split
from arena.rules.pdn.write import pdn_game, search_comment, time_control, write_pdn
from arena.rules.played import PlayedGame
from arena.rules.position import BLACK, COLOURS, Position
from arena.rules.variants import VARIANTS, Variant
from tests.helpers.command_line import one_line

DATA = Path(__file__).parents[1] / "data"
ENGLISH = VARIANTS["english"]
INTERNATIONAL = VARIANTS["international"]
BRAZILIAN = VARIANTS["brazilian"]
RESULTS = ["white", "draw", "black", "0-0", "*"]
OPENING = "1. 9-13 21-17 2. 5-9 25-21 3. 11-15 29-25"
"""Three moves each, of English draughts."""


def random_moves(variant: Variant, start: Position, rng: random.Random, most: int) -> list[int]:
    game = Game(variant, start)
    while game.outcome is None and len(game.moves) < most:
        game.push(rng.choice(game.legal_moves))
    return game.moves


def played_from(variant: Variant, text: str) -> list[int]:
    """The moves of the only game of a text, which has no problems."""
    games, problems = read_pdn(text, variant)
    assert not problems
    assert len(games) == 1
    return games[0].moves


def test_a_game_is_read_back_as_it_was_written(variant, scattered):
    rng = random.Random(7)
    starts = [variant.start] * 4 + rng.sample(scattered, 12)
    written = [
        PlayedGame(
            variant,
            start,
            moves := random_moves(variant, start, rng, 60),
            rng.choice(RESULTS),
            {"Event": f"{number}", "White": 'The "arena" \\ 2]', "Black": ""},
            {ply: "depth 6, nodes 2177" for ply in range(len(moves) + 1) if rng.random() < 0.3},
            {len(moves): rng.choice(scattered)} if moves and rng.random() < 0.5 else {},
            number,
        )
        for number, start in enumerate(starts, start=1)
    ]
    games, problems = read_pdn("\n".join(map(write_pdn, written)), variant)
    assert not [problem for problem in problems if problem.game]
    for game, again in zip(written, games, strict=True):
        assert again.tags.items() >= game.tags.items()
        assert again.positions == game.positions
        for name in ("variant", "start", "moves", "result", "comments", "setups", "number"):
            assert getattr(again, name) == getattr(game, name), name


@settings(max_examples=10)
@given(
    tags=st.dictionaries(st.from_regex("[A-Z][A-Za-z0-9_]*", fullmatch=True), st.text()),
    comments=st.dictionaries(st.integers(0, 6), st.text()),
)
def test_any_tag_and_any_comment_are_read_back(tags, comments):
    tags = {
        name: value for name, value in tags.items() if name.lower() not in ("gametype", "fen", "setup", "variant")
    }
    moves = played_from(ENGLISH, OPENING)
    game = read_pdn(write_pdn(PlayedGame(ENGLISH, ENGLISH.start, moves, "black", tags, comments)))[0][0]
    assert game.moves == moves
    for name, value in (tags | {"Result": "1-0"}).items():
        assert game.tags[name] == re.sub(r"[\r\n]+", " ", value)
    braces = str.maketrans("{}", "()")
    assert {ply: text for ply, text in game.comments.items() if text} == {
        ply: " ".join(text.translate(braces).split()) for ply, text in comments.items() if text.strip()
    }


NAN = float("nan")


def test_a_quotation_mark_and_a_backslash_in_a_tag_are_escaped():
    text = write_pdn(PlayedGame(ENGLISH, ENGLISH.start, [], tags={"White": 'the "best" \\'}))
    assert '[White "the \\"best\\" \\\\"]\n' in text


def test_limits_of_time_and_what_a_clock_shows_are_written_as_the_standard_has_them():
    limits: list[dict[str, float | None]] = [
        {"clock": 60, "increment": 0.5},
        {"clock": 300.0},
        {"seconds": 2},
        {"clock": 1200, "moves": 75},
        {},
    ]
    assert [time_control({"depth": 6, **limit}) for limit in limits] == ["60+0.5", "300", "1/2", "75/1200", ""]
    assert search_comment(NAN, 0, 6, 0.05, 3725.9) == "/6 0.050s [%clk 1:02:05]"
    game = read_pdn("1. 9-13 {/6 0.050s [%clk 1:02:05]} *", ENGLISH).games[0]
    assert game.answers is not None and game.answers["depth"] == [6]


@pytest.mark.parametrize(
    ("comment", "score", "plies_to_win", "depth", "seconds"),
    [
        ("+0.34/12 0.050s", 0.34, 0, 12, 0.05),
        ("+W7/9 0.001s", NAN, 7, 9, 0.001),
        ("-W12", NAN, -12, 0, NAN),
        ("/6 0.000012s", NAN, 0, 6, 0.000012),
        ("0.000400s", NAN, 0, 0, 0.0004),
        ("", NAN, 0, 0, NAN),
    ],
)
def test_findings_of_a_mover_are_written_as_fastchess_does_and_read_back(
    comment, score, plies_to_win, depth, seconds
):
    assert search_comment(score, plies_to_win, depth, seconds) == comment
    (game,), problems = read_pdn(
        f"{{the start}} 1. 9-13 $6 {{{comment}}} 21-17 {{+M3/9 0.1s, 7 nodes}} *", ENGLISH
    )
    assert not problems and game.men == (1.0, 1.0) and game.answers is not None
    names = ("score", "plies_to_win", "depth", "nodes", "seconds")
    first, second = ([game.answers[name][ply] for name in names] for ply in range(2))
    assert first == pytest.approx([score, plies_to_win, depth, 0, seconds], nan_ok=True)
    assert second == pytest.approx([NAN, 0, 9, 7, 0.1], nan_ok=True)


def test_other_comments_are_no_findings():
    for comment in ("", "good; 0.5s", "1", "1-0", "12 s later", "+0.34 is too much", "W7", "0.34", "0.34 men"):
        assert read_pdn(f"1. 9-13 {{{comment}}} *", ENGLISH).games[0].answers is None, comment


def test_a_game_from_a_position_of_the_second_side_begins_with_three_dots():
    start = parse_fen(ENGLISH, "W:W21-32:B1-10,12,15")
    text = write_pdn(PlayedGame(ENGLISH, start, [legal_moves(ENGLISH.rules, start)[0]]))
    assert '[SetUp "1"]\n[FEN "W:W21' in text and re.search(r"\n\n1\.\.\. \d+-\d+ \*\n$", text)


def test_captures_and_squares_are_written_as_the_game_type_says():
    written = (("russian", "b8:d6:f4"), ("thai", "1-10-19"), ("international", "1x10x19"), ("killer", "1x10x19"))
    for name, move in written:
        variant = VARIANTS[name]
        text = pdn_game(variant, fen(variant, variant.start), {}, ["1x10x19"], "*")
        assert text.endswith(f"\n1. {move} *\n")
    moves = played_from(BRAZILIAN, "1. 22-18 9-13 2. 18-14 10x17 3. 21x14")
    text = write_pdn(PlayedGame(BRAZILIAN, BRAZILIAN.start, moves))
    assert text.endswith("\n1. c3-d4 b6-a5 2. d4-c5 d6xb4 3. a3xc5 *\n")
    assert played_from(BRAZILIAN, text) == moves


@pytest.mark.parametrize("variant", [ENGLISH, INTERNATIONAL, build_variant({"base": "english", "first": "white"})])
def test_results_are_those_of_the_side_that_moves_first(variant):
    first, second = ("black", "white") if variant.first == BLACK else ("white", "black")
    win, draw, loss = ("2-0", "1-1", "0-2") if variant.name == "international" else ("1-0", "1/2-1/2", "0-1")
    for result, text in ((first, win), ("draw", draw), (second, loss), ("0-0", "0-0"), ("*", "*")):
        written = write_pdn(PlayedGame(variant, variant.start, [], result, {"Variant": variant.name}))
        assert f'[Result "{text}"]' in written and written.endswith(f"\n{text}\n")
        assert read_pdn(written, variant).games[0].result == result


GRAMMAR = {
    "a game ends in *": "1. 9-13 21-17 2. 5-9 25-21 3. 11-15 29-25 *",
    "zeros may lead, numbers may lack": "09-13 21-17 05-09 25-21 11-15 29-25 1-0",
    "captures and dashes of any kind": "1. 9x13 21:17 2. 5–9 25−21 3. 11X15 29×25",
    "a strength touches its move or not": "1. 9-13! 21-17?? 2. 5-9(!?) 25-21 !? 3. 11-15* 29-25 $7",
    "NAGs anywhere": "$1 1. $2 9-13 21-17$14 2. 5-9 25-21 $3 $4 3. 11-15 29-25",
    "a comment has braces or runs to the end": "1. 9-13 {21-17} 21-17 { 1-0 (} 2. 5-9 ; 1-6\n25-21 3. 11-15 29-25",
    "a comment between a number and its move": "1. {king's} 9-13 21-17 2. {} 5-9 25-21 3. 11-15 29-25",
    "a line comment": "1. 9-13 % 21-17\n21-17 2. 5-9 25-21 3. 11-15 29-25",
    "variations within variations": "1. 9-13 (9-14 {)} 22-18 (1-0) 5-9) 21-17 2. 5-9 25-21 (8-11) 3. 11-15 29-25",
    "a variation before the first move": "({The} 1. 11-15 {is older}) 1. 9-13 21-17 2. 5-9 25-21 3. 11-15 29-25",
    "a setup of the start": '/FEN "B:W21-32:B1-12"/ 1. 9-13 21-17 2. 5-9 25-21 3. 11-15 29-25',
    "a setup over two lines": '/FEN\n"B:W21-32:B1-12"/ 1. 9-13 21-17 2. 5-9 25-21 3. 11-15 29-25',
    "squares have letters": "1. b6-a5 a3-b4 2. a7b6 b2a3 3. f6-e5 a1-b2",
    "four digits": "913 2117 0509 2521 1115 2925".replace("913", "0913"),
    "three dots for a move that stands": "1. 9-13 1... 21-17 2. 5-9 2. ... 25-21 3. 11-15 29-25",
    "spaces and lines within a move": "1. 9 - 13 21- 17 2. 5-9 25 -\n21 3. 11-15 29\n-25",
    "a number touches its move": "1.9-13 21-17 2.5-9 25-21 3.11-15 29-25",
    "other ends of lines": "\ufeff1. 9-13 21-17 2. 5-9 25-21 3. 11-15 29-25\r\n1/2-1/2\r\n\x1a",
    "the letters \\r for a line's end": '[Event "x"]\\r\n1. 9-13 21-17 2. 5-9 25-21 3. 11-15 29-25 \\r\n0-0\\r',
    "a second end": "1. 9-13 21-17 2. 5-9 25-21 3. 11-15 29-25 . 1-0 *",
    "a FEN with a dot": '[event "x"]\n[Fen "B:W21-32:B1-12."]\n1. 9-13 21-17 2. 5-9 25-21 3. 11-15 29-25',
    "a FEN of words": '[FEN "Black:White21-32:Black1-12:H0:F1"] 1. 9-13 21-17 2. 5-9 25-21 3. 11-15 29-25',
    "a FEN of letters": '[FEN "B:W21-28,a1,c1,e1,g1:Bb8,d8,f8,h8,5-12"] 1. 9-13 21-17 2. 5-9 25-21 3. 11-15 29-25',
}
"""Ways to write OPENING that the grammars of PDN 3.0 and its programs have (wiegerw/pdn, grammar.rst)."""


@pytest.mark.parametrize("text", GRAMMAR.values(), ids=GRAMMAR.keys())
def test_ways_to_write_a_game_mean_the_same(text):
    assert played_from(ENGLISH, text) == played_from(ENGLISH, OPENING)


@pytest.mark.parametrize(
    ("section", "tags"),
    [
        ('[Event "a"][Site\n"b"]\n\n', {"Event": "a", "Site": "b"}),
        ('[Event "World\n  Championship"]\n', {"Event": "World Championship"}),
        ('[ Event "a" ]\n{of the first}\n[Site "b"]\n', {"Event": "a", "Site": "b"}),
        ('[Event "\\"64\\", a \\\\ and "b""]\n', {"Event": '"64", a \\ and "b"'}),
        ('[event "a"]\n[PLYCOUNT "6"]\n[own_tag2 "b"]\n', {"Event": "a", "PlyCount": "6", "Own_tag2": "b"}),
        ('[Event "Spring match"]\n[Black "Jo"]\n[Event "table 3"]\n', {"Event": "table 3", "Black": "Jo"}),
    ],
)
def test_a_section_of_tags_is_one_games(section, tags):
    (game,), problems = read_pdn(f'{section}[Result "0-1"]\n[GameType "21"]\n\n{OPENING} 0-1')
    assert not problems and len(game.moves) == 6
    assert game.tags == tags | {"Result": "0-1", "GameType": "21"}


@pytest.mark.parametrize(
    ("tags", "moves", "variant", "first"),
    [
        ('[GameType "21,W,8,8,N1,0"]', "11-15", None, "white"),
        ('[GameType "99,B,8,8,N1,0"]', "1. 22-18", None, "black"),
        ('[GameType "20"]', "11-15", ENGLISH, "white"),
        ("", "9-13", None, "black"),
        ("", "1. 22-18", None, "white"),
        ('[FEN "B:W18:B9"]', "1... 9-13", None, "black"),
        ('[FEN "W:W21:B9"]', "1. 21-17", None, "black"),
        ("", "(1. 22-18 (1. 23-18)) 1. 11-15", None, "black"),
        ('[FEN "W:W50:B9"]', "1. 50-44", None, "white"),
    ],
)
def test_1_0_is_for_who_moves_first_by_the_tags_the_rules_given_or_those_that_read_the_moves(
    tmp_path, tags, moves, variant, first
):
    text = f'[White "a"]\n[Black "b"]\n[Result "1-0"]\n{tags}\n\n{moves} 1-0\n'
    if 'GameType "99' not in tags:
        assert read_pdn(text, variant).games[0].result == first
    (tmp_path / "games.pdn").write_text(text)
    first_by_rules = COLOURS[variant.first] if variant else None
    found = read_results(tmp_path / "games.pdn", first=first_by_rules).results
    assert found.games["result"].tolist() == [first]


@pytest.mark.parametrize(
    "text", ["26x17x10x1", "26x1", "26:17:10:1", "26-1", "26x10x1", "d2xb4xd6xb8", "d2b4d6b8"]
)
def test_a_capture_is_read_from_its_ends_and_from_its_path(text):
    (move,) = played_from(ENGLISH, f'[FEN "W:W26:B22,14,6,12"]\n{text}')
    assert move.bit_count() == 5


SMALL = "english-6x6"
RULES_OF = [
    ('[GameType "23,W,8,8,A0,0"]\n1. c3-d4 f6-g5 2. b2-c3 *', None, "{base: pool, first: white}", 3),
    ('[GameType "23"]\n1. 11-15 *', None, "pool", 1),
    ('[GameType "20,W,0,0,N,0"]\n1. 31-27 *', None, "international", 1),
    ('[GameType "24,W,8,8,N1,1"]\n1. 11-15 22-18 *', None, "spanish", 2),
    ('[GameType "31,B,8,8,N2,0"]\n1. 25-22 8-11 *', None, "thai", 2),
    ('[Variant "{base: english, rows: 6, men: 3}"]\n1. 1-4 *', None, "{base: english, rows: 6, men: 3}", 1),
    ('[Variant "killer"] *', "international", "killer", 0),
    ('[Variant "lasca"]\n1. 11-15 *', "english", "english", 1),
    ('[GameType "25"] *', "killer", "russian", 0),
    ('[GameType "99"] *', "killer", "killer", 0),
    ("1. 32-28 *", "killer", "killer", 1),
    ('[GameType "21,B,6,6,N1,0"] 1. 6-8 *', "english", SMALL, 1),
    ('[GameType "21"] 1. 6-8 *', SMALL, SMALL, 1),
]
"""A game that names its rules or is given some, the rules given, its rules, its plies."""
GUESSED = [
    ("1. 33-28 18-22", "international", 2),
    ("1. 32-28 19-23", "international", 2),
    ('[FEN "W:W50:B1"]\n1. 50-44', "international", 1),
    ("1. c3-d4 f6-e5 2. d4:f6 g7:e5", "russian", 4),
    ("1. 22-18 11-15 2. 18:11", "russian", 3),
    (OPENING, "english", 6),
    ("1. 25-22 8-11", "thai", 2),
    ("1. c3xg7 a9-b8", "international", 0),
    ("1. 37:28 19-23", "international", 0),
    ("1. e4 e5 2. Nf3 Nc6", "english", 0),
    ("", "english", 0),
]
"""A game that names no rules, those that it is read by, and its legal plies."""


@pytest.mark.parametrize(("text", "given", "variant", "plies"), RULES_OF)
def test_a_game_has_the_rules_that_it_names_else_those_given(text, given, variant, plies):
    (game,), problems = read_pdn(text, build_variant(given) if given else None)
    assert not problems
    assert (game.variant, len(game.moves)) == (build_variant(variant), plies)
    (again,), problems = read_pdn(write_pdn(game))
    assert not problems
    assert (again.variant, again.moves) == (game.variant, game.moves)


@pytest.mark.parametrize(("text", "variant", "plies"), GUESSED)
def test_a_game_without_named_rules_has_the_common_ones_that_read_it_to_its_end(text, variant, plies):
    [game], problems = read_pdn(f'[Event "x"]\n{text} *')
    assert (game.variant.name, len(game.moves)) == (variant, plies)
    assert (problems[0].game, problems[0].ply) == (1, 0) and f"read as {variant}" in problems[0].message


def test_games_without_named_rules_are_noted_once_with_the_rules_they_are_read_by():
    games, problems = read_pdn(f'1. 33-28 *\n{OPENING} *\n{OPENING} 30-26 *\n[GameType "20"] 1. 32-28 *')
    assert [game.variant.name for game in games] == ["international", "english", "english", "international"]
    large, small, illegal = problems
    assert [large[2:4], small[2:4], illegal[2:4]] == [(1, 0), (2, 0), (3, 7)]
    assert "1 of 2 games" in small.message and "pool" in small.message and "frisian" in large.message


@pytest.mark.parametrize(
    "tag", ['[Variant "lasca"]', '[GameType "99,W,8,8,A0,0"]', '[GameType "21,B,12,12,N1,0"]']
)
def test_a_game_of_unknown_rules_is_left_out_with_its_line(tag):
    games, problems = read_pdn(
        f'[GameType "21"]\n1. 9-13 *\n[Event "x"]\n{tag}\n1. 9-13 *\n\n[GameType "21"]\n1. 9-13 *'
    )
    assert [(game.number, len(game.moves)) for game in games] == [(1, 1), (3, 1)]
    assert [problem[:4] for problem in problems] == [("<text>", 4, 2, 0)]


def test_a_star_that_touches_a_move_is_a_mark_and_the_result_stands_alone():
    text = '[Result "1/2-1/2"]\n1. 11-15 23-19* {the only move} 2. 8-11* (8-12) 22-17 1/2-1/2'
    (game,), problems = read_pdn(text, ENGLISH)
    assert (len(game.moves), game.result, problems) == (4, "draw", [])
    assert [len(game.moves) for game in read_pdn("1. 11-15 23-19* 1. 9-14 *", ENGLISH).games] == [2, 1]
    assert len(read_pdn("1. 11-15 23-19 * 2. 8-11", ENGLISH).games[0].moves) == 2


@pytest.mark.parametrize(
    ("tag", "end", "result"),
    [
        ("", "1-0", "black"),
        ("*", "0-1", "white"),
        ("2-0", "2-0", "black"),
        ("1/2-1/2", "1-1", "draw"),
        ("4-6", "4-6", "*"),
        ("1 1/2 - 1/2", "1 1/2 - 1/2", "draw"),
        ("", "1/2 - 1 1/2", "draw"),
        ("1-0", "1 - 0", "black"),
        ("", "", "*"),
    ],
)
def test_the_result_is_the_tags_or_that_at_the_end_of_the_game(tag, end, result):
    text = f'[Result "{tag}"]\n\n{OPENING} {end}\n\n[Event "next"]\n'
    games, problems = read_pdn(text, ENGLISH)
    assert not problems
    assert [(len(game.moves), game.result) for game in games] == [(6, result), (0, "*")]
    assert games[0].tags["Result"] == tag


@pytest.mark.parametrize(
    ("moves", "captured", "fault"),
    [
        ("1. 26x10 14-17", (15, 23), None),
        ("1. 26x10 {good} 15-19 1-0", (14, 22), None),
        ("1. 26x10 1-5 2. 10-7 15-18", (14, 22), None),
        ("1. 26x10 14-17 2. junk", (15, 23), 3),
        ("1. 26x10 1-5 2. 10-7", (), 1),
        ("1. 26x10", (), 1),
        ("1. 26x10 9-13", (), 1),
        ('1. 26x10 /FEN "W:W31:B1"/ 31-27', (), 1),
    ],
)
def test_a_capture_that_may_be_several_is_the_one_with_which_the_game_goes_on(moves, captured, fault):
    (game,), problems = read_pdn(f'[FEN "W:W26,32:B23,22,15,14,1"]\n{moves}', ENGLISH)
    assert [problem.ply for problem in problems] == [fault] * (fault is not None)
    assert (game.squares(1).captured if captured else ()) == captured
    if fault == 1:
        assert "ambiguous" in problems[0].message and "26x19x10" in problems[0].message


def test_games_end_in_a_result_a_star_or_a_new_tag_section():
    text = (
        "{of all} 1. 9-13 1-0 1. 9-14* 1. 9-14 * *\n"
        '[Event "a"]\n1. 11-15\n[Event "b"]\n{no moves}\n[Event "c"]\n[Site "d"]'
        '\n1. 2-0\n\n[event "e"] 11-16\n\n{the end}'
    )
    games, problems = read_pdn(text, ENGLISH)
    assert not problems
    assert [(game.tags.get("Event"), len(game.moves), game.result) for game in games] == [
        *((None, 1, result) for result in ("black", "*", "*")),
        *(("a", 1, "*"), ("b", 0, "*"), ("c", 0, "black"), ("e", 1, "*")),
    ]
    assert [game.number for game in games] == [1, 2, 3, 4, 5, 6, 7]
    assert games[0].comments == {0: "of all"}
    assert games[-1].comments == {1: "the end"}
    for only, number in ((1, 1), (6, 6), (7, 7), (-1, 7)):
        assert read_pdn(text, ENGLISH, only=only).games == [games[number - 1]]
    assert read_pdn(text, ENGLISH, only=8).games == read_pdn("", ENGLISH, only=-1).games == []


def test_comments_stand_after_the_plies_before_them():
    game = read_pdn("{a} {b}\n1. 9-13 {[%clk 0:59]\n c} 21-17 ;d}\n {} (e {f}) {g} *", ENGLISH).games[0]
    assert game.comments == {0: "a b", 1: "[%clk 0:59] c", 2: "d} g"}


def test_a_position_set_up_in_mid_game_goes_on_from_there():
    text = '1. 9-13 21-17 /FEN "W:W21,30:B1"/ 21-17 1-6 /FEN "B::"/ 2. 6-9'
    games, problems = read_pdn(text, ENGLISH)
    assert not problems
    assert list(games[0].setups) == [2, 4]
    assert [fen(ENGLISH, position) for position in games[0].positions[2:]] == [
        "W:W21,30:B1",
        "B:W17,30:B1",
        "B:W17,30:B6",
        "W:W17,30:B9",
    ]


@pytest.mark.parametrize(
    ("text", "line", "game", "ply", "moves"),
    [
        ("1. 9-13 21-17\n2. 5-10 25-21 *", 2, 1, 3, [2, 6]),
        ("1. 9-13 21-17\n2. 5-9 99-1 *", 2, 1, 4, [3, 6]),
        ("1. 9-13 h9-g8 *", 1, 1, 2, [1, 6]),
        ("1. b6-a5 a3-c5 *", 1, 1, 2, [1, 6]),
        ('[Event "x"]\n[FEN "W:W99:B1"]\n1. 9-13 *', 2, 1, 0, [6]),
        ('[FEN "X:W31:B1"]\n*', 1, 1, 0, [6]),
        ('[Event "x"]\n{[FEN "W:W21:B9"]}\n[fen "B:W21:Bx"] 1. 11-15 *', 3, 1, 0, [6]),
        ('[Event "x"]\n[Site "y]\n1. 9-13 *', 2, 1, 0, [1, 6]),
        ("1. 9-13 21-17 {a { b }\n} 2. 5-9 *", 2, 1, 3, [3, 6]),
        ('1. 9-13 {a\n\n[Event "b"] *', 1, 1, 2, [1, 0, 6]),
        ('1. 9-9 /FEN "B::"/ *', 1, 1, 1, [6]),
        ('[Result "1-0"]\n1. 9-13\n0-1', 3, 1, 2, [1, 6]),
    ],
)
def test_a_fault_has_its_place_and_the_rest_is_read(tmp_path, text, line, game, ply, moves):
    path = tmp_path / "games.pdn"
    path.write_text(f"{text}\n\n{OPENING}\n", encoding="utf-8")
    games, problems = read_pdn(path, ENGLISH)
    assert problems[0][:4] == (str(path), line, game, ply)
    one_line(problems[0].message)
    assert str(problems[0]).startswith(f"{path}:{line}: game {game}, ply {ply}: ")
    assert [len(game.moves) for game in games] == moves
    left_out = moves == [6]
    assert [problem for game in games for problem in game.problems] == ([] if left_out else problems)


def test_moves_behind_the_result_are_a_game_if_they_are_numbered_and_else_a_problem():
    games, _ = read_pdn('[Event "x"]\n1. 9-13 1-0\n1. 9-14 *', ENGLISH)
    assert [(game.tags, len(game.moves), game.result) for game in games] == [
        ({"Event": "x"}, 1, "black"),
        ({}, 1, "*"),
    ]
    games, problems = read_pdn('[Event "x"]\n1. 9-13 1-0\n\n[Empty] 1. 9-14 *', ENGLISH)
    assert [len(game.moves) for game in games] == [1, 1]
    assert [problem.game for problem in problems] == [2]
    games, (problem,) = read_pdn('[Event "x"]\n1. 9-13 1-0 {good} *\n21-17 25-21 *', ENGLISH)
    assert [(len(game.moves), game.result, game.comments) for game in games] == [(1, "black", {1: "good"})]
    assert (problem.line, problem.ply) == (3, 2)


@pytest.mark.parametrize(
    "name", [*VARIANTS, "english-6x6", "italian-6x6", "international-8x8", "russian-10x10", "simplified-6x6"]
)
def test_the_rules_and_the_board_of_a_game_are_read_back_without_being_given(name):
    variant = build_variant(name)
    moves = random_moves(variant, variant.start, random.Random(1), 12)
    text = write_pdn(PlayedGame(variant, variant.start, moves))
    (game,), problems = read_pdn(text)
    assert (game.variant, game.moves, problems) == (variant, moves, [])
    assert ("[Variant" in text) == (not variant.gametype)
    for gametype in (variant.gametype.partition(",")[0], variant.gametype.replace(",", ", ")):
        if variant.gametype and variant.name in VARIANTS:
            assert read_pdn(f'[GameType "{gametype}"] *', ENGLISH).games[0].variant == variant


@pytest.mark.parametrize(
    ("white", "encoding", "read"),
    [
        ("Bertè", "utf-8-sig", "Bertè"),
        ("Bertè", "utf-16", "Bertè"),
        ("Ильин", "cp1251", "Èëüèí"),
    ],
)
def test_a_file_that_is_not_unicode_is_read_as_latin_1_which_is_a_problem(tmp_path, white, encoding, read):
    path = tmp_path / "games.pdn"
    text = f'[White "{white}"]\r\n\r\n1. 9-13\r\n21-17 1-0\r\n\x1a'
    path.write_bytes(text.encode(encoding))
    games, problems = read_pdn(path, ENGLISH)
    assert [str(problem).startswith(f"{path}: ") for problem in problems] == [True] * (read != white)
    assert [(game.tags, len(game.moves), game.result) for game in games] == [({"White": read}, 2, "black")]


@pytest.mark.parametrize(
    ("file", "rules", "expected"),
    [
        ("oca.pdn", "english", [(44, "white"), (52, "draw"), (22, "white"), (64, "white")]),
        ("compositions.pdn", "international", [(plies, "white") for plies in (9, 18, 5, 12, 13, 10, 9)]),
        ("shashki.pdn", "russian", [(46, "draw"), (39, "white"), (59, "draw")]),
        ("spaced.pdn", "international", [(105, "white"), (128, "*")]),
        ("czech.pdn", "czech", [(29, "white"), (32, "black")]),
        ("italian.pdn", "italian", [(25, "white"), (30, "black")]),
    ],
)
def test_files_of_other_programs_are_read_whole_by_the_rules_of_their_moves(file, rules, expected):
    games, problems = read_pdn(DATA / file)
    assert [problem.ply for problem in problems] in ([], [0])
    assert [(game.variant.name, len(game.moves), game.result) for game in games] == [
        (rules, *of) for of in expected
    ]
    again = read_pdn("\n".join(map(write_pdn, games))).games
    assert [game.positions for game in again] == [game.positions for game in games]


@st.composite
def almost_pdn(draw) -> str:
    """Texts a few edits away from a PDN of several games."""
    name = draw(st.sampled_from(["oca.pdn", "sloppy.pdn"]))
    text = (DATA / name).read_text(encoding="utf-8")
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(text)))
        inserted = draw(st.text('[]{}()/"\\;%*$!?.:-x0123456789 \nabKWB', max_size=4))
        text = text[:at] + inserted + text[at + draw(st.integers(0, 30)) :]
    return text


@settings(max_examples=25)
@given(text=almost_pdn() | st.text() | st.text('[]{}()/"\\;%*.:-x0123 \nFENab'))
def test_any_text_is_read_or_its_problems_have_a_place(text):
    games, problems = read_pdn(text, ENGLISH)
    for problem in problems:
        assert problem.message and problem.file == "<text>" and problem.game >= 1 and problem.ply >= 0
        assert 1 <= problem.line <= text.count("\n") + text.count("\r") + 1
    for game in games:
        for position, move in zip(game.positions, game.moves, strict=False):
            assert move in legal_moves(game.variant.rules, position)


def test_tags_that_stand_together_begin_a_game_of_any_rules():
    text = """A line before the games.
[Event "chess"]
[white "a"]  [BLACK "b \\"c\\" d\\'e"]
{ [White "not a tag"] }

1. e4 e5 $1 2. Nf3!? {good; ; [%clk 1:00]} ; 0-1
3. O-O (3. h3 1-0)  1/2 - 1/2

[Event "without moves"]

[Event "without end"]
[Result "*"]
[Event "the last"]
1. 11-15 22x18
"""
    _, chess, *others = split(text)
    assert chess.tags == {"Event": "chess", "White": "a", "Black": 'b "c" d\'e'}
    assert (chess.line, chess.moves, chess.end) == (2, "e4 e5 Nf3!? O-O", "1/2 - 1/2")
    assert [(game.line, game.moves) for game in others] == [(9, ""), (11, ""), (13, "11-15 22x18")]
