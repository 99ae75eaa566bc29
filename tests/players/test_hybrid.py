"""The hybrid: its mix by a naive twin, formation assessed, minimax, and rejected moves."""

import random
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from time import process_time
from typing import Any, NamedTuple

import pytest

from arena.experiment.openings.sources import random_line
from arena.rules.game import Game
from arena.rules.movegen import apply, legal_moves
from arena.rules.position import Position
from arena.rules.rules import Rules
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.build import build_evaluation, has_network
from players.evaluation.mix import SOUND, STANCE, WEAK, defaults, head_of
from players.loading import PlayerError
from players.mcts.player import Hybrid, Mcts
from players.mcts.tree import COUNT, FIRST_CHILD, NODE_MOVE, PROVEN, REJECTED, WIDTH
from players.negamax.player import Negamax
from players.player import Choice, Limit, PlayerSpec
from players.table import build_player
from tests.helpers import naive
from tests.helpers.command_line import one_line
from tests.helpers.proofs import SMALL, outcome_of, small_positions
from tests.helpers.rule_sets import BY_NAME, RULE_SETS, UNCOMPILED, as_values

ENGLISH, CASUAL = VARIANTS["english"], VARIANTS["casual-10x10"]
BARE = {"mix": {"network": 0, "material": 100}}
"""A mix without a network."""
NODES = 20 if UNCOMPILED else 500


def choose(position: Position, nodes: int = NODES, variant: Variant = ENGLISH, **options: Any) -> Choice:
    return Hybrid(variant, **options).choose(Game(variant, position), Limit(nodes=nodes), random.Random(0))


def middlegames(variant: Variant, count: int) -> list[Position]:
    """Positions after 6 to 30 random plies."""
    rng, positions = random.Random(2), list[Position]()
    while len(positions) < count:
        game = random_line(variant, rng.randint(6, 30), rng)
        if len(game.legal_moves) > 1:
            positions.append(game.position)
    return positions


# --- the mix


def first_victims(rules: Rules, position: Position, side: int) -> int:
    """How many pieces of a side some capture of the other side takes, were it to move, with its first jump."""
    turned = position._replace(turn=1 - side)
    single = as_values(rules).but(
        one_hop=True,
        majority=False,
        prefer_value=False,
        prefer_king=False,
        prefer_kings=False,
        prefer_early_kings=False,
        first_king_wins=False,
    )
    victims = position.black if side else position.white
    return reduce(or_, (move & victims for move in legal_moves(single, turned)), 0).bit_count()


PHASED = {
    "material": [90, 110],
    "formation": [3, 7],
    "safety": 15,
    "defensive_formation": [2, 6],
    "defensive_safety": [10, 4],
}
"""Weights of which each changes the values of some positions."""


class Seen(NamedTuple):
    """The parts of the mix, own minus other, on the oracle's board."""

    material: float
    formation: int
    safety: int


def seen(rules: Rules, position: Position) -> Seen:
    state = naive.state_of(rules, position)
    king = 3.0 if rules.flying else 1.5
    material, formation, safety = 0.0, 0, 0
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
        material += sign * (len(men) + king * kings)
        formation += sign * (connected + home)
        safety -= sign * first_victims(rules, position, colour)
    return Seen(material, formation, safety)


def naive_mix(variant: Variant, position: Position, weights: Mapping[str, Any], weak: bool | None = None) -> float:
    """The mix with these weights; `weak` is what a player judged of the formation."""
    left = (position.white | position.black).bit_count() / (2 * variant.men)

    def weight(name: str) -> float:
        opening, ending = weights[name] if isinstance(weights[name], list) else [weights[name]] * 2
        return left * opening + (1 - left) * ending

    material, formation, safety = seen(variant.rules, position)
    total = weight("material") * material + weight("formation") * formation + weight("safety") * safety
    if weak is None:
        weak = abs(formation) >= 4
    if weak or abs(safety) >= 2:
        total += weight("defensive_formation") * formation + weight("defensive_safety") * safety
    if weights.get("network"):
        network = build_evaluation("neural", variant)
        [value] = network.values(variant.rules, [position])
        total += weight("network") * value / 100
    return total


def mixed(variant: Variant, positions: Sequence[Position], weights: Mapping[str, Any]) -> list[float]:
    """The values of the compiled mix, one after the other in its memory."""
    evaluation = build_evaluation({"mix": weights}, variant)
    values: list[float] = evaluation.values(variant.rules, positions).tolist()
    return values


@pytest.mark.full(only=["international"])
def test_the_mix_is_its_parts_counted_square_by_square(variant, played, scattered):
    positions = (*played[::40], *scattered[::40])
    is_trained = has_network(variant)
    for weights in ({}, PHASED, PHASED | {"network": [60, 80] if is_trained else 0}):
        expected = [naive_mix(variant, position, {**defaults(variant.rules), **weights}) for position in positions]
        assert mixed(variant, positions, weights) == pytest.approx(expected), weights


@pytest.mark.parametrize("weak", [False, True])
def test_a_formation_that_a_player_judged_is_not_judged_again(weak):
    evaluation = build_evaluation({"mix": PHASED}, ENGLISH)
    head_of(evaluation.weights, ENGLISH.rules)[STANCE] = WEAK if weak else SOUND
    positions = middlegames(ENGLISH, 60)
    values = evaluation.values(ENGLISH.rules, positions)
    weights = {**defaults(ENGLISH.rules), **PHASED}
    assert values.tolist() == pytest.approx(
        [naive_mix(ENGLISH, position, weights, weak) for position in positions]
    )
    assert values.tolist() != pytest.approx([naive_mix(ENGLISH, position, weights) for position in positions])


def test_a_part_of_weight_0_is_no_part_of_the_defensive_either():
    weak = next(at for at in middlegames(ENGLISH, 60) if abs(seen(ENGLISH.rules, at).formation) >= 4)
    bare = {"network": 0, "material": 1, "safety": 0, "formation": 0}
    material = seen(ENGLISH.rules, weak).material
    assert mixed(ENGLISH, [weak], bare) == [material] != mixed(ENGLISH, [weak], {**bare, "defensive_formation": 2})


@pytest.mark.parametrize("description", [{"mix": {"materal": 1}}, {"mix": {"safety": "much"}}, {"mx": {}}])
def test_a_wrong_mix_is_refused_in_one_line(description):
    with pytest.raises(PlayerError) as caught:
        build_player(PlayerSpec("h", "hybrid", Limit(nodes=1), {"evaluation": description}), ENGLISH)
    one_line(caught.value)
    assert caught.value.keys[0] == "evaluation"


def test_rules_without_a_network_have_none_in_their_mix():
    czech = VARIANTS["czech"]
    assert defaults(czech.rules)["network"] == 0.0
    with pytest.raises(PlayerError) as caught:
        mixed(czech, [czech.start], {"network": 50})
    one_line(caught.value)


# --- formation re-assessed


def assessed(choice: Choice) -> float:
    """What was found before the move, 0 if nothing."""
    return (choice.extra or {}).get("assessed", 0)


def weak_in(position: Position) -> bool:
    """Whether the naive twin finds the side to move behind in material, or its formation weak."""
    parts = seen(CASUAL.rules, position)
    return parts.material < 0 or parts.formation <= -4


@pytest.mark.full
@pytest.mark.parametrize(("every", "colour"), [(1, 0), (3, 1)])
def test_formation_is_assessed_every_so_many_moves_of_the_game(every, colour):
    """By a player that is asked for one side's moves, and has the figure in its answers."""
    seen_stances = set()
    for seed in range(1 if UNCOMPILED else 2):
        player, game, rng = Hybrid(CASUAL, monitor=every), Game(CASUAL), random.Random(seed)
        while game.outcome is None and len(game.moves) < (20 if UNCOMPILED else 80):
            due = len(game.moves) // 2 % every == 0
            if len(game.moves) % 2 == colour:
                stance = WEAK if weak_in(game.position) else SOUND
                choice = player.choose(game, Limit(nodes=2), random.Random(0))
                assert assessed(choice) == (stance if due else 0)
                seen_stances.add(assessed(choice))
            game.push(rng.choice(game.legal_moves))
    assert seen_stances - {0} == {SOUND, WEAK} or UNCOMPILED


@pytest.mark.full
@pytest.mark.parametrize("options", [{"monitor": 0}, {"evaluation": "neural"}], ids=str)
def test_nothing_is_assessed_without_a_monitor_or_a_mix(options):
    player = Hybrid(CASUAL, **options)
    assert assessed(player.choose(Game(CASUAL), Limit(nodes=5), random.Random(0))) == 0


# --- minimax


@pytest.mark.compiled
def test_minimax_alone_finds_the_move_where_the_tree_trusts_it():
    for position in middlegames(ENGLISH, 10):
        judge = Negamax(ENGLISH, {"mix": {}}, "full")
        game = Game(ENGLISH, position)
        player = Hybrid(ENGLISH, trust=10**6, minimax=0.9, monitor=0)
        choice = player.choose(game, Limit(nodes=2000), random.Random(0))
        best = judge.choose(game, Limit(nodes=1800), random.Random(0))
        assert choice.move == best.move, position


@pytest.mark.compiled
def test_the_limit_is_shared_between_minimax_and_the_tree():
    position = middlegames(ENGLISH, 1)[0]
    for share, minimax in ((0.0, 0), (0.5, 500), (0.9, 900)):
        choice = choose(position, 1000, minimax=share)
        assert choice.nodes == 1000 and (choice.cutoffs_max + choice.cutoffs_min > 0) == (minimax > 0)
    began = process_time()
    Hybrid(ENGLISH).choose(Game(ENGLISH, position), Limit(seconds=0.2), random.Random(0))
    assert process_time() - began < 2


# --- rejected moves


def of_root(player: Mcts) -> list[tuple[int, bool, int]]:
    """The root's moves, whether each is rejected, and what is proven of it."""
    tree = player._memory.tree
    nodes = range(int(tree[FIRST_CHILD]), int(tree[FIRST_CHILD] + tree[COUNT] * WIDTH), WIDTH)
    return [(int(tree[node + NODE_MOVE]), bool(tree[node + REJECTED]), int(tree[node + PROVEN])) for node in nodes]


@pytest.mark.compiled
def test_moves_are_rejected_that_negamax_shows_to_lose_by_the_margin():
    margin = 0.5
    judge = Negamax(ENGLISH, BARE, "minimax", quiescence="captures", draws=True)
    rejected = 0
    for position in middlegames(ENGLISH, 30):
        player = Hybrid(ENGLISH, minimax=0.0, reject_depth=3, reject_margin=margin, evaluation=BARE)
        player._shallow.states[0]["futility"] = player._shallow.states[0]["extensions"] = 0
        player.choose(Game(ENGLISH, position), Limit(nodes=1), random.Random(0))
        values = {}
        for move in legal_moves(ENGLISH.rules, position):
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


@pytest.mark.full
@pytest.mark.parametrize("name", SMALL)
def test_what_it_proves_is_true_although_moves_are_rejected(name):
    variant, proofs, most = SMALL[name], 0, 300 if UNCOMPILED else 20_000
    for position in small_positions(variant, 25):
        choice = choose(position, most, variant, minimax=0.0, reject_depth=2, reject_margin=0.0)
        if choice.nodes < most:
            assert choice.score == outcome_of(variant.rules, position), position
            proofs += 1
        if UNCOMPILED and proofs == 3:
            return
    assert proofs > 12


@pytest.mark.parametrize("name", [rules.name for rules in RULE_SETS])
def test_it_plays_every_variant(name):
    variant = BY_NAME[name]
    game, player = Game(variant), Hybrid(variant)
    for _ in range(2 if UNCOMPILED else 20):
        if game.outcome is None:
            game.push(player.choose(game, Limit(nodes=2 if UNCOMPILED else 20), random.Random(1)).move)
    assert len(game.moves) > 1
