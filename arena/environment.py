"""A PettingZoo environment of every variant: env, DraughtsEnv. It needs the extra `rl`."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from arena.encoding import LARGEST, Encoding
from arena.openings.lines import random_line
from arena.opponent import Opponent
from arena.rules.game import Game
from arena.rules.position import COLOURS
from arena.rules.variants import Variant
from arena.wording import unknown

try:
    from gymnasium import logger, spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError:
    raise ImportError("arena.environment needs PettingZoo: pip install 'draughts-arena[rl]'") from None


def env(variant: Variant | str | Mapping[str, Any] = "english", **options: Any) -> AECEnv:
    """The environment with PettingZoo's usual wrappers: an illegal action ends the game, with -1 for who took it.

    The options are those of `DraughtsEnv`.
    """
    wrapped = wrappers.TerminateIllegalWrapper(DraughtsEnv(variant, **options), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class DraughtsEnv(AECEnv):
    """Two agents, "white" and "black", play a game by turns; or one does, and a player of the arena is the other.

    An observation is a dict: "observation", `int8[6, rows, columns]` from the agent's own view, and "action_mask",
    `int8[actions]`, all 0 for the agent that is not to move. `Encoding` says what both and the actions mean. The
    reward is 1 for a win, -1 for a loss, 0 for a draw and before the end. After `max_plies` a game is truncated,
    with 0.
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
        """`opponent`, an entry of `players:`, plays against the only agent, whose `colour` is the one that moves
        first unless given; every game begins with `random_plies` drawn from the seed.

        Raises ValueError for an unknown variant, colour or render mode, and for what is no entry.
        """
        super().__init__()
        self.encoding = Encoding(variant)
        self.variant = self.encoding.variant
        colour = COLOURS[self.variant.first] if colour is None else colour
        if colour not in COLOURS:
            raise ValueError(unknown("colour", colour, COLOURS))
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(unknown("render mode", str(render_mode), self.metadata["render_modes"]))
        self.opponent = None if opponent is None else Opponent(opponent, self.variant)
        self.possible_agents = list(COLOURS) if opponent is None else [colour]
        self.agents = self.possible_agents[:]
        self.random_plies, self.max_plies, self.render_mode = random_plies, max_plies, render_mode
        self.game = Game(self.variant)
        """The game that is played."""
        self._rng = random.Random()
        self._legal: dict[int, int] = {}
        self._observed: dict[str, dict[str, Any]] = {}
        observed: dict[str, spaces.Space[Any]] = {
            "observation": spaces.Box(0, LARGEST, self.encoding.shape, np.int8),
            "action_mask": spaces.Box(0, 1, (self.encoding.actions,), np.int8),
        }
        self.observation_spaces = {agent: spaces.Dict(observed) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self.encoding.actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions, the same object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; all chance, the opponent's too, comes from `seed`, without one from where it stood."""
        if seed is not None:
            self._rng = random.Random(seed)
        if self.opponent is not None:
            self.opponent.seed(self._rng.getrandbits(63))
        self.agents = self.possible_agents[:]
        while True:
            self.game = random_line(self.variant, self.random_plies, self._rng)
            self._reply()
            if self.game.outcome is None:
                break
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._look()

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent sees, from its own view."""
        if agent not in self._observed:
            mask = np.zeros(self.encoding.actions, np.int8)
            if self._legal and agent == COLOURS[self.game.turn]:
                mask[list(self._legal)] = 1
            planes = self.encoding.planes(self.game, COLOURS.index(agent))
            self._observed[agent] = {"observation": planes, "action_mask": mask}
        return self._observed[agent]

    def step(self, action: int | None) -> None:
        """Play the move of an action, and the opponent's answer if there is one. Raises ValueError for an action
        that is not legal."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action not in self._legal:
            raise ValueError(f"the action {action} is not legal in {self.game.fen}")
        self.game.push(self._legal[action])
        self._reply()
        self._look()
        self._cumulative_rewards[agent] = 0
        outcome = self.game.outcome
        if outcome is not None:
            self.terminations = dict.fromkeys(self.agents, True)
            if outcome.winner is not None:
                winner = COLOURS[outcome.winner]
                self.rewards = {agent: 1 if agent == winner else -1 for agent in self.agents}
        elif len(self.game.moves) >= self.max_plies:
            self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The board as text, in the render mode "ansi"."""
        if self.render_mode is None:
            logger.warn("render() was called without a render mode: env(render_mode='ansi')")
            return None
        return str(self.game)

    def close(self) -> None:
        """Be done with the opponent, if there is one."""
        if self.opponent is not None:
            self.opponent.close()

    def _look(self) -> None:
        """Have what is asked for of the position."""
        over = self.game.outcome is not None
        self._legal = {} if over else self.encoding.moves(self.game)
        self._observed = {}
        turn = COLOURS[self.game.turn]
        self.agent_selection = turn if turn in self.agents else self.agents[0]

    def _reply(self) -> None:
        """Play the opponent's moves until an agent is to move or the game is over."""
        while self.opponent and COLOURS[self.game.turn] not in self.possible_agents and self.game.outcome is None:
            self.game.push(self.opponent.choose(self.game).move)
