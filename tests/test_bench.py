"""Tests of the benchmarks, on a clock of their own: what is counted, which run is kept."""

from __future__ import annotations

import json
import random
from itertools import cycle
from pathlib import Path

import pytest

from arena.bench import rates, timing
from arena.bench.rates import random_games, rules, search
from arena.commands.bench import rows
from arena.experiment.formats.base import Pairing
from arena.play.match import Task, play
from arena.rules.game import Game
from arena.rules.notation import parse_fen
from arena.rules.variants import VARIANTS
from players.negamax.player import Negamax
from players.player import Limit, PlayerSpec

PUBLISHED = json.loads((Path(__file__).parent / "data" / "perft.json").read_text())["rows"]
INTERNATIONAL = VARIANTS["international"]


class Clock:
    """A clock on which the first run takes 1 s, the second 2 s, the third 3 s, the fourth 1 s again."""

    def __init__(self) -> None:
        self.now = 0.0
        self._running = False
        self._lengths = cycle((1.0, 2.0, 3.0))

    def perf_counter(self) -> float:
        """The time; every second reading ends a run."""
        self.now += next(self._lengths) if self._running else 0.0
        self._running = not self._running
        return self.now


@pytest.fixture
def clock(monkeypatch):
    """The clock that the benchmarks read."""
    clock = Clock()
    monkeypatch.setattr(timing, "time", clock)
    return clock


def published(name):
    """Node counts of a variant's start position from depth 1 on."""
    variant = VARIANTS[name]
    rows = (row for row in PUBLISHED if row["variant"] == name)
    return next(row["nodes"] for row in rows if parse_fen(variant, row["fen"]) == variant.start)


# --- rules


@pytest.mark.parametrize("name", ["english", "brazilian", "international"])
@pytest.mark.parametrize("depth", [1, 3])
def test_perft_counts_are_the_published_ones_at_the_depth_of_the_row(clock, name, depth):
    [row] = rules([VARIANTS[name]], seconds_per_variant=depth)
    assert (row.what, row.variant, row.depth) == ("perft", name, depth)
    assert row.nodes == published(name)[depth - 1]


@pytest.mark.parametrize(("seconds", "depth"), [(0, 1), (1, 1), (1.5, 2), (2.5, 3), (3, 3)])
def test_depth_is_the_first_that_takes_long_enough(clock, seconds, depth):
    [row] = rules([VARIANTS["english"]], seconds_per_variant=seconds)
    assert row.depth == depth


@pytest.mark.parametrize(("repeat", "best"), [(1, 3.0), (2, 1.0), (3, 1.0)])
def test_the_fastest_of_the_repeated_runs_is_kept(clock, repeat, best):
    [row] = rules([VARIANTS["english"]], seconds_per_variant=2, repeat=repeat)
    assert row.seconds == best
    assert row.rate == {3.0: "0.0000163 M nodes/s", 1.0: "0.0000490 M nodes/s"}[best]


# --- search


def test_search_enters_the_nodes_that_the_player_reports_with_either_evaluation(clock):
    built_in, user = search([VARIANTS["english"]], seconds_per_variant=3)
    english = VARIANTS["english"]
    nodes = Negamax(english, "simple", "alphabeta").choose(Game(english), Limit(depth=3), random.Random(0)).nodes
    assert (built_in.depth, user.depth) == (3, 3)
    assert (built_in.nodes, user.nodes) == (nodes, nodes)
    assert "DIFFER" not in user.note


def test_both_evaluations_run_in_turn_and_are_compared_by_their_best(clock):
    built_in, user = search([VARIANTS["english"]], seconds_per_variant=2, repeat=1)
    assert (built_in.seconds, user.seconds) == (3.0, 1.0)
    assert user.note == "3.00 of the built-in's speed"


def test_a_user_evaluation_with_other_values_is_flagged(clock, monkeypatch):
    monkeypatch.setattr(rates, "USER_EVALUATION", rates.USER_EVALUATION.replace("value = 3.0", "value = -3.0"))
    built_in, user = search([VARIANTS["international"]], seconds_per_variant=3, repeat=1)
    assert user.nodes != built_in.nodes
    assert user.note == f"NODES DIFFER: the same evaluation built in enters {built_in.nodes:,}"


# --- games


def test_games_begin_until_the_time_is_over(clock):
    row = random_games(VARIANTS["english"], seconds=2, max_plies=7)
    assert (row.depth, row.nodes, row.seconds) == (None, 21, 3.0)
    assert (row.rate, row.note) == ("1.00 games/s", "3 games, 142857.1 µs a ply")


def test_one_game_is_played_in_no_time(clock):
    variant, spec = VARIANTS["brazilian"], PlayerSpec("random", "random")
    record = play(Task(Pairing(1, 1, 1, 0, 1, 0), variant, variant.start, spec, spec, 1, 300))
    row = random_games(variant, seconds=0)
    assert row.nodes == record.plies
    assert row.nodes > 20


# --- environments


# --- all of them


SEARCHES = [
    "negamax, built-in",
    "negamax, user-written",
    *(f"negamax, full, {evaluation}" for evaluation in ("simple", "neural")),
    "mcts, random games",
]


@pytest.mark.full
@pytest.mark.parametrize(
    ("what", "names", "expected"),
    [
        ("rules", ["english"], ["perft"]),
        ("search", ["english"], SEARCHES),
        ("games", ["english"], ["random games"]),
        ("all", ["english"], ["perft", *SEARCHES, "random games"]),
    ],
)
def test_a_benchmark_is_chosen_by_its_name(clock, what, names, expected):
    assert [row.what for row in rows(what, [VARIANTS[name] for name in names])] == expected


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (0.00116, "0.00116"),
        (0.5, "0.500"),
        (9.0, "9.00"),
        (28.34, "28.3"),
        (104.2, "104"),
        (129310.3, "129,310"),
    ],
)
def test_figures_are_never_written_in_powers_of_ten(number, text):
    assert timing.three_figures(number) == text
