"""Tests of searches: against hand counts and the oracle's plain minimax."""

from __future__ import annotations

import math
import random
from collections import Counter

import numpy as np
import pytest

from arena.rules.game import Game
from arena.rules.move_text import parse_move
from arena.rules.movegen import apply, has_move, legal_moves
from arena.rules.notation import fen, parse_fen
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant
from players.negamax.player import Negamax
from players.negamax.score import LIMIT, WIN
from players.player import EFFORT, Choice, Limit
from tests.helpers import naive
from tests.helpers.rule_sets import share

pytestmark = pytest.mark.compiled
ENGLISH = VARIANTS["english"]

POSITIONS = 100
"""Searched of each rule set; of those that run as values its `share`."""
MINIMAX_NODES = 10_000
"""A position is searched one ply deeper as long as plain minimax entered fewer nodes than this."""
ORACLE_NODES = 100


@pytest.fixture(scope="session")
def open_positions(variant: Variant, played: list[Position]) -> list[Position]:
    """Positions from play in which there is a move."""
    moving = [position for position in played if has_move(variant.constants, position)]
    number = share(variant, POSITIONS)
    return moving[:: len(moving) // number][:number]


@pytest.fixture(scope="session")
def minimax(variant: Variant) -> Negamax:
    return Negamax(variant, "simple", "minimax")


@pytest.fixture(scope="session")
def alpha_beta(variant: Variant) -> Negamax:
    return Negamax(variant, "simple", "alphabeta")


def choose(player: Negamax, variant: Variant, position: Position, depth: int) -> Choice:
    return player.choose(Game(variant, position), Limit(depth), random.Random(0))


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
    for position in open_positions[::5]:
        state = naive.state_of(variant.rules, position)
        for depth in (1, 2, 3):
            choice = choose(minimax, variant, position, depth)
            expected = naive.minimax(variant.rules, state, depth, naive.simple)
            assert (choice.score, choice.nodes, choice.leaves) == expected, (fen(variant, position), depth)
            assert choose(alpha_beta, variant, position, depth).score == expected[0]
            if choice.nodes > ORACLE_NODES:
                break


def plain_alpha_beta(
    variant: Variant, position: Position, depth: int, alpha: float, beta: float, ply: int, counted: Counter[str]
) -> float:
    """Fail-soft alpha-beta in the generator's order, counting as `Choice` does."""
    rules, state = variant.rules, naive.state_of(variant.rules, position)
    counted["nodes"] += 1
    moves = legal_moves(variant.constants, position)
    if not moves:
        return naive.final_value(rules, state, ply)
    if depth == 0:
        counted["leaves"] += 1
        return naive.simple(rules, state)
    best = -math.inf
    for move in moves:
        child = apply(variant.constants, position, move)
        best = max(best, -plain_alpha_beta(variant, child, depth - 1, -beta, -alpha, ply + 1, counted))
        alpha = max(alpha, best)
        if alpha >= beta:
            counted["cutoffs_min" if ply % 2 else "cutoffs_max"] += 1
            break
    return best


def test_alpha_beta_counts_as_a_plain_one_does(variant, open_positions, alpha_beta):
    for position in open_positions[::5]:
        for depth in (1, 2, 3, 4):
            counted = Counter(nodes=0, leaves=0, cutoffs_max=0, cutoffs_min=0)
            score = plain_alpha_beta(variant, position, depth, -WIN, WIN, 0, counted)
            choice = choose(alpha_beta, variant, position, depth)
            assert {name: getattr(choice, name) for name in counted} == counted, (fen(variant, position), depth)
            assert choice.score == score


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


SIMPLE_AGAIN = """
from players.evaluation.evaluator import evaluator
from players.evaluation.features import far_half, far_row, pieces


@evaluator
def mine(position, rules):
    value = 0.0
    for side in range(2):
        sign = 1 if side == position.turn else -1
        value += sign * (3 * pieces(position, rules, side) + 2 * far_half(position, rules, side))
        value += sign * 2 * far_row(position, rules, side)
    return value
"""


@pytest.mark.parametrize(
    "variant",
    [VARIANTS[name] for name in ("english", "thai", "frisian")],
    ids=lambda variant: variant.name,
    indirect=True,
)
def test_an_evaluator_from_a_users_file_is_searched_like_the_built_in_one(
    tmp_path, variant, open_positions, alpha_beta
):
    file = tmp_path / "heuristic.py"
    file.write_text(SIMPLE_AGAIN)
    player = Negamax(variant, f"{file}:mine", "alphabeta")
    for position in open_positions[::4]:
        assert choose(player, variant, position, 4) == choose(alpha_beta, variant, position, 4)


@pytest.mark.parametrize(
    ("name", "text", "score", "plies"),
    [
        ("english", "W:W22:B18", WIN - 1, 1),
        ("english", "W:W21:B9,14", -(WIN - 2), 2),
        ("english", "B:W21:B5,14", WIN - 3, 3),
        ("simplified", "W:W22:B18", WIN - 1, 1),
        ("simplified", "W:W6:B26", 0.0, 2),
        ("antidraughts", "W:W32:B28", -(WIN - 1), 1),
        ("breakthrough", "W:W7:B44", WIN - 1, 1),
        ("breakthrough", "B:W7:B38", -(WIN - 2), 2),
    ],
)
def test_a_win_scores_less_the_later_it_comes(name, text, score, plies):
    variant = VARIANTS[name]
    for depth in (plies, plies + 1, plies + 2):
        choice = choose(Negamax(variant, "simple", "alphabeta"), variant, parse_fen(variant, text), depth)
        assert choice.score == score
        assert len(choice.pv) == plies


def effort_of_a_game(player: Negamax, seed: int) -> list[dict[str, int]]:
    """What a player counts in twelve moves of a game against random moves."""
    player.begin()
    game, rng, counted = Game(ENGLISH), random.Random(seed), []
    for _ in range(12):
        choice = player.choose(game, Limit(7), rng)
        counted.append({name: getattr(choice, name) for name in EFFORT})
        game.push(choice.move)
        if game.outcome is None:
            game.push(rng.choice(game.legal_moves))
    return counted


@pytest.mark.parametrize("preset", ["pvs", "mtdf", "full"])
def test_a_game_counts_the_same_whatever_its_player_played_before(preset):
    player = Negamax(ENGLISH, "simple", preset, tt=1)
    first = effort_of_a_game(player, 1)
    assert sum(counted["tt_hits"] for counted in first) > 100 and np.count_nonzero(player.workspace.table) > 1000
    for seed in (1, 2):
        effort_of_a_game(player, seed)
    assert effort_of_a_game(player, 1) == first


@pytest.mark.full
def test_moves_that_the_games_history_forbids_are_not_chosen():
    variant = VARIANTS["frisian"]
    game = Game(variant, parse_fen(variant, "W:WK46,26:B15"))
    for text in ("46-41", "15-20", "41-46", "20-25", "46-41", "25-30"):
        game.push(parse_move(variant, game.position, text))
    for depth in (1, 2, 5):
        choice = Negamax(variant).choose(game, Limit(depth), random.Random(0))
        assert [choice.move] == game.legal_moves


def test_evaluations_out_of_bounds_never_look_like_wins(tmp_path):
    file = tmp_path / "wild.py"
    file.write_text(
        "from arena import evaluator\n"
        "from players.evaluation.features import pieces\n\n"
        "@evaluator\n"
        "def wild(position, rules):\n"
        "    return 1e12 * (pieces(position, rules, position.turn) - pieces(position, rules, 1 - position.turn))\n"
    )
    player = Negamax(ENGLISH, f"{file}:wild", "alphabeta")
    ahead = parse_fen(ENGLISH, "W:W21-32:B1-10")
    assert choose(player, ENGLISH, ahead, 1).score == LIMIT
    assert choose(player, ENGLISH, ahead._replace(turn=1), 1).score == -LIMIT
