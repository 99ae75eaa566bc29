"""Players that ask a neural network, of any framework, from an ONNX file or a program that torch.export saved.

    players:
      - {name: by value, type: "own_network.py:ValueNetwork", file: value.onnx}     # beside the YAML file
      - {name: by policy, type: "own_network.py:PolicyNetwork", file: policy.pt2}

The input is `float32[n, 6, rows, columns]`, n positions as `arena.Encoding` shows them to the side to move.
"""

import numpy as np

from arena import Choice, Encoding


class ValueNetwork:
    """The move to the position of the lowest value: `float[n, 1]`, the higher the better for the side to move."""

    limits, kept = (), True

    def __init__(self, variant, file: str):
        self.encoding, self.network = Encoding(variant), network(file)

    def choose(self, game, limit, rng):
        after = []
        for move in game.legal_moves:
            game.push(move)
            after.append(self.encoding.planes(game))
            game.pop()
        values = -self.network(np.array(after, np.float32)).ravel()
        best = int(values.argmax())
        count = len(after)
        return Choice(game.legal_moves[best], float(values[best]), depth=1, nodes=1 + count, leaves=count)


class PolicyNetwork(ValueNetwork):
    """The legal move of the highest output: `float[n, Encoding.actions]`."""

    def choose(self, game, limit, rng):
        outputs = self.network(self.encoding.planes(game)[None].astype(np.float32))[0]
        moves = self.encoding.moves(game)
        return Choice(moves[max(moves, key=lambda action: outputs[action])], nodes=1, leaves=1)


def network(file):
    """The function from positions to outputs that a file holds."""
    if file.endswith(".onnx"):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(file, options)
        return lambda positions: session.run(None, {session.get_inputs()[0].name: positions})[0]
    import torch

    torch.set_num_threads(1)
    module = torch.export.load(file).module()
    return lambda positions: module(torch.from_numpy(positions)).detach().numpy()
