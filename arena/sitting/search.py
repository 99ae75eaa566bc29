"""What a side's player is asked, and what it found."""

from __future__ import annotations

import random
import threading
import time
from typing import NamedTuple

from arena.base.wording import quoted
from arena.hosting.tenure import Tenure, press
from arena.rules.game import Game
from arena.rules.move_text import line_texts
from arena.rules.result import score_text
from arena.rules.variants import Variant
from players.player import AnswerError, Choice, Limit, PlayerSpec


class Thought(NamedTuple):
    """What a player found, and what it took; scores are from its own view."""

    choice: Choice
    seconds: float
    """Wall time."""
    man: float | None
    """What a man is worth in its scores, if it says so."""
    line: tuple[str, ...]
    """Its principal variation as PDN writes it, the move first."""

    @property
    def score(self) -> str:
        """Its score as people read it, empty without one."""
        return score_text(self.choice.score, self.choice.wins_in, self.man)


class Searcher:
    """A side's player: built when it is first asked, then kept. Any thread may call its methods."""

    def __init__(self, spec: PlayerSpec, variant: Variant, seed: str) -> None:
        self._tenure = Tenure(spec, variant)
        self._rng = random.Random(seed)
        self._one_at_a_time = threading.Lock()
        self._is_begun = self._is_closed = False
        self._ended: threading.Event | None = None
        """Of the search under way."""
        self._pressed: threading.Event | None = None
        """Of the last search that was stopped."""

    @property
    def is_ready(self) -> bool:
        """Whether the player is there, its game begun."""
        return self._is_begun

    def prepare(self) -> None:
        """Build the player. Raises PlayerError, and whatever a class of the user's own raises."""
        with self._one_at_a_time:
            self._begin()

    def renew(self) -> None:
        """Take what is asked next as a new game."""
        self._is_begun = False

    def ask(self, game: Game, limit: Limit, stopped: threading.Event) -> Thought:
        """What the player finds in a position; nobody else may use the game meanwhile.

        It answers soon if it is `stopped` by then. Raises AnswerError for an answer that is none and when the
        player is closed, and whatever the player raises.
        """
        with self._one_at_a_time:
            if self._is_closed:
                raise AnswerError("has left the board")
            self._begin()
            self._ended = threading.Event()
            if stopped.is_set():
                self.stop()
            began = time.perf_counter()
            try:
                choice = self._tenure.choose(game, limit, self._rng)
            except BaseException:
                self._is_begun = False
                raise
            finally:
                self._ended.set()
            seconds = time.perf_counter() - began
            if choice.move not in game.legal_moves:
                self._is_begun = False
                raise AnswerError(f"returned the illegal move {quoted(choice.move)}")
            line = line_texts(game.variant, game.position, choice.pv or (choice.move,))
            return Thought(choice, seconds, self._tenure.man, tuple(line))

    def stop(self) -> None:
        """Have a search under way answer soon, if its player can be stopped; this returns at once."""
        player, ended = self._tenure.player, self._ended
        if player is not None and ended is not None and not ended.is_set() and ended is not self._pressed:
            self._pressed = ended
            press(player, ended)

    def progress(self) -> Choice | None:
        """What the search under way has found, if its player says so; its line may be half another one's."""
        player, ended = self._tenure.player, self._ended
        if player is None or ended is None or ended.is_set():
            return None
        found: Choice | None = getattr(player, "progress", _nothing)()
        return found

    def retire(self) -> None:
        """`close` without waiting for the search under way: this returns at once."""
        threading.Thread(target=self.close, daemon=True).start()

    def close(self) -> None:
        """Be done with the player, after the search under way, which is stopped."""
        self.stop()
        with self._one_at_a_time:
            self._tenure.close()
            self._is_closed = True

    def _begin(self) -> None:
        if not self._is_begun:
            self._is_begun = True
            try:
                self._tenure.begin()
            except BaseException:
                self._is_begun = False
                raise


def _nothing() -> None:
    pass
