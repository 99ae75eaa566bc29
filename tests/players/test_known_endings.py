"""Searches that read endgame tables, and those that do not, against the tables."""

import json
import random
from typing import Any

import pytest

from arena.board.sides import adviser, level
from arena.board.words import outlook_lines
from arena.hosting.analysis import Analysis
from arena.rules.custom import build_variant
from arena.rules.endgame.retrograde import make
from arena.rules.endgame.tables import known_pieces
from arena.rules.game import Game
from arena.rules.movegen import apply, legal_moves
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.build import build_evaluation
from players.loading import PlayerError
from players.negamax.player import Negamax
from players.negamax.score import WIN, decided_value
from players.negamax.switches import PRESETS
from players.player import LEVELS, Choice, Limit, PlayerSpec
from players.table import build_player
from tests.helpers.command_line import invoke, one_line
from tests.helpers.proofs import ending

ENGLISH = VARIANTS["english"]
PIECES = 3


def searching(variant: Variant = ENGLISH, **options: Any) -> Any:
    return build_player(PlayerSpec("a", "negamax", Limit(depth=1), options), variant)


def choose(player: Any, game: Game, depth: int) -> Choice:
    choice: Choice = player.choose(game, Limit(depth=depth), random.Random(0))
    return choice


def endings(variant: Variant, count: int, pieces: int) -> list[Position]:
    """Random endings in which a move can be made."""
    rng = random.Random(7)
    drawn = (ending(variant, rng, pieces) for _ in range(20 * count))
    return [position for position in drawn if Game(variant, position).outcome is None][:count]


@pytest.mark.parametrize("name", ["english", "antidraughts", "breakthrough"])
def test_a_search_plays_an_ending_by_the_tables(name):
    variant = VARIANTS[name]
    tables = make(variant, PIECES)
    for preset in PRESETS:
        player = searching(variant, preset=preset, tables=PIECES)
        for position in endings(variant, 100, PIECES):
            game, value = Game(variant, position), tables.value(position)
            assert value is not None
            choice = choose(player, game, 1)
            assert choice.score == value.result * (WIN - value.plies)
            assert choice.plies_to_win == value.result * value.plies
            game.push(choice.move)
            after = tables.value(game.position)
            assert after is not None and after == (-value.result, max(value.plies - 1, 0)), preset


def test_a_search_values_its_leaves_by_the_tables():
    tables, evaluation = make(ENGLISH, PIECES), build_evaluation("simple", ENGLISH)
    rules = ENGLISH.rules

    def naive(position: Position, depth: int, ply: int) -> float:
        value = tables.value(position)
        if value is not None and ply:
            return value.result * (WIN - ply - value.plies)
        moves = legal_moves(rules, position)
        if not moves:
            return decided_value(rules, position, ply)
        if depth == 0:
            return float(evaluation.values(rules, [position])[0])
        return max(-naive(apply(rules, position, move), depth - 1, ply + 1) for move in moves)

    for preset in ("minimax", "alphabeta", "pvs"):
        player, known = searching(preset=preset, tables=PIECES, iterative=False), 0
        for position in endings(ENGLISH, 40, PIECES + 2):
            choice = choose(player, Game(ENGLISH, position), 4)
            assert choice.score == naive(position, 4, 0)
            known += choice.plies_to_win != 0
        assert known > 5


def test_tables_have_the_pieces_asked_for_alone():
    game = Game(ENGLISH, "W:WK1,K10:BK32")
    choices = [choose(searching(tables=pieces), game, 2) for pieces in (0, 2, PIECES)]
    assert [choice.plies_to_win for choice in choices] == [0, 0, 29]
    assert choices[0] == choices[1]


@pytest.mark.parametrize(
    ("variant", "pieces"),
    [("simplified", 3), ("frisian", 3), ({"base": "antidraughts", "first_king_wins": True}, 3), ("english", 7)],
)
def test_impossible_tables_are_refused_in_one_line(variant, pieces):
    with pytest.raises(PlayerError) as raised:
        searching(build_variant(variant), tables=pieces)
    one_line(raised.value)
    assert raised.value.keys == ("tables",)


def contradicts(choice: Choice, result: int, plies: int) -> bool:
    """Whether a search reports a certain win or loss otherwise than tables, or a quicker win than there is."""
    return (choice.plies_to_win > 0) != (result > 0) or result == 0 or abs(choice.plies_to_win) < plies


@pytest.mark.full
@pytest.mark.parametrize("evaluation", ["simple", "strong", "neural"])
def test_no_search_claims_a_win_that_the_tables_deny(evaluation):
    tables, player = make(ENGLISH, PIECES + 1), searching(preset="full", evaluation=evaluation)
    rng, certain = random.Random(0), 0
    for position in endings(ENGLISH, 1000, PIECES + 1):
        choice = choose(player, Game(ENGLISH, position), rng.randint(1, 6))
        if choice.plies_to_win and (value := tables.value(position)):
            assert not contradicts(choice, *value), position
            certain += 1
    assert certain > 10


def test_where_few_pieces_are_left_no_win_or_loss_within_the_depth_is_missed():
    tables, depth = make(ENGLISH, PIECES), 9
    player, near = Negamax(ENGLISH, "simple", "full"), 0
    for position in endings(ENGLISH, 800, PIECES):
        value = tables.value(position)
        if value and value.result and depth - 3 <= value.plies <= depth:
            player.begin()
            choice = choose(player, Game(ENGLISH, position), depth)
            assert choice.plies_to_win and not contradicts(choice, *value)
            near += 1
    assert near >= 40


def test_an_analysis_lists_the_outcome_of_each_move_where_tables_know_it():
    spec = PlayerSpec("a", "negamax", Limit(depth=2), {"preset": "full", "tables": PIECES})
    for fen, expected in (
        ("W:WK6,21:BK13", ["+ wins: 6-10 in 29, 6-2 in 45, 6-1 in 45", "= draws: 21-17", "- loses: 6-9 in 8"]),
        ("B:W5:BK6", ["+ wins: 6-1 in 1", "= draws: 6-9, 6-10", "- loses: 6-2 in 12"]),
        ("B:WK4,K10,K18:BK27", []),
        ("B:WK31:B3,15,18", ["+ wins: 18-23 in 3"]),
    ):
        game = Game(ENGLISH, fen)
        analysis = Analysis(spec, game)
        *_, _ = analysis.findings()
        assert outlook_lines(analysis.outlook()) == expected
        assert len(analysis.outlook()) in (0, len(game.legal_moves))
    answer = invoke("show", "W:WK1:BK32", "--variant", "english", "--best", "2", "--json").stdout
    assert "-0.0" not in answer and [line["score"] for line in json.loads(answer)["lines"]] == [0.0, 0.0]
    assert json.loads(answer)["outlook"][1] == {"move": "1-6", "known": "draw", "plies_to_win": None}


def test_advice_reads_the_tables_that_are_there_and_levels_do_not(monkeypatch):
    make(ENGLISH, PIECES)
    assert known_pieces(ENGLISH) >= PIECES and known_pieces(VARIANTS["simplified"]) == 0
    limit = Limit(depth=2)
    assert adviser(ENGLISH, limit).options["tables"] == known_pieces(ENGLISH)
    specs = [level(number).spec for number in LEVELS]
    assert all(spec is not None and "tables" not in spec.options for spec in specs)
    monkeypatch.setattr("arena.board.sides.known_pieces", lambda _: 0)
    assert "tables" not in adviser(ENGLISH, limit).options
