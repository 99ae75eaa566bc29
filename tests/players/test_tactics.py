"""Tests of `full` on shots, by limits of nodes: the row's move must be found, and its gain seen."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from arena.rules.game import Game
from arena.rules.move_text import parse_move
from arena.rules.notation import parse_fen
from arena.rules.variants import VARIANTS
from players.negamax.player import Negamax
from players.negamax.score import LIMIT
from players.player import Limit

pytestmark = pytest.mark.compiled
TACTICS = json.loads((Path(__file__).parents[1] / "data" / "tactics.json").read_text())


@pytest.mark.parametrize("row", TACTICS["rows"], ids=lambda row: row["fen"])
def test_full_solves_it_within_its_nodes(row):
    variant = VARIANTS[row["variant"]]
    position = parse_fen(variant, row["fen"])
    player = Negamax(variant, "material", "full", stop_half=False)
    choice = player.choose(Game(variant, position), Limit(nodes=row["nodes"]), random.Random(0))
    assert choice.move in [parse_move(variant, position, text) for text in row["best"]]
    assert choice.score is not None and choice.score >= (LIMIT if row["gain"] == "win" else row["gain"])


@pytest.mark.parametrize(
    "row", [row for row in TACTICS["rows"] if row["kind"] == "shot"], ids=lambda row: row["fen"]
)
def test_plain_alpha_beta_sees_the_gain_at_the_stated_depth_and_not_at_depth_3(row):
    variant = VARIANTS[row["variant"]]
    game = Game(variant, parse_fen(variant, row["fen"]))
    player = Negamax(variant, "material", "pvs")
    shallow, deep = (player.choose(game, Limit(depth), random.Random(0)).score for depth in (3, row["depth"]))
    assert shallow is not None and deep is not None
    assert shallow < row["gain"] <= deep
