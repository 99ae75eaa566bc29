"""Games: each way to end is reached at its ply, moves are taken back, and wrong uses change nothing."""

import random
from copy import deepcopy
from dataclasses import replace
from typing import Any, cast

import pytest

from arena import read_pdn
from arena.experiment.openings.sources import random_line
from arena.rules.game import Game, Outcome, Termination, game_of
from arena.rules.notation import fen, parse_fen
from arena.rules.pdn.write import write_pdn
from arena.rules.position import BLACK, WHITE
from arena.rules.result import Draws, Ending, in_balance
from arena.rules.variants import VARIANTS, Variant
from tests.helpers.command_line import one_line

ENGLISH = VARIANTS["english"]
INTERNATIONAL = VARIANTS["international"]
SIMPLIFIED = VARIANTS["simplified"]
DRAW = None


def play(variant: Variant, start: str, moves: str) -> Game:
    """The game of some moves, none of which but the last ends it."""
    game = Game(variant, parse_fen(variant, start))
    for ply, text in enumerate(moves.split()):
        assert game.outcome is None, f"over after {ply} plies"
        game.push(text)
    return game


def with_draws(name: str, **draws: object) -> Variant:
    """A variant with no draw rules but these."""
    return replace(VARIANTS[name], draws=Draws(**draws))  # type: ignore[arg-type]


def pushed(variant: Variant, moves: list[int]) -> Game:
    game = Game(variant)
    for move in moves:
        game.push(move)
    return game


def everything(game: Game) -> dict[str, object]:
    """All that a game knows, but for counts of 0."""
    return {**vars(game), "_seen": +game._seen, "outcome": game.outcome}


@pytest.mark.parametrize("seed", range(2))
def test_moves_that_are_taken_back_leave_the_game_as_it_was(variant, seed):
    ended = random_line(variant, 80, random.Random(seed))
    game, before = Game(variant), []
    for move in ended.moves:
        before.append(deepcopy(everything(game)))
        game.push(move)
    assert everything(game) == everything(ended)
    for was, move in zip(reversed(before), reversed(ended.moves), strict=True):
        assert game.pop() == move
        assert everything(game) == was
    with pytest.raises(IndexError, match="no move to take back"):
        game.pop()


def test_a_copy_is_played_on_without_the_game(variant):
    game = random_line(variant, 10, random.Random(1))
    before = deepcopy(everything(game))
    copied = game.copy()
    assert everything(copied) == before
    while copied.outcome is None and len(copied.moves) < 100:
        copied.push(copied.legal_moves[0])
    assert everything(game) == before
    game.pop()
    assert len(copied.moves) > len(game.moves) + 1
    assert everything(copied) == everything(pushed(variant, copied.moves))


def test_the_squares_of_a_move_are_where_pieces_come_and_go(variant):
    rng = random.Random(2)
    game = random_line(variant, 150, rng)
    while game.moves:
        game.pop()
        move = rng.choice(game.legal_moves)
        origin, target, captured = game.squares(move)
        before, colour = game.pieces, "wb"[game.turn]
        after = game.copy()
        after.push(game.text(move))
        assert after.moves[-1] == move
        assert before.keys() - after.pieces.keys() == {origin, *captured} - {target, 0}
        if move:
            assert before[origin].lower() == colour == after.pieces[target].lower()
            assert colour not in {before[square].lower() for square in captured}


def test_a_game_is_made_by_names_and_read_as_text():
    game = Game("english", "B:W18,K22:B11,K3")
    assert game.fen == "B:W18,K22:BK3,11"
    assert game.pieces == {3: "B", 11: "b", 18: "w", 22: "W"}
    assert game.turn == BLACK
    game.push("11-15")
    assert game.legal_texts == ["18x11"]
    game.push("18-11")
    assert game.pieces == {3: "B", 11: "w", 22: "W"}
    assert "1. 11-15 18x11 *" in game.pdn
    assert str(game).endswith("Black to move")
    assert repr(game) == "<Game english, after 2 plies, B:W11,K22:BK3>"


@pytest.mark.parametrize(
    "use",
    [
        lambda game: game.push(0),
        lambda game: game.text(1 << 62),
        lambda game: game.squares(None),
        lambda game: game.text(Game("english").legal_moves[0]),
        lambda game: game.squares("11-15"),
        lambda game: game.move(5),
        lambda game: game.board(arrows=[5]),
        lambda _: Game("english", cast(Any, 5)),
    ],
)
def test_a_wrong_use_of_a_game_is_refused_in_one_line_and_changes_nothing(use):
    game = pushed(ENGLISH, Game("english").legal_moves[:1])
    before = deepcopy(everything(game))
    with pytest.raises(ValueError, match=r".") as caught:
        use(game)
    one_line(caught.value)
    assert everything(game) == before


@pytest.mark.parametrize(
    ("name", "start", "moves", "winner", "termination"),
    [
        ("english", "W:W22:B18", "22x15", WHITE, Termination.NO_PIECES),
        ("english", "W:W21:B9,14", "21-17 14x21", BLACK, Termination.NO_PIECES),
        ("english", "B:W13:B5,6", "5-9", BLACK, Termination.NO_MOVES),
        ("english", "W:W28:B19,24", "", BLACK, Termination.NO_MOVES),
        ("antidraughts", "W:W32:B28", "32x23", BLACK, Termination.NO_PIECES),
        ("antidraughts", "B:W16:B6,7", "6-11", WHITE, Termination.NO_MOVES),
        ("breakthrough", "W:W7:B44", "7-2", WHITE, Termination.FIRST_KING),
        ("breakthrough", "W:W17:B44", "17-12 44-49", BLACK, Termination.FIRST_KING),
    ],
)
def test_a_game_is_decided_at_the_ply_at_which(name, start, moves, winner, termination):
    game = play(VARIANTS[name], start, moves)
    assert game.outcome is not None and game.outcome[:2] == (winner, termination)
    assert game.legal_moves == []


@pytest.mark.parametrize(
    ("start", "moves", "winner", "white_and_black"),
    [
        ("W:W6:B26", "6-2 26-31", DRAW, (2, 2)),
        ("W:W6,3:B26", "6-2 26-31", WHITE, (4, 2)),
        ("W:W6:B26,27,17", "6-2 17-22 pass 22-25 pass 25-29 pass 26-30 pass 27-31", BLACK, (2, 6)),
        ("W:W22:B18", "22x15", WHITE, (1, 0)),
    ],
)
def test_points_that_decide_are_part_of_the_outcome_and_of_the_pdn(start, moves, winner, white_and_black):
    game = play(SIMPLIFIED, start, moves)
    assert game.outcome == Outcome(winner, Termination.POINTS, white_and_black)
    assert game.legal_moves == []
    white, black = white_and_black
    assert f"{{points: White {white}, Black {black}}} " in game.pdn


def test_a_side_without_a_move_passes_until_neither_can_move():
    assert play(SIMPLIFIED, "W:W7:B25,5", "7-3 5-9").legal_moves == [0]
    moves = "7-3 5-9 pass 9-14 pass 14-18 pass 18-23 pass 23-27 pass 27-32 pass 25-29"
    game = play(SIMPLIFIED, "W:W7:B25,5", moves)
    assert game.outcome == Outcome(BLACK, Termination.POINTS, (2, 4))
    assert fen(SIMPLIFIED, game.position) == "W:W3:B29,32"


def test_a_position_with_the_other_side_to_move_is_another_one():
    triangles = ["46-41", "45-40", "41-37", "40-45", "37-46", "45-40", "46-41", "40-34", "41-46", "34-45"]
    game = Game(with_draws("international", repetition=3), "W:WK46:BK45")
    while game.outcome is None:
        game.push(triangles[len(game.moves) % len(triangles)])
    assert len(game.moves) == 20


def test_captures_and_mens_moves_are_progress():
    variant = with_draws("english", no_progress=4)
    by_man = play(variant, "W:WK1,30:BK32", "1-5 32-28 30-26 28-32 5-1 32-28 1-5")
    assert by_man.outcome == Outcome(DRAW, Termination.NO_PROGRESS)
    by_capture = play(variant, "B:WK1,K22:BK32,K13", "13-17 22x13 32-28 1-5 28-32 5-1")
    assert by_capture.outcome == Outcome(DRAW, Termination.NO_PROGRESS)


@pytest.mark.parametrize(
    ("ending", "text", "balanced"),
    [
        (Ending(10, 2, 3), "W:WK46:BK45", True),
        (Ending(10, 2, 3), "W:WK46:B6", False),
        (Ending(10, 2, 3), "B:WK46:BK45,10", True),
        (Ending(30, 4, 20, kings=3), "W:WK1,K2,31:BK45", False),
        (Ending(30, 4, 20, kings=3), "W:WK1,K2,K3:BK45,6", False),
        (Ending(30, 4, 20, kings=3), "W:WK1:BK45,K44,K43", True),
        (Ending(10, 4, 4, long_diagonal=True), "W:WK1,K2,K3:BK23", True),
        (Ending(10, 4, 4, long_diagonal=True), "W:WK1,K2,K3:BK45", False),
        (Ending(10, 4, 4, long_diagonal=True), "W:WK46,K5,K23:BK45", False),
        (Ending(60, 4, 5, lone_king=False), "W:WK1,31:BK45,6", True),
        (Ending(60, 4, 5, lone_king=False), "W:W32,31:BK7,6", False),
    ],
)
def test_an_ending_is_known_by_its_pieces(ending, text, balanced):
    assert in_balance(ending, INTERNATIONAL.rules, parse_fen(INTERNATIONAL, text)) == balanced


@pytest.mark.parametrize(("restarts", "plies"), [(True, 7), (False, 4)])
def test_a_capture_starts_the_count_of_some_endings_again(restarts, plies):
    variant = with_draws("english", endings=(Ending(4, 4, 5, lone_king=False, restarts=restarts),))
    moves = ["29-25", "24-27", "32x23", "1-6", "25-29", "6-1", "29-25"]
    game = play(variant, "W:WK29,K32:BK1,K5,K24", " ".join(moves[:plies]))
    assert game.outcome == Outcome(DRAW, Termination.ENDING)


def test_a_win_at_the_ply_of_a_draw_counts():
    variant = with_draws("international", endings=INTERNATIONAL.draws.endings)
    moves = 2 * "46-41 45-40 41-46 40-45 " + "46-23 45x12"
    assert play(variant, "W:WK46:BK45", moves).outcome == Outcome(BLACK, Termination.NO_PIECES)


@pytest.mark.parametrize(
    ("text", "moves", "fen"),
    [
        ("W:W40,K47:B1,K5:H0:F1:+0+347", [], "W:W40,K47:B1,K5:+0+347"),
        ("W:W40,K47:B1,K5:+25+0", [], "W:W40,K47:B1,K5:+25+0"),
        ("W:W40,K47:B1,K5:+0+3", [], "W:W40,K47:B1,K5:+0+347"),
        ("W:W40,K47:B1,K5:+0+0", ["47-41"], "B:W40,K41:B1,K5:+0+141"),
        ("W:W40,K47:B1,K5:+15+247", ["47-41"], "B:W40,K41:B1,K5:+15+341"),
    ],
)
def test_frisian_king_moves_of_a_fen_are_read_used_and_written(text, moves, fen):
    game = Game("frisian", text)
    for move in moves:
        game.push(move)
    assert game.fen == fen
    assert any(move.startswith("47-") for move in game.legal_texts) == ("+347" not in fen and fen[0] != "B")
    (again,), problems = read_pdn(game.pdn)
    assert not problems and game_of(again).fen == fen and (write_pdn(again) == game.pdn)
    for wrong in ("W:W40,K47:B1,K5:+0+346", "W:WK46,K47:B1,K5:+0+3", "W:W40,K47:B1:+3+0"):
        with pytest.raises(ValueError, match="which moved 3 times"):
            Game("frisian", wrong)
    assert parse_fen(VARIANTS["frisian"], text) == Game("frisian", text).position
    assert Game("international", text).fen.count(":") == 2


@pytest.mark.full
@pytest.mark.parametrize("name", VARIANTS)
def test_the_fen_of_a_game_in_progress_is_the_start_of_one_with_the_same_moves(name):
    variant = VARIANTS[name]
    for seed in range(10):
        game, rng = Game(variant), random.Random(seed)
        while game.outcome is None and len(game.moves) < 1000:
            game.push(rng.choice(game.legal_moves))
            again = Game(variant, game.fen)
            assert (again.position, again.legal_moves, again.fen) == (game.position, game.legal_moves, game.fen)
            if len(game.moves) % 10 == 0:
                (read,), problems = read_pdn(again.pdn)
                assert not problems and game_of(read).fen == game.fen
