"""A Gymnasium environment of one agent against a player, made of the PettingZoo environment (extra `rl`)."""

import gymnasium

from arena.board.environment import env


class OneAgent(gymnasium.Env):
    """As Stable-Baselines3 and CleanRL take it; `info` and the mask of legal actions are PettingZoo's."""

    def __init__(self, variant="english", opponent="greedy", **options):
        self.env = env(variant, opponent=opponent, **options)
        self.observation_space = self.env.observation_space("player_0")
        self.action_space = self.env.action_space("player_0")

    def reset(self, *, seed=None, options=None):
        self.env.reset(seed)
        return self.env.observe("player_0"), self.env.infos["player_0"]

    def step(self, action):
        self.env.step(action)
        return self.env.last()
