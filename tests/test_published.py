"""Tests of the published programs against slow literal twins, `tests/helpers/published.py`."""

from __future__ import annotations

import math
import random
from functools import cache

import pytest

from arena.rules.game import Game
from arena.rules.movegen import apply
from arena.rules.notation import place
from arena.rules.position import BLACK, WHITE
from arena.rules.variants import VARIANTS
from arena.sitting.entering import entered_move
from players.negamax.score import WIN
from players.player import Choice, Limit
from players.published import CheckersAI, Cis300, Game3, Published, Simplified
from tests.helpers import published as twins
from tests.helpers.rule_sets import UNCOMPILED

FEW, MANY = 6, 6 if UNCOMPILED else 100
"""Positions in the quick tier and in the full one."""
DEPTH = 3 if UNCOMPILED else 4
positions = pytest.mark.parametrize("number", [FEW, MANY], ids=["few", "many"])


@cache
def open_games(name: str, number: int) -> list[Game]:
    """Random games under way with more than one move, from the first to those of few pieces; in every fourth the
    pieces often go back to where they came from."""
    found: list[Game] = []
    seed = 0
    while len(found) < number:
        seed += 1
        rng, game = random.Random(seed), Game(name)
        for _ in range(rng.randint(0, 30 if seed % 2 else 120)):
            if game.outcome is not None:
                break
            retreats = seed % 4 == 0 and len(game.positions) > 2 and rng.random() < 0.5
            game.push(back(game) if retreats else rng.choice(game.legal_moves))
        if game.outcome is None and len(game.legal_moves) > 1:
            found.append(game)
    return found


@cache
def ending_games(name: str, number: int) -> list[Game]:
    """Random games three plies before their end, with more than one move."""
    found: list[Game] = []
    seed = 0
    while len(found) < number:
        seed += 1
        rng, whole, game = random.Random(seed), Game(name), Game(name)
        while whole.outcome is None:
            whole.push(rng.choice(whole.legal_moves))
        for move in whole.moves[:-3]:
            game.push(move)
        if len(game.legal_moves) > 1:
            found.append(game)
    return found


def back(game: Game) -> int:
    """The move that takes back the mover's last one, else the first."""
    earlier = game.positions[-3]
    wanted = earlier.white if game.turn == WHITE else earlier.black
    for move in game.legal_moves:
        after = apply(game.variant.rules, game.position, move)
        if (after.white if game.turn == WHITE else after.black) == wanted:
            return move
    return game.legal_moves[0]


def board(game: Game) -> twins.Board:
    return twins.board_of(game.position)


def chosen(player: Published, game: Game, depth: int = DEPTH) -> Choice:
    return player.choose(game, Limit(depth=depth), random.Random(0))


def found(game: Game, choice: Choice, *counts: str) -> tuple[object, ...]:
    """The value of a choice, its move, and some of its counts."""
    return choice.score, ends(game, choice.move), *(getattr(choice, name) for name in counts)


def expected(answer: twins.Answer, *counts: str) -> tuple[object, ...]:
    """The same of a twin's answer, an infinite value as the arena has it."""
    value = math.copysign(WIN, answer.value) if math.isinf(answer.value) else answer.value
    return value, answer.move.ends, *(getattr(answer.counts, name) for name in counts)


def ends(game: Game, move: int) -> object:
    """The origin, the target and the captured squares of a move on the board of the program; None for a pass."""

    def square(number: int) -> twins.Square:
        row, index = divmod(number - 1, twins.SIZE // 2)
        return row, 2 * index + (row % 2 if game.variant.name == "game3" else 1 - row % 2)

    if not move:
        return None
    squares = game.squares(move)
    return square(squares.origin), square(squares.target), frozenset(map(square, squares.captured))


@pytest.mark.full(only=["few", "many"])
@positions
def test_game3_has_the_value_move_nodes_and_cutoffs_of_its_program(number):
    """Its undo repaired, and its evaluation repaired or as printed."""
    counts = ("nodes", "cutoffs_max", "cutoffs_min")
    for as_printed in (False, True):
        player = Game3(VARIANTS["game3"], as_printed)
        for game in open_games("game3", number):
            history = [twins.board_of(position, mirrored=True) for position in game.positions]
            answer = twins.Game3(as_printed).search(history, game.turn, DEPTH)
            choice = player.choose(game, Limit(), random.Random(0)) if DEPTH == 4 else chosen(player, game)
            assert found(game, choice, *counts) == expected(answer, *counts), game.fen


@pytest.mark.full(only=["many"])
@positions
def test_cis300_has_the_value_and_the_move_of_its_program_as_printed_and_repaired(number):
    printed, repaired = Cis300(VARIANTS["cis300"], as_printed=True), Cis300(VARIANTS["cis300"])
    for game in open_games("cis300", number):
        answer = twins.cis300_as_printed(board(game), game.turn, DEPTH)
        assert found(game, chosen(printed, game)) == expected(answer), game.fen
        answer = twins.cis300(board(game), game.turn, DEPTH)
        assert found(game, chosen(repaired, game)) == expected(answer), game.fen


@pytest.mark.full(only=["many"])
@positions
def test_a_capture_hop_by_hop_at_one_depth_is_the_tree_of_whole_moves(number):
    """As published: the arena's `cis300` plays whole moves, the program hops, in another order of the captures."""
    for game in open_games("cis300", number):
        assert twins.by_hops(board(game), game.turn, 3) == twins.by_whole_moves(board(game), game.turn, 3)


@pytest.mark.full(only=["few", "many"])
@positions
def test_simplified_has_the_value_move_and_counts_of_its_program(number):
    counts = ("nodes", "deepest", "cutoffs_max", "cutoffs_min")
    player = Simplified(VARIANTS["simplified"])
    for i, game in enumerate(open_games("simplified", number) + ending_games("simplified", number // 3)):
        depth = 1 + i % (DEPTH + 1)
        answer = twins.Simplified().search(board(game), game.turn, depth)
        assert found(game, chosen(player, game, depth), *counts) == expected(answer, *counts), game.fen


@pytest.mark.full(only=["many"])
@positions
def test_checkers_ai_has_the_value_move_and_nodes_of_its_program_after_each_depth(number):
    player = CheckersAI(VARIANTS["checkers-ai"])
    for game in open_games("checkers-ai", number):
        for depth, answer in enumerate(twins.checkers_ai(board(game), game.turn, DEPTH), start=1):
            choice = chosen(player, game, depth)
            assert choice.depth == depth
            assert found(game, choice, "nodes") == expected(answer, "nodes"), (game.fen, depth)


@pytest.mark.full
def test_the_errors_of_the_programs_change_moves():
    for player, name in ((Cis300, "cis300"), (Game3, "game3")):
        repaired, printed = player(VARIANTS[name]), player(VARIANTS[name], as_printed=True)
        games = open_games(name, 40)
        differ = sum(chosen(repaired, game).move != chosen(printed, game).move for game in games)
        assert differ > 4


def test_cis300_as_printed_does_not_see_a_win_at_its_horizon():
    game = Game("cis300", "W:W18,32:B14")
    printed, repaired = (Cis300(VARIANTS["cis300"], as_printed) for as_printed in (True, False))
    for depth in (1, 2):
        answer = twins.cis300_as_printed(board(game), game.turn, depth)
        assert found(game, chosen(printed, game, depth)) == expected(answer)
        sees = [(chosen(player, game, depth).score or 0.0) > 100 for player in (printed, repaired)]
        assert sees == [depth == 2, True]


@pytest.mark.full
def test_a_win_of_game3_is_worth_the_same_at_any_distance_and_without_hope_it_plays_the_first_move():
    player = Game3(VARIANTS["game3"])
    won, lost = Game("game3", "W:W14:B10"), Game("game3", "B:W14:B6")
    assert chosen(player, won, 1)[:2] == (won.move("14-5"), WIN)
    assert chosen(player, lost)[:2] == (lost.move("6-10"), -WIN)
    assert [chosen(player, lost, depth).wins_in for depth in (1, 2, 3, 4)] == [0, -2, -2, -4]
    assert [chosen(player, won, depth).wins_in for depth in (1, 2, 3, 4)] == [1, 1, 3, 3]


def test_the_boards_of_game3_have_its_published_rows_and_columns():
    start = twins.board_of(VARIANTS["game3"].start, mirrored=True)
    assert {column for row, column in start if row == 0} == {0, 2, 4, 6}
    assert {row for (row, _), piece in start.items() if piece.colour == BLACK} == {0, 1, 2}
    game = Game("game3")
    assert game.text(entered_move(game, "2 0 3 1")) == "9-13"
    assert {place(game.variant, bit)[::-1] for bit in game.variant.bits} >= set(start)
