"""A PettingZoo environment of every variant: `env` and `DraughtsEnv`, which need the extra `rl`."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from arena.base.wording import not_installed, unknown
from arena.board.sides import Opponent
from arena.experiment.openings.sources import random_line
from arena.rules.encoding import LARGEST, Encoding
from arena.rules.position import COLOURS
from arena.rules.variants import Variant

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError:
    raise ImportError(not_installed("arena.board.environment", "PettingZoo", "rl")) from None

_COLOURS = (*COLOURS, "random")
TRIES = 1000
"""Random beginnings of a game, at most, of which one has to go on."""


def env(variant: Variant | str | Mapping[str, Any] = "english", **options: Any) -> AECEnv:
    """A `DraughtsEnv` in PettingZoo's usual wrappers: an illegal action ends the game, -1 for who took it."""
    wrapped = wrappers.TerminateIllegalWrapper(DraughtsEnv(variant, **options), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class DraughtsEnv(AECEnv):
    """`player_0`, which moves first, and `player_1` play a game; or `player_0` against a player of the arena.

    An observation is a dict: "observation", `int8[6, rows, columns]` from the agent's own view, and "action_mask",
    `int8[actions]`, all 0 for the agent that is not to move. `Encoding` says what both and the actions mean. The
    reward is 1 for a win, -1 for a loss, else 0. After `max_plies` a game is truncated. The info of an agent
    has `fen`, the position.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "draughts_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        variant: Variant | str | Mapping[str, Any] = "english",
        opponent: str | Mapping[str, Any] | None = None,
        colour: str | None = None,
        random_plies: int = 0,
        max_plies: int = 300,
        render_mode: str | None = None,
    ) -> None:
        """`opponent`, as `Opponent` takes it, plays against the only agent, whose `colour` is "white", "black" or
        "random" (drawn for every game); by default the agent moves first. Every game begins with `random_plies`.

        Raises ValueError for an unknown variant, colour or render mode, too few plies, and a wrong entry.
        """
        super().__init__()
        self.encoding = Encoding(variant)
        self.variant = self.encoding.variant
        if colour not in (None, *_COLOURS):
            raise ValueError(unknown("colour", str(colour), _COLOURS))
        if render_mode not in (None, "ansi"):
            raise ValueError(f"the render mode is 'ansi' or None, not {render_mode!r}")
        if random_plies < 0 or max_plies < 1:
            raise ValueError(f"random_plies, {random_plies}, must be 0 or more, max_plies, {max_plies}, 1 or more")
        self.opponent = None if opponent is None else Opponent(opponent, self.variant)
        self.possible_agents = ["player_0", "player_1"] if opponent is None else ["player_0"]
        self.colours = {"player_0": self.variant.first, "player_1": 1 - self.variant.first}
        """The colour of each agent in this game."""
        self.random_plies, self.max_plies, self.render_mode = random_plies, max_plies, render_mode
        self._colour, self._rng = colour or COLOURS[self.variant.first], random.Random()
        planes = spaces.Box(0, LARGEST, self.encoding.shape, np.int8)
        mask = spaces.Box(0, 1, (self.encoding.actions,), np.int8)
        observed = spaces.Dict({"observation": planes, "action_mask": mask})
        self.observation_spaces = dict.fromkeys(self.possible_agents, observed)
        self.action_spaces = {agent: spaces.Discrete(self.encoding.actions) for agent in self.possible_agents}
        self.observation_space = self.observation_spaces.__getitem__
        self.action_space = self.action_spaces.__getitem__

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; all random numbers, the opponent's too, come from `seed`, else go on from the last game's.

        Raises ValueError if no game lasts as long as its random plies.
        """
        self._rng = self._rng if seed is None else random.Random(seed)
        if self.opponent is not None:
            self.opponent.seed(self._rng.getrandbits(63))
            drawn = self._rng.choice(COLOURS) if self._colour == "random" else self._colour
            self.colours = {"player_0": COLOURS.index(drawn)}
        self.agents = self.possible_agents[:]
        for _ in range(TRIES):
            self.game = random_line(self.variant, self.random_plies, self._rng)
            self._go_on()
            if self.game.outcome is None:
                break
        else:
            raise ValueError(f"every game is over after {self.random_plies} random plies: lower random_plies")
        self.rewards, self._cumulative_rewards = (dict.fromkeys(self.agents, 0) for _ in range(2))
        self.terminations, self.truncations = (dict.fromkeys(self.agents, False) for _ in range(2))

    def observe(self, agent: str) -> dict[str, Any]:
        """An agent's observation, from its own view."""
        colour, mask = self.colours[agent], np.zeros(self.encoding.actions, np.int8)
        if colour == self.game.turn:
            mask[list(self._legal)] = 1
        return {"observation": self.encoding.planes(self.game, colour), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play the move of an action, and the opponent's answer if there is one.

        Raises ValueError for an action that is not legal.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action not in self._legal:
            raise ValueError(f"the action {action} is not legal in {self.game.fen}")
        self.game.push(self._legal[action])
        self._go_on()
        self._cumulative_rewards[agent] = 0
        if (outcome := self.game.outcome) is not None:
            self.terminations = dict.fromkeys(self.agents, True)
            if outcome.winner is not None:
                self.rewards = {agent: 1 if self.colours[agent] == outcome.winner else -1 for agent in self.agents}
        elif len(self.game.moves) >= self.max_plies:
            self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The board as text, in the render mode "ansi"."""
        return None if self.render_mode is None else str(self.game)

    def close(self) -> None:
        """Close the opponent, if there is one."""
        if self.opponent is not None:
            self.opponent.close()

    def _go_on(self) -> None:
        """Let the opponent move while it is its turn, and say whose turn it is then, with its legal actions."""
        movers = {self.colours[agent]: agent for agent in self.agents}
        while self.opponent and self.game.turn not in movers and self.game.outcome is None:
            self.game.push(self.opponent.choose(self.game).move)
        self._legal = {} if self.game.outcome is not None else self.encoding.moves(self.game)
        self.agent_selection = movers.get(self.game.turn, self.agents[0])
        self.infos = {agent: {"fen": self.game.fen} for agent in self.agents}
