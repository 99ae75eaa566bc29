"""GameRoom: all games of the server, from their beginning until no window has shown them for a while."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from functools import partial

from arena.base import ArenaError
from arena.board.game import BoardGame, Clock, build
from arena.board.sides import Side
from arena.rules.custom import VariantError, build_variant, without_draws
from arena.rules.game import Game
from arena.rules.variants import Variant
from arena.web.documents import legal_documents, placed
from arena.web.game import HostedGame
from arena.web.messages import ClockGiven, NewGame, Refusal
from arena.web.offer import Offer
from arena.web.threads import in_thread

MOST_GAMES = 200
"""Games at a time: a further one replaces the game that no window has shown for the longest time."""
KEPT_SECONDS = 600.0
"""Seconds that a game is kept after its last window left, so that a reload finds it."""
SWEEP_SECONDS = 5.0
MOST_SECONDS = 1.0
"""Seconds that writing the moves of a position may take where a game begins."""
_RULES = re.compile(r"[\w{}:, .-]{0,300}")
"""A name of rules, or a mapping without lists, anchors and tags of YAML."""


class GameRoom:
    """Games by their names; used by the server's loop alone."""

    def __init__(self, offer: Offer, first: BoardGame | None = None) -> None:
        """`first` is a game that is begun when the room opens; its players need not be built yet."""
        self.offer = offer
        self.first = secrets.token_urlsafe(9)
        """The name of that game."""
        self._games: dict[str, HostedGame] = {}
        self._board = first

    def __len__(self) -> int:
        return len(self._games)

    def game(self, name: str) -> HostedGame:
        """The game of that name. Raises Refusal if there is none."""
        if name not in self._games:
            raise Refusal(404, "this game has ended: begin a new one")
        return self._games[name]

    async def begin(self, request: NewGame) -> HostedGame:
        """Begin a game. Raises Refusal."""
        variant, sides = await in_thread(partial(_checked, request, self.offer))
        clock = None if request.clock is None else Clock(request.clock.seconds, request.clock.increment)
        board = BoardGame(variant, sides, request.fen, clock=clock, seed=secrets.randbits(32))
        try:
            await in_thread(partial(build, board.players))
            board.begin_turn()
            return self._add(secrets.token_urlsafe(9), board, request)
        except ArenaError as error:
            board.release()
            raise error if isinstance(error, Refusal) else Refusal(422, str(error)) from None

    def open(self) -> None:
        """Begin the first game, in the server's loop."""
        if (board := self._board) is not None:
            white, black = (self.offer.add(side, board.variant) for side in board.sides)
            clock = board.clock and ClockGiven.model_construct(**board.clock._asdict())
            named = NewGame.model_construct(variant=board.variant.name, white=white, black=black, clock=clock)
            self._add(self.first, board, named)  # not checked, as the command line has other bounds

    async def sweep(self) -> None:
        """For ever: drop games that no window shows any more."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            self.sweep_once(time.monotonic())

    def sweep_once(self, now: float) -> None:
        """Drop games that no window has shown for KEPT_SECONDS; `now` is a time of the monotonic clock."""
        for hosted in list(self._games.values()):
            if hosted.left_at is not None and now - hosted.left_at > KEPT_SECONDS:
                self._drop(hosted)

    def close(self) -> None:
        """End all games."""
        for hosted in list(self._games.values()):
            self._drop(hosted)

    def _add(self, name: str, board: BoardGame, request: NewGame) -> HostedGame:
        """Host a game. Raises Refusal if there are MOST_GAMES, and windows show them all."""
        if len(self._games) >= MOST_GAMES:
            left = [hosted for hosted in self._games.values() if hosted.left_at is not None]
            if not left:
                raise Refusal(429, f"{MOST_GAMES} games are being played: close the window of one first")
            self._drop(min(left, key=lambda hosted: hosted.left_at or 0.0))
        self._games[name] = HostedGame(name, board, request, self.offer)
        return self._games[name]

    def _drop(self, hosted: HostedGame) -> None:
        hosted.close()
        del self._games[hosted.name]


def variant_of(name: str) -> Variant:
    """The rule set of that name, or of a mapping of words and numbers. Raises Refusal."""
    if not _RULES.fullmatch(name):
        raise Refusal(422, "no rule set has such a name")
    try:
        return build_variant(name)
    except VariantError as error:
        raise Refusal(422, str(error)) from None


def _checked(request: NewGame, offer: Offer) -> tuple[Variant, tuple[Side, Side]]:
    """The rules and the sides of a game that can be begun, all compiled that the loop needs; in a thread.

    Raises Refusal for what cannot be begun, as a position whose captures have so many ways that they would hold up
    the loop.
    """
    variant = variant_of(request.variant)
    sides = offer.seats(request.white, request.black, variant, request.seconds)
    try:
        start = variant.start if request.fen is None else placed(variant, request.fen)
        if not (start.white and start.black):
            raise ValueError(f"{'black' if start.white else 'white'} has no piece")
        variant = variant if request.draws else without_draws(variant)
        game = Game(variant, request.fen)
    except ValueError as error:
        raise Refusal(422, str(error)) from None
    if game.legal_moves:
        game.push(game.legal_moves[0])
        game.pop()
    began = time.monotonic()
    legal_documents(game)
    if time.monotonic() - began > MOST_SECONDS:
        raise Refusal(422, "captures have too many ways in this position")
    return variant, sides
