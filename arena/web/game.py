"""One game as the server keeps it: its windows, what they ask, its players' searches, its clock, its analysis."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from functools import partial
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.base.errors import ArenaError
from arena.base.wording import message_of
from arena.board.game import BoardGame, Request, Thought
from arena.board.published import program_of
from arena.board.sides import ADVICE_SECONDS, adviser
from arena.hosting.analysis import Analysis
from arena.rules.game import Game
from arena.rules.position import COLOURS
from arena.web.beginning import MOST_PLIES, Seats, timed_sides
from arena.web.documents import (
    GameDocuments,
    analysis_document,
    are_draws_off,
    ending_document,
    position_document,
    side_document,
)
from arena.web.headline import Told, headline, news, subline
from arena.web.messages import (
    FOR_ITS_VERSION,
    Analyse,
    Asked,
    GameEnd,
    Move,
    Pause,
    Refusal,
    Seat,
    Wish,
    asked_in,
    json_text,
)
from arena.web.pools import ANALYSIS, THINKING, Pool, background
from players.loading import own_code
from players.negamax.state import MAX_DEPTH
from players.player import Limit

REPORT_SECONDS = 0.1
"""Seconds between two looks at what a search has found."""
ANALYSIS_SECONDS = 120.0
"""Seconds after which an analysis of a position is ended."""
_FULL = f"the game has {MOST_PLIES} plies, as many as a game may have here"


class Window:
    """A websocket that is sent the whole state after each change; one that is slow misses some."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket, self.news, self.error = socket, asyncio.Event(), ""
        self.told = Told()


class HostedGame:
    """A game at the board, and the windows that show it. Only the server's loop uses it."""

    def __init__(
        self, name: str, board: BoardGame, keys: tuple[str, str], seats: Seats, pace: float = 0.0
    ) -> None:
        """`keys` are the keys of White's and Black's player; a ply of two players takes `pace` seconds."""
        self.name, self.board, self.keys = name, board, keys
        self.left_at: float | None = time.monotonic()
        """When its last window left, or it was made; None while a window shows it."""
        self.changed_at = time.monotonic()
        self._was_seen = False
        self._seats, self._pace = seats, pace
        self._windows: set[Window] = set()
        self._is_paused = False
        self._documents = GameDocuments(board)
        self._flag: asyncio.TimerHandle | None = None
        self._request: Request | None = None
        """The search under way, if its answer is wanted."""
        self._findings = {"depth": 0, "nodes": 0}
        """What that search has found so far."""
        self._lines = 0
        """Lines of the analysis that is asked for, 0 without one."""
        self._study: Study | None = None
        self._advice: Study | None = None
        """The last hint."""
        self._search: asyncio.Task[None] | None = None
        """Asks the player to move, and plays its answer; cancelled when that is not wanted any more."""

    async def serve(self, socket: WebSocket) -> None:
        """Show the game in a window, and do what it asks, until it is gone."""
        window = Window(socket)
        window.told = self._told()
        self._windows.add(window)
        self.left_at = None
        if not self._was_seen:
            self._was_seen = True
            self.board.begin_turn()
        self._changed()
        telling = background(self._tell(window))
        try:
            while (message := await socket.receive())["type"] != "websocket.disconnect":
                window.error = self._refusal(message.get("text") or "")
                window.news.set()
        finally:
            telling.cancel()
            self._windows.discard(window)
            if not self._windows:
                self._leave()

    def close(self) -> None:
        """End the game; this returns at once."""
        self._leave()
        if self._flag is not None:
            self._flag.cancel()

    def state(self) -> dict[str, Any]:
        """The whole game as the page takes it."""
        board, documents = self.board, self._documents
        clocks, ending = board.clocks(), ending_document(board)
        documents.renew()
        request, hint = self._request, self._hint()
        sides = [side_document(key, side) for key, side in zip(self.keys, board.sides, strict=True)]
        failure = board.failure or (_FULL if len(board.turns) >= MOST_PLIES else "")
        names, paused = [side["name"] for side in sides], self._is_paused
        draws = not are_draws_off(board.variant)
        return {
            "game": self.name,
            "version": board.version,
            "headline": headline(board, names, is_thinking=request is not None, is_paused=paused),
            "subline": subline(
                board, failure=failure, hint=hint, findings=self._findings if request else None, is_paused=paused
            ),
            "variant": board.variant.name,
            "changed": draws and board.variant.name != board.variant.unchanged,
            "upright": program_of(board.variant).numbers_edges,
            "first": COLOURS[board.variant.first],
            **position_document(board.variant, board.game.position),
            "fen": board.game.fen,
            "start": documents.start,
            "sides": dict(zip(COLOURS, sides, strict=True)),
            "request": {
                "variant": board.variant.name if draws else board.variant.unchanged,
                "draws": draws,
                **dict(zip(COLOURS, self.keys, strict=True)),
                "seconds": {colour: side["seconds"] for colour, side in zip(COLOURS, sides, strict=True)},
                "pace": self._pace,
                **({"clock": board.clock._asdict()} if board.clock else {}),
            },
            "moves": documents.moves,
            "legal": documents.legal if ending is None and board.side.is_person else [],
            "thinking": request and self._findings,
            "paused": paused,
            "lines": self._lines,
            "analysis": self._study and self._study.document,
            "hint": hint,
            "outcome": ending,
            "failure": failure,
            "clocks": clocks and {colour: round(left, 2) for colour, left in zip(COLOURS, clocks, strict=True)},
            "running": bool(clocks) and ending is None and (request is not None or board.side.is_person),
            "pdn": documents.pdn,
        }

    def _refusal(self, text: str) -> str:
        """Do what a window asks for; why that cannot be done, in one line for the person, or empty."""
        try:
            asked = asked_in(text)
            if asked.do in FOR_ITS_VERSION and asked.version != self.board.version:
                return "the game has moved on"
            self._do(asked)
        except (Refusal, ArenaError, ValueError) as error:
            return str(error)
        self._changed()
        return ""

    def _do(self, asked: Asked) -> None:
        board = self.board
        match asked:
            case Move() if len(board.turns) >= MOST_PLIES:
                raise ArenaError(_FULL)
            case Move():
                board.play(board.game.move(asked.text))
            case Wish(do="undo"):
                board.undo()
            case Wish(do="stop") if self._request is not None:
                board.stop()
            case GameEnd(do="resign"):
                board.resign(self._person(asked.colour))
            case GameEnd(do="draw"):
                colour = self._person(asked.colour)
                if not board.offer_draw(colour):
                    raise ArenaError(f"{board.sides[1 - colour].name} does not agree on a draw")
            case Seat():
                sides = self._seats(asked.white, asked.black, board.variant)
                board.seat(timed_sides(sides, asked.seconds))
                self.keys = asked.white, asked.black
            case Pause():
                self._is_paused = asked.on
                if asked.on:
                    self._hold_up()
            case Analyse():
                self._lines = asked.lines
                _end(self._study)
                self._study = None
            case Wish(do="hint"):
                if board.outcome is not None or not board.side.is_person:
                    raise ArenaError("a hint is for the person to move")
                if self._advice is None or self._advice.is_done or not self._advice.is_of(board.game):
                    _end(self._advice)
                    self._advice = Study(board.game.copy(), 1, Limit(seconds=ADVICE_SECONDS))
                    background(self._run(self._advice, THINKING))

    def _person(self, colour: str) -> int:
        """The number of a colour that a person plays."""
        number = COLOURS.index(colour)
        if not (side := self.board.sides[number]).is_person:
            raise ArenaError(f"{colour} is played by {side.name}")
        return number

    async def _tell(self, window: Window) -> None:
        """Send a window the state after each change, for ever."""
        with suppress(WebSocketDisconnect, RuntimeError):  # it is gone, or closed meanwhile
            while True:
                await window.news.wait()
                window.news.clear()
                error, window.error = window.error, ""
                state, before, window.told = self.state(), window.told, self._told()
                below = state["subline"] if window.told.is_hinted else ""
                said = news(self.board, before, state["headline"], below)
                await window.socket.send_text(json_text(state | {"error": error, "news": said}))

    def _told(self) -> Told:
        """What a window knows that has the state of now."""
        hint = self._hint()
        return Told(tuple(self.board.turns), self.board.outcome is not None, bool(hint and hint["done"]))

    def _hint(self) -> dict[str, Any] | None:
        """What was found for the position of now, if a hint was asked for."""
        advice = self._advice
        return advice.document if advice and advice.is_of(self.board.game) else None

    def _say(self) -> None:
        for window in self._windows:
            window.news.set()

    def _changed(self) -> None:
        """Send the state to the windows, look at the clock, have players and the analysis go on."""
        self.changed_at = time.monotonic()
        if self._request is not None and self._request.version != self.board.version:
            self._hold_up()
        if self._search is None and self._is_due():
            self._request, self._findings = self.board.request(), {"depth": 0, "nodes": 0}
            self._search = background(self._ply(self._request))
        self._say()
        self._watch_clock()
        self._follow()
        if self.board.outcome is not None:
            self.board.release()

    def _leave(self) -> None:
        """No window shows the game: searches stop, and the players and their memory are let go of."""
        self.left_at = time.monotonic()
        self._hold_up()
        for study in (self._study, self._advice):
            _end(study)
        self._study = self._advice = None
        self.board.release()

    def rest(self) -> None:
        """Let go of the players and their memory, unless one thinks; they are built again when they are asked."""
        if self._request is None:
            self.board.release()

    def _watch_clock(self) -> None:
        """See to it that a person's time runs out though nothing happens."""
        if self._flag is not None:
            self._flag.cancel()
            self._flag = None
        clocks, board = self.board.clocks(), self.board
        if clocks is not None and board.outcome is None and board.side.is_person:
            left = clocks[board.game.turn]
            self._flag = asyncio.get_running_loop().call_later(left + REPORT_SECONDS / 10, self._changed)

    def _is_due(self) -> bool:
        """Whether a player is to think now."""
        board = self.board
        return (
            bool(self._windows)
            and not self._is_paused
            and board.outcome is None
            and not board.side.is_person
            and len(board.turns) < MOST_PLIES
        )

    async def _ply(self, request: Request) -> None:
        """Have a player answer a request to move, and play the answer; the player stops if this is cancelled."""
        board, began, side = self.board, time.monotonic(), self.board.side
        answer = asyncio.ensure_future(THINKING.run(partial(_answer, request)))
        try:
            while not answer.done():
                await asyncio.wait([answer], timeout=REPORT_SECONDS)
                choice = None if side.spec is None or own_code(side.spec) else request.player.progress()
                if choice is not None and choice.depth > self._findings["depth"]:
                    self._findings = {"depth": choice.depth, "nodes": choice.nodes}
                    self._say()
            if not any(side.is_person for side in board.sides):
                await asyncio.sleep(began + self._pace - time.monotonic())
        except asyncio.CancelledError:
            request.stopped.set()
            request.player.stop()
            answer.cancel()
            raise
        self._search = self._request = None
        thought = answer.result()
        if isinstance(thought, Thought):
            board.accept(request, thought)
        else:
            board.fail(request, thought)
        self._changed()

    def _hold_up(self) -> None:
        """Cancel the search under way; its answer is not played."""
        if self._search is not None:
            self._search.cancel()
        self._search = self._request = None

    def _follow(self) -> None:
        """Analyse the position that the game has now, if that is asked for."""
        game, study = self.board.game, self._study
        is_due = self._lines > 0 and bool(self._windows) and self.board.outcome is None
        if study is not None and not (is_due and study.is_of(game)):
            _end(study)
            self._study = None
        if is_due and self._study is None and game.legal_moves:
            self._study = Study(game.copy(), self._lines, Limit(depth=MAX_DEPTH, seconds=ANALYSIS_SECONDS))
            background(self._run(self._study, ANALYSIS))

    async def _run(self, study: Study, pool: Pool) -> None:
        """Search in a thread of a pool, and send what is found until the study is stopped."""
        search, shown = asyncio.ensure_future(pool.run(study.search)), None
        while not study.is_stopped and not (search.done() and shown is study.document):
            await asyncio.wait([search], timeout=REPORT_SECONDS)
            if study.document is not shown and not study.is_stopped:
                shown = study.document
                self._say()
        search.cancel()


class Study:
    """The best lines of a position: `search` in a thread, everything else from the loop."""

    def __init__(self, game: Game, lines: int, limit: Limit) -> None:
        """`game` is a copy."""
        self._game, self._lines = game, lines
        self._player = adviser(game.variant, limit)
        self._analysis: Analysis | None = None
        self.is_stopped = False
        self.document: dict[str, Any] = {
            "ply": len(game.moves),
            "by": self._player.options["evaluation"],
            "lines": [],
            "outlook": [],
            "done": False,
        }
        """The findings so far."""

    @property
    def is_done(self) -> bool:
        """Whether the search has ended."""
        return bool(self.document["done"])

    def search(self) -> None:
        """Search until it is stopped or nothing more is to be found; if it was stopped before, not at all."""
        if self.is_stopped:
            return
        try:
            self._analysis = Analysis(self._player, self._game, self._lines)
            for findings in self._analysis.findings():
                self.document = self.document | analysis_document(self._analysis, self._game, findings)
                if self.is_stopped:
                    self._analysis.stop()
            self.document = self.document | {"done": True}
        except Exception as error:
            self.document = self.document | {"done": True, "failure": message_of(error)}

    def is_of(self, game: Game) -> bool:
        """Whether it is of that game's position, reached by the same moves."""
        return self._game.moves == game.moves and self._game.start == game.start

    def stop(self) -> None:
        """End the search soon; this returns at once."""
        self.is_stopped = True
        if self._analysis is not None:
            self._analysis.stop()


def _end(study: Study | None) -> None:
    """Stop a study, if there is one."""
    if study is not None:
        study.stop()


def _answer(request: Request) -> Thought | BaseException:
    """A player's answer or its failure; called in a thread."""
    try:
        return request.answer()
    except BaseException as error:
        return error
