"""Opponent: a player of the arena, for programs in Python."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.experiment.load import player_spec
from arena.experiment.yaml.errors import ConfigError
from arena.hosting.held import HeldPlayer
from arena.rules.custom import build_variant
from arena.rules.game import Game
from arena.rules.variants import Variant
from players.loading import PlayerError, located
from players.player import Choice


class Opponent:
    """A player of the arena that is asked for moves: `choose(game)`; done with it: `close()`, or `with`.

    It runs in this process, and nobody holds it to its limits but itself.
    """

    def __init__(
        self,
        entry: str | Mapping[str, Any],
        variant: Variant | str | Mapping[str, Any] = "english",
        seed: int = 0,
    ) -> None:
        """The player of an entry of `players:`: a mapping, YAML as `{type: negamax, preset: full, nodes: 2000}`,
        or in short as `simple@d6`, `greedy` and `level 3`.

        All its chance comes from `seed`. Raises ValueError, in one line, for a wrong entry or variant.
        """
        self.variant = variant if isinstance(variant, Variant) else build_variant(variant)
        try:
            self._spec = located(player_spec(entry), Path())
            self._held = HeldPlayer(self._spec, self.variant)
            self._held.begin()
        except (ConfigError, PlayerError) as error:
            raise ValueError("; ".join(str(error).splitlines())) from None
        self._rng = random.Random(seed)
        self._limit = self._spec.limit
        self._game: Game | None = None
        self._plies = 0

    def choose(self, game: Game) -> Choice:
        """The player's choice for the side to move: `choice.move`, one of `game.legal_moves`, and what it counted.

        Another game than last time, or one that went back, is a new game to the player. Raises ValueError if the
        game is over by the rules or of another variant, AnswerError for an answer that is none, and whatever a
        class of your own raises.
        """
        if game.variant != self.variant:
            raise ValueError(f"the game is {game.variant.name}, and the player plays {self.variant.name}")
        if not game.legal_moves:
            raise ValueError("the game is over: there is no legal move")
        if self._game is not None and (game is not self._game or len(game.moves) < self._plies):
            self._held.begin(game.start)
            self._limit = self._spec.limit
        self._game, self._plies = game, len(game.moves)
        answer = self._held.ask(game, self._limit, self._rng)
        self._limit = self._limit._replace(clock=self._limit.clock_after(answer.seconds))
        return answer.choice

    @property
    def man(self) -> float | None:
        """What a man is worth in its scores, None if that is not known."""
        return self._held.man

    def seed(self, seed: int) -> None:
        """Draw all chance from here on from `seed`."""
        self._rng = random.Random(seed)

    def close(self) -> None:
        """Close the player."""
        self._held.close()

    def __enter__(self) -> Opponent:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
