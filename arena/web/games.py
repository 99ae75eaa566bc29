"""GameRoom: all games of the server, and what becomes of those that no window shows."""

from __future__ import annotations

import asyncio
import random
import secrets
import time

from arena.base.wording import cut, message_of
from arena.board.game import BoardGame
from arena.web.beginning import begun
from arena.web.game import HostedGame
from arena.web.messages import NewGame, Refusal
from arena.web.offer import Offer
from arena.web.pools import THINKING, background

MOST_GAMES = 200
"""Games at a time: for another one, the game goes that no window has shown for longest."""
KEPT_SECONDS = 600.0
"""Seconds that a game is kept after its last window left, so that a reload finds it."""
SWEEP_SECONDS = 5.0
FIRST_PACE = 1.0
"""Seconds of a ply between two players in the game that the command line begins, at least."""


class GameRoom:
    """Games by their names; used by the server's loop alone."""

    def __init__(self, offer: Offer) -> None:
        self.offer = offer
        self._games: dict[str, HostedGame] = {}
        self._first: tuple[str, BoardGame, tuple[str, str]] | None = None

    def __len__(self) -> int:
        return len(self._games)

    def game(self, name: str) -> HostedGame:
        """The game of that name. Raises Refusal if there is none."""
        if name not in self._games:
            raise Refusal(404, "this game has ended: begin a new one")
        return self._games[name]

    async def begin(self, request: NewGame) -> HostedGame:
        """Begin a game. Raises Refusal."""
        seed = random.SystemRandom().getrandbits(32)
        board = await asyncio.to_thread(begun, request, self.offer.seats, seed)
        try:
            await THINKING.run(board.prepare)
            return self._add(secrets.token_urlsafe(9), board, (request.white, request.black), request.pace)
        except Refusal:
            board.release()
            raise
        except Exception as error:
            raise Refusal(422, cut(message_of(error), 300)) from None

    def begin_with(self, board: BoardGame) -> str:
        """Have this game begun when the room opens; its name. Players that are not built yet are from then on."""
        white, black = (self.offer.add(side, board.variant) for side in board.sides)
        self._first = secrets.token_urlsafe(9), board, (white, black)
        return self._first[0]

    def open(self) -> None:
        """Begin the game of `begin_with`, in the server's loop."""
        if self._first is not None:
            hosted = self._add(*self._first, FIRST_PACE)
            background(THINKING.run(hosted.board.build))
            self._first = None

    async def sweep(self) -> None:
        """For ever: drop games that no window shows any more."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            self.sweep_once(time.monotonic())

    def sweep_once(self, now: float) -> None:
        """Drop what no window has shown for KEPT_SECONDS, at that time of the monotonic clock.

        Players of a game in which nothing has happened for so long rest, though a window shows it.
        """
        for hosted in list(self._games.values()):
            if hosted.left_at is not None and now - hosted.left_at > KEPT_SECONDS:
                self._drop(hosted)
            elif now - hosted.changed_at > KEPT_SECONDS:
                hosted.rest()

    def close(self) -> None:
        """End all games."""
        for hosted in list(self._games.values()):
            self._drop(hosted)

    def _make_room(self) -> None:
        if len(self._games) >= MOST_GAMES:
            left = [hosted for hosted in self._games.values() if hosted.left_at is not None]
            if not left:
                raise Refusal(429, f"{MOST_GAMES} games are being played: close the window of one first")
            self._drop(min(left, key=lambda hosted: hosted.left_at or 0.0))

    def _add(self, name: str, board: BoardGame, keys: tuple[str, str], pace: float) -> HostedGame:
        """Host a game. Raises Refusal if there are MOST_GAMES, and windows show them all."""
        self._make_room()
        self._games[name] = HostedGame(name, board, keys, self.offer.seats, pace)
        return self._games[name]

    def _drop(self, hosted: HostedGame) -> None:
        hosted.close()
        del self._games[hosted.name]
