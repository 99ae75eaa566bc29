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
from arena.rules.game import Game
from arena.rules.position import COLOURS
from arena.rules.result import in_men
from arena.rules.variants import Variant
from players.player import Choice

try:
    from gymnasium import logger, spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError:
    raise ImportError(not_installed("arena.board.environment", "PettingZoo", "rl")) from None

AGENTS = ("player_0", "player_1")
"""The first one moves first by the rules of the variant; against an opponent it is the only one, of any colour."""
_RANDOM = "random"
"""The colour that is drawn for every game."""
TRIES = 1000
"""Random beginnings of a game, at most, of which one has to go on."""


def env(variant: Variant | str | Mapping[str, Any] = "english", **options: Any) -> AECEnv:
    """A `DraughtsEnv` in PettingZoo's usual wrappers: an illegal action ends the game, -1 for who took it."""
    wrapped = wrappers.TerminateIllegalWrapper(DraughtsEnv(variant, **options), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class DraughtsEnv(AECEnv):
    """The two AGENTS play a game by turns; or the first does, and a player of the arena is the other side.

    An observation is a dict: "observation", `int8[6, rows, columns]` from the agent's own view, and "action_mask",
    `int8[actions]`, all 0 for the agent that is not to move. `Encoding` says what both and the actions mean. The
    reward is 1 for a win, -1 for a loss, 0 for a draw and before the end. After `max_plies` a game is truncated,
    with 0.

    The info of an agent has `fen`, the position; and where it is known what the opponent's last search found, from
    the agent's view: `score` in the opponent's unit, `score_men` in men, `plies_to_win`, below 0 if the
    agent loses.
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
        "random" (drawn for every game), the one that moves first unless given; every game begins with
        `random_plies` drawn from the seed.

        Raises ValueError for an unknown variant, colour or render mode, for too few plies, and for a wrong entry.
        """
        super().__init__()
        self.encoding = Encoding(variant)
        self.variant = self.encoding.variant
        first = COLOURS[self.variant.first]
        if colour not in (None, *COLOURS, _RANDOM):
            raise ValueError(unknown("colour", str(colour), (*COLOURS, _RANDOM)))
        self._colour = first if colour is None else colour
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(unknown("render mode", str(render_mode), self.metadata["render_modes"]))
        for name, plies, least in (("random_plies", random_plies, 0), ("max_plies", max_plies, 1)):
            if plies < least:
                raise ValueError(f"{name} must be at least {least}, not {plies}")
        self.opponent = None if opponent is None else Opponent(opponent, self.variant)
        self._reply_choice: Choice | None = None
        self.possible_agents = list(AGENTS) if opponent is None else [AGENTS[0]]
        self.agents = self.possible_agents[:]
        self.colours = dict(zip(AGENTS, (self.variant.first, 1 - self.variant.first), strict=True))
        """The colour of each agent in this game."""
        self.random_plies, self.max_plies, self.render_mode = random_plies, max_plies, render_mode
        self.game = Game(self.variant)
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
        """Begin a game; all chance, the opponent's too, comes from `seed`, without one from where it stood.

        Raises ValueError if no game lasts as long as its random plies.
        """
        if seed is not None:
            self._rng = random.Random(seed)
        if self.opponent is not None:
            self.opponent.seed(self._rng.getrandbits(63))
            colour = self._rng.choice(COLOURS) if self._colour == _RANDOM else self._colour
            self.colours = {AGENTS[0]: COLOURS.index(colour)}
            self._reply_choice = None
        self.agents = self.possible_agents[:]
        for _ in range(TRIES):
            self.game = random_line(self.variant, self.random_plies, self._rng)
            self._reply()
            if self.game.outcome is None:
                break
        else:
            raise ValueError(f"every game is over after {self.random_plies} random plies: lower random_plies")
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._look()

    def observe(self, agent: str) -> dict[str, Any]:
        """An agent's observation, from its own view."""
        if agent not in self._observed:
            mask = np.zeros(self.encoding.actions, np.int8)
            colour = self.colours[agent]
            if self._legal and colour == self.game.turn:
                mask[list(self._legal)] = 1
            planes = self.encoding.planes(self.game, colour)
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
                self.rewards = {agent: 1 if self.colours[agent] == outcome.winner else -1 for agent in self.agents}
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
        """Close the opponent, if there is one."""
        if self.opponent is not None:
            self.opponent.close()

    def _look(self) -> None:
        self._legal = {} if self.game.outcome is not None else self.encoding.moves(self.game)
        self._observed = {}
        movers = [agent for agent in self.agents if self.colours[agent] == self.game.turn]
        self.agent_selection = (movers or self.agents)[0]
        info = {"fen": self.game.fen, **self._opponent_info()}
        self.infos: dict[str, dict[str, Any]] = {agent: dict(info) for agent in self.agents}

    def _opponent_info(self) -> dict[str, float]:
        """The findings of the opponent's last search, from the agent's view."""
        choice = self._reply_choice
        if choice is None or self.opponent is None:
            return {}
        men = in_men(choice.score, choice.plies_to_win, self.opponent.man_value)
        values = {"score": choice.score, "score_men": men, "plies_to_win": choice.plies_to_win or None}
        return {name: 0 - value for name, value in values.items() if value is not None}

    def _reply(self) -> None:
        while self.opponent and self.game.turn not in self.colours.values() and self.game.outcome is None:
            self._reply_choice = self.opponent.choose(self.game)
            self.game.push(self._reply_choice.move)
