"""What every player must keep to: legal moves, its limits, sound counts, the same game again."""

import copy
import pickle
import random
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.ledger.record import MEASURED, MOVE_COLUMNS, GameRecord
from arena.play.match import play
from arena.rules.game import Game
from arena.rules.movegen import apply, legal_moves
from arena.rules.position import COLOURS
from arena.rules.variants import VARIANTS, Variant
from players.answers import accepted
from players.player import Choice, Limit, PlayerSpec
from players.table import PLAYERS, build_player
from tests.helpers.asking import LIMITS, column, task_of

REGISTERED = {
    "random": ("none all", "english frisian"),
    "greedy": ("none all", "english frisian"),
    "plain": ("none depth", "english frisian"),
    "negamax": ("depth nodes one_node seconds clock all", "english international frisian"),
    "mcts": ("nodes one_node seconds clock", "english frisian"),
    "hybrid": ("nodes one_node seconds clock", "english"),
    "game3": ("none nodes all", "english"),
    "checkers-ai": ("depth all", "english"),
    "simplified": ("none all", "simplified"),
    "cis300": ("none all", "english"),
    "engine": ("nodes clock", "international"),
}
"""By player, the keys of LIMITS and the rule sets that it is tested under."""
ENGINE = {"command": [sys.executable, "-m", "arena", "hub"], "folder": str(Path(__file__).parents[2])}
PLIES = 30
NODE_SLACK = 128
"""Nodes beyond the limit: greedy counts the positions after all moves at once."""
TYPICAL, WORST = 0.02, 1.0
"""Processor seconds beyond the limit for half of the moves and for any: others use the machine during tests."""


CASES = [
    (name, kind, variant)
    for name, (kinds, variants) in REGISTERED.items()
    for number, variant in enumerate(variants.split())
    for kind in kinds.split()
    if not number or kind in ("none", "nodes")  # limits are kept by the same code for all rules
]


def test_every_player_is_registered():
    assert set(REGISTERED) == set(PLAYERS)


@pytest.mark.full(only=["engine-nodes-international", "engine-clock-international"])
@pytest.mark.parametrize(("name", "kind", "variant"), CASES, ids=["-".join(case) for case in CASES])
def test_a_registered_player_conforms(name, kind, variant):
    """In games with itself."""
    spec, rules = PlayerSpec(name, name, LIMITS[kind], ENGINE if name == "engine" else {}), VARIANTS[variant]
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert_every_choice_is_sound(spec, rules)
    if spec.limit.seconds is spec.limit.clock is None:
        task = task_of(rules, spec, spec, max_plies=PLIES)
        first = play(task)
        assert first.error == ""
        other = Game(rules).position._replace(turn=1 - rules.first)
        play(task_of(rules, spec, spec, max_plies=PLIES, seed=2, opening=other))
        assert_same_game(first, play(task))


def assert_every_choice_is_sound(spec: PlayerSpec, variant: Variant) -> None:
    """Assert it of one game: moves legal, limits kept, the game as it was."""
    game, overruns = Game(variant), []
    sides = [build_player(spec, variant) for _ in COLOURS]
    limits = [spec.limit for _ in COLOURS]
    rng = random.Random(1)
    while game.outcome is None and len(game.moves) < 2 * PLIES:
        turn, before = game.position.turn, state(game)
        limit = limits[turn]
        began = time.process_time()
        choice = sides[turn].choose(game, limit, rng)
        seconds = time.process_time() - began
        assert state(game) == before, f"the game was changed at ply {len(game.moves) + 1}"
        assert_telemetry_is_sound(game, choice, limit)
        assert_line_is_legal(game, choice)
        overruns.append(limit.overrun(seconds))
        limits[turn] = limit.after(seconds, spec.limit)
        game.push(choice.move)
    late = [seconds for seconds in overruns if seconds is not None]
    assert not late or (statistics.median(late) < TYPICAL and max(late) < WORST), "too slow for its time limit"


def assert_telemetry_is_sound(game: Game, choice: Choice, limit: Limit) -> None:
    assert accepted(choice, game) == choice
    assert limit.depth is None or choice.depth <= limit.depth, "deeper than its limit"
    assert limit.nodes is None or choice.nodes <= limit.nodes + NODE_SLACK, "more nodes than its limit"
    assert abs(choice.plies_to_win) <= 512
    assert choice.plies_to_win == 0 or choice.score is None or (choice.plies_to_win > 0) == (choice.score > 0)
    assert choice.leaves <= choice.nodes
    assert choice.cutoffs_first <= choice.cutoffs_max + choice.cutoffs_min <= choice.nodes
    assert choice.tt_hits <= choice.tt_probes


def assert_line_is_legal(game: Game, choice: Choice) -> None:
    """Assert that the pv goes on from the move by legal ones; `Variant.king_moves` a search need not know of."""
    assert not choice.pv or choice.pv[0] == choice.move
    rules, position = game.variant.rules, game.position
    for move in choice.pv:
        assert move in legal_moves(rules, position), "an illegal move in the pv"
        position = apply(rules, position, move)


def assert_same_game(one: GameRecord, other: GameRecord) -> None:
    """Assert that two records differ in times only."""
    for field in ("result", "termination", "error", "plies"):
        assert getattr(one, field) == getattr(other, field), field
    for name in ("move", *(name for name, _ in MOVE_COLUMNS if name not in MEASURED)):
        np.testing.assert_array_equal(column(one, name), column(other, name), name)


def state(game: Game) -> dict[str, Any]:
    """A copy of all that a game is: values, and containers of values."""
    return {name: copy.copy(value) for name, value in vars(game).items() if name != "variant"}
