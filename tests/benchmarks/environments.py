"""Random steps per second of environments for reinforcement learning: ours, and others' that are installed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import Any, NamedTuple

import numpy as np

from arena.base.wording import cut
from arena.bench.timing import Row, spell, three_figures


class Environment(NamedTuple):
    """An environment for checkers, and how it is played at random."""

    name: str
    distribution: str
    """What must be installed for it, by its name on PyPI."""
    steps: Callable[[str], Callable[[], int]]
    """From the variant to a function that plays one game of random legal actions and returns its steps."""
    note: str


def environments(variant: str, seconds: float = 2.0) -> Iterator[Row]:
    """A row for each of ENVIRONMENTS, those of other programs by English rules alone; each plays games of random
    legal actions for `seconds`, after one that is not timed, and looks at the observation of every step."""
    for environment in ENVIRONMENTS:
        row = Row(f"steps: {environment.name}", variant, None, 0, 0.0, "", "")
        try:
            version = metadata.version(environment.distribution)
            play = environment.steps(variant)
            play()
            steps, taken = spell(play, seconds)
        except metadata.PackageNotFoundError:
            yield row._replace(note=f"not installed: pip install {environment.distribution}")
        except Exception as error:
            yield row._replace(note=f"failed: {type(error).__name__}: {cut(str(error), 200)}")
        else:
            rate = f"{three_figures(steps / taken)} steps/s"
            note = f"{environment.distribution} {version}, {environment.note}"
            yield row._replace(nodes=steps, seconds=taken, rate=rate, note=note)


def _ours(variant: str) -> Callable[[], int]:
    from arena.sitting.environment import DraughtsEnv

    return _agents(DraughtsEnv(variant))


def _wrapped(variant: str) -> Callable[[], int]:
    from arena.sitting.environment import env

    return _agents(env(variant))


def _shimmy(variant: str) -> Callable[[], int]:
    import pyspiel  # type: ignore[import-not-found]
    from shimmy import OpenSpielCompatibilityV0  # type: ignore[import-not-found]

    _only_english(variant)
    return _agents(OpenSpielCompatibilityV0(pyspiel.load_game("checkers")))


def _open_spiel(variant: str) -> Callable[[], int]:
    from open_spiel.python import rl_environment  # type: ignore[import-not-found]

    _only_english(variant)
    environment, rng = rl_environment.Environment("checkers"), random.Random(0)

    def play() -> int:
        steps, step = 0, environment.reset()
        while not step.last():
            legal = step.observations["legal_actions"][step.observations["current_player"]]
            step = environment.step([rng.choice(legal)])
            steps += 1
        return steps

    return play


def _agents(environment: Any) -> Callable[[], int]:
    """Games of a PettingZoo environment of agents that take turns."""
    rng = random.Random(0)

    def play() -> int:
        environment.reset(seed=rng.getrandbits(31))
        steps = 0
        while True:
            observation, _, terminated, truncated, info = environment.last()
            if terminated or truncated:
                return steps
            mask = info["action_mask"] if "action_mask" in info else observation["action_mask"]
            environment.step(rng.choice(np.flatnonzero(mask).tolist()))
            steps += 1

    return play


def _only_english(variant: str) -> None:
    if variant != "english":
        raise ValueError("it has English checkers alone")


ENVIRONMENTS = (
    Environment("ours", "pettingzoo", _ours, "DraughtsEnv"),
    Environment("ours, wrapped", "pettingzoo", _wrapped, "env, which has PettingZoo's usual wrappers"),
    Environment("OpenSpiel", "open_spiel", _open_spiel, "rl_environment; each jump of a capture is a step"),
    Environment("OpenSpiel, wrapped", "shimmy", _shimmy, "as PettingZoo; each jump of a capture is a step"),
)
"""Environments for checkers."""
