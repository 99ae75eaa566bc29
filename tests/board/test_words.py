"""Moves as a person types them."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import Game
from arena.base import ArenaError
from arena.board.words import is_like_move, legal_line, numbered_move, read_move
from arena.rules.move_text import paths
from arena.rules.notation import algebraic, place
from tests.helpers.command_line import one_line

FORK = "W:W22,30:B17,18,9,10"
"""White captures 22x13x6 or 22x15x6."""
NAMES = ("english", "international", "simplified")


def entered(text: str, fen: str | None = None, variant: str = "english") -> str:
    game = Game(variant, fen)
    return game.text(read_move(game, text))


def random_game(name: str, seed: int, plies: int) -> Game:
    """A game of random moves, captures first, so many plies long at most, not over."""
    game, rng = Game(name), random.Random(seed)
    for _ in range(plies):
        game.push(rng.choice(game.legal_moves))
        if game.outcome is not None:
            game.pop()
            break
    return game


@pytest.fixture(scope="module", autouse=True)
def compiled_rules() -> None:
    """Compiling them is not to count as slow drawing."""
    for name in NAMES:
        random_game(name, 0, 1)


games = st.builds(random_game, st.sampled_from(NAMES), st.integers(0, 10**6), st.integers(0, 60))


def ways(game: Game, move: int) -> list[list[int]]:
    """The squares of a move by their numbers: its ends, and all paths of a capture."""
    squares = game.squares(move)
    found = [[squares.origin, squares.target]]
    if squares.captured:
        found += paths(game.variant, game.position, move)
    return found


# --- what any legal move can be entered by


@settings(max_examples=25)
@given(game=games, data=st.data())
def test_every_move_is_entered_by_its_text_and_every_capture_by_any_of_its_paths(game, data):
    for move in game.legal_moves:
        assert read_move(game, f"  {game.text(move).upper()} ") == move
        if move:
            way = data.draw(st.sampled_from(ways(game, move)[1:] or ways(game, move)))
            between = data.draw(st.sampled_from(["x", "-", " ", ":", " x "]))
            if between == " " and len(way) >= 4:
                between = "x"
            assert read_move(game, between.join(map(str, way))) == move


@settings(max_examples=25)
@given(game=games, data=st.data())
def test_every_move_is_entered_by_rows_and_columns_and_by_names_of_squares(game, data):
    for move in game.legal_moves:
        if move and len(fitting(game, move)) == 1:
            way = data.draw(st.sampled_from(ways(game, move)))
            if len({other for other in game.legal_moves if other and way in ways(game, other)}) > 1:
                continue
            places = [place(game.variant, game.variant.bits[number - 1])[::-1] for number in way]
            assert read_move(game, " ".join(f"{row} {column}" for row, column in places)) == move
            assert read_move(game, " to ".join(f"({row}, {column})" for row, column in places)) == move
            ends = [algebraic(game.variant, game.variant.bits[number - 1]) for number in ways(game, move)[0]]
            assert read_move(game, "-".join(ends)) == move


def fitting(game: Game, move: int) -> list[int]:
    """The legal moves with a move's ends."""
    ends = ways(game, move)[0]
    return [other for other in game.legal_moves if other and ways(game, other)[0] == ends]


@settings(max_examples=25)
@given(game=games, text=st.text("0123456789-x: (),abcdpas", max_size=14) | st.text(max_size=14))
def test_any_text_is_a_legal_move_or_one_line_of_what_there_is(game, text):
    try:
        assert read_move(game, text) in game.legal_moves
    except ArenaError as error:
        one_line(error)


# --- what is meant


def test_a_move_has_many_forms():
    forms = ("9-13", "9 13", "9x13", "2 1 3 0", "(2, 1) to (3, 0)", "2,1 3,0", "b6-a5")
    assert {*map(entered, forms)} == {"9-13"} and entered("12") == entered("12-") == "12-16"


def test_a_beginning_of_a_capture_is_enough_where_it_says_which():
    for text in ("22x13x6", "22 13", "22x13", "5 2 3 0 1 2", "(5, 2) (3, 0)"):
        assert entered(text, FORK) == "22x13x6"
    with pytest.raises(ArenaError, match="can be 22x15x6 or 22x13x6"):
        entered("22x", FORK)


def test_a_pass_is_entered_where_it_is_the_move():
    game = Game("simplified", "B:W1:B5,32")
    while game.legal_moves != [0]:
        game.push(game.legal_moves[0])
    assert read_move(game, "pass") == read_move(game, "p") == 0
    assert legal_line(game) == "the only move: pass"
    with pytest.raises(ArenaError, match="is no move; legal moves"):
        entered("pass")


@pytest.mark.parametrize(
    "text", ["11-14", "11", "1", "9-1", "", "3 3 4 4 5", "3 3 4 4", "(2, 1) (3", "a2-b3", "9" * 500]
)
def test_what_is_no_move_says_which_there_are(text):
    with pytest.raises(ArenaError) as caught:
        entered(text)
    one_line(caught.value)


def test_a_number_selects_a_move_of_the_list_in_its_order():
    game = Game("english")
    assert [numbered_move(game, str(number)) for number in range(1, 8)] == game.legal_moves
    for text in ("0", "8", "11", "9" * 500):
        with pytest.raises(ArenaError, match="is not in the list of moves, 1 to 7"):
            numbered_move(game, text)


def test_moves_and_commands_differ_in_how_they_begin():
    assert all(map(is_like_move, ("11", "(2, 1)", "c3", "C3-d4", " 9-13")))
    assert not any(map(is_like_move, ("fen", "eval", "draw", "level 3", "", "black greedy", "c", "hint")))
