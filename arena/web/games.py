"""GameRoom: all games of the server, the windows that hold them, and what becomes of those that nobody holds."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from arena.base.wording import cut, message_of
from arena.ledger.store import StoreError
from arena.rules.variants import Variant
from arena.sitting.counting import begin_counting
from arena.sitting.sitting import Sitting
from arena.web.beginning import Compilation, begun
from arena.web.hosted import HostedGame
from arena.web.lanes import Lanes, background
from arena.web.messages import NewGame, Refusal
from arena.web.offer import Offer
from arena.web.thinking import building

if TYPE_CHECKING:
    from arena.sitting.record import Record

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

    def __init__(
        self,
        offer: Offer,
        folder: Path | None = None,
        record: tuple[Path, str] | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`folder` is where runs are, `record` where games that count are kept, and the person's name."""
        self.offer, self.folder, self.kept_in = offer, folder, record
        self.lanes = Lanes()
        self.compilation = Compilation(offer.seats, self.lanes.others)
        self._say = say
        self._games: dict[str, HostedGame] = {}
        self._begins = 0
        """Games that are being begun."""
        self._recorder = ThreadPoolExecutor(1)
        self._records: dict[str, Record] = {}
        """By rule set; only the thread of `_recorder` uses them."""
        self._first: tuple[str, Sitting, tuple[str, str]] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

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
            if given.counts and self.kept_in is None:
                raise Refusal(422, "games count only where --record FOLDER was given on the command line")
            if given.counts and not given.draws:
                raise Refusal(422, "a game counts only with the draws of its rules")
            seed = random.SystemRandom().getrandbits(32)
            sitting = await self.lanes.others.run(lambda: begun(given, self.offer.seats, self.folder, seed))
            if given.counts:
                await self._have_counted(sitting)
            try:
                await self.lanes.others.run(lambda: _prepare(sitting))
            except Exception as error:
                raise Refusal(422, cut(message_of(error), 300)) from None
            if not given.counts:
                self.compilation.advise(sitting.variant)
            keys = given.white, given.black
            return self._sit_down(secrets.token_urlsafe(9), sitting, keys, given.pace)
        finally:
            self._begins -= 1

    def begin_with(self, sitting: Sitting) -> str:
        """Have this game begun when the room opens; its name. Players that are not built yet are from then on.

        Raises StoreError or ValueError if it counts and its run cannot be opened.
        """
        if sitting.counts:
            self._recorder.submit(self._record_of, sitting.variant).result()
        white, black = (self.offer.add(side, sitting.variant) for side in sitting.sides)
        self._first = secrets.token_urlsafe(9), sitting, (white, black)
        return self._first[0]

    def open(self) -> None:
        """Begin the game of `begin_with`, in the server's loop."""
        if self._first is not None:
            hosted = self._sit_down(*self._first, FIRST_PACE)
            background(self.lanes.others.run(lambda: _build(hosted.sitting)))
            self._first = None

    def _sit_down(self, name: str, sitting: Sitting, keys: tuple[str, str], pace: float) -> HostedGame:
        self._games[name] = HostedGame(name, sitting, keys, self.lanes, pace=pace, over=self._ended)
        return self._games[name]

    def remove(self, name: str) -> None:
        """Close a game; one that counts and is not over is resigned. Raises Refusal for an unknown name."""
        self.game(name).give_up()
        self.game(name).close()
        del self._games[name]

    async def leave(self, name: str) -> str:
        """Close a game, see `remove`; how it counts, in words, when that is stored."""
        hosted = self.game(name)
        self.remove(name)
        if hosted.sitting.counts and self._tasks:
            await asyncio.wait(self._tasks)
        return hosted.recorded

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

    async def close(self) -> None:
        """Close all games and the records."""
        for name in list(self._games):
            self.remove(name)
        if self._tasks:
            await asyncio.wait(self._tasks)
        await asyncio.get_running_loop().run_in_executor(self._recorder, self._close_records)
        self._recorder.shutdown()

    def _close_records(self) -> None:
        for record in self._records.values():
            record.close()

    async def _have_counted(self, sitting: Sitting) -> None:
        try:
            begin_counting(sitting)
            await asyncio.get_running_loop().run_in_executor(self._recorder, self._record_of, sitting.variant)
        except (StoreError, ValueError) as error:
            raise Refusal(422, cut(str(error), 300)) from None

    def _ended(self, hosted: HostedGame) -> None:
        if hosted.sitting.counts:
            task = asyncio.create_task(self._record(hosted))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _record(self, hosted: HostedGame) -> None:
        try:
            line = await asyncio.get_running_loop().run_in_executor(self._recorder, self._add, hosted.sitting)
        except (StoreError, ValueError) as error:
            line = f"the game could not be kept: {message_of(error)}"
            self._say(line)
        hosted.record(line)

    def _add(self, sitting: Sitting) -> str:
        return self._record_of(sitting.variant).add(sitting)

    def _record_of(self, variant: Variant) -> Record:
        from arena.sitting.record import Record

        if self.kept_in is None:
            raise ValueError("no folder was given for it")
        if variant.name not in self._records:
            self._records[variant.name] = Record(*self.kept_in, variant)
        return self._records[variant.name]


def _build(sitting: Sitting) -> None:
    """Build the players; what is wrong with one shows when it is asked."""
    with suppress(Exception), building:
        sitting.build()


def _prepare(sitting: Sitting) -> None:
    with building:
        sitting.prepare()
