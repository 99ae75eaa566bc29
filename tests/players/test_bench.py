"""Benchmarks, on a clock of their own: what is counted, which run is kept."""

import random
from itertools import accumulate, chain, cycle, repeat
from types import SimpleNamespace

import pytest

from arena.commands import bench
from arena.commands.bench import rules, search_rate
from arena.rules.game import Game
from arena.rules.movegen import perft
from arena.rules.variants import VARIANTS
from players.negamax.player import Negamax
from players.player import Limit

ENGLISH = VARIANTS["english"]


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """A clock on which runs take 1, 2, 3, 1, 2, 3 ... seconds: every second reading ends one."""
    steps = accumulate(chain.from_iterable(zip(repeat(0.0), cycle((1.0, 2.0, 3.0)))))
    monkeypatch.setattr(bench, "time", SimpleNamespace(perf_counter=steps.__next__))


@pytest.mark.parametrize(("seconds", "depth"), [(0, 1), (1.5, 2), (3, 3)])
def test_the_depth_is_the_first_that_takes_long_enough(seconds, depth):
    row = rules(ENGLISH, seconds)
    assert (row.what, row.variant, row.depth) == ("perft", "english", depth)
    assert row.nodes == perft(ENGLISH, ENGLISH.start, depth)


@pytest.mark.parametrize(("repeat", "best"), [(1, 3.0), (2, 1.0), (3, 1.0)])
def test_the_fastest_of_the_repeated_runs_is_kept(repeat, best):
    assert rules(ENGLISH, seconds=2, repeat=repeat).seconds == best


def test_a_search_enters_the_nodes_that_the_player_reports():
    nodes = Negamax(ENGLISH, "simple", "alphabeta").choose(Game(ENGLISH), Limit(depth=3), random.Random(0)).nodes
    row = search_rate(ENGLISH, "alphabeta", "simple", seconds=3)
    assert (row.depth, row.nodes) == (3, nodes)
