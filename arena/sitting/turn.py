"""A turn at the board: what the player to move is asked, and the move that was played."""

from __future__ import annotations

import threading
from typing import NamedTuple

from arena.rules.game import Game
from arena.sitting.search import Searcher, Thought
from arena.sitting.sides import Side
from players.player import Limit


class Clock(NamedTuple):
    """Time for a whole game, of each side."""

    seconds: float
    increment: float = 0.0
    """Seconds that are added after each move."""


class Turn(NamedTuple):
    """A move that was played."""

    move: int
    text: str
    """As PDN writes it."""
    side: Side
    """Who played it."""
    seconds: float
    """What the side took for it; 0 for a move of a file."""
    thought: Thought | None
    """None of a person's move, or one of a file."""
    clocks: tuple[float, float] | None
    """What White's and Black's clocks showed before it; None without clocks."""


class Request(NamedTuple):
    """What the player to move is asked: `answer` may be called in another thread."""

    searcher: Searcher
    game: Game
    """A copy, for the player alone."""
    limit: Limit
    version: int
    """Of the sitting."""
    stopped: threading.Event
    """Set to have it answered soon."""

    def answer(self) -> Thought:
        """What the player finds, see `Searcher.ask`."""
        return self.searcher.ask(self.game, self.limit, self.stopped)
