"""Thinking, in threads: the players of one game are asked for their moves, and a position is analysed."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, TypeVar

from arena.board.game import BoardGame, Request, Thought
from arena.board.sides import ADVICE_SECONDS, Side, adviser
from arena.hosting.analysis import Analysis, Findings
from arena.hosting.handle import SharedPlayer
from arena.rules.game import Game
from arena.web.documents import analysis_document, thinking_document
from players.loading import own_code
from players.negamax.state import MAX_DEPTH
from players.player import Limit

MOST_PLIES = 2000
"""Plies of a game, at most."""
REPORT_SECONDS = 0.1
"""Seconds between two looks at what a search has found."""

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """Run `work` in a thread of its own, which nothing waits for at the end; return or raise what it does.

    A player of a user's own may never answer: it takes no place from others, and the server can still end.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[T | None, BaseException | None]] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if not done.done():
            done.set_result((result, error))

    def body() -> None:
        result, error = None, None
        try:
            result = work()
        except BaseException as raised:
            error = raised
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=body, daemon=True).start()
    result, error = await done
    if error is not None:
        raise error
    return result  # type: ignore[return-value]


def background(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """A task for itself; what it raises goes to the loop's exception handler at once."""
    task = asyncio.get_running_loop().create_task(work)
    task.add_done_callback(_tell_failure)
    return task


def _tell_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        task.get_loop().call_exception_handler({"message": "a task failed", "exception": error, "task": task})


class PlySearch(NamedTuple):
    """A player's search under way."""

    request: Request
    side: Side
    epoch: int
    """How often the thinking had been held up before."""


class Thinking:
    """Asks the player to move, as long as `may_think` says so, and has the sitting accept what it found."""

    def __init__(
        self,
        sitting: BoardGame,
        pace: float,
        *,
        may_think: Callable[[], bool],
        changed: Callable[[], None],
        tell: Callable[[dict[str, Any]], None],
    ) -> None:
        """`pace` are the seconds of a ply between two players, at least.

        `changed` is called when the game or what is searched has changed, `send` with what a search finds.
        """
        self.search: PlySearch | None = None
        """The one under way; its answer may be of no use any more."""
        self._sitting, self._pace = sitting, pace
        self._may_think, self._changed, self._tell = may_think, changed, tell
        self._epoch = 0
        self._answers: dict[int, tuple[SharedPlayer, asyncio.Task[Thought | BaseException | None]]] = {}
        """Of each colour who was asked last, and its answer."""
        self._is_woken = asyncio.Event()
        self._task = background(self._drive())

    def wake(self) -> None:
        """Look again whether there is something to think about."""
        self._is_woken.set()

    def hold_up(self) -> None:
        """Stop the search under way; its answer is not played."""
        self._epoch += 1
        if self.search is not None:
            _stop(self.search)

    def hurry(self) -> None:
        """Have the search under way answer now."""
        if self.search is not None:
            self._sitting.stop()

    def close(self) -> None:
        """End all thinking; this returns at once."""
        self.hold_up()
        self._task.cancel()

    async def _drive(self) -> None:
        while True:
            await self._is_woken.wait()
            self._is_woken.clear()
            while self._is_due():
                await self._ply()

    def _is_due(self) -> bool:
        sitting = self._sitting
        return (
            self._may_think()
            and sitting.outcome is None
            and not sitting.side.is_person
            and len(sitting.turns) < MOST_PLIES
        )

    async def _ply(self) -> None:
        sitting = self._sitting
        search = PlySearch(sitting.request(), sitting.side, self._epoch)
        spec = search.side.spec
        assert spec is not None
        began = time.monotonic()
        self.search = search
        self._changed()
        watch = asyncio.create_task(self._watch(search, speaks=not own_code(spec)))
        answer = self._asked(search)
        try:
            await asyncio.wait([answer, watch], return_when=asyncio.FIRST_COMPLETED)
        finally:
            watch.cancel()
            self.search = None
        found = answer.result() if answer.done() else None
        if isinstance(found, Thought):
            await self._keep_pace(search, began)
        if self._is_wanted(search):
            if isinstance(found, Thought):
                sitting.accept(search.request, found)
            elif found is not None:
                sitting.fail(search.request, found)
        self._changed()

    def _asked(self, search: PlySearch) -> asyncio.Task[Thought | BaseException | None]:
        """Start a search once the player's last request, which may not end, has been answered."""
        colour = search.request.game.turn
        player, before = self._answers.get(colour, (None, None))

        async def ask() -> Thought | BaseException | None:
            if before is not None and player is search.request.player:
                await asyncio.wait([before])
            return await in_thread(partial(self._answer, search))

        answer = asyncio.create_task(ask())
        self._answers[colour] = search.request.player, answer
        return answer

    def _answer(self, search: PlySearch) -> Thought | BaseException | None:
        """The player's answer or failure, None if no longer needed; called in a thread."""
        if not self._is_wanted(search):
            return None
        try:
            return search.request.answer()
        except BaseException as error:
            return error

    def _is_wanted(self, search: PlySearch) -> bool:
        return search.request.version == self._sitting.version and search.epoch == self._epoch

    async def _watch(self, search: PlySearch, speaks: bool) -> None:
        player = search.request.player
        deepest = 0
        while True:
            await asyncio.sleep(REPORT_SECONDS)
            if not self._is_wanted(search):
                _stop(search)
                return
            if speaks and (found := player.progress()) is not None and found.depth > deepest:
                deepest = found.depth
                self._tell(thinking_document(found))

    async def _keep_pace(self, search: PlySearch, began: float) -> None:
        """Wait until a ply between two players has taken its time, unless the answer is of no use any more."""
        if any(side.is_person for side in self._sitting.sides):
            return
        end = began + self._pace
        while (left := end - time.monotonic()) > 0 and self._is_wanted(search):
            self._is_woken.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_woken.wait(), left)


def _stop(search: PlySearch) -> None:
    search.request.stopped.set()
    search.request.player.stop()


MOST_SECONDS = 600.0
"""Seconds after which an analysis is ended."""


class Study:
    """The best lines of a game's position: `search` in a thread, everything else from the loop."""

    def __init__(self, game: Game, lines: int, *, is_hint: bool = False) -> None:
        """`game` is a copy; a hint ends after ADVICE_SECONDS."""
        self.ply, self.lines = len(game.moves), lines
        self._game, self._is_hint = game, is_hint
        self._analysis: Analysis | None = None
        self._latest: Findings | None = None
        self._sent: Findings | None = None
        self._is_stopped = False

    def search(self) -> None:
        """Search until it is stopped or nothing more is to be found."""
        limit = Limit(seconds=ADVICE_SECONDS) if self._is_hint else Limit(depth=MAX_DEPTH, seconds=MOST_SECONDS)
        self._analysis = Analysis(adviser(self._game.variant, limit), self._game, self.lines)
        for findings in self._analysis.findings():
            self._latest = findings
            if self._is_stopped:
                self._analysis.stop()

    def is_of(self, game: Game) -> bool:
        """Whether it is of that game's position, reached by the same moves."""
        return self._game.moves == game.moves and self._game.start == game.start

    def stop(self) -> None:
        """End the search soon; this returns at once."""
        self._is_stopped = True
        if self._analysis is not None:
            self._analysis.stop()

    def news(self) -> dict[str, Any] | None:
        """The latest findings, None if nothing new since the last call."""
        if self._latest is self._sent:
            return None
        self._sent = self._latest
        return self.document()

    def document(self) -> dict[str, Any] | None:
        """The findings so far, None if nothing."""
        if self._analysis is None or self._latest is None:
            return None
        return analysis_document(self._analysis, self._game, self._latest, self.ply)
