"""Tests of evaluations and searches: against published figures, hand counts and the oracle's plain minimax."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from arena.player import Choice, Limit
from arena.rules.game import Game
from arena.rules.movegen import has_move
from arena.rules.notation import fen, parse_fen
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant
from players import EVALUATORS, PlayerError
from players.evaluators import FEATURES, build_evaluation
from players.search import LIMIT, MAX_DEPTH, WIN, Negamax, static_value
from tests import naive

PUBLISHED = json.loads((Path(__file__).parent / "data" / "evaluations.json").read_text())["rows"]
ENGLISH = VARIANTS["english"]
ORACLES: dict[str, naive.Evaluate] = {"simple": naive.simple, "material": naive.material, "cis300": naive.cis300}

POSITIONS = 200
MINIMAX_NODES = 30_000
"""A position is searched one ply deeper as long as plain minimax entered fewer nodes than this."""
ORACLE_NODES = 2_000


@pytest.fixture(scope="session")
def open_positions(variant: Variant, played: list[Position]) -> list[Position]:
    """POSITIONS positions from play in which there is a move."""
    moving = [position for position in played if has_move(variant.constants, position)]
    return moving[:: len(moving) // POSITIONS][:POSITIONS]


@pytest.fixture(scope="session")
def minimax(variant: Variant) -> Negamax:
    return Negamax(variant, "simple", alpha_beta=False)


@pytest.fixture(scope="session")
def alpha_beta(variant: Variant) -> Negamax:
    return Negamax(variant, "simple")


def choose(player: Negamax, variant: Variant, position: Position, depth: int) -> Choice:
    return player.choose(Game(variant, position), Limit(depth), random.Random(0))


def value(variant: Variant, evaluation: str, position: Position) -> float:
    """The compiled evaluation of a position in which there is a move."""
    pointer, weights = build_evaluation(evaluation, variant)
    return static_value(variant.constants, pointer, weights, position, 0)


def test_alpha_beta_chooses_the_move_of_minimax_and_enters_no_more_nodes(
    variant, open_positions, minimax, alpha_beta
):
    deepest = 0
    for position in open_positions:
        for depth in range(1, 8):
            full = choose(minimax, variant, position, depth)
            cut = choose(alpha_beta, variant, position, depth)
            assert (cut.score, cut.move) == (full.score, full.move), (fen(variant, position), depth)
            assert cut.nodes <= full.nodes and cut.leaves <= full.leaves
            assert full.cutoffs_max == full.cutoffs_min == 0
            assert cut.cutoffs_max + cut.cutoffs_min > 0 or cut.nodes == full.nodes
            deepest = max(deepest, depth)
            if full.nodes > MINIMAX_NODES:
                break
    assert deepest >= 5


def test_minimax_is_the_oracles_in_value_nodes_and_leaves(variant, open_positions, minimax, alpha_beta):
    for position in open_positions[::3]:
        state = naive.state_of(variant.rules, position)
        for depth in (1, 2, 3):
            found = choose(minimax, variant, position, depth)
            expected = naive.minimax(variant.rules, state, depth, naive.simple)
            assert (found.score, found.nodes, found.leaves) == expected, (fen(variant, position), depth)
            assert choose(alpha_beta, variant, position, depth).score == expected[0]
            if found.nodes > ORACLE_NODES:
                break


def test_the_principal_variation_is_legal_and_ends_in_the_score(variant, open_positions, alpha_beta):
    for position in open_positions:
        for depth in (1, 2, 5):
            choice = choose(alpha_beta, variant, position, depth)
            assert choice.pv[0] == choice.move
            assert choice.depth == depth
            line = Game(variant, position)
            for move in choice.pv:
                line.push(move)
            ended = not line.legal_moves
            assert len(choice.pv) == depth or (ended and len(choice.pv) < depth)
            state = naive.state_of(variant.rules, line.position)
            own_view = 1 if line.position.turn == position.turn else -1
            end = (
                naive.final_value(variant.rules, state, len(choice.pv))
                if ended
                else naive.simple(variant.rules, state)
            )
            assert choice.score == own_view * end, fen(variant, position)


@pytest.mark.parametrize("evaluation", ORACLES)
def test_evaluations_are_the_oracles(variant, open_positions, evaluation):
    for position in open_positions:
        expected = ORACLES[evaluation](variant.rules, naive.state_of(variant.rules, position))
        assert value(variant, evaluation, position) == expected, fen(variant, position)
        assert EVALUATORS[evaluation](position, variant.rules) == expected


@pytest.mark.parametrize("evaluation", ["simple", "cis300"])
@pytest.mark.parametrize("row", PUBLISHED, ids=lambda row: row["fen"])
def test_evaluations_are_as_published(row, evaluation):
    position = parse_fen(ENGLISH, row["fen"])
    assert EVALUATORS[evaluation](position, ENGLISH.constants) == row[evaluation]


def test_linear_counts_each_feature_once_from_the_side_to_moves_view():
    # white man 31 (row 7), king 14; black men 4 (row 0), 12 and 20 on the right edge, and 22 (row 5)
    position = parse_fen(ENGLISH, "W:WK14,31:B4,12,20,22")
    counted = {
        "man": 1 - 4,
        "king": 1 - 0,
        "back_row": 1 - 1,
        "far_row": 0 - 0,
        "far_half": 1 - 2,
        "edge": 1 - 3,
        "centre": 1 - 1,
        "advancement": 0 - (0 + 2 + 4 + 5),
    }
    assert tuple(counted) == FEATURES
    weights = {feature: 10.0**i for i, feature in enumerate(FEATURES)}
    for given in (*({feature: weight} for feature, weight in weights.items()), weights):
        evaluation = build_evaluation({"linear": given}, ENGLISH)
        expected = sum(weight * counted[feature] for feature, weight in given.items())
        for turned, sign in ((position, 1), (position._replace(turn=1), -1)):
            assert static_value(ENGLISH.constants, *evaluation, turned, 0) == sign * expected, given
            assert EVALUATORS["linear"](turned, ENGLISH.constants, evaluation.weights) == sign * expected


def test_a_search_with_weights_is_the_oracles(variant, open_positions):
    player = Negamax(variant, {"linear": {"man": 100, "king": 150}})
    for position in open_positions[::10]:
        state = naive.state_of(variant.rules, position)
        expected, _, _ = naive.minimax(variant.rules, state, 2, naive.material)
        score = choose(player, variant, position, 2).score
        assert score == (expected if abs(expected) > LIMIT else 100 * expected)


SIMPLE_AGAIN = """
from arena.rules.position import Position
from players import evaluator
from players.features import far_half, far_row, pieces


def worth(position, rules, side):
    return 3 * pieces(position, rules, side) + 2 * far_half(position, rules, side) + 2 * far_row(position, rules, side)


@evaluator
def mine(position, rules):
    total = 0.0
    for side in range(2):
        total += worth(position, rules, side) * (1 if side == position.turn else -1)
    return total
"""


def test_an_evaluator_from_a_users_file_is_searched_like_the_built_in_one(
    tmp_path, variant, open_positions, alpha_beta
):
    file = tmp_path / "heuristic.py"
    file.write_text(
        SIMPLE_AGAIN.replace("\n\ndef worth", "\n\n@kernel\ndef worth").replace(
            "from players import", "from arena.rules.jit import kernel\nfrom players import"
        )
    )
    player = Negamax(variant, f"{file}:mine")
    for position in open_positions[::4]:
        assert choose(player, variant, position, 4) == choose(alpha_beta, variant, position, 4)


@pytest.mark.parametrize(
    ("text", "depth", "plies"),
    [
        ("W:W22:B18", 1, 1),
        ("W:W22:B18", 5, 1),
        ("B:W32:B23,24", 4, -1),
    ],
)
def test_a_win_is_worth_more_the_sooner_it_comes(text, depth, plies):
    pass


def test_evaluations_out_of_bounds_never_look_like_wins(tmp_path):
    file = tmp_path / "wild.py"
    file.write_text(
        "from players import evaluator\n"
        "from players.features import pieces\n\n"
        "@evaluator\n"
        "def wild(position, rules):\n"
        "    return 1e12 * (pieces(position, rules, position.turn) - pieces(position, rules, 1 - position.turn))\n"
    )
    player = Negamax(ENGLISH, f"{file}:wild")
    ahead = parse_fen(ENGLISH, "W:W21-32:B1-10")
    assert choose(player, ENGLISH, ahead, 1).score == LIMIT
    assert choose(player, ENGLISH, ahead._replace(turn=1), 1).score == -LIMIT


@pytest.mark.parametrize("depth", [0, -1, MAX_DEPTH + 1])
def test_a_depth_that_cannot_be_searched_is_refused(depth):
    with pytest.raises(ValueError, match=f"1 to {MAX_DEPTH} plies"):
        choose(Negamax(ENGLISH), ENGLISH, ENGLISH.start, depth)
