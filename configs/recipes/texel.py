"""Weights of a linear evaluation from the results of games (P. Österlund's Texel tuning, 2014).

    python configs/recipes/texel.py

One run grows: its first player has a weight of 1 for every feature, each further one the weights that the games so
far show, and all play each other. Give the same command again after a stop: it goes on with the stored players.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import expit

import arena
from arena import features

POINTS = {"white": 1.0, "draw": 0.5, "black": 0.0}
PER_GAME = 12
"""Positions of a game, at most, as those of one game have one result."""
RIDGE = 1e-3
"""Half of it times the squared weights is added to the loss: features that hardly vary get weights near 0."""


def quiet_positions(run: arena.Run) -> pd.DataFrame:
    """Some positions of each game in which nothing is captured, by `fen`, with White's `points` in the end.

    `lead` is White's lead in rating as logits: without it what strong players like would seem to win games.
    """
    moves = run.positions()
    quiet = moves[~moves["move"].str.contains("x")].drop_duplicates("fen")
    some = quiet.sample(frac=1, random_state=1).groupby("game").head(PER_GAME).sort_values(["game", "ply"])
    games, elo = run.games.set_index("game"), run.standings.set_index("player")["elo"]
    lead = (games["white"].map(elo).astype(float) - games["black"].map(elo).astype(float)) * np.log(10) / 400
    return some.assign(points=some["game"].map(games["result"].map(POINTS)), lead=some["game"].map(lead))


def counts(position: arena.Position, rules: arena.Rules) -> list[int]:
    """Each feature's count, own minus other from the side to move's view, as `linear` weighs it."""
    own, other = position.turn, 1 - position.turn
    return [count(position, rules, own) - count(position, rules, other) for count in features.VOCABULARY.values()]


def fitted(run: arena.Run) -> dict[str, float]:
    """The weights, a man 100, under which a logistic regression predicts the results best."""
    variant, table = run.experiment.rule_set, quiet_positions(run)
    positions = [arena.parse_fen(variant, fen) for fen in table["fen"]]
    x = np.array([counts(position, variant.rules) for position in positions], float)
    is_white = np.array([position.turn == arena.WHITE for position in positions])
    points = np.where(is_white, table["points"], 1 - table["points"])
    lead = np.where(is_white, table["lead"], -table["lead"])
    spread = np.sqrt((x**2).mean(axis=0)) + 1e-9

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        logits = x / spread @ weights + lead
        cross_entropy = np.logaddexp(0, logits) - points * logits
        slope = (x / spread).T @ (expit(logits) - points) / len(x)
        return cross_entropy.mean() + RIDGE / 2 * weights @ weights, slope + RIDGE * weights

    weights = minimize(loss, np.zeros(len(spread)), jac=True, method="L-BFGS-B").x / spread
    return dict(zip(features.VOCABULARY, np.round(100 * weights / abs(weights[0]), 1).tolist(), strict=True))


def player(name: str, evaluation: str | Mapping[str, Any]) -> dict[str, Any]:
    """The entry of a search with an evaluation."""
    return {"name": name, "type": "negamax", "preset": "full", "tt": 1, "nodes": 1000, "evaluation": evaluation}


def played(players: list[dict[str, Any]], out: str, openings: int) -> arena.Run:
    """The round robin of the players, of which the games that are missing are played."""
    config = {
        "name": "texel",
        "variant": "english",
        "seed": 2026,
        "openings": {"random_plies": 10, "balanced": False, "count": openings},
        "max_plies": 160,
        "players": players,
    }
    return arena.run(config, out)


def tuned(out: str = "reports/texel", rounds: int = 3, openings: int = 200) -> arena.Run:
    """The run of all rounds; its last player has the weights that were found."""
    equal = {"linear": dict.fromkeys(features.VOCABULARY, 1.0)}
    players = [player("simple", "simple"), player("round 0", equal)]
    if Path(out, "ledger.sqlite").exists():
        players = arena.load(out).experiment.as_dict()["players"]
    run = played(players, out, openings)
    for number in range(len(players) - 1, rounds + 1):
        players.append(player(f"round {number}", {"linear": fitted(run)}))
        run = played(players, out, openings)
    return run


if __name__ == "__main__":
    run = tuned()
    print(run.standings[["player", "elo", "elo_low", "elo_high", "games"]].round(0).to_string(index=False))
    print(run.experiment.players[-1].options["evaluation"])
