"""Numbers of a player by games: simultaneous perturbation stochastic approximation (J. C. Spall, 1998).

    python configs/recipes/spsa.py

In each step all numbers are changed at random, up or down, and once the other way. Both are new players of one run
that grows, in which everyone meets the player of the start; the difference of their scores says where to go. Give
the same command again after a stop: it goes on with the stored games.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import arena

ALPHA, GAMMA = 0.602, 0.101
"""How fast steps and changes become smaller (Spall 1998, III)."""
RATE = 40.0
"""How far a step goes along the slope."""


class Number(NamedTuple):
    """An option of the player that is tuned; a whole number if its start is one."""

    start: float
    least: float
    most: float
    change: float
    """By how much it is changed in the last step."""


PLAYER = {"type": "mcts", "rollout": "evaluation", "evaluation": "strong", "nodes": 400}
NUMBERS = {"exploration": Number(1.4, 0.05, 3.0, 0.2), "scale": Number(3.0, 0.5, 12.0, 0.6)}


def entry(name: str, values: np.ndarray) -> dict[str, Any]:
    """The player with other values of its numbers."""
    options = {
        key: round(value) if isinstance(number.start, int) else round(value, 4)
        for (key, number), value in zip(NUMBERS.items(), values.tolist(), strict=True)
    }
    return {"name": name, **PLAYER, **options}


def played(players: list[dict[str, Any]], out: str, openings: int, seed: int = 2026) -> arena.Run:
    """The games of everyone against the first player, of which those that are missing are played."""
    config = {
        "name": "spsa",
        "variant": "english",
        "seed": seed,
        "openings": {"random_plies": 8, "count": openings},
        "format": {"type": "gauntlet", "seeds": [players[0]["name"]]},
        "max_plies": 160,
        "players": players,
    }
    return arena.run(config, out, quiet=True)


def tuned(out: str = "reports/spsa", steps: int = 25, openings: int = 20, check: int = 200) -> arena.Run:
    """Tune, and play a match of what was found, against the start from other openings."""
    start, least, most, change = np.array(list(NUMBERS.values()), float).T
    values, rng = start, np.random.default_rng(2026)
    players = {"start": entry("start", start)}
    if Path(out, "ledger.sqlite").exists():
        players = {player["name"]: player for player in arena.load(out).experiment.as_dict()["players"]}
    for step in range(1, steps + 1):
        signs = rng.choice([-1.0, 1.0], len(start))
        width = (steps / step) ** GAMMA
        for name, sign in ((f"{step} plus", 1), (f"{step} minus", -1)):
            players[name] = entry(name, np.clip(values + sign * width * change * signs, least, most))
        score = played([*players.values()], out, openings).standings.set_index("player")["score"]
        slope = (score[f"{step} plus"] - score[f"{step} minus"]) * signs / (2 * width)
        gain = RATE / (steps / 10 + step) ** ALPHA
        values = np.clip(values + gain * change * slope, least, most)
        print(f"step {step}/{steps}:", dict(zip(NUMBERS, values.round(3).tolist(), strict=True)), flush=True)
    return played([players["start"], entry("tuned", values)], f"{out}-check", check, seed=2027)


if __name__ == "__main__":
    found = tuned().standings
    print(found[["player", "elo", "elo_low", "elo_high", "games"]].round(0).to_string(index=False))
