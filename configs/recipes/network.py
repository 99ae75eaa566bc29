"""A network for `evaluation:`, learned by PyTorch (`pip install -e '.[train]'`) from the positions of a run.

    python configs/recipes/network.py

It learns results and scores of searches with `material`; `evaluation: reports/network/network.npz` plays with it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.optimize import minimize_scalar
from scipy.special import expit
from torch.nn.functional import binary_cross_entropy_with_logits, pad

import arena

WIDTH, OUTPUTS, PHASES, ONE = 64, 16, 4, 256
"""Numbers of the first and the second layer, phases of a game, and what stands for 1 in the file."""
RESULTS = 0.2  # the weight of results; the scores have the rest


class Network(torch.nn.Module):
    """The layers of `players/evaluation/neural.py` in floating point: logits of the mover's expected points."""

    def __init__(self, squares: int) -> None:
        super().__init__()
        self.rows = torch.nn.Parameter(0.1 * torch.randn(4 * squares, WIDTH))
        self.bias = torch.nn.Parameter(torch.full((WIDTH,), 0.25))
        self.second = torch.nn.Parameter((2 * WIDTH) ** -0.5 * torch.randn(PHASES, OUTPUTS, 2 * WIDTH))
        self.second_bias = torch.nn.Parameter(torch.full((PHASES, OUTPUTS), 0.25))
        self.last = torch.nn.Parameter(OUTPUTS**-0.5 * torch.randn(PHASES, OUTPUTS))
        self.last_bias = torch.nn.Parameter(torch.zeros(PHASES))

    def forward(self, boards: torch.Tensor, phases: torch.Tensor) -> torch.Tensor:
        views = (boards, boards.flip(2)[:, [2, 3, 0, 1]])  # the mover's, and the other side's
        sums = torch.cat([view.flatten(1).float() @ self.rows + self.bias for view in views], 1).clamp(0, 1)
        layer = (sums @ self.second.flatten(0, 1).T).unflatten(1, (PHASES, OUTPUTS)) + self.second_bias
        logits = (layer.clamp(0, 1) * self.last).sum(2) + self.last_bias
        return logits.gather(1, phases[:, None])[:, 0]

    @torch.no_grad()
    def save(self, path: Path, unit: float) -> None:
        last_bias = pad(self.last_bias[:, None], (0, 2 * OUTPUTS - 1))
        phases = torch.cat([self.second.flatten(1), self.second_bias, self.last, last_bias], 1)
        numbers = torch.cat([self.rows.flatten(), self.bias, phases.flatten()])
        network = (numbers * ONE).round().clamp(-8 * ONE, 8 * ONE).to(torch.int16).numpy()
        np.savez_compressed(path, network=network, unit=np.float64(unit / ONE**2))


def views(variant: arena.Variant, positions: list[arena.Position]) -> tuple[np.ndarray, np.ndarray]:
    """Own and other men and kings as the side to move sees them, `uint8[n, 4, squares]`, and the phase of each."""
    white, black, kings, turn = np.array(positions, "<i8").T
    is_white, rows, per_row = turn == arena.WHITE, variant.rules.rows, variant.rules.per_row
    own, other = np.where(is_white, (white, black), (black, white))
    kinds = np.stack([own & ~kings, own & kings, other & ~kings, other & kings], 1)[:, :, None].view(np.uint8)
    boards = np.unpackbits(kinds, axis=2, bitorder="little", count=rows * per_row + rows // 2 - 1)
    boards[~is_white] = boards[~is_white, :, ::-1]
    phases = boards.sum((1, 2), dtype=np.int64) * PHASES // (per_row * (rows - 2) + 1)
    return boards, np.minimum(phases, PHASES - 1)


def examples(run: arena.Run) -> tuple[list[torch.Tensor], np.ndarray, float]:
    """Views, phases and targets of quiet positions; the number of the game of each; logits that a man is worth."""
    moves, variant = run.positions(), run.experiment.rule_set
    moves = moves[~moves["move"].str.contains("x") & moves["score_men"].notna()]
    positions = [arena.parse_fen(variant, fen) for fen in moves["fen"]]
    white = moves["game"].map(run.games.set_index("game")["result"].map({"white": 1.0, "draw": 0.5, "black": 0.0}))
    points = np.where([position.turn == arena.WHITE for position in positions], white, 1 - white)
    men = moves["score_men"].to_numpy(float)
    per_man = minimize_scalar(lambda k: (np.logaddexp(0, k * men) - points * k * men).mean(), (0.5, 1)).x
    targets = RESULTS * points + (1 - RESULTS) * expit(per_man * men)
    parts = (*views(variant, positions), targets.astype(np.float32))
    return [*map(torch.from_numpy, parts)], moves.groupby("game").ngroup().to_numpy(), per_man


def fitted(run: arena.Run, path: Path, epochs: int) -> None:
    """Learn from the run's positions, those of every 20th game held out, and write the network to a file."""
    torch.manual_seed(2026)
    torch.set_num_threads(1)  # sums of floats depend on their number
    parts, games, per_man = examples(run)
    held_out = torch.from_numpy(games % 20 == 0)
    (boards, phases, targets), judged = ([part[rows] for part in parts] for rows in (~held_out, held_out))
    network, batch = Network(boards.shape[2]), 1024
    adam = torch.optim.Adam(network.parameters(), 0.004)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(adam, epochs * -(-len(boards) // batch), 4e-5)
    for epoch in range(1, epochs + 1):
        for some in torch.randperm(len(boards)).split(batch):
            adam.zero_grad()
            binary_cross_entropy_with_logits(network(boards[some], phases[some]), targets[some]).backward()
            adam.step()
            schedule.step()
            network.rows.data.clamp_(-2.5, 2.5)  # so that a sum of them is a whole number of 16 bits
        loss = binary_cross_entropy_with_logits(network(*judged[:2]), judged[2]).detach()
        print(f"epoch {epoch} of {len(boards)} positions: loss of those held out {loss:.4f}", flush=True)
    network.save(path, unit=100 / per_man)


def played(out: str, count: int, seed: int, *players: dict[str, Any]) -> arena.Run:
    """The games of searches with these evaluations and limits, of which what is missing is played."""
    config = {"name": Path(out).name, "variant": "english", "seed": seed, "max_plies": 120}
    openings = {"random_plies": 10, "balanced": False, "count": count}
    entries = [{"type": "negamax", "preset": "full", "tt": 1, **player} for player in players]
    return arena.run({**config, "openings": openings, "players": entries}, out)


def learned(out: str = "reports/network", openings: int = 1500, epochs: int = 15, check: int = 200) -> arena.Run:
    """The match of the network against the evaluation that it learned from; two limits, so that games differ."""
    material = {"name": "material", "evaluation": "material", "nodes": 500}
    run = played(out, openings, 2026, material, material | {"name": "material, 400 nodes", "nodes": 400})
    path = Path(out, "network.npz").absolute()
    fitted(run, path, epochs)
    return played(f"{out}-check", check, 2027, material | {"name": "network", "evaluation": str(path)}, material)


if __name__ == "__main__":
    print(learned().standings[["player", "elo", "elo_low", "elo_high", "games"]].round(0).to_string(index=False))
