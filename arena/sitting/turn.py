"""A turn at the board: what the player to move is asked, what it found, and the move that was played."""

from __future__ import annotations

import random
import threading
from typing import NamedTuple

from arena.hosting.handle import SharedPlayer
from arena.rules.game import Game
from arena.rules.move_text import line_texts
from arena.rules.result import score_text
from arena.sitting.sides import Side
from players.player import Choice, Limit

AGREES_BELOW = 0.25
"""Men by which a player may think itself ahead and still agree on a draw."""


class Clock(NamedTuple):
    """Time for a whole game, of each side."""

    seconds: float
    increment: float = 0.0
    """Seconds that are added after each move."""


class Thought(NamedTuple):
    """A player's findings and their cost; scores are from its own view."""

    choice: Choice
    seconds: float
    """Wall time."""
    man_value: float | None
    """What a man is worth in its scores, if it says so."""
    line: tuple[str, ...]
    """Its principal variation as PDN writes it, the move first."""

    @property
    def may_agree(self) -> bool:
        """Whether its player may agree on a draw: it sees at most AGREES_BELOW men for itself."""
        choice = self.choice
        if choice.score is None:
            return False
        return choice.plies_to_win <= 0 and choice.score <= AGREES_BELOW * (self.man_value or 1.0)

    @property
    def score(self) -> str:
        """Its score as people read it, empty without one."""
        return score_text(self.choice.score, self.choice.plies_to_win, self.man_value)


class Turn(NamedTuple):
    """A move that was played."""

    move: int
    text: str
    """As PDN writes it."""
    side: Side
    """Who played it."""
    seconds: float
    """The time that the side took for it; 0 for a move of a file."""
    thought: Thought | None
    """None of a person's move, or one of a file."""
    clocks: tuple[float, float] | None
    """White's and Black's clocks before it; None without clocks."""


class Request(NamedTuple):
    """A request to the player to move: `answer` may be called in another thread."""

    player: SharedPlayer
    game: Game
    """A copy, for the player alone."""
    limit: Limit
    rng: random.Random
    version: int
    """Of the sitting."""
    stopped: threading.Event
    """Set to have it answered soon."""

    def answer(self) -> Thought:
        """Ask the player; it answers soon once `stopped` is set. Raises what `SharedPlayer.choose` raises."""
        game = self.game
        answer = self.player.choose(game, self.limit, self.rng, self.stopped)
        choice = answer.choice
        line = line_texts(game.variant, game.position, choice.pv or (choice.move,))
        return Thought(choice, answer.seconds, self.player.man_value, tuple(line))
