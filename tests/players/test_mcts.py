"""The tree search: against exhaustive minimax on small boards, its parts, and what it promises."""

import json
import math
import random
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arena.rules.game import Game
from arena.rules.movegen import apply, legal_moves
from arena.rules.notation import parse_fen
from arena.rules.position import Position
from arena.rules.result import Draws
from arena.rules.variants import VARIANTS, Variant
from players.loading import PlayerError
from players.mcts.player import Mcts
from players.mcts.search import TreeWorkspace, backpropagate, random_game
from players.mcts.tree import (
    COUNT,
    DRAWN,
    FIRST_CHILD,
    NODE_MOVE,
    PROVEN,
    REJECTED,
    TOTAL,
    VALUE_UNIT,
    VISITS,
    WIDTH,
    best_child,
    keep_below,
    prove_by_children,
    select,
)
from players.negamax.score import decided_value
from players.negamax.state import draw_rules
from players.player import Choice, Limit, PlayerSpec
from players.table import build_player
from tests.helpers.command_line import one_line
from tests.helpers.proofs import SMALL, outcome_of, small_positions
from tests.helpers.rule_sets import UNCOMPILED

WINS = json.loads((Path(__file__).parents[1] / "data" / "wins.json").read_text())
ENGLISH = VARIANTS["english"]


def choose(variant: Variant, position: Position, nodes: int, seed: int = 0, **options: Any) -> Choice:
    player = Mcts(variant, **options)
    return player.choose(Game(variant, position), Limit(nodes=nodes), random.Random(seed))


# --- the solver


@pytest.mark.full
@pytest.mark.parametrize("rollout", ["random", "evaluation", {"depth": 1}], ids=str)
@pytest.mark.parametrize("name", SMALL)
def test_it_proves_what_exhaustive_minimax_finds(name, rollout):
    variant, proven, most = SMALL[name], [], 500 if UNCOMPILED else 20_000
    for position in small_positions(variant, 16):
        choice = choose(variant, position, most, rollout=rollout)
        if choice.nodes < most:
            exact = outcome_of(variant.rules, position)
            assert choice.score == exact, position
            assert -outcome_of(variant.rules, apply(variant.rules, position, choice.move)) == exact, position
            proven.append(exact)
        if UNCOMPILED and len(proven) == 3:
            return
    assert set(proven) == ({1, 0, -1} if name == "points" else {1, -1})
    assert len(proven) > 7


@pytest.mark.compiled
@pytest.mark.parametrize("rollout", ["random", {"depth": 2}], ids=str)
@pytest.mark.parametrize("row", WINS["rows"], ids=lambda row: row["fen"])
def test_it_proves_the_wins_on_file(row, rollout):
    game = Game(row["variant"], row["fen"])
    choice = choose(game.variant, game.position, 20_000, rollout=rollout)
    assert (choice.score, choice.move) == (1.0, game.move(row["best"]))


@pytest.mark.compiled
def test_without_the_solver_nothing_is_proven_and_all_simulations_are_made():
    row = WINS["rows"][1]
    game = Game(ENGLISH, row["fen"])
    choice = choose(ENGLISH, game.position, 2000, solver=False)
    assert (choice.nodes, choice.move) == (2000, game.move(row["best"]))
    assert choice.score is not None and 0.3 < choice.score < 1.0


def test_a_position_that_occurred_before_is_a_draw():
    game = Game(ENGLISH, "W:WK32:BK1,K2,K3")

    def back() -> list[int]:
        return [move for move in game.legal_moves if apply(ENGLISH.rules, game.position, move) in game.positions]

    for _ in range(4):
        game.push((back() or game.legal_moves)[0])
    choice = Mcts(ENGLISH, keep_tree=False).choose(game, Limit(nodes=300), random.Random(0))
    assert choice.score is not None and choice.score >= 0.0
    assert choice.move == back()[0]


# --- its parts, against naive twins


def small_tree(*children: dict[int, int], visits: int = 100) -> tuple[TreeWorkspace, Any]:
    """A root with children of the given words."""
    memory = TreeWorkspace(0, {"used": (1 + len(children)) * WIDTH, "exploration": 0.7})
    tree = memory.tree
    tree[VISITS], tree[FIRST_CHILD], tree[COUNT] = visits, WIDTH, len(children)
    for number, child in enumerate(children, start=1):
        for word, value in child.items():
            tree[number * WIDTH + word] = value
    return memory, tree


def test_it_goes_where_the_upper_confidence_bound_is_highest():
    rng = random.Random(5)
    for _ in range(100):
        visits = [rng.randint(1, 40) for _ in range(6)]
        means = [rng.uniform(-1, 1) for _ in visits]
        memory, tree = small_tree(
            *({VISITS: n, TOTAL: int(n * mean * VALUE_UNIT)} for n, mean in zip(visits, means, strict=True)),
            visits=sum(visits),
        )
        bounds = [
            mean + 0.7 * math.sqrt(math.log(sum(visits) + 1) / n) for n, mean in zip(visits, means, strict=True)
        ]
        assert select(memory.states[0], tree, 0) // WIDTH - 1 == int(np.argmax(bounds))


@pytest.mark.parametrize(
    ("children", "chosen"),
    [
        ([{VISITS: 50, TOTAL: 20 * VALUE_UNIT}, {}], 2),
        ([{VISITS: 50, TOTAL: 49 * VALUE_UNIT}, {}], 1),
        ([{PROVEN: -3}, {VISITS: 50, TOTAL: -50 * VALUE_UNIT}], 2),
        ([{PROVEN: DRAWN}, {VISITS: 80, TOTAL: -70 * VALUE_UNIT}], 1),
        ([{REJECTED: 1}, {VISITS: 50, TOTAL: -40 * VALUE_UNIT}], 2),
        ([{REJECTED: 1}, {PROVEN: -2}], 1),
    ],
)
def test_moves_that_were_never_tried_are_proven_or_rejected_have_their_turn(children, chosen):
    memory, tree = small_tree(*children)
    assert select(memory.states[0], tree, 0) == chosen * WIDTH


@pytest.mark.parametrize(
    ("children", "proven"),
    [
        ((0, 0), 0),
        ((3, 0), -4),
        ((3, 5, DRAWN), -4),
        ((-3, -7), 8),
        ((-3, 0), 0),
        ((-3, DRAWN), DRAWN),
        ((DRAWN, 0), 0),
    ],
)
def test_a_node_is_proven_by_its_children_and_keeps_the_plies(children, proven):
    _, tree = small_tree(*({PROVEN: child} for child in children))
    assert prove_by_children(tree, 0) == (proven != 0)
    assert tree[PROVEN] == proven


def test_a_visit_counts_above_a_proven_node_as_what_is_proven_there():
    _, tree = small_tree({PROVEN: DRAWN}, {PROVEN: -3}, visits=0)
    line: Any = SimpleNamespace(nodes_of_line=[0, 2 * WIDTH])
    backpropagate(line, tree, ply=1, value=-1.0, proven=True)
    assert (tree[2 * WIDTH + TOTAL], tree[VISITS]) == (-VALUE_UNIT, 1)
    assert (tree[PROVEN], tree[TOTAL]) == (DRAWN, 0)


@pytest.mark.parametrize(
    ("children", "best"),
    [
        ([{VISITS: 3}, {VISITS: 5}], 2),
        ([{VISITS: 5, TOTAL: VALUE_UNIT}, {VISITS: 5, TOTAL: 2 * VALUE_UNIT}], 2),
        ([{VISITS: 90}, {VISITS: 1, PROVEN: 4}], 2),
        ([{VISITS: 1, PROVEN: 6}, {VISITS: 1, PROVEN: 4}], 2),
        ([{VISITS: 90, PROVEN: -4}, {VISITS: 1}], 2),
        ([{VISITS: 90, PROVEN: -4}, {VISITS: 1, PROVEN: -6}], 2),
        ([{VISITS: 1, PROVEN: DRAWN}, {VISITS: 5}], 2),
        ([{REJECTED: 1}, {}], 2),
    ],
)
def test_the_move_played_is_the_most_visited_unless_more_is_proven(children, best):
    _, tree = small_tree(*children)
    assert best_child(tree, 0) == best * WIDTH


def subtree(tree: Any, node: int) -> Any:
    """A node and what is below it, as nested tuples."""
    first, count = int(tree[node + FIRST_CHILD]), int(tree[node + COUNT])
    children = [subtree(tree, first + i * WIDTH) for i in range(count)] if first else []
    words = tuple(int(tree[node + word]) for word in (NODE_MOVE, VISITS, TOTAL, PROVEN, REJECTED))
    return words, children


def size(kept: Any) -> int:
    """How many nodes a subtree has."""
    return 1 + sum(map(size, kept[1]))


def test_what_is_below_a_move_is_kept_whole():
    player = Mcts(ENGLISH)
    player.choose(Game(ENGLISH), Limit(nodes=200 if UNCOMPILED else 5000), random.Random(0))
    state, tree = player._memory.states[0], player._memory.tree
    for child in (2, 1):  # of the move, then of a reply to it
        node = int(tree[FIRST_CHILD]) + child * WIDTH
        expected = subtree(tree, node)
        assert size(expected) > 5
        keep_below(state, tree, node)
        assert subtree(tree, 0) == expected
        assert state["used"] == WIDTH * size(expected)


@pytest.mark.full
@pytest.mark.compiled
def test_random_games_have_the_mean_of_all_of_them():
    variant = SMALL["points"]

    @cache
    def mean(position: Position) -> float:
        moves = legal_moves(variant.rules, position)
        if not moves:
            return float(np.sign(decided_value(variant.rules, position, 0)))
        return -sum(mean(apply(variant.rules, position, move)) for move in moves) / len(moves)

    memory = TreeWorkspace(0, draw_rules(variant.draws))
    for position in small_positions(variant, 5):
        results = [random_game(variant.rules, memory.states[0], position, 0) for _ in range(10_000)]
        assert np.mean(results) == pytest.approx(mean(position), abs=0.04)


def test_in_a_random_game_a_mans_move_is_progress():
    memory = TreeWorkspace(0, draw_rules(Draws(no_progress=1)))
    position = parse_fen(ENGLISH, "B:W30:B21")  # 21-25, 30x21: both are forced
    assert random_game(ENGLISH.rules, memory.states[0], position, 0) == -1.0


# --- what a game sees of it


def play_on(game: Game, player: Mcts, nodes: int, plies: int) -> list[Choice]:
    """The player's choices for both sides of a game that goes on."""
    choices = []
    for _ in range(plies):
        choices.append(player.choose(game, Limit(nodes=nodes), random.Random(len(game.moves))))
        game.push(choices[-1].move)
    return choices


def tree_of(choice: Choice) -> float:
    """The positions in the tree."""
    assert choice.extra is not None
    return choice.extra["tree"]


def test_the_tree_is_kept_from_move_to_move_of_one_game_only():
    nodes = 100 if UNCOMPILED else 1000
    keeps, forgets = Mcts(ENGLISH), Mcts(ENGLISH, keep_tree=False)
    kept, fresh = play_on(Game(ENGLISH), keeps, nodes, 4), play_on(Game(ENGLISH), forgets, nodes, 4)
    assert all(choice.nodes == nodes for choice in kept)
    assert all(tree_of(choice) > 1.05 * tree_of(other) for choice, other in zip(kept[2:], fresh[2:], strict=True))
    again = keeps.choose(Game(ENGLISH), Limit(nodes=nodes), random.Random(0))
    assert again == fresh[0]


def test_a_full_tree_grows_no_more_and_is_searched_on():
    player = Mcts(ENGLISH, tree=1)
    nodes = 100 if UNCOMPILED else 20_000
    player._memory.set({"tree_words": 100 * WIDTH})
    choice = player.choose(Game(ENGLISH), Limit(nodes=nodes), random.Random(0))
    assert choice.nodes == nodes
    assert 50 < tree_of(choice) <= 100


@pytest.mark.compiled
def test_equal_seeds_give_equal_choices_and_other_seeds_others():
    first, same, other = (choose(ENGLISH, ENGLISH.start, 1000, seed, rollout="random") for seed in (1, 1, 2))
    assert first == same != other


@pytest.mark.parametrize(
    ("limit", "options"),
    [
        (Limit(depth=4), {}),
        (Limit(nodes=1), {"rollout": "randm"}),
        (Limit(nodes=1), {"rollout": {"depth": 99}}),
        (Limit(nodes=1), {"exploration": -1.0}),
        (Limit(nodes=1), {"tree": 0}),
        (Limit(nodes=1), {"explore": 1}),
    ],
)
def test_a_wrong_limit_or_option_is_refused_in_one_line(limit, options):
    with pytest.raises(PlayerError) as caught:
        build_player(PlayerSpec("m", "mcts", limit, options), ENGLISH)
    one_line(caught.value)
