"""Players in this process, LocalPlayer and SharedPlayer, and what players give: an Answer or a PlayerFailure."""

from __future__ import annotations

import math
import os
import random
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, NamedTuple

from arena.base.files import ROOT
from arena.base.wording import message_of, printable, traceback_of
from arena.rules.game import Game, Termination
from arena.rules.jit.kernel import native_errors
from arena.rules.variants import Variant
from players.answers import accepted
from players.engines.engine import Engine
from players.identity import NO_FILES, Files
from players.importing import is_users, loading
from players.loading import PlayerError, files_of, own_code, user_files
from players.player import AnswerError, Choice, CompletePlayer, IllegalMove, Limit, Pause, PlayerSpec, Resign
from players.table import complete_player

_STOP_SECONDS = 0.01
"""Seconds between two requests to a search to stop."""


class Answer(NamedTuple):
    """A player's choice, and what it took."""

    choice: Choice
    seconds: float
    """Wall time."""
    cpu_seconds: float
    """Processor time of the player, wherever it is; nan if it is not known."""
    pondered_seconds: float = math.nan
    """Processor time of the player in its opponent's time before; nan unless it is in a process of its own."""


class PlayerFailure(Exception):
    """A player failed; the message goes on after its name, as in `raised ValueError: no`."""

    output = ""
    """The player's last output."""
    files: Files = NO_FILES
    """The files that it was loaded from, as far as they are known."""

    def __init__(self, termination: Termination, message: str, traceback: str = "") -> None:
        super().__init__(printable(message))
        self.termination = termination
        self.traceback = printable(traceback)
        """The traceback, as Python prints it."""


_OWN_CODE = [f"{ROOT / package}{os.sep}" for package in ("arena", "players")]
"""The beginnings of the paths of the arena's own code, which calls a user's."""


def failure_of(error: BaseException) -> PlayerFailure:
    """An exception of a player that was begun or asked, as its failure. Raises Pause, by which nobody fails."""
    match error:
        case Pause():
            raise error
        case PlayerFailure():
            return error
        case IllegalMove():
            return PlayerFailure(Termination.ILLEGAL_MOVE, message_of(error))
        case AnswerError():
            return PlayerFailure(Termination.ERROR, message_of(error))
        case PlayerError():
            return PlayerFailure(Termination.ERROR, f"was not built: {error}")
        case Resign():
            return PlayerFailure(Termination.ERROR, "resigned")
    what = ": ".join(filter(None, [f"raised {type(error).__name__}", message_of(error)]))
    places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    own = [f" ({Path(file).name}, line {line})" for file, line in places if file[:1] != "<" and is_users(file)]
    return PlayerFailure(Termination.ERROR, f"{what}{own[-1] if own else ''}", traceback_of(error, _OWN_CODE))


class LocalPlayer:
    """A player in this process. One whose class says `kept = True` plays game after game until it fails."""

    def __init__(self, spec: PlayerSpec, variant: Variant) -> None:
        """It is built when its first game begins."""
        self._spec, self._variant = spec, variant
        self._is_own = bool(own_code(spec))
        self._has_files = self._is_own or bool(user_files(spec))
        self._clock = time.process_time if self._is_own else time.thread_time
        """The time of all threads for a user's code."""
        self.player: CompletePlayer | None = None
        """The player itself, if it is built."""
        self.is_begun = False
        """Whether its game is begun."""
        self.files: Mapping[str, str] = {}
        """The files of the user's own that it is loaded from, once it is built."""

    @property
    def man_value(self) -> float | None:
        """The worth of a man in the player's scores, if it is built and says so."""
        return None if self.player is None else self.player.man_value

    @property
    def costs(self) -> bool:
        """Whether the player's answers cost money."""
        return self.player is not None and self.player.costs

    @property
    def version(self) -> str:
        """What an outside program says that it is; "" of any other player."""
        return self.player.player.version if self.player and isinstance(self.player.player, Engine) else ""

    def begin(self) -> None:
        """Have the player ready for a game. Raises PlayerError if it cannot be built, and what it raises."""
        self.is_begun = False
        try:
            if self.player is None or not self.player.kept:
                self._drop()
                as_recorded = loading(self._spec.files, self._spec.copies)
                with as_recorded if self._is_own else nullcontext(NO_FILES) as files:
                    self.player = complete_player(self._spec, self._variant)
                if self._has_files:
                    self.files = files_of(self._spec, files)
            self.player.begin()
        except BaseException:
            self._drop()
            raise
        self.is_begun = True

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Answer:
        """Have the player choose a move. A game is begun unless one is.

        Raises IllegalMove, AnswerError for any other answer that cannot be taken and for a changed game, and
        whatever the player raises, which is closed then.
        """
        if not self.is_begun:
            self.begin()
        try:
            answer = self.ask(game, limit, rng)
            if self._is_own:
                return answer._replace(choice=accepted(answer.choice, game))
            if answer.choice.move not in game.legal_moves:
                raise IllegalMove(answer.choice.move)
        except BaseException:
            self._drop()
            raise
        return answer

    def ask(self, game: Game, limit: Limit, rng: random.Random) -> Answer:
        """The answer of a player whose game is begun; only that it left the game as it was is checked."""
        player: Any = self.player
        clock = self._clock
        if self._is_own:
            position, legal, moves = game.position, list(game.legal_moves), list(game.moves)
        spent_before, began = clock(), time.perf_counter()
        with native_errors() as raised:
            choice = player.choose(game, limit, rng)
        seconds = time.perf_counter() - began
        spent = clock() - spent_before
        if raised:
            raise raised[0]
        if self._is_own:
            if game.position is not position or game.legal_moves != legal or game.moves != moves:
                raise AnswerError("changed the game, which choose must leave as it was")
            spent += player.cpu_elsewhere
        return Answer(choice, seconds, spent)

    def printed(self) -> str:
        """The output of the player in this game: nothing is known of it in this process."""
        return ""

    def close(self) -> None:
        """Close the player; what its own method raises is ignored."""
        self._drop()

    def _drop(self) -> None:
        self.is_begun = False
        player, self.player = self.player, None
        if player is not None:
            with suppress(Exception):
                player.close()


class SharedPlayer(LocalPlayer):
    """Lets any thread ask a player in this process: it makes one answer at a time, which others can stop."""

    def __init__(self, spec: PlayerSpec, variant: Variant) -> None:
        super().__init__(spec, variant)
        self._turn = threading.RLock()
        """Held by the thread that uses the player."""
        self._is_closed = False
        self._search: threading.Event | None = None
        """The search under way, set when it has ended."""
        self._stopped: threading.Event | None = None
        """The last search that a thread was begun to stop."""

    def begin(self) -> None:
        """See `LocalPlayer.begin`; after the search under way."""
        with self._turn:
            super().begin()

    def prepare(self) -> None:
        """Begin a game unless one is begun. Raises what `begin` raises."""
        with self._turn:
            if not self.is_begun:
                self.begin()

    def renew(self) -> None:
        """Take what is asked next as a new game."""
        self.is_begun = False

    def choose(
        self, game: Game, limit: Limit, rng: random.Random, stopped: threading.Event | None = None
    ) -> Answer:
        """See `LocalPlayer.choose`; after the search under way. Nothing else may use the game meanwhile.

        It answers soon if it is `stopped` before it begins. Raises AnswerError when the player is closed, too.
        """
        with self._turn:
            if self._is_closed:
                raise AnswerError("has left the board")
            self.prepare()
            self._search = search = threading.Event()
            if stopped is not None and stopped.is_set():
                self.stop()
            try:
                return super().choose(game, limit, rng)
            finally:
                search.set()
                self._search = None

    def stop(self) -> None:
        """Have a search under way answer soon, if its player can be stopped; this returns at once."""
        search, player = self._search, self.player
        if search not in (None, self._stopped) and player is not None and player.stop is not None:
            self._stopped = search
            threading.Thread(target=_stop, args=(search, player.stop), daemon=True).start()

    def progress(self) -> Choice | None:
        """The findings so far of the current search, if reported; the line may be half another one's."""
        player = self.player
        if self._search is None or player is None or player.progress is None:
            return None
        return player.progress()

    def retire(self) -> None:
        """`close` without waiting for the search under way: this returns at once."""
        threading.Thread(target=self.close, daemon=True).start()

    def close(self) -> None:
        """Close the player, after the search under way, which is stopped."""
        self.stop()
        with self._turn:
            super().close()
            self._is_closed = True


def _stop(search: threading.Event, stop: Callable[[], object]) -> None:
    """Ask again and again until the search has ended, as one that has not begun does not heed it."""
    while not search.is_set():
        stop()
        search.wait(_STOP_SECONDS)
