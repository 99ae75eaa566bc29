"""GameRoom: all games of the server, the windows that hold them, and what becomes of those that nobody holds."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from contextlib import suppress
from pathlib import Path

from arena.base.wording import cut, message_of
from arena.board.game import BoardGame
from arena.web.beginning import begun
from arena.web.hosted import HostedGame
from arena.web.messages import NewGame, Refusal
from arena.web.offer import Offer
from arena.web.thinking import background, in_thread

MOST_GAMES = 200
"""Games at a time."""
KEPT_SECONDS = 600.0
"""Seconds that a game is kept after its window left, so that a reload finds it."""
SWEEP_SECONDS = 5.0
FIRST_PACE = 1.0
"""Seconds of a ply between two players in the game that the command line begins, at least."""
_NO_GAME = "this game has ended: begin a new one"


class GameRoom:
    """Games by their names; used by the server's loop alone."""

    def __init__(self, offer: Offer, folder: Path | None = None) -> None:
        """`folder` is where runs are."""
        self.offer, self.folder = offer, folder
        self._games: dict[str, HostedGame] = {}
        self._begins = 0
        """Games that are being begun."""
        self._first: tuple[str, BoardGame, tuple[str, str]] | None = None

    def __len__(self) -> int:
        return len(self._games)

    def game(self, name: str) -> HostedGame:
        """The game of that name. Raises Refusal if there is none."""
        if name not in self._games:
            raise Refusal(404, _NO_GAME)
        return self._games[name]

    async def begin(self, given: NewGame) -> HostedGame:
        """Begin a game. Raises Refusal."""
        if len(self._games) + self._begins >= MOST_GAMES:
            raise Refusal(429, f"there are {MOST_GAMES} games already: end one of them first")
        self._begins += 1
        try:
            seed = random.SystemRandom().getrandbits(32)
            sitting = await in_thread(lambda: begun(given, self.offer.seats, self.folder, seed))
            try:
                await in_thread(sitting.prepare)
            except Exception as error:
                raise Refusal(422, cut(message_of(error), 300)) from None
            keys = given.white, given.black
            return self._sit_down(secrets.token_urlsafe(9), sitting, keys, given.pace)
        finally:
            self._begins -= 1

    def begin_with(self, sitting: BoardGame) -> str:
        """Have this game begun when the room opens; its name. Players that are not built yet are from then on."""
        white, black = (self.offer.add(side, sitting.variant) for side in sitting.sides)
        self._first = secrets.token_urlsafe(9), sitting, (white, black)
        return self._first[0]

    def open(self) -> None:
        """Begin the game of `begin_with`, in the server's loop."""
        if self._first is not None:
            hosted = self._sit_down(*self._first, FIRST_PACE)
            background(in_thread(lambda: _build(hosted.sitting)))
            self._first = None

    def _sit_down(self, name: str, sitting: BoardGame, keys: tuple[str, str], pace: float) -> HostedGame:
        self._games[name] = HostedGame(name, sitting, keys, pace)
        return self._games[name]

    def remove(self, name: str) -> None:
        """Close a game. Raises Refusal for an unknown name."""
        self.game(name).close()
        del self._games[name]

    async def sweep(self) -> None:
        """For ever: let go of games that no window holds."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            self.sweep_once(time.monotonic())

    def sweep_once(self, now: float) -> None:
        """Let go of what no window has held for KEPT_SECONDS, at that time of the monotonic clock."""
        for name, hosted in list(self._games.items()):
            if hosted.left_at is not None and now - hosted.left_at > KEPT_SECONDS:
                self.remove(name)

    def close(self) -> None:
        """Close all games."""
        for name in list(self._games):
            self.remove(name)


def _build(sitting: BoardGame) -> None:
    """Build the players; what is wrong with one shows when it is asked."""
    with suppress(Exception):
        sitting.build()
