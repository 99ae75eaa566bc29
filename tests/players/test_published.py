"""The published programs against slow literal twins, `tests/helpers/published.py`."""

import math
import random
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import count
from typing import Any, TypeAlias

import pytest

from arena.rules.game import Game
from arena.rules.movegen import apply
from arena.rules.position import BLACK, WHITE, Position
from arena.rules.variants import VARIANTS
from players.negamax.score import WIN
from players.player import Choice, Limit
from players.published.programs import CheckersAI, Cis300, Game3, Published, Simplified
from tests.helpers import published as twins
from tests.helpers.rule_sets import UNCOMPILED

pytestmark = pytest.mark.full  # the quick tier has their signature
POSITIONS, WHOLE = (6, 2) if UNCOMPILED else (20, 4)
"""Positions of each kind, and whole games."""
DEPTH = 3 if UNCOMPILED else 4


@cache
def games_of(name: str, number: int, *, near_end: bool = False) -> list[Game]:
    """Random games under way with more than one move, from the first to those of few pieces; in every fourth the
    pieces often go back to where they came from. Or those that stand one to four plies before their end.
    """
    found: list[Game] = []
    for seed in count(1):
        if len(found) == number:
            break
        rng, game = random.Random(seed), Game(name)
        for _ in range(1000 if near_end else rng.randint(0, 30 if seed % 2 else 120)):
            if game.outcome is not None:
                break
            retreats = not near_end and seed % 4 == 0 and len(game.positions) > 2 and rng.random() < 0.5
            game.push(back(game) if retreats else rng.choice(game.legal_moves))
        for _ in range(1 + seed % 4 if near_end else 0):
            game.pop()
        if game.outcome is None and len(game.legal_moves) > 1:
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


def squares_of(game: Game, move: int) -> tuple[twins.Square, twins.Square, frozenset[twins.Square]]:
    """The origin, the target and the captured squares of a move on the board of the program."""
    per_row = 5 if game.variant.squares == 50 else 4

    def square(number: int) -> twins.Square:
        row, index = divmod(number - 1, per_row)
        return row, 2 * index + (row % 2 if game.variant.name == "game3" else 1 - row % 2)

    squares = game.squares(move)
    return square(squares.origin), square(squares.target), frozenset(map(square, squares.captured))


Found: TypeAlias = tuple[Any, ...]
"""A value for the side to move, a move as `squares_of` has it, and what the program counts."""


def of_answer(answer: twins.Answer, counts: Sequence[str]) -> Found:
    """What a twin finds, an infinite value as the arena has it."""
    value = math.copysign(WIN, answer.value) if math.isinf(answer.value) else answer.value
    return value, answer.move.ends, *(getattr(answer.counts, name) for name in counts)


def of_printed_game3(game: Game, depth: int) -> Found:
    """What the program `game3` finds after it has made the moves of a game."""
    again = Game("game3", game.start)
    program = twins.PrintedGame3(twins.board_of(again.position, mirrored=True), again.turn)
    for played in game.moves:
        start, end, _ = squares_of(again, played)
        program.make_move(start, end)
        again.push(played)
    value, move = program.minimax(depth, -math.inf, math.inf)
    assert move is not None
    start, end = move
    middle = ((start[0] + end[0]) // 2, (start[1] + end[1]) // 2)
    taken = frozenset([middle] if abs(end[0] - start[0]) == 2 else [])
    return value if game.turn == BLACK else -value, (start, end, taken), program.nodes


def of_game3(game: Game, depth: int, **errors: bool) -> Found:
    history = [twins.board_of(position, mirrored=True) for position in game.positions]
    return of_answer(twins.Game3(**errors).search(history, game.turn, depth), CUTOFFS)


def of_checkers_ai(game: Game, depth: int) -> Found:
    return of_answer(twins.checkers_ai(board(game), game.turn, depth)[-1], ["nodes"])


def of_simplified(game: Game, depth: int) -> Found:
    return of_answer(twins.Simplified().search(board(game), game.turn, depth), (*CUTOFFS, "deepest"))


def of_cis300(game: Game, depth: int, twin: Callable[..., twins.Answer] = twins.cis300) -> Found:
    return of_answer(twin(board(game), game.turn, depth), ())


CUTOFFS = ("nodes", "cutoffs_max", "cutoffs_min")
PROGRAMS: dict[str, tuple[str, Callable[..., Published], Sequence[str], Callable[[Game, int], Found]]] = {
    "game3 as printed": ("game3", partial(Game3, as_printed=True), ["nodes"], of_printed_game3),
    "game3 with the sign": ("game3", partial(Game3, as_printed="sign"), CUTOFFS, partial(of_game3, sign=True)),
    "game3 with finals": ("game3", partial(Game3, as_printed="finals"), CUTOFFS, partial(of_game3, finals=True)),
    "game3": ("game3", Game3, CUTOFFS, of_game3),
    "cis300 as printed": (
        "cis300",
        partial(Cis300, as_printed=True),
        (),
        partial(of_cis300, twin=twins.cis300_as_printed),
    ),
    "cis300": ("cis300", Cis300, (), of_cis300),
    "simplified": ("simplified", Simplified, (*CUTOFFS, "deepest"), of_simplified),
    "checkers-ai": ("checkers-ai", CheckersAI, ["nodes"], of_checkers_ai),
}
"""The rule set of each program, its player, what it counts, and its twin's answer to a depth."""


def found(player: Published, game: Game, depth: int, counts: Sequence[str]) -> Found:
    """What a player finds."""
    choice = chosen(player, game, depth)
    return choice.score, squares_of(game, choice.move), *(getattr(choice, name) for name in counts)


def chosen(player: Published, game: Game, depth: int = DEPTH) -> Choice:
    return player.choose(game, Limit(depth=depth), random.Random(0))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_finds_what_its_twin_finds_in_the_middle_and_up_to_four_plies_before_the_end(name):
    rules, kind, counts, twin = PROGRAMS[name]
    player = kind(VARIANTS[rules])
    for game in games_of(rules, POSITIONS) + games_of(rules, POSITIONS, near_end=True):
        for depth in range(1, DEPTH + 1) if name == "checkers-ai" else [DEPTH]:
            assert found(player, game, depth, counts) == twin(game, depth), (game.fen, depth)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_plays_whole_games_as_its_twin_does(name):
    rules, kind, counts, twin = PROGRAMS[name]
    player = kind(VARIANTS[rules])
    for seed in range(WHOLE):
        rng, game, depth = random.Random(seed), Game(rules), 1 + seed % 2
        while game.outcome is None and len(game.moves) < 150:
            if len(game.moves) < 6 or len(game.legal_moves) == 1:
                game.push(rng.choice(game.legal_moves))
                continue
            assert found(player, game, depth, counts) == twin(game, depth), (seed, game.fen, depth)
            game.push(chosen(player, game, depth).move)


def test_casual_10x10_has_the_moves_boards_and_results_of_its_text():
    def told(position: Position) -> twins.Board:
        return twins.board_of(position, size=10)

    rules = VARIANTS["casual-10x10"].rules
    for seed in range(POSITIONS // 5):
        rng, game = random.Random(seed), Game("casual-10x10")
        while len(game.moves) < 1000:
            moves = twins.casual_moves(told(game.position), game.turn)
            own = {
                (squares_of(game, move), frozenset(told(apply(rules, game.position, move)).items()))
                for move in game.legal_moves
            }
            assert own == {(move.ends, frozenset(end.items())) for move, end in moves}, game.fen
            assert (game.outcome is None) == bool(moves)
            if game.outcome is not None:
                assert game.outcome.winner == 1 - game.turn
                break
            game.push(rng.choice(game.legal_moves))


def test_game3_as_printed_evaluates_a_position_a_hundred_plies_after_the_last_capture():
    game, rng = Game("game3", "B:WK29,K30,K31,K32:BK1,K2,K3"), random.Random(3)

    def is_quiet(move: int) -> bool:
        """Whether a move leads to a new position in which nothing can be captured."""
        after = Game(game.variant, apply(game.variant.rules, game.position, move))
        return after.position not in game.positions and not any("x" in text for text in after.legal_texts)

    while game.without_capture < 97:
        game.push(rng.choice([move for move in game.legal_moves if is_quiet(move)]))
    player = Game3(VARIANTS["game3"], as_printed=True)
    for depth in (3, 4, 5):
        assert found(player, game, depth, ["nodes"]) == of_printed_game3(game, depth)


def test_a_win_of_game3_is_worth_the_same_at_any_distance_and_without_hope_it_plays_the_first_move():
    player = Game3(VARIANTS["game3"])
    won, lost = Game("game3", "W:W14:B10"), Game("game3", "B:W14:B6")
    assert chosen(player, won, 1)[:2] == (won.move("14-5"), WIN)
    assert chosen(player, lost)[:2] == (lost.move("6-10"), -WIN)
    assert [chosen(player, lost, depth).plies_to_win for depth in (1, 2, 3, 4)] == [0, -2, -2, -4]
    assert [chosen(player, won, depth).plies_to_win for depth in (1, 2, 3, 4)] == [1, 1, 3, 3]
