"""Searches against the oracle's plain minimax and a plain alpha-beta, and on shots; keys of positions."""

import json
import math
import random
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from arena.experiment.openings.sources import random_line
from arena.rules.game import Game
from arena.rules.movegen import apply, legal_moves
from arena.rules.moves import sides
from arena.rules.notation import fen, parse_fen
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.evaluator import material
from players.mcts.player import Hybrid, Mcts
from players.negamax.player import Negamax
from players.negamax.score import LIMIT, WIN
from players.negamax.table_and_order import key, key_after
from players.plain import Greedy, Plain
from players.player import AnswerError, Choice, Limit
from tests.helpers import naive
from tests.helpers.proofs import open_positions

pytestmark = pytest.mark.compiled
ENGLISH = VARIANTS["english"]

ORACLE_NODES = 100
UNEVEN = (
    "B:W12,18,21,23,25,28,29,30,31,32:B1,2,3,4,6,8,9,14,16",
    "B:WK4,21,22,26,28,29,30,31,32:B1,2,3,5,6,12,13",
    "B:W10,21,23,24,25,29,30,31,32:B1,2,3,4,5,8,11,12",
)
"""Positions in which reduced searches find moves good that full ones do not."""


@pytest.fixture(scope="session")
def positions(variant: Variant, played: list[Position]) -> list[Position]:
    return open_positions(variant, played, 100)


@pytest.fixture(scope="session")
def alpha_beta(variant: Variant) -> Negamax:
    return Negamax(variant, "simple", "alphabeta")


def choose(player: Negamax | Plain, variant: Variant, position: Position, depth: int) -> Choice:
    return player.choose(Game(variant, position), Limit(depth), random.Random(0))


def test_minimax_is_the_oracles_in_value_nodes_and_leaves(variant, positions, alpha_beta):
    minimax = Negamax(variant, "simple", "minimax")
    for position in positions[::5]:
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
    moves = legal_moves(variant.rules, position)
    if not moves:
        return naive.final_value(rules, state, ply)
    if depth == 0:
        counted["leaves"] += 1
        return naive.simple(rules, state)
    best = -math.inf
    for move in moves:
        child = apply(variant.rules, position, move)
        best = max(best, -plain_alpha_beta(variant, child, depth - 1, -beta, -alpha, ply + 1, counted))
        alpha = max(alpha, best)
        if alpha >= beta:
            counted["cutoffs_min" if ply % 2 else "cutoffs_max"] += 1
            break
    return best


def test_alpha_beta_counts_as_a_plain_one_does(variant, positions, alpha_beta):
    for position in positions[::5]:
        for depth in (1, 2, 3, 4):
            counted = Counter(nodes=0, leaves=0, cutoffs_max=0, cutoffs_min=0)
            score = plain_alpha_beta(variant, position, depth, -WIN, WIN, 0, counted)
            choice = choose(alpha_beta, variant, position, depth)
            assert {name: getattr(choice, name) for name in counted} == counted, (fen(variant, position), depth)
            assert choice.score == score


def test_the_plain_player_searches_the_same_tree_as_alpha_beta(variant, positions, alpha_beta):
    plain = Plain(variant)
    for position in positions[::10]:
        found, expected = (choose(player, variant, position, 3) for player in (plain, alpha_beta))
        assert found == expected._replace(leaves=0, deepest=0, cutoffs_max=0, cutoffs_min=0, cutoffs_first=0)


def test_the_principal_variation_is_legal_and_ends_in_the_score(variant, positions, alpha_beta):
    for position in positions:
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


def reducing_alpha_beta(
    position: Position, depth: int, alpha: float, beta: float, ply: int, pvs: bool
) -> tuple[float, int]:
    """The value and the nodes of fail-soft alpha-beta with late move reduction.

    A reduced search may show that a move is no better than alpha, never that it is better.
    """
    nodes, best, moves = 1, -math.inf, legal_moves(ENGLISH.rules, position)
    if not moves:
        return ply - WIN, nodes
    if depth == 0:
        return material(position, ENGLISH.rules), nodes
    whole = ply == 0 or depth < 3 or moves[0] & sides(position)[1]
    for tried, move in enumerate(moves):
        child, above = apply(ENGLISH.rules, position, move), math.nextafter(alpha, math.inf)
        reduced = 0 if whole or tried < 3 else 2 if tried >= 6 and depth >= 5 else 1
        searches = [(reduced, above)] if reduced else []
        searches += [(0, above)] if pvs and depth > 1 and tried and alpha > -math.inf else []
        for less, high in [*searches, (0, beta)]:
            below, entered = reducing_alpha_beta(child, depth - 1 - less, -high, -alpha, ply + 1, pvs)
            value, nodes = -below, nodes + entered
            if value <= alpha or (value >= beta and not less):
                break
        best, alpha = max(best, value), max(alpha, value)
        if alpha >= beta:
            break
    return best, nodes


@pytest.mark.parametrize("windows", ["open", "pvs"])
@pytest.mark.parametrize("text", UNEVEN)
def test_a_move_that_a_reduced_search_finds_good_is_searched_in_full(text, windows):
    player = Negamax(ENGLISH, "material", "alphabeta", lmr=True, windows=windows)
    position = parse_fen(ENGLISH, text)
    choice = choose(player, ENGLISH, position, 6)
    expected = reducing_alpha_beta(position, 6, -math.inf, math.inf, 0, windows == "pvs")
    assert (choice.score, choice.nodes) == expected


@pytest.mark.full
def test_moves_that_the_games_history_forbids_are_not_chosen():
    game = Game("frisian", "W:WK46,26:B15")
    for text in ("46-41", "15-20", "41-46", "20-25", "46-41", "25-30"):
        game.push(text)
    for depth in (1, 2, 5):
        choice = Negamax(game.variant).choose(game, Limit(depth), random.Random(0))
        assert [choice.move] == game.legal_moves


OWN = """
from arena import evaluator
from players.evaluation.features import pieces


@evaluator
def wild(position, rules):
    return 1e12 * (pieces(position, rules, position.turn) - pieces(position, rules, 1 - position.turn))


@evaluator
def nan(position, rules):
    return 0.0 if pieces(position, rules, 0) + pieces(position, rules, 1) == 24 else float("nan")


@evaluator
def inf(position, rules):
    return 0.0 if pieces(position, rules, 0) + pieces(position, rules, 1) == 24 else float("inf")
"""
"""Evaluations: one beyond all bounds, and two that are no finite number once a man is taken."""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("own") / "own.py"
    file.write_text(OWN)
    return file


def test_an_evaluation_of_a_users_file_is_searched_and_out_of_bounds_never_looks_like_a_win(own):
    player = Negamax(ENGLISH, f"{own}:wild", "alphabeta")
    ahead = parse_fen(ENGLISH, "W:W21-32:B1-10")
    assert choose(player, ENGLISH, ahead, 1).score == LIMIT
    assert choose(player, ENGLISH, ahead._replace(turn=1), 1).score == -LIMIT


@pytest.mark.parametrize(
    ("kind", "options", "limit", "name"),
    [
        (Negamax, {"preset": "minimax"}, Limit(depth=6), "nan"),
        (Negamax, {"preset": "mtdf"}, Limit(depth=6), "inf"),
        (Negamax, {"preset": "full"}, Limit(depth=6), "nan"),
        (Negamax, {"preset": "full"}, Limit(depth=6), "inf"),
        (Mcts, {"rollout": "evaluation"}, Limit(nodes=500), "nan"),
        (Mcts, {"rollout": {"depth": 2}}, Limit(nodes=500), "inf"),
        (Hybrid, {}, Limit(nodes=2000), "nan"),
        (Greedy, {}, Limit(), "inf"),
    ],
)
def test_a_search_fails_at_a_position_without_a_finite_value(own, kind, options, limit, name):
    player, game = kind(ENGLISH, evaluation=f"{own}:{name}", **options), Game(ENGLISH)
    for text in ("12-16", "24-20", "16-19") if kind is Greedy else ():
        game.push(text)
    with pytest.raises(AnswerError) as caught:
        player.choose(game, limit, random.Random(0))
    found = re.search(r" (nan|inf),.* in (\S+)$", str(caught.value))
    assert found is not None and found[1] == name
    parsed = parse_fen(ENGLISH, found[2])
    assert (parsed.white | parsed.black).bit_count() < 24


def test_a_key_follows_the_moves_and_is_one_positions_alone():
    rng, keys = random.Random(5), dict[Position, int]()
    for variant in (ENGLISH, VARIANTS["international"], VARIANTS["russian"]):
        for _ in range(20):
            for before, after in pairwise(random_line(variant, 300, rng).positions):
                assert key(after) == key_after(key(before), before, after)
                for position in (before, after):
                    turned = position._replace(turn=1 - position.turn)
                    keys |= {position: key(position), turned: key(turned)}
    assert len(set(keys.values())) == len(keys)


TACTICS = json.loads((Path(__file__).parents[1] / "data" / "tactics.json").read_text())["rows"]
LONG = [row["fen"] for row in TACTICS if row["nodes"] > 100_000]


@pytest.mark.full(only=LONG)
@pytest.mark.parametrize("row", TACTICS, ids=lambda row: row["fen"])
def test_full_finds_the_move_of_a_shot_and_its_gain_within_its_nodes(row):
    game = Game(row["variant"], row["fen"])
    player = Negamax(game.variant, "material", "full")
    choice = player.choose(game, Limit(nodes=row["nodes"]), random.Random(0))
    assert choice.move in map(game.move, row["best"])
    assert choice.score is not None and choice.score >= (LIMIT if row["gain"] == "win" else row["gain"])
