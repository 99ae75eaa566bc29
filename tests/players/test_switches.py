"""The switches of the search: what must not change a value does not, and limits are kept."""

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.experiment.openings.sources import random_line
from arena.rules.game import Game
from arena.rules.notation import fen, parse_fen
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant
from players.mcts.player import Hybrid, Mcts
from players.mcts.tree import TreeSettings
from players.memory import fields_of
from players.negamax.player import Negamax, budget
from players.negamax.score import LIMIT
from players.negamax.state import MAX_DEPTH, Lasting, NegamaxSettings
from players.negamax.switches import PRESETS
from players.negamax.table_and_order import ENTRY, INFO
from players.player import Choice, Limit
from players.published.programs import AlphaBeta, CheckersAI, Cis300, Game3, Published
from players.published.search import ProgramSettings
from tests.helpers import naive
from tests.helpers.command_line import one_line
from tests.helpers.proofs import open_positions
from tests.helpers.rule_sets import UNCOMPILED

ENGLISH = VARIANTS["english"]
KINGS = "W:WK14,K15:BK32"
POSITIONS = 30 if UNCOMPILED else 200
EXACT_SWITCHES: dict[str, dict[str, Any]] = {
    "fail_hard": {"alpha_beta": True, "fail_soft": False},
    "root_order": {"alpha_beta": True, "iterative": True, "root_order": True},
    "order captures": {"alpha_beta": True, "order": "captures"},
    "order all": {"alpha_beta": True, "order": "all"},
    "tt alone": {"tt": 1},
    "tt": {"alpha_beta": True, "iterative": True, "tt": 1},
    "aspiration": {"alpha_beta": True, "iterative": True, "aspiration": 0.2},
    "mate_distance": {"alpha_beta": True, "mate_distance": True},
    **{f"preset {name}": {"preset": name} for name in PRESETS if name != "full"},
}
"""Switches, added to plain minimax, that must leave its value and its move as they are."""
FURTHER: dict[str, dict[str, Any]] = {
    "quiescence": {"quiescence": "captures"},
    "extensions": {"extensions": True},
}
"""Switches, added to `pvs`, that look further."""
LESS_FAR: dict[str, dict[str, Any]] = {
    "lmr": {"lmr": True},
    "iir": {"iir": 3},
    "futility": {"futility": True},
    "probcut": {"probcut": True},
}
"""Switches, added to `pvs`, that do not look as far, and so may miss a win."""


@pytest.fixture(scope="module")
def positions(variant: Variant, played: list[Position]) -> list[Position]:
    return open_positions(variant, played, POSITIONS)


@pytest.fixture(scope="module")
def truths(variant: Variant, positions: list[Position]) -> list[tuple[Position, int, Choice]]:
    """Positions with a depth, and plain minimax's choice."""
    player = Negamax(variant, "simple", "minimax")
    depths = [(position, 1 + i % 4) for i, position in enumerate(positions)]
    return [(position, depth, choose(player, variant, position, depth)) for position, depth in depths]


def choose(player: Negamax | Published, variant: Variant, position: Position, depth: int) -> Choice:
    return player.choose(Game(variant, position), Limit(depth), random.Random(0))


@pytest.mark.parametrize("name", EXACT_SWITCHES)
def test_a_switch_leaves_the_value_and_the_move_of_minimax(variant, truths, name):
    switches = {"preset": "minimax", **EXACT_SWITCHES[name]}
    player = Negamax(variant, "simple", **switches)
    for position, depth, truth in truths:
        choice = choose(player, variant, position, depth)
        assert (choice.score, choice.move) == (truth.score, truth.move), (fen(variant, position), depth)


def test_ties_choose_the_first_or_any_of_the_best_moves(variant, truths):
    lots = Negamax(variant, "simple", "pvs", ties="random")
    differ = 0
    for position, depth, truth in (each for each in truths if each[1] <= 2):
        game = Game(variant, position)
        drawn = {lots.choose(game, Limit(depth), random.Random(seed)).move for seed in range(4)}
        differ += len(drawn) > 1
        best = game.legal_moves
        if len(best) > 1:
            best = [move for move in best if value_of(variant, position, move, depth) == truth.score]
        assert truth.move == best[0]
        assert drawn <= set(best)
    assert differ > 5


def value_of(variant: Variant, position: Position, move: int, depth: int) -> float:
    """A move's value by plain minimax in Python."""
    after = Game(variant, position)
    after.push(move)
    child = naive.state_of(variant.rules, after.position)
    return -naive.minimax(variant.rules, child, depth - 1, naive.simple, ply=1)[0]


@pytest.fixture(scope="module")
def deeper(variant: Variant, truths: list[tuple[Position, int, Choice]]) -> list[Choice]:
    """What an exact search chooses in the positions of `truths`, a ply deeper than there."""
    player = Negamax(variant, "simple", "pvs")
    return [choose(player, variant, position, depth + 1) for position, depth, _ in truths]


@pytest.mark.parametrize("name", [*FURTHER, *LESS_FAR])
def test_a_switch_that_looks_further_or_less_far_changes_the_search_and_keeps_its_wins(
    variant, truths, deeper, name
):
    player = Negamax(variant, "simple", "pvs", **(FURTHER | LESS_FAR)[name])
    changed = 0
    for (position, depth, truth), exact in zip(truths, deeper, strict=True):
        choice = choose(player, variant, position, depth + 1)
        assert choice.move in Game(variant, position).legal_moves
        if name in FURTHER and truth.score is not None and truth.score > LIMIT:
            assert choice.score is not None and choice.score > LIMIT, fen(variant, position)
        changed += choice.score != exact.score or choice.nodes != exact.nodes
    assert changed > 0


@pytest.mark.parametrize("name", LESS_FAR)
def test_where_few_pieces_are_left_all_is_searched_in_full(name):
    def nodes(text: str, **switches: Any) -> int:
        position = parse_fen(ENGLISH, text)
        return choose(Negamax(ENGLISH, "simple", "pvs", **switches), ENGLISH, position, 9).nodes

    few, more = "B:W26,K30:B7,K14", "B:W18,22,26,K30:B2,7,11,K14"
    assert nodes(few, **LESS_FAR[name]) == nodes(few)
    assert nodes(more, **LESS_FAR[name]) != nodes(more)


def test_the_result_of_a_deeper_search_is_used_with_tt_deeper():
    nodes = []
    for deeper in (False, True):
        player, game = Negamax(ENGLISH, "simple", "pvs", tt_deeper=deeper), Game(ENGLISH)
        game.push(player.choose(game, Limit(7), random.Random(0)).move)
        nodes.append(player.choose(game, Limit(3), random.Random(0)).nodes)
    assert nodes[1] < nodes[0]


def test_a_node_that_is_reduced_is_stored_with_the_depth_that_it_was_searched():
    """From the start no ply below the root has captures: all of them are reduced."""
    for iir, deepest in ((0, 4), (4, 3)):
        player = Negamax(ENGLISH, "simple", "pvs", tt=1, iir=iir, iterative=False)
        choose(player, ENGLISH, ENGLISH.start, 5)
        assert max(player.workspace.table[INFO::ENTRY] & 255) == deepest


def test_quiescence_sees_the_recapture_beyond_the_horizon():
    position = parse_fen(ENGLISH, "W:W22,32:B18,11,8")  # 22x15 wins a man, 11x18 takes it back
    blind = choose(Negamax(ENGLISH, "material", "alphabeta"), ENGLISH, position, 1)
    seeing = choose(Negamax(ENGLISH, "material", "alphabeta", quiescence="captures"), ENGLISH, position, 1)
    assert (blind.score, blind.deepest) == (0.0, 1)
    assert (seeing.score, seeing.deepest) == (-1.0, 2)


def test_a_draw_by_repetition_is_seen_through_the_games_history():
    # a king against two: Black goes back and forth in the double corner, and White, ahead, must not repeat
    game = Game(ENGLISH, KINGS)
    for text in ("15-10", "32-28", "10-15", "28-32", "15-10"):
        game.push(text)
    assert game.outcome is None

    def found(**switches: Any) -> Choice:
        player = Negamax(ENGLISH, "material", "pvs", tt=0, order_tt=False, **switches)
        return player.choose(game, Limit(2), random.Random(0))

    blind, seeing = found(), found(draws=True)
    assert blind.score is not None and blind.score < 0
    assert (seeing.score, seeing.move) == (0.0, game.move("32-28"))
    assert found(draws=True, contempt=0.25).score == -0.25


@pytest.mark.parametrize("kind", [Negamax, Mcts])
@pytest.mark.parametrize(
    ("rules", "fen", "before", "value"),
    [
        ({"no_progress": 4}, KINGS, 0, 0.0),
        ({"no_capture": 4}, KINGS, 0, 0.0),
        pytest.param({"no_capture": 5}, "W:W31,32:B1", 0, 0.0, id="men move"),
        pytest.param({"no_progress": 300}, KINGS, 297, 0.0, id="more plies than a search knows positions"),
        pytest.param({"no_progress": 1}, "W:W22,K32:B1,2,3,13,17", 0, 0.0, id="a capture is pending"),
        pytest.param({"no_progress": 1}, "W:W24,K32:B20", 0, math.inf, id="a win in the last ply"),
    ],
)
def test_a_draw_by_counted_plies_is_seen_without_one_by_repetition(kind, rules, fen, before, value):
    game = Game({"base": "english", "repetition": 0, "no_progress": 0} | rules, fen)
    for ply in range(before):
        game.push(("15-10", "32-28", "10-15", "28-32")[ply % 4])
    switches, limit = {}, Limit(nodes=5_000)
    if kind is Negamax:
        switches, limit = {"draws": True, "quiescence": "captures"}, Limit(depth=max(rules.values()) - before)
    choice = kind(game.variant, evaluation="material", **switches).choose(game, limit, random.Random(0))
    assert choice.plies_to_win > 0 if value else choice.score == 0.0


@pytest.mark.parametrize(("nodes", "switches"), [(1, {}), (10, {"iir": 1}), (137, {"iir": 1}), (5000, {})])
def test_no_more_nodes_are_entered_than_the_limit_allows(variant, positions, nodes, switches):
    player = Negamax(variant, "simple", "full", **switches)
    for position in positions[::10]:
        choice = player.choose(Game(variant, position), Limit(nodes=nodes), random.Random(0))
        assert choice.nodes <= nodes
        assert choice.move in Game(variant, position).legal_moves


def test_an_unfinished_iteration_counts_only_if_partial():
    def searched(limit: Limit, **switches: Any) -> Choice:
        return Negamax(ENGLISH, "simple", "pvs", **switches).choose(Game(ENGLISH), limit, random.Random(0))

    depth_5, depth_6 = (searched(Limit(depth)) for depth in (5, 6))
    stopped = searched(Limit(nodes=depth_5.nodes + 50))
    assert (stopped[:3], stopped.nodes) == (depth_5[:3], depth_5.nodes + 50)
    partial = searched(Limit(nodes=depth_6.nodes - 1), partial=True)
    assert (partial.depth, partial.nodes) == (5, depth_6.nodes - 1)


@pytest.mark.full
@pytest.mark.compiled
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory in use is read from /proc")
def test_a_thousand_searches_take_no_more_memory():
    player, game, rng, pages = Negamax(ENGLISH, "simple", "full"), Game(ENGLISH), random.Random(0), []
    for times in (100, 1000):
        for _ in range(times):
            player.choose(game, Limit(nodes=500), rng)
        pages.append(int(Path("/proc/self/statm").read_text().split()[1]))
    assert pages[1] < 1.02 * pages[0]


def test_a_clock_is_never_overspent_and_nearly_all_of_it_is_used_until_it_gains():
    for clock in (0.01, 0.5, 60.0):
        for increment in (None, 0.0, 2.0):
            soft, hard = budget(Limit(clock=clock, increment=increment))
            assert soft > 0
            assert hard <= clock / 3
    for moves, left in ((1, 0.001), (5, 0.001), (30, 0.25)):
        limit = whole = Limit(clock=60.0, moves=moves)
        for _ in range(moves):
            soft, hard = budget(limit)
            assert hard < (limit.clock or 0)
            limit = limit.after(min(2 * soft, hard), whole)
        assert 60 < (limit.clock or 0) < 60 * (1 + left)
    assert budget(Limit(seconds=0.1)) == pytest.approx((0.05, 0.0995))
    assert budget(Limit(depth=3)) == (math.inf, math.inf)


@pytest.mark.parametrize(
    ("limit", "preset"),
    [
        *((Limit(), "pvs"), (Limit(seconds=1.0), "alphabeta")),
        *((Limit(depth=depth), "pvs") for depth in (0, MAX_DEPTH + 1)),
    ],
)
def test_a_limit_that_a_search_cannot_keep_is_refused_in_one_line(limit, preset):
    with pytest.raises(ValueError, match=r".") as caught:
        Negamax(ENGLISH, "simple", preset).choose(Game(ENGLISH), limit, random.Random(0))
    one_line(caught.value)


SEARCHES: dict[str, tuple[type[Any], dict[str, Any]]] = {
    **{preset: (Negamax, {"preset": preset, "tt": min(PRESETS[preset].tt, 1)}) for preset in PRESETS},
    "full, ties at random": (Negamax, {"preset": "full", "tt": 1, "ties": "random"}),
    "reduced to leaves": (Negamax, {"preset": "pvs", "tt": 1, "iir": 1}),
    "game3": (Game3, {"ties": "random"}),
    "checkers-ai": (CheckersAI, {}),
    "cis300 as printed": (Cis300, {"as_printed": True}),
    **{f"mcts {rollout}": (Mcts, {"rollout": rollout, "tree": 1}) for rollout in ("random", "evaluation")},
    "mcts by depth": (Mcts, {"rollout": {"depth": 2}, "tree": 1}),
    "hybrid": (Hybrid, {"evaluation": "simple", "tt": 1, "tree": 1}),
}
"""Players that search, and their options."""


def spoil(player: Any) -> None:
    """Write into all of a player's memory but what is to last."""
    if isinstance(player, Published):
        spoil(player.search)
        return
    memory: Any
    if isinstance(player, Mcts):
        spoil(player._negamax)
        player._memory.tree[:] = 3
        memory, lasting = player._memory, {*fields_of(TreeSettings)}
    elif isinstance(player, AlphaBeta):
        memory, lasting = player.workspace, {*fields_of(ProgramSettings)}
    else:
        memory, lasting = player.workspace, {*fields_of(NegamaxSettings), *fields_of(Lasting)}
    state = memory.states[0]
    for name in set(memory.array.dtype.names) - lasting:
        if np.ndim(state[name]):
            state[name][...] = 3
        else:
            state[name] = 3


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_reads_nothing_of_an_earlier_one_when_a_game_has_begun(name):
    kind, options = SEARCHES[name]
    used, rng = kind(ENGLISH, **options), random.Random(name)
    games = [random_line(ENGLISH, rng.randint(0, 50), rng) for _ in range(5 if UNCOMPILED else 12)]
    for game in (game for game in games if game.legal_moves):
        number, nodes = rng.random(), rng.randint(2, 200)
        for limit in [Limit(nodes=nodes)] if isinstance(used, Mcts) else [Limit(3), Limit(3, nodes)]:
            used.begin()
            spoil(used)
            expected = kind(ENGLISH, **options).choose(game, limit, random.Random(number))
            assert used.choose(game, limit, random.Random(number)) == expected, (game.fen, limit)
