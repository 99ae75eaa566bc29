"""The fit of a network, by PyTorch: its layers in floating point, and the whole numbers that they become."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterable
from pathlib import Path
from pickle import UnpicklingError
from typing import IO, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from arena.learning.logistic import Loss, mean_loss
from arena.learning.samples import Samples, points_to_move
from arena.ratings.interval import Floats, Ints
from arena.rules.rules import Rules
from arena.rules.variants import Variant
from players.evaluation.neural import (
    KINDS,
    LANES,
    NETWORK_PHASES,
    ONE,
    OUTPUTS,
    NetworkFile,
    neural,
    phase_of,
    squares,
    views,
)
from players.evaluation.sample import rises

LARGEST_INPUT = 2.5
"""The largest weight of an input: 50 of them, and the bias, are a sum that 16 bits hold."""
_LARGEST = 8.0
"""The largest weight of the later layers, so that their sums are within 32 bits."""
THREADS = 1
"""Threads of PyTorch: sums of floats depend on their number."""
_TURNED_KINDS = [2, 3, 0, 1]
"""Kinds of pieces, from the other side's view."""


class Epoch(NamedTuple):
    """One pass over the positions."""

    number: int
    """From 1."""
    loss: float
    """Mean cross-entropy of the targets on the way, in nats."""
    held_out: float
    """The same of the positions held out, after it."""
    error: float
    """Half width of its 95 % interval, see Loss."""


class Views(NamedTuple):
    """Distinct positions as a network sees them, with what is to be learned of each."""

    boards: Ints
    """Own men, own kings, the other side's men and kings, from the side to move's view: `int64[m, 4]`."""
    rows: Ints
    """Rows of `boards` that count, `int64[n]`."""
    targets: NDArray[np.float32]
    """The side to move's expected points, 0 to 1, `float32[n]`; equal positions have their mean."""
    games: Ints
    """The number of the game of each, of the first one if several have it."""


class Layers(torch.nn.Module):
    """`players.evaluation.neural` in floating point: from views of positions to logits of expected points."""

    def __init__(self, rules: Rules, width: int, seed: int) -> None:
        super().__init__()
        count, chance = KINDS * squares(rules), torch.Generator().manual_seed(seed)

        def drawn(*shape: int, scale: float) -> torch.nn.Parameter:
            return torch.nn.Parameter(scale * torch.randn(*shape, generator=chance))

        self.rows = drawn(count, width, scale=0.1)
        self.bias = torch.nn.Parameter(torch.full((width,), 0.25))
        self.second = drawn(NETWORK_PHASES, OUTPUTS, 2 * width, scale=(2 * width) ** -0.5)
        self.second_bias = torch.nn.Parameter(torch.full((NETWORK_PHASES, OUTPUTS), 0.25))
        self.last = drawn(NETWORK_PHASES, OUTPUTS, scale=OUTPUTS**-0.5)
        self.last_bias = torch.nn.Parameter(torch.zeros(NETWORK_PHASES))

    def forward(self, inputs: torch.Tensor, phases: torch.Tensor) -> torch.Tensor:
        """Logits `[n]` of views: `inputs [n, KINDS, squares]`, 0 or 1, and the phase of each."""
        other = inputs.flip(2)[:, _TURNED_KINDS]
        sums = [view.flatten(1) @ self.rows + self.bias for view in (inputs, other)]
        held = torch.cat(sums, 1).clamp(0, 1)
        layer = (held @ self.second.flatten(0, 1).T).unflatten(1, (NETWORK_PHASES, OUTPUTS)) + self.second_bias
        logits: torch.Tensor = (layer.clamp(0, 1) * self.last).sum(2) + self.last_bias
        return logits.gather(1, phases[:, None])[:, 0]

    @torch.no_grad()
    def keep_small(self) -> None:
        """Hold the weights within what the whole numbers can be."""
        self.rows.clamp_(-LARGEST_INPUT, LARGEST_INPUT)
        self.bias.clamp_(-LARGEST_INPUT, LARGEST_INPUT)
        for weights in (self.second, self.second_bias, self.last, self.last_bias):
            weights.clamp_(-_LARGEST, _LARGEST)

    @torch.no_grad()
    def whole_numbers(self) -> NDArray[np.int16]:
        """The numbers of a network's file, see `players.evaluation.neural`."""
        parts = self.second.unflatten(2, (2, -1, LANES)).permute(0, 3, 1, 2, 4)
        phases = torch.cat(
            [
                parts.flatten(1),
                self.second_bias,
                self.last,
                torch.nn.functional.pad(self.last_bias[:, None], (0, 2 * OUTPUTS - 1)),
            ],
            dim=1,
        )
        numbers = [self.rows.flatten(), self.bias, phases.flatten()]
        return (torch.cat(numbers) * ONE).round().to(torch.int16).cpu().numpy()


class Fit:
    """A fit under way: the network, and how far the descent is."""

    def __init__(self, rules: Rules, seed: int, *, width: int, epochs: int, batch: int, rate: float) -> None:
        torch.set_num_threads(THREADS)
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # sums on a GPU in the same order each time
        torch.use_deterministic_algorithms(True)
        self.epochs: list[Epoch] = []
        """The epochs that are done."""
        self._seed, self._planned, self._batch, self._rate = seed, epochs, batch, rate
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.network = Layers(rules, width, seed).to(self._device)
        self._rules = rules
        self._adam = torch.optim.Adam(self.network.parameters(), lr=rate)

    def descend(self, views: Views, judged: Views) -> Epoch:
        """Pass once over `views`, in an order that seed and epoch decide."""
        count, before = len(views.targets), len(self.epochs)
        order = np.random.default_rng([self._seed, before]).permutation(count)
        batches, total = -(-count // self._batch), 0.0
        for number in range(batches):
            done = (before + number / batches) / self._planned
            for group in self._adam.param_groups:
                group["lr"] = self._rate * (0.01 + 0.99 * (1 + math.cos(math.pi * done)) / 2)
            places = order[number * self._batch : (number + 1) * self._batch]
            loss = self._loss(views, places)
            self._adam.zero_grad()
            loss.backward()
            self._adam.step()
            self.network.keep_small()
            total += float(loss.detach()) * len(places)
        epoch = Epoch(before + 1, total / count, *self.judge(judged))
        self.epochs.append(epoch)
        return epoch

    @torch.no_grad()
    def judge(self, views: Views) -> Loss:
        """The loss of the targets of positions."""
        count, size = len(views.targets), self._batch
        parts = (np.arange(first, min(first + size, count)) for first in range(0, count, size))
        losses = [self._loss(views, part, "none").cpu().numpy() for part in parts]
        return mean_loss(np.concatenate(losses).astype(float), views.games)

    def _loss(self, views: Views, places: Ints, reduction: str = "mean") -> torch.Tensor:
        boards = views.boards[views.rows[places]]
        inputs, phases, targets = (
            torch.from_numpy(part).to(self._device)
            for part in (inputs_of(self._rules, boards), phases_of(self._rules, boards), views.targets[places])
        )
        logits = self.network(inputs, phases)
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, targets, reduction=reduction)

    def save(self, data: str, path: Path) -> None:
        """Write a checkpoint: all that `resume` needs, and a digest of the positions."""
        state = {
            "data": data,
            "epochs": [tuple(epoch) for epoch in self.epochs],
            "network": self.network.state_dict(),
            "adam": self._adam.state_dict(),
        }
        torch.save(state, path)

    def resume(self, path: Path, data: str) -> None:
        """Go on from a checkpoint as if nothing had happened, if there is a readable one of these positions."""
        try:
            state = torch.load(path, self._device, weights_only=True)
            if state["data"] != data:
                return
            self.network.load_state_dict(state["network"])
            self._adam.load_state_dict(state["adam"])
            self.epochs = [Epoch(*epoch) for epoch in state["epochs"]]
        except (OSError, EOFError, KeyError, RuntimeError, UnpicklingError):
            return


def views_of(variant: Variant, parts: Iterable[Samples], file: IO[bytes]) -> tuple[Views, Views, str]:
    """The views of positions to learn from, of those held out, and a digest of all that they are made of.

    The boards of one part after the other are written to an empty file, and read from there.
    """
    digest, targets, held_out, games, rules = hashlib.sha256(), [], [], [], variant.rules
    for part in parts:
        for column in part:
            digest.update(np.ascontiguousarray(column).tobytes())
        file.write(views(rules, np.ascontiguousarray(part.positions)).tobytes())
        targets.append(points_to_move(part.positions, part.targets))
        held_out.append(part.held_out)
        games.append(part.games)
    file.flush()
    points, held, numbers = np.concatenate(targets), np.concatenate(held_out), np.concatenate(games)
    boards = np.memmap(file, np.int64, "r", shape=(len(numbers), 4))
    learned, judged = (_distinct(boards, np.flatnonzero(held == side), points, numbers) for side in (False, True))
    return learned, judged, digest.hexdigest()


def _distinct(boards: Ints, rows: Ints, targets: Floats, games: Ints) -> Views:
    """The views of some rows of `boards`, each board once, in the order of their numbers."""
    order = rows[np.lexsort([boards[rows, kind] for kind in reversed(range(KINDS))])]
    is_first = np.ones(len(order), bool)
    is_first[1:] = False
    for kind in range(KINDS):
        numbers = boards[order, kind]
        is_first[1:] |= numbers[1:] != numbers[:-1]
    place = np.cumsum(is_first) - 1
    means = np.bincount(place, targets[order]) / np.bincount(place)
    return Views(boards, order[is_first], means.astype(np.float32), games[order[is_first]])


def phases_of(rules: Rules, boards: Ints) -> Ints:
    """The phase of each of some boards, `int64[n]`."""
    phases = np.array([phase_of(rules, number) for number in range(squares(rules) + 1)])
    of_boards: Ints = phases[np.bitwise_count(boards).sum(axis=1)]
    return of_boards


def inputs_of(rules: Rules, boards: Ints) -> NDArray[np.float32]:
    """The inputs of views, 0 or 1: `float32[n, KINDS, squares]`."""
    octets = np.ascontiguousarray(boards, "<i8").view(np.uint8).reshape(len(boards), KINDS, 8)
    return np.unpackbits(octets, axis=2, count=squares(rules), bitorder="little").astype(np.float32)


def unit_of(variant: Variant, network: NDArray[np.int16]) -> float:
    """The unit under which a man of the start is worth 100, on average; 1 / ONE where it is worth nothing."""
    evaluation = neural.compiled(variant.rules, NetworkFile(network, 1.0).runnable(variant.rules))
    worth = float(np.mean(rises(evaluation, variant, variant.start)))
    return 100.0 / worth if worth > 0 else 1.0 / ONE
