"""Tests of networks of a user's own as players: `configs/own_network.py`, with networks made here."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from onnx import TensorProto, helper, numpy_helper

from arena import Encoding, Game
from arena.commands.cli import main
from arena.experiment.load import player_spec
from arena.ledger.read import read
from arena.rules.game import FORFEITS
from players.loading import fingerprints, located
from players.player import Limit
from players.table import build_player

CONFIGS = Path(__file__).parents[1] / "configs"
MATERIAL = np.array([1.0, 1.5, -1.0, -1.5, 0.0, 0.0], np.float32)
"""What a piece of each plane is worth."""

RUN = """\
name: networks
variant: english
openings: {random_plies: 4, count: 2}
max_plies: 60
players:
  - {name: net, type: "own_network.py:ValueNetwork", file: value.onnx}
  - {name: random, type: random}
"""


def write_onnx(file: Path, weights: np.ndarray, shape: tuple[int, ...]) -> None:
    """A network without a hidden layer: the planes, in one row, times the weights."""
    nodes = [
        helper.make_node("Flatten", ["planes"], ["row"], axis=1),
        helper.make_node("MatMul", ["row", "weights"], ["out"]),
    ]
    graph = helper.make_graph(
        nodes,
        "linear",
        [helper.make_tensor_value_info("planes", TensorProto.FLOAT, ["n", *shape])],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["n", weights.shape[1]])],
        [numpy_helper.from_array(weights, "weights")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, file)


def write_torch(file: Path, weights: np.ndarray, shape: tuple[int, ...]) -> None:
    torch = pytest.importorskip("torch")
    linear = torch.nn.Linear(*weights.shape, bias=False)
    linear.weight.data = torch.from_numpy(weights.T.copy())
    model = torch.nn.Sequential(torch.nn.Flatten(), linear)
    program = torch.export.export(model, (torch.zeros(2, *shape),), dynamic_shapes=({0: torch.export.Dim("n")},))
    torch.export.save(program, file)


WRITERS = {"onnx": write_onnx, "pt2": write_torch}


def played(game: Game, seed: int) -> Game:
    rng = random.Random(seed)
    while game.outcome is None and len(game.moves) < 60:
        game.push(rng.choice(game.legal_moves))
    return game


@pytest.mark.parametrize("kind", WRITERS)
def test_a_value_network_goes_where_its_value_is_lowest_for_the_opponent(tmp_path, kind):
    encoding, file = Encoding("english"), tmp_path / f"value.{kind}"
    weights = np.repeat(MATERIAL, 64)[:, None].astype(np.float32)
    WRITERS[kind](file, weights, encoding.shape)
    spec = player_spec({"type": f"{CONFIGS}/own_network.py:ValueNetwork", "file": str(file)})
    player = build_player(spec, encoding.variant)
    game = played(Game("english"), 1)
    while game.moves:
        game.pop()
        values = []
        for move in game.legal_moves:
            after = game.copy()
            after.push(move)
            worth = {"w": 1.0, "W": 1.5, "b": -1.0, "B": -1.5}
            values.append(sum(map(worth.__getitem__, after.pieces.values())) * (1 if game.turn == 0 else -1))
        choice = player.choose(game, Limit(), random.Random(0))
        assert choice.score == pytest.approx(max(values))
        assert choice.move == game.legal_moves[values.index(max(values))]


@pytest.mark.parametrize("kind", WRITERS)
def test_a_policy_network_plays_the_legal_action_of_the_highest_output(tmp_path, kind):
    encoding, file = Encoding("english"), tmp_path / f"policy.{kind}"
    weights = np.random.default_rng(1).normal(size=(np.prod(encoding.shape), encoding.actions)).astype(np.float32)
    WRITERS[kind](file, weights, encoding.shape)
    spec = player_spec({"type": f"{CONFIGS}/own_network.py:PolicyNetwork", "file": str(file)})
    player = build_player(spec, encoding.variant)
    game = played(Game("english"), 2)
    while game.moves:
        game.pop()
        outputs = encoding.planes(game).ravel().astype(np.float32) @ weights
        legal = np.flatnonzero(encoding.mask(game))
        assert player.choose(game, Limit(), random.Random(0)).move == encoding.move(
            game, int(legal[outputs[legal].argmax()])
        )


def test_a_network_beside_the_configuration_plays_in_its_seat(tmp_path, monkeypatch):
    folder = tmp_path / "mine"
    folder.mkdir()
    shutil.copy(CONFIGS / "own_network.py", folder)
    (folder / "run.yaml").write_text(RUN)
    write_onnx(folder / "value.onnx", np.repeat(MATERIAL, 64)[:, None], Encoding("english").shape)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["run", "mine/run.yaml", "--out", "out", "--workers", "1", "--no-report"])
    assert result.exit_code == 0, result.output
    games = read(tmp_path / "out").games
    assert len(games) == 4
    assert not set(games["termination"]) & set(FORFEITS)


def test_a_network_is_a_file_of_the_users_own(tmp_path):
    (tmp_path / "value.onnx").write_bytes(b"1")
    spec = located(player_spec({"type": "own_network.py:ValueNetwork", "file": "value.onnx"}), tmp_path)
    assert spec.options["file"] == str(tmp_path / "value.onnx")
    before = fingerprints(spec)
    (tmp_path / "value.onnx").write_bytes(b"2")
    assert before["value.onnx"] != fingerprints(spec)["value.onnx"]
