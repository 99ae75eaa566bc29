"""Players that ask a neural network, of any framework, from an ONNX file or a program that torch.export saved.

    players:
      - {name: by value, type: "own_network.py:ValueNetwork", file: value.onnx}     # beside the YAML file
      - {name: by policy, type: "own_network.py:PolicyNetwork", file: policy.pt2}
      - {name: by search, type: "own_network.py:TreeNetwork", file: two_heads.onnx, nodes: 200}

The input is `float32[n, 6, rows, columns]`, n positions as `arena.Encoding` shows them to the side to move.
"""

from math import sqrt

import numpy as np

from arena import Choice, Encoding, Limit


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
        values = -self.network(np.array(after, np.float32))[0].ravel()
        best = int(values.argmax())
        count = len(after)
        return Choice(game.legal_moves[best], float(values[best]), depth=1, nodes=1 + count, leaves=count)


class PolicyNetwork(ValueNetwork):
    """The legal move of the highest output: `float[n, Encoding.actions]`."""

    def choose(self, game, limit, rng):
        outputs = self.network(self.encoding.planes(game)[None].astype(np.float32))[0][0]
        moves = self.encoding.moves(game)
        return Choice(moves[max(moves, key=lambda action: outputs[action])], nodes=1, leaves=1)


class TreeNetwork(ValueNetwork):
    """The move that a tree search by PUCT visits most, with a network of two outputs: a policy and a value.

    The policy is `float[n, Encoding.actions]`, a softmax over the legal moves away from their priors; the value is
    `float[n, 1]`, the expected result for the side to move, from -1 to 1. A node is a simulation: one call of the
    network, or none where the game has ended. One node alone plays the best move of the policy.

    D. Silver et al., Mastering the game of Go without human knowledge, 2017, "Methods".
    """

    limits, default = ("nodes",), Limit(nodes=100)

    def __init__(self, variant, file: str, exploration: float = 1.5):
        super().__init__(variant, file)
        self.exploration = exploration

    def choose(self, game, limit, rng):
        root, nodes, self.calls = Node(1.0), limit.nodes or self.default.nodes, 0
        for _ in range(nodes):
            self.simulate(game, root)
        move = max(root.children, key=lambda move: (root.children[move].visits, root.children[move].prior))
        return Choice(move, root.total / root.visits, nodes=nodes, leaves=self.calls)

    def simulate(self, game, node):
        """Expand one position of the tree, from a node down; the value found, for the side to move at the node."""
        outcome = game.outcome
        if outcome is not None:
            value = 0.0 if outcome.winner is None else 1.0 if outcome.winner == game.turn else -1.0
        elif not node.children:
            value = self.expand(game, node)
        else:
            move = max(node.children, key=lambda move: node.bound(node.children[move], self.exploration))
            game.push(move)
            value = -self.simulate(game, node.children[move])
            game.pop()
        node.visits += 1
        node.total += value
        return value

    def expand(self, game, node):
        """Give a node its children, with their priors; the network's value of it."""
        self.calls += 1
        policy, value = self.network(self.encoding.planes(game)[None].astype(np.float32))
        moves = self.encoding.moves(game)
        priors = np.exp(policy[0, list(moves)] - policy[0, list(moves)].max())
        priors /= priors.sum()
        node.children = {move: Node(float(prior)) for move, prior in zip(moves.values(), priors, strict=True)}
        return float(value[0, 0])


class Node:
    """A position of the tree; `total` is the sum of its visits' values for the side to move."""

    def __init__(self, prior):
        self.prior, self.visits, self.total, self.children = prior, 0, 0.0, {}

    def bound(self, child, exploration):
        """What PUCT says for a child, Q + U; one that was never visited has this node's mean for Q."""
        mean = -child.total / child.visits if child.visits else self.total / self.visits
        return mean + exploration * child.prior * sqrt(self.visits) / (1 + child.visits)


def network(file):
    """The function from positions to the list of outputs that a file holds."""
    if file.endswith(".onnx"):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(file, options)
        return lambda positions: session.run(None, {session.get_inputs()[0].name: positions})
    import torch

    torch.set_num_threads(1)
    module = torch.export.load(file).module()

    def run(positions):
        outputs = module(torch.from_numpy(positions))
        outputs = outputs if isinstance(outputs, tuple | list) else (outputs,)
        return [output.detach().numpy() for output in outputs]

    return run
