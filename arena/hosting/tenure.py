"""Tenure: the players of one entry, one after another, each built for a game or kept from game to game."""

from __future__ import annotations

import math
import random
import threading
import time
from contextlib import suppress
from typing import Any

from arena.hosting.answer import answer_of
from arena.rules.game import Game
from arena.rules.variants import Variant
from players.player import Choice, Limit, Player, PlayerSpec, worth_of
from players.table import build_player

_PRESS_SECONDS = 0.01
"""Seconds between two requests to a search to stop."""


class Tenure:
    """A player with a user's code in this process: `begin` before every game, `close` when all is done.

    A player whose class says `kept = True` plays game after game until it fails. One that is replaced, failed or
    is done with is closed, if it has a method `close`.
    """

    def __init__(self, spec: PlayerSpec, variant: Variant) -> None:
        self._spec, self._variant = spec, variant
        self.player: Player | None = None
        """The one that is there now."""
        self.cpu_seconds = 0.0
        """Processor time of the last answer, here and in processes that the player tells of; nan if unknown."""

    @property
    def man(self) -> float | None:
        """What a man is worth in the player's scores, if it says so."""
        return worth_of(self.player)

    def begin(self) -> None:
        """Have a player for a game. Raises PlayerError, and what its method `begin` raises."""
        if not getattr(self.player, "kept", False):
            self.close()
        if self.player is None:
            self.player = build_player(self._spec, self._variant)
        try:
            getattr(self.player, "begin", _nothing)()
        except BaseException:
            self.close()
            raise

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """What the player chooses, which may be no legal move. Raises what `answer_of` raises."""
        if self.player is None:
            raise RuntimeError("no game was begun")
        began = time.process_time()
        try:
            choice = answer_of(self.player, game, limit, rng)
        except BaseException:
            self.close()
            raise
        self.cpu_seconds = time.process_time() - began + _elsewhere(self.player)
        if not isinstance(choice.move, int) or choice.move not in game.legal_moves:
            self.close()
        return choice

    def close(self) -> None:
        """Close the player; what its method `close` raises is ignored."""
        player, self.player = self.player, None
        with suppress(Exception):
            getattr(player, "close", _nothing)()


def press(player: Any, ended: threading.Event) -> None:
    """Have a player's search end soon, if it has a method `stop`; this returns at once.

    It is asked again and again until the search has `ended`, as one that has not begun does not heed it.
    """

    def ask() -> None:
        while not ended.is_set():
            player.stop()
            ended.wait(_PRESS_SECONDS)

    if hasattr(player, "stop"):
        threading.Thread(target=ask, daemon=True).start()


def _elsewhere(player: Player) -> float:
    """Its attribute `cpu_elsewhere`, nan if that is no number."""
    try:
        seconds = float(getattr(player, "cpu_elsewhere", 0.0))
    except Exception:
        return math.nan
    return seconds if 0 <= seconds < math.inf else math.nan


def _nothing() -> None:
    pass
