"""The time that the arena itself takes for a search, a move of a player in its own process, a ply of a game."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from arena.bench.rates import Rate, random_games, spell, three_figures
from arena.board.environment import DraughtsEnv, env
from arena.commands.bench import show_rows
from arena.experiment.openings.sources import random_line
from arena.hosting.handle import LocalPlayer
from arena.hosting.player_process import PlayerHandle, begin_game, close_players
from arena.rules.game import Game
from arena.rules.variants import VARIANTS
from players.baselines import Random
from players.player import Allowance, Limit, PlayerSpec

DEPTHS = (1, 2, 3)
"""Plies of the searches: so few that what surrounds them counts."""
OUTSIDE = PlayerSpec("outside", f"{Random.__module__}:{Random.__name__}")
PROGRAM = PlayerSpec(
    "program",
    "engine",
    Limit(depth=1),
    {"command": [sys.executable, "-m", "arena", "hub", "--player", "{type: random}"]},
)


def overhead(name: str, seconds: float = 0.3, repeat: int = 3) -> Iterator[Rate]:
    """Rows of a search, a move of a random player in its own process, one of a program, a ply, a step.

    Each is the best of `repeat` spells of `seconds`. On one core: `taskset -c 0`.
    """
    variant = VARIANTS[name]

    def row(what: str, depth: int | None, note: str, player: PlayerHandle, game: Game, limit: Limit) -> Rate:
        rng = random.Random(0)

        def ask() -> int:
            player.choose(game, limit, rng)
            return 1

        ask()
        units, taken = min((spell(ask, seconds) for _ in range(repeat)), key=lambda timed: timed[1] / timed[0])
        return Rate(what, name, depth, units, taken, f"{three_figures(1e6 * taken / units)} µs", note)

    searching = LocalPlayer(PlayerSpec("searching", "negamax", Limit(depth=1), {"preset": "alphabeta"}), variant)
    opened = random_line(variant, 8, random.Random(0))
    for depth in DEPTHS:
        yield row("search", depth, "one position, alpha-beta, simple", searching, opened, Limit(depth=depth))
    for spec, note in ((OUTSIDE, "a random player in its own process"), (PROGRAM, "arena hub, a random player")):
        player = begin_game(spec, variant, variant.start, "0", Allowance())
        yield row(spec.name, None, note, player, Game(variant), spec.limit)
    close_players()
    yield random_games(variant)
    for make in (DraughtsEnv, env):
        steps, taken = spell(partial(_random_episode, make(name)), 4 * seconds)
        rate = f"{three_figures(steps / taken)} steps/s"
        yield Rate("environment", name, None, steps, taken, rate, f"random legal actions, {make.__name__}")


def _random_episode(environment: Any) -> int:
    """The steps of a game of random legal actions, looking at each observation."""
    environment.reset(seed=0)
    steps, rng = 0, random.Random(0)
    while True:
        observation, _, terminated, truncated, _ = environment.last()
        if terminated or truncated:
            return steps
        environment.step(rng.choice(np.flatnonzero(observation["action_mask"]).tolist()))
        steps += 1


if __name__ == "__main__":
    for one in sys.argv[1:] or ["english"]:
        show_rows(overhead(one))
