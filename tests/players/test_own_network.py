"""Tests of networks of a user's own as players: `configs/own_network.py`, with networks made here."""

from __future__ import annotations

import math
import random
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from tests.helpers.needed import needed

needed("onnx")

import onnx
from onnx import TensorProto, helper, numpy_helper

from arena import Encoding, Game
from arena.experiment.load import player_spec
from arena.experiment.openings.sources import random_line
from arena.rules.variants import VARIANTS
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


def heads(variant: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Weights of a policy and of a value, both at random, the values within -1 and 1."""
    encoding, rng = Encoding(variant), np.random.default_rng(seed)
    inputs = int(np.prod(encoding.shape))
    policy = rng.normal(size=(inputs, encoding.actions)).astype(np.float32)
    value = rng.uniform(-0.04, 0.04, size=(inputs, 1)).astype(np.float32)
    value[inputs * 4 // 6 :] = 0
    return policy, value


def naive_visits(game: Game, policy: np.ndarray, value: np.ndarray, nodes: int) -> dict[int, int]:
    """How often PUCT visits each move of a position, from lines of moves and their values in plain tables."""
    encoding = Encoding(game.variant)
    priors: dict[tuple[int, ...], dict[int, float]] = {}
    values: dict[tuple[int, ...], list[float]] = {}
    for _ in range(nodes):
        line: tuple[int, ...] = ()
        after = game.copy()
        while line in priors and after.outcome is None:
            best, chosen = -math.inf, 0
            total = len(values[line])
            for move, prior in priors[line].items():
                below = values.get((*line, move), [])
                q = -fmean(below) if below else fmean(values[line])
                if (bound := q + 1.5 * prior * math.sqrt(total) / (1 + len(below))) > best + 1e-9:
                    best, chosen = bound, move
            line = (*line, chosen)
            after.push(chosen)
        if after.outcome is not None:
            winner = after.outcome.winner
            leaf_value = 0.0 if winner is None else 1.0 if winner == after.turn else -1.0
        else:
            planes = encoding.planes(after).ravel().astype(np.float32)
            exponentials = {m: math.exp((planes @ policy)[a]) for a, m in encoding.moves(after).items()}
            priors[line] = {m: e / sum(exponentials.values()) for m, e in exponentials.items()}
            leaf_value = (planes @ value).item()
        for above in range(len(line), -1, -1):
            values.setdefault(line[:above], []).append(leaf_value)
            leaf_value = -leaf_value
    return {move: len(values.get((move,), [])) for move in game.legal_moves}


def test_a_tree_network_visits_what_a_naive_puct_visits_most(tmp_path):
    policy, value = heads("english", 2)
    encoding, file = Encoding("english"), tmp_path / "two.pt2"
    write_torch(file, encoding.shape, policy / 20, value)
    spec = player_spec({"type": f"{CONFIGS}/own_network.py:TreeNetwork", "file": str(file)})
    player = build_player(spec, encoding.variant)
    tried = 0
    for seed in range(8):
        game = random_line(VARIANTS["english"], 60, random.Random(seed))
        for _ in range(4 + 5 * seed):
            if game.moves:
                game.pop()
        visits = naive_visits(game, policy / 20, value, 60)
        move = player.choose(game, Limit(nodes=60), random.Random(0)).move
        assert (
            visits[move] >= max(visits.values()) - 2
        )  # float32 of two libraries differs where moves are near ties
        tried += len(visits) > 2
    assert tried > 3
