"""GameRoom: all games of the server, the windows that hold them, and what becomes of those that nobody holds."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from arena.seats.answer import message_of
from arena.sitting.sitting import Sitting
from arena.store.store import StoreError
from arena.web.answers import Refusal
from arena.web.beginning import begun
from arena.web.bodies import NewGame
from arena.web.lanes import Lane, Lanes
from arena.web.offer import Offer
from arena.web.table import Table
from arena.web.thinking import building
from arena.wording import cut

if TYPE_CHECKING:
    from arena.sitting.record import Record

MOST_GAMES = 200
"""Games at a time."""
KEPT_SECONDS = 600.0
"""Seconds that a game is kept after its window left, so that a reload finds it."""
RELEASED_SECONDS = 15.0
"""Seconds after which the players of such a game are let go of, with their memory."""
SWEEP_SECONDS = 5.0
_NO_GAME = "this game is no more: begin a new one"


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
        self._say = say
        self._tables: dict[str, Table] = {}
        self._begins = 0
        """Games that are being begun."""
        self._recorder = Lane(1)
        self._records: dict[str, Record] = {}
        """By rule set; only a thread of `_recorder` uses them."""
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._tables)

    def table(self, name: str) -> Table:
        """The game of that name. Raises Refusal if there is none."""
        if name not in self._tables:
            raise Refusal(404, _NO_GAME)
        return self._tables[name]

    async def begin(self, given: NewGame) -> Table:
        """Begin a game. Raises Refusal."""
        if len(self._tables) + self._begins >= MOST_GAMES:
            raise Refusal(429, f"there are {MOST_GAMES} games already: end one of them first")
        if given.counts:
            self._check_counts(given)
        self._begins += 1
        try:
            seed = random.SystemRandom().getrandbits(32)
            sitting = await self.lanes.others.run(lambda: begun(given, self.offer.seat, self.folder, seed))
            return await self.sit_down(sitting, (given.white, given.black), given.pace, given.counts)
        finally:
            self._begins -= 1

    async def sit_down(
        self, sitting: Sitting, keys: tuple[str, str], pace: float = 0.0, counts: bool = False
    ) -> Table:
        """Have a game at a table of its own, its players built. Raises Refusal for one that cannot be."""
        try:
            await self.lanes.others.run(lambda: _prepare(sitting))
        except Exception as error:
            raise Refusal(422, cut(message_of(error), 300)) from None
        name = secrets.token_urlsafe(9)
        self._tables[name] = Table(name, sitting, keys, self.lanes, pace=pace, counts=counts, over=self._ended)
        return self._tables[name]

    def remove(self, name: str) -> None:
        """Be done with a game. Raises Refusal if there is none of that name."""
        self.table(name).close()
        del self._tables[name]

    async def sweep(self) -> None:
        """For ever: let go of the players, and later of the games, that no window holds."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            self.sweep_once(time.monotonic())

    def sweep_once(self, now: float) -> None:
        """Let go of what no window holds at that time of the monotonic clock."""
        for name, table in list(self._tables.items()):
            gone = 0.0 if table.left_at is None else now - table.left_at
            if gone > KEPT_SECONDS:
                self.remove(name)
            elif gone > RELEASED_SECONDS:
                table.release()

    async def close(self) -> None:
        """Be done with all games, and with the records."""
        for name in list(self._tables):
            self.remove(name)
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._recorder.run(lambda: [record.close() for record in self._records.values()])

    def _check_counts(self, given: NewGame) -> None:
        if self.kept_in is None:
            raise Refusal(422, "games count only if arena serve was given --record FOLDER")
        if [given.white, given.black].count("human") != 1:
            raise Refusal(422, "a game counts only between one person and one player")

    def _ended(self, table: Table) -> None:
        if table.counts:
            task = asyncio.create_task(self._record(table))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _record(self, table: Table) -> None:
        try:
            line = await self._recorder.run(lambda: self._add(table.sitting))
        except (StoreError, ValueError) as error:
            line = f"the game could not be kept: {message_of(error)}"
            self._say(line)
        table.record(line)

    def _add(self, sitting: Sitting) -> str:
        from arena.sitting.record import Record

        if self.kept_in is None:
            raise ValueError("no folder was given for it")
        name = sitting.variant.name
        if name not in self._records:
            self._records[name] = Record(*self.kept_in, sitting.variant)
        return self._records[name].add(sitting)


def _prepare(sitting: Sitting) -> None:
    with building:
        sitting.prepare()


