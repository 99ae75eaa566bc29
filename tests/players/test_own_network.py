"""Networks of a user's own as players: `configs/own_network.py`, with networks made here."""

import random
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.needed import needed

needed("onnx")

import onnx
from onnx import TensorProto, helper, numpy_helper

from arena import Encoding, Game
from arena.experiment.load import player_spec
from arena.experiment.openings.sources import random_line
from players.player import Limit
from players.table import build_player

pytestmark = pytest.mark.full

CONFIGS = Path(__file__).parents[2] / "configs"
MATERIAL = np.array([1.0, 1.5, -1.0, -1.5, 0.0, 0.0], np.float32)
"""What a piece of each plane is worth."""


def write_onnx(file: Path, shape: tuple[int, ...], *heads: np.ndarray) -> None:
    """A network without a hidden layer: each output is the planes, in one row, times the weights of a head."""
    nodes = [helper.make_node("Flatten", ["planes"], ["row"], axis=1)]
    nodes += [helper.make_node("MatMul", ["row", f"weights{n}"], [f"out{n}"]) for n in range(len(heads))]
    graph = helper.make_graph(
        nodes,
        "linear",
        [helper.make_tensor_value_info("planes", TensorProto.FLOAT, ["n", *shape])],
        [
            helper.make_tensor_value_info(f"out{n}", TensorProto.FLOAT, ["n", head.shape[1]])
            for n, head in enumerate(heads)
        ],
        [numpy_helper.from_array(head, f"weights{n}") for n, head in enumerate(heads)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, file)


def write_torch(file: Path, shape: tuple[int, ...], *heads: np.ndarray) -> None:
    torch = needed("torch")

    class Linear(torch.nn.Module):  # type: ignore[name-defined]
        def __init__(self):
            super().__init__()
            self.heads = torch.nn.ModuleList([torch.nn.Linear(*head.shape, bias=False) for head in heads])
            for layer, head in zip(self.heads, heads, strict=True):
                layer.weight.data = torch.from_numpy(head.T.copy())

        def forward(self, planes):
            outputs = tuple(layer(planes.flatten(1)) for layer in self.heads)
            return outputs if len(outputs) > 1 else outputs[0]

    program = torch.export.export(
        Linear(), (torch.zeros(2, *shape),), dynamic_shapes=({0: torch.export.Dim("n")},)
    )
    torch.export.save(program, file)


def test_a_value_network_goes_where_its_value_is_lowest_for_the_opponent(tmp_path):
    encoding, file = Encoding("english"), tmp_path / "value.onnx"
    weights = np.repeat(MATERIAL, 64)[:, None].astype(np.float32)
    write_onnx(file, encoding.shape, weights)
    spec = player_spec({"type": f"{CONFIGS}/own_network.py:ValueNetwork", "file": str(file)})
    player = build_player(spec, encoding.variant)
    game = random_line(encoding.variant, 60, random.Random(1))
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


def test_a_policy_network_plays_the_legal_action_of_the_highest_output(tmp_path):
    encoding, file = Encoding("english"), tmp_path / "policy.onnx"
    weights = np.random.default_rng(1).normal(size=(np.prod(encoding.shape), encoding.actions)).astype(np.float32)
    write_onnx(file, encoding.shape, weights)
    spec = player_spec({"type": f"{CONFIGS}/own_network.py:PolicyNetwork", "file": str(file)})
    player = build_player(spec, encoding.variant)
    game = random_line(encoding.variant, 60, random.Random(2))
    while game.moves:
        game.pop()
        outputs = encoding.planes(game).ravel().astype(np.float32) @ weights
        moves = encoding.moves(game)
        assert player.choose(game, Limit(), random.Random(0)).move == moves[max(moves, key=lambda a: outputs[a])]


def test_a_tree_network_plays_the_move_of_the_highest_prior_unless_another_one_wins(tmp_path):
    encoding, file = Encoding("english"), tmp_path / "two.pt2"
    inputs = int(np.prod(encoding.shape))
    policy = np.random.default_rng(2).normal(size=(inputs, encoding.actions)).astype(np.float32) / 20
    write_torch(file, encoding.shape, policy, np.zeros((inputs, 1), np.float32))
    spec = player_spec({"type": f"{CONFIGS}/own_network.py:TreeNetwork", "file": str(file)})
    player = build_player(spec, encoding.variant)
    game = random_line(encoding.variant, 20, random.Random(3))
    outputs = encoding.planes(game).ravel().astype(np.float32) @ policy
    moves = encoding.moves(game)
    for nodes in (1, 30):
        choice = player.choose(game, Limit(nodes=nodes), random.Random(0))
        assert choice.move == moves[max(moves, key=lambda action: outputs[action])]
    won = Game("english", "B:W13:B5,6")
    choice = player.choose(won, Limit(nodes=60), random.Random(0))
    assert choice.move == won.move("5-9") and choice.nodes == 60
