"""A search in a thread: it can be stopped, says how far it is, and says what it found when it ends."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue

from arena.base.wording import quoted
from arena.hosting.answer import message_of
from arena.hosting.tenure import Tenure, press
from arena.rules.game import Game
from arena.rules.hub import hub_move, line
from arena.rules.move_text import line_texts
from players.player import AnswerError, Choice, Limit

_REPORT_SECONDS = 0.1
"""Seconds between two looks at what a search has found."""


class ThreadedSearch:
    """A search, which says what it found when it ends."""

    def __init__(
        self,
        tenure: Tenure,
        game: Game,
        limit: Limit,
        rng: random.Random,
        man: float,
        write: Callable[[str], None],
    ) -> None:
        """`man` is what a man is worth in the player's scores."""
        self._tenure, self._game, self._limit, self._rng, self._write = tenure, game, limit, rng, write
        self._player, self._man = tenure.player, man
        self._lock = threading.Lock()
        self._silent = self._stopping = self._said = False
        self._ended = threading.Event()
        self._began = time.perf_counter()

    def think(self) -> None:
        """Search, and say what was found."""
        try:
            choice = self._tenure.choose(self._game, self._limit, self._rng)
            if choice.move not in self._game.legal_moves:
                raise AnswerError(f"the illegal move {quoted(choice.move)}")
            lines = _answer(self._game, choice, time.perf_counter() - self._began, self._man)
        except BaseException as error:
            lines = [line("error", {"message": f"{type(error).__name__}: {message_of(error)}"})]
        with self._lock:
            self._said = True
            if not self._silent:
                self._write("\n".join(lines))
        self._ended.set()

    def report(self) -> None:
        """Say what is found after each iteration, until it ends."""
        deepest = 0
        while not self._ended.wait(_REPORT_SECONDS):
            found: Choice | None = self._player.progress()  # type: ignore[union-attr]
            if found is not None and found.depth > deepest:
                deepest = found.depth
                text = _info(self._game, found, time.perf_counter() - self._began, 1.0)
                with self._lock:
                    if not (self._silent or self._said):
                        self._write(text)

    def silence(self) -> bool:
        """Have it say nothing; false if it has said it already."""
        with self._lock:
            self._silent = not self._said
            return self._silent

    def stop(self) -> None:
        """Have the player stop, if it can; this returns at once."""
        if not self._ended.is_set() and not self._stopping and hasattr(self._player, "stop"):
            self._stopping = True
            press(self._player, self._ended)

    def join(self, seconds: float | None) -> None:
        """Wait until it has ended, for so many seconds or for ever."""
        self._ended.wait(seconds)


def think(searches: SimpleQueue[ThreadedSearch]) -> None:
    """Make one search after the other, for ever."""
    while True:
        searches.get().think()


def report(searches: SimpleQueue[ThreadedSearch]) -> None:
    """Report one search after the other, for ever."""
    while True:
        searches.get().report()


def _answer(game: Game, choice: Choice, seconds: float, man: float) -> list[str]:
    """The lines `info` and `done` of a choice."""
    texts = _line_of_play(game, choice)
    done = {"move": texts[0]} | ({"ponder": texts[1]} if len(texts) > 1 else {})
    return [_info(game, choice, seconds, man), line("done", done)]


def _info(game: Game, choice: Choice, seconds: float, man: float) -> str:
    """The line `info` of a choice, its score in men, a man being worth so much."""
    arguments: dict[str, object] = {"depth": choice.depth}
    if choice.score is not None:
        arguments["score"] = choice.score / man
    arguments |= {"nodes": choice.nodes, "time": seconds, "nps": choice.nodes / max(seconds, 1e-6) / 1e6}
    return line("info", arguments | {"pv": " ".join(_line_of_play(game, choice))})


def _line_of_play(game: Game, choice: Choice) -> list[str]:
    """A principal variation, as the protocol writes it, as far as its moves are legal."""
    return line_texts(game.variant, game.position, choice.pv or (choice.move,), hub_move)
