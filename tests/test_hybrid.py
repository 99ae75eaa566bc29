"""Tests of the hybrid: its mix against a naive twin, rejected moves, kept formation values, and its switches."""

from __future__ import annotations

import random
from typing import Any

import pytest

from arena.rules.game import Game
from arena.rules.movegen import apply, legal_moves
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.build import build_evaluation
from players.evaluation.mix import WEIGHTS, mix, mix_weights, takeable
from players.loading import PlayerError
from players.mcts.player import Hybrid, Mcts
from players.mcts.tree import COUNT, FIRST, MOVE, PROVEN, REJECTED, WIDTH
from players.negamax.player import Negamax
from players.negamax.score import LIMIT
from players.player import Choice, Limit, PlayerSpec
from players.table import build_player
from tests.helpers import naive
from tests.helpers.proofs import SMALL, outcome_of, small_positions
from tests.helpers.rule_sets import BY_NAME, RULE_SETS, UNCOMPILED

ENGLISH = VARIANTS["english"]
NODES = 20 if UNCOMPILED else 500


def choose(position: Position, nodes: int = NODES, variant: Variant = ENGLISH, **options: Any) -> Choice:
    return Hybrid(variant, **options).choose(Game(variant, position), Limit(nodes=nodes), random.Random(0))


def middlegames(variant: Variant, count: int) -> list[Position]:
    """Positions after 6 to 30 random plies."""
    rng, positions = random.Random(2), list[Position]()
    while len(positions) < count:
        game = Game(variant)
        for _ in range(rng.randint(6, 30)):
            if game.legal_moves:
                game.push(rng.choice(game.legal_moves))
        if len(game.legal_moves) > 1:
            positions.append(game.position)
    return positions


# --- the mix


def first_victims(rules: Rules, position: Position, side: int) -> int:
    """How many pieces of a side some capture of the other side takes, were it to move, with its first jump."""
    turned = position._replace(turn=1 - side)
    single = rules._replace(
        one_hop=True,
        majority=False,
        prefer_value=False,
        prefer_king=False,
        prefer_kings=False,
        prefer_early_kings=False,
        first_king_wins=False,
    )
    victims = position.black if side else position.white
    taken = 0
    for move in legal_moves(single, turned):
        taken |= move & victims
    return taken.bit_count()


def naive_mix(rules: Rules, position: Position) -> float:
    """The mix with its own weights, on the oracle's board."""
    state = naive.state_of(rules, position)
    king = 3.0 if rules.flying else 1.5
    total = 0.0
    for colour, sign in ((position.turn, 1), (1 - position.turn, -1)):
        men = {square for square, piece in state.pieces.items() if piece == naive.Piece(colour, False)}
        kings = sum(piece == naive.Piece(colour, True) for piece in state.pieces.values())
        back = -naive.forward(colour)
        connected = sum(
            (row + back, column + side) in men
            for row, column in men
            for side in (-1, 1)
            if side == -1 or (row + back, column - 1) not in men
        )
        home = sum(row == naive.far_row(rules, 1 - colour) for row, _ in men)
        taken = first_victims(rules, position, colour)
        total += sign * (
            WEIGHTS["material"] * (len(men) + king * kings)
            + WEIGHTS["formation"] * (connected + home)
            - WEIGHTS["safety"] * taken
        )
    return total


def test_the_mix_is_that_of_its_naive_twin(variant, played, scattered):
    weights = mix_weights({})
    for position in (*played[::40], *scattered[::40]):
        found = mix(position, variant.rules, weights)
        assert found == pytest.approx(naive_mix(variant.rules, position)), position


def test_pieces_that_can_be_taken_are_counted_once():
    both = Position(1 << 9, 1 << 4 | 1 << 5, 0, 0)
    position = both if takeable(both, ENGLISH.rules, 0) else both._replace(white=1 << 10)
    assert takeable(position, ENGLISH.rules, 0) == 1


@pytest.mark.parametrize(
    "description",
    [{"mix": {"materal": 1}}, {"mix": {"safety": "much"}}, {"mx": {}}],
)
def test_a_mix_that_there_is_not_is_refused_in_one_line(description, words):
    with pytest.raises(PlayerError) as caught:
        build_player(PlayerSpec("h", "hybrid", Limit(nodes=1), {"evaluation": description}), ENGLISH)
    words(caught.value)
    assert caught.value.keys[0] == "evaluation"


def test_every_player_can_use_the_mix():
    assert build_evaluation({"mix": {"formation": 7}}, ENGLISH).weights.tolist() == [100.0, 7.0, 20.0]
    player = Negamax(ENGLISH, {"mix": {}}, "alphabeta")
    assert player.choose(Game(ENGLISH), Limit(depth=2), random.Random(0)).score is not None


# --- rejected moves


def of_root(player: Mcts) -> list[tuple[int, bool, int]]:
    """The root's moves, whether each is rejected, and what is proven of it."""
    tree = player._memory._tree
    nodes = range(int(tree[FIRST]), int(tree[FIRST] + tree[COUNT] * WIDTH), WIDTH)
    return [(int(tree[node + MOVE]), bool(tree[node + REJECTED]), int(tree[node + PROVEN])) for node in nodes]


@pytest.mark.compiled
@pytest.mark.parametrize("margin", [0.5, 1.0])
def test_moves_are_rejected_that_negamax_shows_to_lose_by_the_margin(margin):
    judge = Negamax(ENGLISH, {"mix": {}}, "minimax", quiescence="captures", draws=True)
    rejected = 0
    for position in middlegames(ENGLISH, 30):
        player = Hybrid(ENGLISH, reject_depth=3, reject_margin=margin)
        player.choose(Game(ENGLISH, position), Limit(nodes=1), random.Random(0))
        values = {}
        for move in legal_moves(ENGLISH.constants, position):
            child = Game(ENGLISH, apply(ENGLISH.rules, position, move))
            assert child.legal_moves
            score = judge.choose(child, Limit(depth=2), random.Random(0)).score
            assert score is not None
            values[move] = -score
        best = max(values.values())
        for move, is_rejected, _ in of_root(player):
            assert is_rejected == (values[move] < best - margin * player._man), (position, move)
            rejected += is_rejected
    assert rejected > 20


@pytest.mark.compiled
def test_a_rejected_move_is_not_played_and_nothing_is_rejected_without_a_depth():
    for position in middlegames(ENGLISH, 10):
        with_it, without = Hybrid(ENGLISH), Hybrid(ENGLISH, reject_depth=0)
        choice = with_it.choose(Game(ENGLISH, position), Limit(nodes=300), random.Random(0))
        without.choose(Game(ENGLISH, position), Limit(nodes=300), random.Random(0))
        assert not any(rejected for move, rejected, _ in of_root(with_it) if move == choice.move)
        assert not any(rejected for _, rejected, _ in of_root(without))


@pytest.mark.parametrize("name", SMALL)
def test_what_it_proves_is_true_although_moves_are_rejected(name):
    variant, proofs, most = SMALL[name], 0, 300 if UNCOMPILED else 20_000
    for position in small_positions(variant, 40):
        choice = choose(position, most, variant, reject_depth=2, reject_margin=0.0)
        if choice.nodes < most:
            assert choice.score == outcome_of(variant.rules, position), position
            proofs += 1
        if UNCOMPILED and proofs == 3:
            return
    assert proofs > 20


@pytest.mark.compiled
def test_a_win_within_the_shallow_search_needs_no_simulation():
    variant = SMALL["men alone"]
    judge = Negamax(variant, "material", "alphabeta")
    wins = 0
    for position in small_positions(variant, 40):
        score = judge.choose(Game(variant, position), Limit(depth=3), random.Random(0)).score
        if score is not None and score > LIMIT:
            wins += 1
            choice = choose(position, 100, variant, reject_depth=3)
            assert (choice.score, choice.nodes) == (1.0, 0)
    assert wins > 5


# --- kept formation values, and the other switches


def test_formation_values_that_are_kept_change_no_choice():
    hits = 0
    for position in middlegames(ENGLISH, 1 if UNCOMPILED else 8):
        kept, computed = (choose(position, cache=cache) for cache in (True, False))
        assert kept.tt_probes == kept.leaves > 0 == computed.tt_probes
        assert kept._replace(tt_probes=0, tt_hits=0) == computed
        hits += kept.tt_hits
    assert hits > 0


def test_a_player_finds_no_formation_values_of_an_earlier_one():
    first, second = choose(ENGLISH.start), choose(ENGLISH.start)
    assert first == second


@pytest.mark.compiled
@pytest.mark.parametrize(
    "options",
    [
        {"reject_depth": 0},
        {"reject_margin": 4.0},
        {"evaluation": {"mix": {"formation": 0}}},
        {"evaluation": {"mix": {"safety": 0}}},
        {"evaluation": "patterns"},
        {"rollout": "random"},
    ],
    ids=str,
)
def test_every_part_is_a_switch_that_changes_the_search(options):
    positions = middlegames(ENGLISH, 8)
    assert any(choose(position) != choose(position, **options) for position in positions)


@pytest.mark.parametrize("name", [rules.name for rules in RULE_SETS])
def test_it_plays_every_variant(name):
    variant = BY_NAME[name]
    game, player = Game(variant), Hybrid(variant)
    for _ in range(2 if UNCOMPILED else 20):
        if game.outcome is None:
            game.push(player.choose(game, Limit(nodes=2 if UNCOMPILED else 20), random.Random(1)).move)
    assert len(game.moves) > 1
