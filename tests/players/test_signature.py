"""Searches find in counted limits, and by a clock that only evaluations advance, what they found before."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from arena.rules.game import Game
from arena.rules.variants import VARIANTS
from players.negamax.player import Negamax
from players.player import Limit
from tests.helpers.signature import signature_lines

ENGLISH = VARIANTS["english"]
DATA = Path(__file__).parents[1] / "data" / "signature.csv"
CLOCK = """
import time
from arena import evaluator

now = 0.0
time.monotonic = time.perf_counter = lambda: now

@evaluator
def ticking(position, rules):
    global now
    now += 0.001
    own, other = (position.white, position.black)[:: -1 if position.turn else 1]
    return float(own.bit_count() - other.bit_count())
"""
"""An evaluation that takes a millisecond, in the one file with the clock that says so."""
TIMED = """
import random
from arena import Game, Limit, PlayerSpec, VARIANTS, build_player, parse_fen

english = VARIANTS["english"]
for preset in ("pvs", "full"):
    for fen in ("W:W17,19,20,21,22,23,28,29,32:B2,5,7,8,9,10,12,13,15", "B:WK2,K4,8,31:B5,22,K23,25,K29"):
        for limit in (Limit(seconds=0.1), Limit(seconds=0.2), Limit(seconds=0.4), Limit(clock=4.0)):
            options = {"preset": preset, "evaluation": "clock.py:ticking", "tt": 1}
            player = build_player(PlayerSpec(preset, "negamax", limit, options), english)
            choice = player.choose(Game(english, parse_fen(english, fen)), limit, random.Random(0))
            print(choice.depth, choice.nodes)
strong = PlayerSpec("strong", "negamax", Limit(depth=3), {"preset": "full", "evaluation": "strong"})
print(build_player(strong, english).choose(Game(english), strong.limit, random.Random(0)))
"""
REACHED = {
    "pvs": ["3 116", "4 205", "5 490", "4 205", "3 91", "4 225", "5 580", "4 225"],
    "full": ["2 220", "3 261", "4 635", "3 261", "3 129", "3 319", "4 648", "4 379"],
}
"""Depth and nodes of each search of TIMED, in turn."""


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["english", "international", "russian"])
def test_searches_find_the_values_moves_and_nodes_of_the_table(name):
    comment, header, *rows = DATA.read_text().splitlines()
    expected = [comment, header, *(row for row in rows if row.startswith(f"{name},"))]
    lines = list(signature_lines([name]))
    differ = [pair for pair in zip(expected, lines, strict=True) if pair[0] != pair[1]]
    assert differ == []


@pytest.mark.full
def test_uncompiled_searches_end_as_the_clock_says_and_find_what_compiled_ones_do(tmp_path):
    Path(tmp_path, "clock.py").write_text(CLOCK)
    done = subprocess.run(
        [sys.executable, "-c", TIMED],
        cwd=tmp_path,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert {"pvs": lines[:8], "full": lines[8:16]} == REACHED
    strong = Negamax(ENGLISH, "strong", "full").choose(Game(ENGLISH), Limit(depth=3), random.Random(0))
    assert lines[16:] == [str(strong)]
